"""The two tables of the report: SVMs on two classes of Iris, and what it asks there."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mercer.calibration import ScoreCalibrator
from mercer.datasets import load_dataset
from mercer.kernels import Gaussian, Gram, Kernel, Linear, Polynomial
from mercer.metrics import actual_dcf, min_dcf
from mercer.model_selection import rotate, two_to_one_split
from mercer.solvers.svm import BinaryProblem, Limits, SVMSolution, solve_many
from mercer.studies.cell import Outcome

SOLVERS = ("smo", "lbfgs")
PRIOR, FOLDS = 0.5, 5
#: Of K, where iterations are counted, and of C, where folds choose it.
BIASES = (1.0, 3.0, 10.0, 30.0, 100.0)
PENALTIES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_TOL = 1e-7
_KERNELS: dict[str, Kernel] = {
    "Poly (d = 2, c = 0)": Polynomial(2, 0.0),
    "Poly (d = 2, c = 1)": Polynomial(2, 1.0),
    "RBF (γ = 1)": Gaussian(1.0),
    "RBF (γ = 10)": Gaussian(10.0),
}


@dataclass(frozen=True)
class TableRow:
    """A row of a table: x is extended by K, which adds ξ = K² to the kernel."""

    table: str
    kernel: Kernel
    K: float
    C: float


#: All fourteen rows in the report's order.
SETTINGS = {
    f"K = {K:g}, C = {C:g}": TableRow("linear SVM", Linear(), K, C)
    for K in (1.0, 10.0)
    for C in (0.1, 1.0, 10.0)
} | {
    f"{name}, K = {K:g}": TableRow("kernel SVM", kernel, K, 1.0)
    for name, kernel in _KERNELS.items()
    for K in (0.0, 1.0)
}


def solve_row(name: str, solver: str) -> Outcome:
    """Solve a row and say what the report says of it, and what calibration changes."""
    setting, problem = SETTINGS[name], split_iris()
    gram = Gram(setting.kernel, problem.X)
    xi, C = setting.K**2, setting.C
    solution = solve(gram, problem.z, C, xi, solver)
    scores = gram.cross(problem.X_test) @ solution.coef + solution.bias
    own = scores_of_folds(gram, problem.z, C, xi, solver)
    calibrated = ScoreCalibrator(prior=PRIOR).fit(own, problem.z).transform(scores)
    certificate, z = solution.certificate, problem.z_test
    found = {
        "primal": certificate.primal,
        "dual": certificate.dual,
        "gap": certificate.gap,
        "error": error_rate(z, scores),
        "min_dcf": min_dcf(z, scores, PRIOR),
        "act_dcf": actual_dcf(z, scores, PRIOR),
        "cal_dcf": actual_dcf(z, calibrated, PRIOR),
        "cal_error": error_rate(z, calibrated),
    }
    return Outcome(found, {"solve": certificate.seconds})


def count_iterations(K: float, C: float, solver: str) -> Outcome:
    """Iterations that a linear SVM takes, and the gap that it ends with."""
    problem = split_iris()
    gram = Gram(Linear(), problem.X)
    certificate = solve(gram, problem.z, C, K**2, solver).certificate
    share = certificate.gap / certificate.primal
    return Outcome({"iterations": certificate.iterations, "gap": share})


def choose_penalty(name: str) -> Outcome:
    """C by cross-validation on the 66 training samples, for a row's kernel and K."""
    setting, problem = SETTINGS[name], split_iris()
    gram, xi = Gram(setting.kernel, problem.X), setting.K**2
    costs, errors = [], []
    for C in PENALTIES:
        scores = scores_of_folds(gram, problem.z, C, xi)
        costs.append(min_dcf(problem.z, scores, PRIOR))
        errors.append(error_rate(problem.z, scores))
    # of equally cheap ones the one that errs least, and of these the first
    best = min(range(len(costs)), key=lambda i: (costs[i], errors[i]))
    solution = solve(gram, problem.z, PENALTIES[best], xi)
    scores = gram.cross(problem.X_test) @ solution.coef + solution.bias
    found = {
        "C": PENALTIES,
        "cost": costs,
        "fold error": errors,
        "best_C": PENALTIES[best],
        "error": error_rate(problem.z_test, scores),
        "min_dcf": min_dcf(problem.z_test, scores, PRIOR),
    }
    return Outcome(found)


def error_rate(z: NDArray, scores: NDArray[np.float64]) -> float:
    """The share of wrong signs."""
    return float(np.mean((scores > 0) != (z > 0)))


def scores_of_folds(
    gram: Gram, z: NDArray[np.float64], C: float, xi: float, solver: str = "smo"
) -> NDArray[np.float64]:
    """For each sample the score of an SVM that has not seen it."""
    scores = np.empty(len(z))
    for part, rest in rotate(np.arange(len(z)), FOLDS):
        own = Gram.from_matrix(gram.block(part, part))
        solution = solve(own, z[part], C, xi, solver)
        scores[rest] = gram.block(rest, part) @ solution.coef + solution.bias
    return scores


class IrisSplit(NamedTuple):
    """Two classes, as the report splits them."""

    X: NDArray[np.float64]
    z: NDArray[np.float64]
    X_test: NDArray[np.float64]
    z_test: NDArray[np.float64]


def split_iris() -> IrisSplit:
    """Versicolor is +1, virginica -1."""
    data = load_dataset("iris")
    X, z = data.X[data.y != 0], np.where(data.y[data.y != 0] == 1, 1.0, -1.0)
    train, test = two_to_one_split(len(z))
    return IrisSplit(X[train], z[train], X[test], z[test])


def solve(
    gram: Gram,
    z: NDArray[np.float64],
    C: float,
    xi: float,
    solver: str = "smo",
    tol: float = _TOL,
    start: SVMSolution | None = None,
) -> SVMSolution:
    """One SVM over all samples of a Gram; ξ = 0 is no bias.

    The solver itself and not `KernelSVC`, which sorts samples by class: where L-BFGS-B
    stops, and so the printed primals, depends on the order of the samples.
    """
    (solution,) = solve_many(
        gram,
        [BinaryProblem(np.arange(len(z)), z, np.full(len(z), C))],
        solver=solver,
        bias="regularized" if xi else "none",
        xi=xi or 1.0,
        limits=Limits(tol=tol),
        starts=[start],
    )
    return solution
