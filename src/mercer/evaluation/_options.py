"""What may be asked of an evaluation, checked before anything is loaded."""

from dataclasses import dataclass
from math import inf
from numbers import Integral, Real
from typing import Any

from mercer.exceptions import ParameterError


@dataclass(frozen=True)
class Application:
    """A prior of the positive class, and what the two mistakes cost."""

    prior: float = 0.5
    cost_miss: float = 1.0
    cost_false_alarm: float = 1.0

    def __post_init__(self) -> None:
        between = "it must lie strictly between 0 and 1."
        _check_inside("prior", self.prior, 1.0, between)
        _check_inside("cost_miss", self.cost_miss, inf, "it must be above 0.")
        _check_inside(
            "cost_false_alarm", self.cost_false_alarm, inf, "it must be above 0."
        )

    @property
    def effective_prior(self) -> float:
        """The prior that decides alike with equal costs."""
        miss = self.prior * self.cost_miss
        return miss / (miss + (1.0 - self.prior) * self.cost_false_alarm)

    def __str__(self) -> str:
        if self.cost_miss == self.cost_false_alarm:
            return f"π = {self.prior:g}"
        return (
            f"π = {self.prior:g}, costs {self.cost_miss:g} : {self.cost_false_alarm:g}"
        )


def _check_inside(name: str, value: Any, end: float, rule: str) -> None:
    number = isinstance(value, Real)
    if not number or not 0.0 < value < end:
        shown = f"{value:g}" if number else repr(value)
        raise ParameterError(f"`{name}` is {shown}; {rule}")


@dataclass(frozen=True)
class Calibration:
    """How to calibrate: by folds, or on rows of other data."""

    method: str
    folds: Any
    data: Any
    rows: str

    def __post_init__(self) -> None:
        if self.method not in ("logistic", "pav"):
            raise ParameterError(f"`method` is {self.method!r}; use logistic or pav.")
        if not isinstance(self.folds, Integral) or self.folds < 2:
            raise ParameterError(f"`folds` is {self.folds}; there must be 2 or more.")

    def check_folds(self, fewest: int, which: str) -> None:
        """Raise if the smallest class cannot be in every fold."""
        if self.folds > fewest:
            raise ParameterError(
                f"`folds` is {self.folds}, but the {which} class has {fewest} samples; "
                "use fewer folds."
            )


def make_calibration(
    wanted: bool, data: Any, rows: str | None, method: str | None, folds: int | None
) -> Calibration | None:
    """Put the options of calibration together; None where none is wanted."""
    if data is None and rows is not None:
        raise ParameterError("`calibrate_rows` goes with `calibrate_on`.")
    if data is not None and folds is not None:
        raise ParameterError(
            "`folds` and `calibrate_on` exclude each other: other data need no folds."
        )
    if not wanted and data is None:
        for name, value in (("method", method), ("folds", folds)):
            if value is not None:
                raise ParameterError(f"`{name}` goes with `calibrate`.")
        return None
    return Calibration(
        method="logistic" if method is None else method,
        folds=5 if folds is None else folds,
        data=data,
        rows="auto" if rows is None else rows,
    )
