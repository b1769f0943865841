"""What may be asked of an evaluation, checked before anything is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from pathlib import Path

from mercer.exceptions import ParameterError

_METHODS = ("logistic", "pav")


@dataclass(frozen=True)
class Application:
    """A prior of the positive class, and what the two mistakes cost."""

    prior: float = 0.5
    cost_miss: float = 1.0
    cost_false_alarm: float = 1.0

    def __post_init__(self) -> None:
        if not 0.0 < self.prior < 1.0:
            raise ParameterError(
                f"--prior is {self.prior:g}; it must lie strictly between 0 and 1."
            )
        costs = (self.cost_miss, self.cost_false_alarm)
        for name, cost in zip(("--cost-miss", "--cost-false-alarm"), costs):
            if not 0.0 < cost < inf:
                raise ParameterError(f"{name} is {cost:g}; it must be above 0.")

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


@dataclass(frozen=True)
class Calibration:
    """How to calibrate: by folds, or on rows of other data."""

    method: str
    folds: int
    data: str | None
    rows: str

    def __post_init__(self) -> None:
        if self.method not in _METHODS:
            raise ParameterError(f"--method is {self.method!r}; use logistic or pav.")
        if self.folds < 2:
            raise ParameterError(f"--folds is {self.folds}; there must be 2 or more.")


@dataclass(frozen=True)
class Options:
    """All of it; `two` names the options given that make sense for two classes only."""

    application: Application
    two: tuple[str, ...] = ()
    positive: str | None = None
    costs: Path | None = None
    calibration: Calibration | None = None

    def check_classes(self, n_classes: int) -> None:
        """Raise where an option does not go with so many classes."""
        if n_classes == 2 and self.costs is not None:
            raise ParameterError(
                "--costs is for several classes; the model knows two: use --cost-miss "
                "and --cost-false-alarm."
            )
        if n_classes > 2 and self.two:
            raise ParameterError(
                f"{self.two[0]} is for two classes, but the model knows {n_classes}; "
                "give a matrix of costs with --costs."
            )
        if n_classes > 2 and self.calibration and self.calibration.method == "pav":
            raise ParameterError(
                f"--method pav is for two classes, but the model knows {n_classes}."
            )


def make_calibration(
    wanted: bool,
    data: str | None,
    rows: str | None,
    method: str | None,
    folds: int | None,
) -> Calibration | None:
    """Put the options of calibration together; None where none is wanted."""
    if data is None and rows is not None:
        raise ParameterError("--calibrate-rows goes with --calibrate-on.")
    if data is not None and folds is not None:
        raise ParameterError(
            "--folds and --calibrate-on exclude each other: other data need no folds."
        )
    if not wanted and data is None:
        for name, value in (("--method", method), ("--folds", folds)):
            if value is not None:
                raise ParameterError(f"{name} goes with --calibrate.")
        return None
    return Calibration(
        method="logistic" if method is None else method,
        folds=5 if folds is None else folds,
        data=data,
        rows="auto" if rows is None else rows,
    )
