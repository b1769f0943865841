"""Verdicts: does a published number agree with ours, by `mercer.studies.rules`?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.row import Row, Spread
from mercer.studies.rules import RULES, Ours, Ruling


class Verdict(Enum):
    """The word for it."""

    AGREES = "agrees"
    DIFFERS = "differs"
    INCOMPARABLE = "cannot be compared"
    MISSING = "not run"


_WORDS = {True: Verdict.AGREES, False: Verdict.DIFFERS, None: Verdict.INCOMPARABLE}
_ROUNDING = 1e-14  # of a number


@dataclass(frozen=True)
class Judgement:
    """A published number beside ours; where it is a time, with the memory it took.

    `tolerance` is how far ours may be off, in words, and `z` the distance of a mean in
    standard errors.
    """

    published: PublishedNumber
    ours: Spread | None
    verdict: Verdict
    reason: str
    tolerance: str = ""
    z: float | None = None
    memory: int | None = None

    @property
    def difference(self) -> float | None:
        """Ours less theirs; what rounding leaves between equal numbers is none."""
        if self.ours is None:
            return None
        theirs = printed_value(self.published)
        difference = self.ours.mean - theirs
        return 0.0 if abs(difference) <= _ROUNDING * abs(theirs) else difference


def printed_value(number: PublishedNumber) -> float:
    """The number as printed, over what it is relative to where it is that.

    >>> printed_value(PublishedNumber("1", "a", "error", "8.790", "mean"))
    8.79
    """
    base = number.relative_to
    return float(number.value) / (1.0 if base is None else float(base.value))


def judge_all(
    published: Sequence[PublishedNumber], rows: Sequence[Row], data: str = ""
) -> list[Judgement]:
    """Judge every number by the rows; those of other data cannot be compared.

    Other readings of a number follow it.
    """
    return [
        _judge_by_rows(number, rows, data)
        for first in published
        for number in (first, *first.others)
    ]


def judge(
    published: PublishedNumber,
    ours: Sequence[float],
    optimum: tuple[float, float] | None = None,
) -> Judgement:
    """Judge one number by our runs, and by an optimum that is certified.

    >>> number = PublishedNumber("1", "a", "error", "8.79", "mean", std="0.4", runs=20)
    >>> judge(number, [8.6, 9.1, 8.9, 8.8]).verdict.value
    'agrees'
    """
    spread = Spread.of(ours)
    if spread is None:
        return Judgement(published, None, Verdict.MISSING, "no rows yet")
    if published.rule in RULES:
        ruling = RULES[published.rule].apply(published, Ours(ours, spread, optimum))
    else:
        ruling = Ruling(None, "" if published.note else "no rule applies")
    if published.rule == "spread":
        # what is beside a printed standard deviation is ours
        spread = None if spread.std is None else Spread(spread.std, None, spread.n)
    reason = "; ".join(part for part in (published.note, ruling.reason) if part)
    verdict = _WORDS[ruling.agrees]
    return Judgement(published, spread, verdict, reason, ruling.tolerance, ruling.z)


def _judge_by_rows(
    number: PublishedNumber, rows: Sequence[Row], data: str
) -> Judgement:
    if data and not number.is_about(data):
        reason = f"published for {number.data}"
        return Judgement(number, None, Verdict.INCOMPARABLE, reason)
    ours = number.ours(rows)
    if number.rule == "none" and not ours:
        reason = number.note or "no counterpart among our rows"
        return Judgement(number, None, Verdict.INCOMPARABLE, reason)
    found = judge(number, ours, number.enclosure(rows))
    return replace(found, memory=number.memory(rows))
