"""The report's project: SVMs on fingerprints, a path over C for each kernel."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from mercer.calibration import ScoreCalibrator
from mercer.datasets import Dataset
from mercer.kernels import Gaussian, Gram, Kernel, Linear, Polynomial
from mercer.metrics import actual_dcf, bayes_error_curve, min_dcf
from mercer.model_selection import rotate, two_to_one_split
from mercer.solvers.svm import SVMSolution
from mercer.studies.cell import Outcome
from mercer.studies.published.svm_decisions.iris import solve

PRIOR = 0.1
_FOLDS, _VALIDATION_FOLDS = 5, 3
_TOL = 1e-3
_LOW, _HIGH = (-5, 0), (-3, 2)


@dataclass(frozen=True)
class Family:
    """A kernel, its bias ξ, the exponents of the first and last C, and the features."""

    name: str
    kernel: Kernel
    xi: float
    exponents: tuple[int, int] = _LOW
    centred: bool = False


FAMILIES = {
    "linear": Family("linear", Linear(), 1.0),
    "linear, centred": Family("linear, centred", Linear(), 1.0, centred=True),
    "quadratic": Family("polynomial, d = 2", Polynomial(2, 1.0), 0.0),
    **{
        f"rbf {power}": Family(
            f"RBF, γ = e^{power}", Gaussian(float(np.exp(power))), 1.0, _HIGH
        )
        for power in (-4, -3, -2, -1)
    },
    "quartic": Family("polynomial, d = 4", Polynomial(4, 1.0), 0.0),
}


class Scored(NamedTuple):
    """A part that is not trained on: its labels and the scores of one SVM."""

    y: NDArray[np.integer]
    scores: NDArray[np.float64]

    def costs(self, ratios: NDArray[np.float64]) -> dict[str, float]:
        """Of decisions by the scores, and by log-likelihood ratios made of them."""
        return {
            "min_dcf": min_dcf(self.y, self.scores, PRIOR),
            "act_dcf": actual_dcf(self.y, self.scores, PRIOR),
            "cal_dcf": actual_dcf(self.y, ratios, PRIOR),
            "error": float(np.mean((self.scores > 0) != (self.y == 1))),
        }


class SpoofingParts(NamedTuple):
    """Training samples, and those of the validation part and of evalData."""

    train: NDArray[np.intp]
    rest: NDArray[np.intp]
    final: NDArray[np.intp]

    @classmethod
    def of(cls, data: Dataset) -> Self:
        """TrainData split 2 : 1 by the report's recipe, and evalData."""
        assert data.train is not None
        assert data.test is not None
        train, rest = (data.train[part] for part in two_to_one_split(len(data.train)))
        return cls(train, rest, data.test)


def run_family(data: Dataset, name: str, quick: bool) -> Outcome:
    """Solve for every C; costs on the validation part, on evalData, and over folds."""
    family, (train, rest, final) = FAMILIES[name], SpoofingParts.of(data)
    X = data.X - data.X[train].mean(axis=0) if family.centred else data.X
    begin = time.perf_counter()
    gram = Gram(family.kernel, X[train])
    parts = [(data.y[part], gram.cross(X[part])) for part in (rest, final)]
    z = np.where(data.y[train] == 1, 1.0, -1.0)
    penalties = np.logspace(*family.exponents, 3 if quick else 11)
    scored, gaps = [], []
    for solution in _walk_path(gram, z, penalties, family.xi):
        gaps.append(solution.certificate.gap / solution.certificate.primal)
        scored.append([Scored(y, K @ solution.coef + solution.bias) for y, K in parts])
    seconds = {"path": time.perf_counter() - begin}
    begin = time.perf_counter()
    over_folds = _costs_over_folds(gram, z, penalties, family.xi)
    seconds["cross-validation"] = time.perf_counter() - begin
    chosen = int(np.argmin(over_folds))
    found = summarise(penalties, scored) | {
        "gap": gaps,
        "fold_dcf": over_folds,
        "fold_C": float(penalties[chosen]),
        "fold_eval_min_dcf": min_dcf(*scored[chosen][1], PRIOR),
    }
    return Outcome(found, seconds)


def summarise(
    penalties: NDArray[np.float64], scored: Sequence[Sequence[Scored]]
) -> dict[str, Any]:
    """All costs of a path, and those of its best by the validation part."""
    costs = [_costs(*pair) for pair in scored]
    columns = {name: [cost[name] for cost in costs] for name in costs[0]}
    best = int(np.argmin(columns["min_dcf"]))
    return {
        "C": penalties,
        **columns,
        "best": best,
        "best_C": float(penalties[best]),
        **{f"best_{name}": values[best] for name, values in columns.items()},
        "curves": _curves(*scored[best]),
    }


def _walk_path(
    gram: Gram, z: NDArray[np.float64], penalties: NDArray[np.float64], xi: float
) -> Iterator[SVMSolution]:
    """An SVM for each C, begun where the one before it ended."""
    solution = None
    for C in penalties:
        solution = solve(gram, z, C, xi, tol=_TOL, start=solution)
        yield solution


def _costs_over_folds(
    gram: Gram, z: NDArray[np.float64], penalties: NDArray[np.float64], xi: float
) -> list[float]:
    """For each C the smallest cost of scores by SVMs that have not seen the sample."""
    scores = np.empty((len(penalties), len(z)))
    for part, rest in rotate(np.arange(len(z)), _VALIDATION_FOLDS):
        own, cross = Gram.from_matrix(gram.block(part, part)), gram.block(rest, part)
        for row, found in zip(scores, _walk_path(own, z[part], penalties, xi)):
            row[rest] = cross @ found.coef + found.bias
    return [min_dcf(z, row, PRIOR) for row in scores]


def _costs(rest: Scored, final: Scored) -> dict[str, float]:
    """Costs before and after calibration; evalData is calibrated by the other part."""
    calibrator = ScoreCalibrator(prior=PRIOR, cv=_FOLDS, random_state=0)
    ratios = calibrator.fit_transform(rest.scores, rest.y)
    on_final = final.costs(calibrator.transform(final.scores))
    return rest.costs(ratios) | {f"eval_{k}": cost for k, cost in on_final.items()}


def _curves(rest: Scored, final: Scored) -> dict[str, Any]:
    """Bayes error on evalData: smallest, as scored, calibrated."""
    calibrator = ScoreCalibrator(prior=PRIOR).fit(rest.scores, rest.y)
    before = bayes_error_curve(final.y, final.scores)
    after = bayes_error_curve(final.y, calibrator.transform(final.scores))
    return {
        "log_odds": before.log_odds,
        "smallest": before.minimum,
        "as scored": before.actual,
        "calibrated": after.actual,
    }
