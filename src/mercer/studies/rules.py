"""The rules by which a published number agrees with ours or differs.

They are fixed before any number is looked at; what was changed afterwards says so in
`VerdictRule.changed`, which the report shows.

- *exact*: every run of ours, rounded to the printed digits, is the printed number.
- *certified*: an objective that was minimised. The optimum is enclosed by certificates
  of ours; the printed value is above it by no more than the duality gap printed with
  it, and so is every run of ours by its own, and no gap is more than 1e-4 of the value.
- *mean*: the means differ by at most two combined standard errors,
  2·√(s²/n + s'²/n'), plus half a unit of the last printed digit. Where no standard
  deviation was published, or 0, ours stands in for it.
- *single*: one run was published; it lies within t·s·√(1 + 1/n) of our mean over n
  seeds, at least 3, plus half a unit of the last printed digit, t being Student's at
  5 %.
- *spread*: a printed standard deviation s' of n' runs; s²/s'² lies between the 2.5 and
  97.5 % points of F with n − 1 and n' − 1 degrees of freedom. Where one of them is 0
  there is no such test; where our runs are far from normal, the row says so.
- *growth*: a number over the largest of its table; ours, counted in work, is the same
  but for a factor of 1.5, beyond what rounding leaves open.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isclose, sqrt
from statistics import fmean

from scipy.special import fdtri, ndtri, stdtr, stdtrit

from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.row import Spread

#: How often chance alone may make a single run or a spread differ.
LEVEL = 0.05
#: Student's t of two runs is 12.7, by which nearly everything would agree.
_FEW = 3
#: How far a gap may be from zero, as a share of the objective.
_SMALL_GAP = 1e-4
#: Which 20 runs of a normal distribution pass once in a hundred times.
_KURTOSIS = 5.5
#: By which factor growth may differ: seconds of one run on an unknown machine.
_FACTOR = 1.5


@dataclass(frozen=True)
class Ruling:
    """What a rule says of a number: None where it does not apply.

    `tolerance` is how far ours may be off, in words; `z` the distance in standard
    errors, where there are any.
    """

    agrees: bool | None
    reason: str
    tolerance: str = ""
    z: float | None = None


@dataclass(frozen=True)
class Ours:
    """Our runs, their spread, and bounds of the optimum where these are certified."""

    values: Sequence[float]
    spread: Spread
    optimum: tuple[float, float] | None = None


@dataclass(frozen=True)
class VerdictRule:
    """A rule by its words: in a table, in a sentence, and what was changed of it.

    `written`: a ``published.toml`` may name it; the others follow from its numbers.
    """

    apply: Callable[[PublishedNumber, Ours], Ruling]
    name: str
    agrees: str
    changed: str = ""
    written: bool = True


def half_unit(printed: str) -> float:
    """Half a unit of the last printed digit; a bare 0 was not rounded.

    >>> half_unit("8.790"), half_unit("3e-5"), half_unit("0")
    (0.0005, 5e-06, 0.0)
    """
    if printed == "0":
        return 0.0
    exponent = Decimal(printed).as_tuple().exponent
    return float(Decimal(5).scaleb(int(exponent) - 1))


def _exact(number: PublishedNumber, ours: Ours) -> Ruling:
    rounding = half_unit(number.value)
    worst = max(abs(value - float(number.value)) for value in ours.values)
    # a hair's breadth more: the printed digit was rounded from another sum
    agrees = worst <= rounding * (1 + 1e-9)
    return Ruling(agrees, "to all printed digits", f"± {rounding:.2g}")


def _certified(number: PublishedNumber, ours: Ours) -> Ruling:
    if ours.optimum is None:
        return Ruling(None, "no certificate of ours encloses the optimum")
    low, high = ours.optimum
    printed, rounding = float(number.value), half_unit(number.value)
    gap = printed - float(number.bound) + rounding + half_unit(number.bound)
    most = _SMALL_GAP * abs(high)
    theirs = low - rounding <= printed <= high + gap and gap <= most
    # the gap of an interval is never negative, but for the rounding of sums
    own = all(-most * 1e-6 <= value - low <= most for value in ours.values)
    same = _exact(number, ours).agrees
    reason = "to all printed digits" if same else "the last printed digits differ"
    return Ruling(theirs and own, reason, f"gap of {gap:.1g}")


def _mean(number: PublishedNumber, ours: Ours) -> Ruling:
    spread = ours.spread
    if spread.std is None:
        return _NO_SPREAD
    std = float(number.std or 0) or spread.std
    error = sqrt(std**2 / (number.runs or spread.n) + spread.std**2 / spread.n)
    return _within(number, spread.mean, 2 * error, _over(number, spread, error))


def _single(number: PublishedNumber, ours: Ours) -> Ruling:
    spread = ours.spread
    if spread.std is None:
        return _NO_SPREAD
    if spread.n < _FEW:
        return Ruling(None, f"{spread.n} runs of ours tell too little of their spread")
    error = spread.std * sqrt(1 + 1 / spread.n)
    quantile = float(stdtrit(spread.n - 1, 1 - LEVEL / 2))
    t = _over(number, spread, error)
    z = None if t is None else float(ndtri(stdtr(spread.n - 1, t)))
    return _within(number, spread.mean, quantile * error, z)


def _spread(number: PublishedNumber, ours: Ours) -> Ruling:
    own, printed = ours.spread.std, float(number.value)
    if own is None or number.runs is None:
        return _NO_SPREAD
    if own == printed == 0:
        return Ruling(True, "no spread, here and there", "± 0")
    if own == 0 or printed == 0:
        return Ruling(None, "one of the two is 0, for which there is no F test")
    degrees = number.runs - 1, ours.spread.n - 1
    upper = sqrt(fdtri(degrees[1], degrees[0], 1 - LEVEL / 2))
    lower = sqrt(fdtri(degrees[1], degrees[0], LEVEL / 2))
    rounding = half_unit(number.value)
    low, high = lower * (printed - rounding), upper * (printed + rounding)
    far = _kurtosis(ours.values) > _KURTOSIS
    reason = "our runs are far from normal: the F test says little" if far else ""
    return Ruling(low <= own <= high, reason, f"{low:.2g} to {high:.2g}")


def _kurtosis(values: Sequence[float]) -> float:
    """The fourth moment over the squared second; 3 for a normal distribution."""
    mean = fmean(values)
    second, fourth = (fmean((v - mean) ** power for v in values) for power in (2, 4))
    return fourth / second**2


def _growth(number: PublishedNumber, ours: Ours) -> Ruling:
    base = number.relative_to
    if base is None:
        return Ruling(None, "it is relative to nothing")
    own, unit = half_unit(number.value), half_unit(base.value)
    low = (float(number.value) - own) / (float(base.value) + unit) / _FACTOR
    high = (float(number.value) + own) / (float(base.value) - unit) * _FACTOR
    agrees = low <= ours.spread.mean <= high
    return Ruling(agrees, "", f"{low:.2g} to {high:.2g}")


_NO_SPREAD = Ruling(None, "a single run of ours has no spread")


def _over(number: PublishedNumber, spread: Spread, error: float) -> float | None:
    return (spread.mean - float(number.value)) / error if error else None


def _within(
    number: PublishedNumber, mean: float, allowed: float, z: float | None
) -> Ruling:
    printed = float(number.value)
    allowed += half_unit(number.value)
    weak = allowed >= abs(printed) or isclose(allowed, abs(printed))
    reason = "the tolerance is as large as the number: it says little" if weak else ""
    return Ruling(abs(mean - printed) <= allowed, reason, f"± {allowed:.2g}", z)


#: By their names in published.toml.
RULES = {
    "exact": VerdictRule(
        _exact, "exact", "exact numbers: every run to every printed digit"
    ),
    "certified": VerdictRule(
        _certified,
        "duality gap",
        "optimised values: above the certified optimum by no more than their own "
        "duality gap, which is at most 1e-4 of them",
        "Objectives that were minimised had to agree to every printed digit at first. "
        "Where a solver stops within its tolerance is no result, so they are judged "
        "by their duality gaps now.",
    ),
    "mean": VerdictRule(
        _mean,
        "two standard errors",
        "means: within two combined standard errors",
        "A printed 0 allowed half a unit for rounding at first, which in per cent is "
        "more than most numbers of its table; it is taken as exact now, and where the "
        "printed standard deviation is 0 too, ours stands in for it.",
    ),
    "single": VerdictRule(
        _single,
        "Student's t",
        f"single runs: within the spread of ours over seeds, by Student's t at "
        f"{100 * LEVEL:g} %",
        "Single runs were allowed two standard deviations at first, which for few "
        "seeds is less than it seems; Student's t at 5 % is what two were meant for.",
    ),
    "spread": VerdictRule(
        _spread,
        "F test",
        f"standard deviations: by an F test at {100 * LEVEL:g} %",
        "Printed standard deviations were not judged at first.",
        written=False,
    ),
    "growth": VerdictRule(
        _growth,
        "growth",
        "growth: over the largest number of its table it is as our count of the work "
        f"behind it, but for a factor of {_FACTOR:g}",
        "How published seconds grow was not judged at first.",
        written=False,
    ),
}
