"""Published numbers beside ours, as a table."""

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
_CAPTION = (
    "Agrees means: exact numbers to every printed digit; means within two combined "
    "standard errors; single runs within two standard deviations of ours over seeds. "
    "Half a unit of the last printed digit is allowed for rounding."
)
_MEMORY_CAPTION = (
    " Memory, beside seconds: the most that the process held while they were measured, "
    "the data and all that cells share included."
)


def verdict_table(judgements: Sequence[Judgement]) -> Table:
    """Published, ours and verdict, a row for each printed number and other reading.

    Memory is shown where there are times.
    """
    timed = any(judgement.memory for judgement in judgements)
    columns = [
        *map(Column, ("table", "row", "quantity", "published", "ours", "verdict")),
        *([Column("our memory", "MB", 0)] if timed else []),
        *map(Column, ("difference", "rule", "remark")),
    ]
    return Table(
        "published",
        "Published and ours",
        columns,
        [_entries(judgement, timed) for judgement in judgements],
        _CAPTION + (_MEMORY_CAPTION if timed else ""),
    )


def count_verdicts(judgements: Sequence[Judgement]) -> str:
    """How many agree, differ and cannot be compared.

    >>> count_verdicts([])
    ''
    """
    printed = [j for j in judgements if not j.published.reading]
    counts = Counter(judgement.verdict for judgement in printed)
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
    return f"Of {len(printed)} published numbers {said}.{_by_readings(judgements)}"


def _by_readings(judgements: Sequence[Judgement]) -> str:
    """How many would agree with another reading in place of the first."""
    agreeing = [j for j in judgements if j.verdict is Verdict.AGREES]
    first = sum(not j.published.reading for j in agreeing)
    words = ""
    for name in dict.fromkeys(j.published.reading for j in judgements):
        if not name:
            continue
        other = [j for j in judgements if j.published.reading == name]
        replaced = {_place(j) for j in other}
        count = sum(j.published.reading == name for j in agreeing) + sum(
            not j.published.reading and _place(j) not in replaced for j in agreeing
        )
        words += (
            f" Read as {name}, which changes {len(other)} of them, {count} agree "
            f"instead of {first}."
        )
    return words


def _place(judgement: Judgement) -> tuple[str, str, str]:
    number = judgement.published
    return number.table, number.row, number.quantity


def _entries(judgement: Judgement, timed: bool) -> list[Entry]:
    number = judgement.published
    memory = None if judgement.memory is None else judgement.memory / 2**20
    return [
        number.table,
        f"{number.row}, read as {number.reading}" if number.reading else number.row,
        number.quantity,
        f"{number.value} ± {number.std}" if number.std else number.value,
        judgement.ours,
        judgement.verdict.value,
        *([memory] if timed else []),
        judgement.difference,
        _RULES[number.rule],
        judgement.reason,
    ]
