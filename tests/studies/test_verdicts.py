from dataclasses import replace

import pytest

from mercer.exceptions import DataError
from mercer.studies import Row
from mercer.studies.publication import read_publication
from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.row import Spread
from mercer.studies.verdicts import Judgement, Verdict, judge_all

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


def test_rounding_is_no_difference():
    ours = Spread.of([0.0056])
    assert ours is not None
    own = Judgement(number("0.56", "none"), ours.scaled(100), Verdict.AGREES, "")
    assert ours.scaled(100).mean != 0.56
    assert own.difference == 0


def test_numbers_find_their_rows(tmp_path):
    path = tmp_path / "published.toml"
    path.write_text(TOML)
    published = read_publication(path).numbers
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
    published = read_publication(path).numbers
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


GROWTH = """
source = "A report"
changes = ["Seconds were not judged."]

[[growth]]
work = { walk = "steps" }

[[reasons]]
heading = "Slow at first"
row = "d = 1"

[[readings]]
name = "twice"
instead_of = { twice = false }
where = { twice = true }
""" + "".join(
    f"""
[[numbers]]
table = "Figure 7"
row = "d = {degree}"
quantity = "seconds"
value = {seconds}
rule = "none"
measure = "walk"
where = {{ degree = {degree}, twice = false }}
"""
    for degree, seconds in [(1, 10), (2, 20), (3, 40)]
)


def test_growth_is_that_of_the_work_behind_numbers(tmp_path):
    path = tmp_path / "published.toml"
    path.write_text(GROWTH)
    publication = read_publication(path)
    assert publication.changes == ["Seconds were not judged."]
    assert [n.why for n in publication.numbers] == ["Slow at first", "", ""]
    rows = [
        Row(f"{d}{twice}", "s", "", {"degree": d, "twice": twice}, 0, {"steps": steps})
        for twice, work in [(False, (100, 150, 400)), (True, (900, 150, 400))]
        for d, steps in zip((1, 2, 3), work)
    ]
    found = judge_all(publication.growth, rows)
    assert [j.published.reading for j in found] == ["", "twice"] * 2
    assert [j.ours.mean for j in found] == [0.25, 2.25, 0.375, 0.375]
    # 10 of 40, both to a whole second, allow a factor of 1.5 beyond 9.5/40.5
    assert found[0].tolerance == "0.16 to 0.4"
    assert [j.verdict for j in found] == [
        *(Verdict.AGREES, Verdict.DIFFERS),
        *(Verdict.AGREES, Verdict.AGREES),
    ]
    assert found[0].published.quantity == "seconds, over that of d = 3"
    # the seconds themselves are not judged
    assert {n.rule for n in publication.numbers} == {"none"}


def test_printed_standard_deviations_are_judged_too(tmp_path):
    path = tmp_path / "published.toml"
    path.write_text(TOML)
    (spread,) = read_publication(path).spreads
    assert spread.value == "0.4"
    rows = [
        Row(str(i), "s", "", {"degree": 1}, i, {"test_error": error / 100})
        for i, error in enumerate([8.0, 8.4, 8.8, 9.2, 9.6])
    ]
    (judged,) = judge_all([spread], rows, "zipcombo")
    assert judged.ours.mean == pytest.approx(0.632, abs=1e-3)
    assert judged.verdict is Verdict.AGREES
    assert judged.difference == pytest.approx(0.232, abs=1e-3)


def test_other_data_have_no_published_numbers(tmp_path):
    path = tmp_path / "published.toml"
    path.write_text(TOML.replace('note = "another machine"', 'data = "usps"'))
    publication = read_publication(path)
    assert [n.table for n in publication.on("zipcombo").numbers] == ["Table 2"]
    assert len(publication.on("zipcombo").spreads) == 1
    # a number that names no data is about those that the others name
    path.write_text(TOML)
    publication = read_publication(path)
    assert len(publication.on("zipcombo").numbers) == 2
    assert not publication.on("digits").numbers
    assert not publication.on("digits").spreads


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
        (TOML.replace('"mean"', '"spread"'), "one of exact, certified, mean, single"),
        (TOML.replace('"mean"', '"certified"'), "needs the bound that is printed"),
        (TOML.replace('"8.790"', '"about 9"'), "could not convert"),
        (TOML.replace("scale", "scales"), "unexpected keyword argument 'scales'"),
        (READINGS.replace("instead_of", "of"), "unexpected keyword argument 'of'"),
    ],
)
def test_a_wrong_file_is_a_sentence(tmp_path, text, complaint):
    path = tmp_path / "published.toml"
    path.write_text(text)
    with pytest.raises(DataError, match=complaint):
        read_publication(path)
