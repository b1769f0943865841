"""Verdicts: does a published number agree with ours?

The rules, fixed before any number is looked at:

- *exact*: every run of ours, rounded to the printed digits, is the printed number.
- *mean*: the means differ by at most two combined standard errors,
  2·√(s²/n + s'²/n'), plus half a unit of the last printed digit. Where no standard
  deviation was published, ours stands in for it.
- *single*: one run was published; it lies within two standard deviations of ours over
  seeds, 2·s·√(1 + 1/n), plus half a unit of the last printed digit.
- *none*, or too few runs of ours: cannot be compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import Enum
from math import sqrt

from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.row import Row, Spread


class Verdict(Enum):
    """The word for it."""

    AGREES = "agrees"
    DIFFERS = "differs"
    INCOMPARABLE = "cannot be compared"
    MISSING = "not run"


@dataclass(frozen=True)
class Judgement:
    """A published number beside ours; where it is a time, with the memory it took."""

    published: PublishedNumber
    ours: Spread | None
    difference: float | None
    verdict: Verdict
    reason: str
    memory: int | None = None


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


def judge(published: PublishedNumber, ours: Sequence[float]) -> Judgement:
    """Judge one number by our runs.

    >>> number = PublishedNumber("1", "a", "error", "8.79", "mean", std="0.4", runs=20)
    >>> judge(number, [8.6, 9.1, 8.9, 8.8]).verdict.value
    'agrees'
    """
    spread = Spread.of(ours)
    if spread is None:
        return Judgement(published, None, None, Verdict.MISSING, "no rows yet")
    difference = spread.mean - float(published.value)
    verdict, reason = _apply_rule(published, ours, spread)
    return Judgement(published, spread, difference, verdict, published.note or reason)


def _judge_by_rows(
    number: PublishedNumber, rows: Sequence[Row], data: str
) -> Judgement:
    if number.data and data and number.data != data:
        reason = f"published for {number.data}"
        return Judgement(number, None, None, Verdict.INCOMPARABLE, reason)
    if number.rule == "none" and not number.ours(rows):
        reason = number.note or "no counterpart among our rows"
        return Judgement(number, None, None, Verdict.INCOMPARABLE, reason)
    return replace(judge(number, number.ours(rows)), memory=number.memory(rows))


def _apply_rule(
    number: PublishedNumber, ours: Sequence[float], spread: Spread
) -> tuple[Verdict, str]:
    printed, rounding = float(number.value), half_unit(number.value)
    if number.rule == "none":
        return Verdict.INCOMPARABLE, "no rule applies"
    if number.rule == "exact":
        worst = max(abs(value - printed) for value in ours)
        # a hair's breadth more: the printed digit was rounded from another sum
        return _word(worst, rounding * (1 + 1e-9)), "to all printed digits"
    if spread.std is None:
        return Verdict.INCOMPARABLE, "a single run of ours has no spread"
    if number.rule == "single":
        error = spread.std * sqrt(1 + 1 / spread.n)
    else:
        std = float(number.std) if number.std else spread.std
        error = sqrt(std**2 / (number.runs or spread.n) + spread.std**2 / spread.n)
    allowed = 2 * error + rounding
    distance = abs(spread.mean - printed)
    return _word(distance, allowed), f"may differ by {allowed:.2g}"


def half_unit(printed: str) -> float:
    """Half a unit of the last printed digit.

    >>> half_unit("8.790"), half_unit("3e-5")
    (0.0005, 5e-06)
    """
    exponent = Decimal(printed).as_tuple().exponent
    return float(Decimal(5).scaleb(int(exponent) - 1))


def _word(distance: float, allowed: float) -> Verdict:
    return Verdict.AGREES if distance <= allowed else Verdict.DIFFERS
