import pytest

from mercer.report.tables import to_csv, to_markdown
from mercer.report.verdict_table import count_verdicts, ours_entry, verdict_table
from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.verdicts import judge


def number(value, rule="mean", **more):
    return PublishedNumber("Table 2", "d = 1", "error, %", value, rule, **more)


def test_published_and_ours():
    asked = number("8.790", std="0.4", runs=20)
    judgements = [judge(asked, [8.7, 8.8, 8.9]), judge(asked, [9.7, 9.8, 9.9])]
    table = verdict_table(judgements)
    text = to_markdown(table)
    assert (
        "| Table 2 | d = 1 | error, % | 8.790 ± 0.4 | 8.800 ± 0.1 | agrees | ± 0.21 | "
        "0.01 | two standard errors |  |" in text
    )
    assert "| 9.800 ± 0.1 | differs | ± 0.21 | 1.01 |" in text
    assert "means: within two combined standard errors" in text
    assert "Student" not in text
    # files for programs keep all digits
    assert ",9.799999999999999,0.1" in to_csv(table)
    assert count_verdicts(judgements) == (
        "Of 2 published numbers 1 agrees with ours and 1 differs."
    )


@pytest.mark.parametrize(
    ("published", "ours", "text"),
    [
        (number("1.577993e+01", "exact"), [15.7799412], "1.577994e+01"),
        (number("1.577993e+01", "exact"), [15.77993, 15.77993001], "1.577993e+01"),
        (number("15.8", "exact"), [15.7, 15.9], "15.8 ± 0.14"),
        (number("0.0897", "single"), [0.0719, 0.0731], "0.0725 ± 0.00085"),
        (number("8.790", std="0.421", runs=9), [8.5, 8.7], "8.600 ± 0.141"),
        (number("9298", "exact"), [9298.0, 9298.0], "9298"),
        # whole seconds of another machine, and a bare 0, have no digits to go by
        (number("3", "none"), [0.0123], "0.0123"),
        (number("0", std="0", runs=20), [0.02, 0.05], "0.035 ± 0.021"),
    ],
)
def test_ours_has_the_printed_digits(published, ours, text):
    assert ours_entry(judge(published, ours)).text == text
