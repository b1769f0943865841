"""Published numbers beside ours, as a table."""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal

from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.row import Spread
from mercer.studies.rules import RULES, half_unit
from mercer.studies.story import Column, Field, Table, Written
from mercer.studies.verdicts import Judgement, Verdict, printed_value

_MEMORY_CAPTION = (
    " Memory, beside seconds: the most that the process held while they were measured, "
    "the data and all that cells share included."
)


def verdict_table(
    judgements: Sequence[Judgement],
    name: str = "published",
    title: str = "Published and ours",
) -> Table:
    """Published, ours and verdict, a row for each printed number and other reading.

    Memory is shown where there are times.
    """
    timed = any(judgement.memory for judgement in judgements)
    names = "table", "row", "quantity", "published", "ours", "verdict", "allowed"
    columns = [
        *map(Column, names),
        *([Column("our memory", "MB", 0)] if timed else []),
        *map(Column, ("difference", "rule", "remark")),
    ]
    lines = [_entries(judgement, timed) for judgement in judgements]
    return Table(name, title, columns, lines, explain_rules(judgements))


def explain_rules(judgements: Sequence[Judgement]) -> str:
    """What it takes to agree, by the rules that are in use."""
    used = {judgement.published.rule for judgement in judgements}
    words = "; ".join(rule.agrees for name, rule in RULES.items() if name in used)
    said = [f"Agrees means: {words}."] if words else []
    if used & {"mean", "single"}:
        said.append("Half a unit of the last printed digit is allowed for rounding.")
    timed = any(judgement.memory for judgement in judgements)
    return " ".join(said) + (_MEMORY_CAPTION if timed else "")


def count_verdicts(
    judgements: Sequence[Judgement], what: str = "published numbers"
) -> str:
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
    return f"Of {len(printed)} {what} {said}.{_by_readings(judgements)}"


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


def _entries(judgement: Judgement, timed: bool) -> list[Field]:
    number = judgement.published
    memory = None if judgement.memory is None else judgement.memory / 2**20
    rule = RULES.get(number.rule)
    return [
        number.table,
        row_text(judgement),
        number.quantity,
        published_text(judgement),
        ours_entry(judgement),
        judgement.verdict.value,
        judgement.tolerance or None,
        *([memory] if timed else []),
        judgement.difference,
        number.rule if rule is None else rule.name,
        judgement.reason,
    ]


def row_text(judgement: Judgement) -> str:
    """The row of the printed number, and by which reading it is looked up."""
    number = judgement.published
    return f"{number.row}, read as {number.reading}" if number.reading else number.row


def published_text(judgement: Judgement) -> str:
    """As it was printed; of what is relative to another number the ratio."""
    number = judgement.published
    if number.relative_to is not None:
        return f"{printed_value(number):.3g}"
    return f"{number.value} ± {number.std}" if number.std else number.value


def ours_entry(judgement: Judgement) -> Written | None:
    """Ours in the printed digits."""
    number, ours = judgement.published, judgement.ours
    if ours is None:
        return None
    free = number.rule in ("none", "growth") or number.value == "0"
    mean = f"{ours.mean:.3g}" if free else in_digits(ours.mean, number.value)
    return Written(ours.mean, ours.std, ours.n, mean + _std_text(ours, number))


def _std_text(ours: Spread, number: PublishedNumber) -> str:
    """The standard deviation; what runs have in common to all digits has none."""
    if ours.std is None:
        return ""
    seen = ours.std >= half_unit(number.std or number.value)
    if not seen and number.rule in ("exact", "certified"):
        return ""
    printed = seen and number.std not in ("", "0")
    return f" ± {in_digits(ours.std, number.std) if printed else f'{ours.std:.2g}'}"


def in_digits(value: float, printed: str) -> str:
    """A number in the digits and the notation of a printed one.

    >>> in_digits(15.779934, "1.577993e+01"), in_digits(8.8043, "8.790")
    ('1.577993e+01', '8.804')
    """
    mantissa, mark, _ = printed.lower().partition("e")
    places = max(0, -int(Decimal(mantissa).as_tuple().exponent))
    return f"{value:.{places}{'e' if mark else 'f'}}"
