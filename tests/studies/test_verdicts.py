from dataclasses import replace

import pytest

from mercer.exceptions import DataError
from mercer.studies import Row
from mercer.studies.published_numbers import PublishedNumber, read_published
from mercer.studies.verdicts import Verdict, judge, judge_all

TOML = """
source = "A report"

[[numbers]]
table = "Table 2"
row = "d = 1"
quantity = "test error, %"
value = "8.790"
std = "0.4"
runs = 20
rule = "mean"
measure = "test_error"
scale = 100
where = { degree = 1 }
data = "zipcombo"

[[numbers]]
table = "Figure 1"
row = "d = 2"
quantity = "seconds"
value = 443
rule = "none"
note = "another machine"
"""


def number(value, rule, **more):
    return PublishedNumber("t", "r", "q", value, rule, **more)


@pytest.mark.parametrize(
    ("published", "ours", "verdict"),
    [
        (number("0.125", "exact"), [0.12549], Verdict.AGREES),
        (number("0.125", "exact"), [0.12551], Verdict.DIFFERS),
        (number("0.125", "exact"), [0.125, 0.126], Verdict.DIFFERS),
        (number("-1.508e-2", "exact"), [-0.015084], Verdict.AGREES),
        # both standard errors are 0.1: 2·√0.02 = 0.28
        (number("5.00", "mean", std="0.2", runs=4), [5.2, 5.3, 5.4], Verdict.DIFFERS),
        (number("5.10", "mean", std="0.2", runs=4), [5.2, 5.3, 5.4], Verdict.AGREES),
        (number("5.0", "mean"), [5.0], Verdict.INCOMPARABLE),
        (number("5.0", "mean"), [4.9, 5.2], Verdict.AGREES),
        (number("5.0", "single"), [4.0, 5.0, 4.5], Verdict.AGREES),
        (number("6.0", "single"), [4.0, 5.0, 4.5], Verdict.DIFFERS),
        (number("6.0", "single"), [6.0], Verdict.INCOMPARABLE),
        (number("6.0", "none"), [6.0], Verdict.INCOMPARABLE),
        (number("6.0", "mean"), [], Verdict.MISSING),
    ],
)
def test_rules(published, ours, verdict):
    assert judge(published, ours).verdict is verdict


def test_numbers_find_their_rows(tmp_path):
    path = tmp_path / "published.toml"
    path.write_text(TOML)
    published = read_published(path)
    rows = [
        Row(str(i), "s", "", {"degree": d, "repeat": i}, i, {"test_error": error})
        for i, (d, error) in enumerate([(1, 0.087), (1, 0.089), (2, 0.5)])
    ]
    first, second = judge_all(published, rows, "zipcombo")
    assert first.ours.mean == pytest.approx(8.8)
    assert first.difference == pytest.approx(0.01)
    assert first.verdict is Verdict.AGREES
    assert first.published.source == "A report"
    assert second.verdict is Verdict.INCOMPARABLE
    assert second.reason == "another machine"
    assert judge_all(published, rows, "iris")[0].reason == "published for zipcombo"
    assert judge_all(published, [], "zipcombo")[0].verdict is Verdict.MISSING


READINGS = (
    TOML
    + """
[[readings]]
name = "two dice"
instead_of = { degree = 1 }
where = { dice = 2 }
"""
)


def test_a_second_reading_looks_at_other_rows(tmp_path):
    path = tmp_path / "published.toml"
    path.write_text(READINGS)
    published = read_published(path)
    assert [len(number.others) for number in published] == [1, 0]
    rows = [
        Row(str(i), "s", "", params, i, {"test_error": error})
        for i, (params, error) in enumerate(
            [
                ({"degree": 1, "dice": 1}, 0.05),
                ({"degree": 1, "dice": 1}, 0.051),
                ({"degree": 1, "dice": 2}, 0.087),
                ({"degree": 1, "dice": 2}, 0.089),
            ]
        )
    ]
    first = replace(published[0], where={"degree": 1, "dice": 1})
    found = judge_all([first, published[1]], rows, "zipcombo")
    assert [j.published.reading for j in found] == ["", "two dice", ""]
    assert found[0].verdict is Verdict.DIFFERS
    assert found[1].verdict is Verdict.AGREES
    assert found[1].ours.n == 2


def test_memory_is_that_of_the_rows_with_the_time():
    asked = number("9", "none", measure="walk", where={"lam": 1})
    rows = [
        Row("a", "s", "", {"lam": 1}, 0, {}, {"walk": 0.5}, memory=100),
        Row("b", "s", "", {"lam": 1}, 0, {}, {"walk": 0.5}, memory=300),
        Row("c", "s", "", {"lam": 1}, 0, {"other": 1}, memory=900),
        Row("d", "s", "", {"lam": 2}, 0, {}, {"walk": 0.5}, memory=900),
    ]
    assert judge_all([asked], rows)[0].memory == 300
    value = number("9", "mean", measure="other", where={"lam": 1})
    assert judge_all([value], rows)[0].memory is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("numbers = 3 = 4", "published.toml"),
        (TOML.replace('"mean"', '"guess"'), "the rule is 'guess'"),
        (TOML.replace('"8.790"', '"about 9"'), "could not convert"),
        (TOML.replace("scale", "scales"), "unexpected keyword argument 'scales'"),
        (READINGS.replace("instead_of", "of"), "unexpected keyword argument 'of'"),
    ],
)
def test_a_wrong_file_is_a_sentence(tmp_path, text, complaint):
    path = tmp_path / "published.toml"
    path.write_text(text)
    with pytest.raises(DataError, match=complaint):
        read_published(path)
