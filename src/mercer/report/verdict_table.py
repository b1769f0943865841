"""Published numbers beside ours, as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mercer.studies.story import Column, Entry, Table
from mercer.studies.verdicts import Judgement, Verdict

_RULES = {
    "exact": "exact",
    "mean": "two standard errors",
    "single": "spread over seeds",
    "none": "none",
}


def verdict_table(judgements: Sequence[Judgement]) -> Table:
    """Published, ours, difference and verdict, a row for each printed number."""
    columns = [
        Column("table"),
        Column("row"),
        Column("quantity"),
        Column("published"),
        Column("ours"),
        Column("difference"),
        Column("verdict"),
        Column("rule"),
        Column("remark"),
    ]
    return Table(
        "published",
        "Published and ours",
        columns,
        [_entries(judgement) for judgement in judgements],
        "Agrees means: exact numbers to every printed digit; means within two combined "
        "standard errors; single runs within two standard deviations of ours over "
        "seeds. Half a unit of the last printed digit is allowed for rounding.",
    )


def count_verdicts(judgements: Sequence[Judgement]) -> str:
    """How many agree, differ and cannot be compared.

    >>> count_verdicts([])
    ''
    """
    counts = Counter(judgement.verdict for judgement in judgements)
    words = {
        Verdict.AGREES: ("agrees with ours", "agree with ours"),
        Verdict.DIFFERS: ("differs", "differ"),
        Verdict.INCOMPARABLE: ("cannot be compared", "cannot be compared"),
        Verdict.MISSING: ("was not run", "were not run"),
    }
    parts = [
        f"{counts[verdict]} {forms[counts[verdict] > 1]}"
        for verdict, forms in words.items()
        if counts[verdict]
    ]
    if not parts:
        return ""
    said = ", ".join(parts[:-1]) + (" and " if parts[:-1] else "") + parts[-1]
    return f"Of {len(judgements)} published numbers {said}."


def _entries(judgement: Judgement) -> list[Entry]:
    number = judgement.published
    return [
        number.table,
        number.row,
        number.quantity,
        f"{number.value} ± {number.std}" if number.std else number.value,
        judgement.ours,
        judgement.difference,
        judgement.verdict.value,
        _RULES[number.rule],
        judgement.reason,
    ]
