from mercer.report.tables import to_markdown
from mercer.report.verdict_table import count_verdicts, verdict_table
from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.verdicts import judge


def test_published_and_ours():
    number = PublishedNumber(
        "Table 2", "d = 1", "error, %", "8.790", "mean", std="0.4", runs=20
    )
    judgements = [judge(number, [8.7, 8.8, 8.9]), judge(number, [9.7, 9.8, 9.9])]
    text = to_markdown(verdict_table(judgements))
    assert (
        "| Table 2 | d = 1 | error, % | 8.790 ± 0.4 | 8.80 ± 0.10 | agrees | 0.01 | "
        "two standard errors | may differ by 0.21 |" in text
    )
    assert "| 9.80 ± 0.10 | differs | 1.01 |" in text
    assert count_verdicts(judgements) == (
        "Of 2 published numbers 1 agrees with ours and 1 differs."
    )
