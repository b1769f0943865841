"""The two tables of the report: SVMs on two classes of Iris."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.datasets import load_dataset
from mercer.kernels import Gaussian, Gram, Kernel, Linear, Polynomial
from mercer.metrics import actual_dcf, min_dcf
from mercer.solvers.svm import BinaryProblem, Limits, SVMSolution, solve_many
from mercer.studies.cell import Outcome
from mercer.studies.published.svm_decisions.split import two_to_one

SOLVERS = ("smo", "lbfgs")
_TOL = 1e-7


@dataclass(frozen=True)
class Setting:
    """A row of a table: x is extended by K, which adds ξ = K² to the kernel."""

    table: str
    kernel: Kernel
    K: float
    C: float


def _kernel_rows() -> dict[str, Setting]:
    kernels: dict[str, Kernel] = {
        "Poly (d = 2, c = 0)": Polynomial(2, 0.0),
        "Poly (d = 2, c = 1)": Polynomial(2, 1.0),
        "RBF (γ = 1)": Gaussian(1.0),
        "RBF (γ = 10)": Gaussian(10.0),
    }
    return {
        f"{name}, K = {K:g}": Setting("kernel SVM", kernel, K, 1.0)
        for name, kernel in kernels.items()
        for K in (0.0, 1.0)
    }


#: All fourteen rows in the report's order.
SETTINGS = {
    f"K = {K:g}, C = {C:g}": Setting("linear SVM", Linear(), K, C)
    for K in (1.0, 10.0)
    for C in (0.1, 1.0, 10.0)
} | _kernel_rows()


def iris_pair() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Versicolor (+1) and virginica (-1), in the order of the data set."""
    data = load_dataset("iris")
    X, y = np.asarray(data.X, np.float64)[data.y != 0], data.y[data.y != 0]
    return X, np.where(y == 1, 1.0, -1.0)


def solve_row(name: str, solver: str) -> Outcome:
    """Solve a row and say what the report says of it."""
    setting = SETTINGS[name]
    X, z = iris_pair()
    train, test = two_to_one(len(z))
    gram = Gram(setting.kernel, X[train])
    solution = solve(gram, z[train], setting.C, setting.K**2, solver)
    scores = gram.cross(X[test]) @ solution.coef + solution.bias
    certificate = solution.certificate
    return Outcome(
        {
            "primal": certificate.primal,
            "dual": certificate.dual,
            "gap": certificate.gap,
            "error": float(np.mean((scores > 0) != (z[test] > 0))),
            "min_dcf": min_dcf(z[test], scores),
            "act_dcf": actual_dcf(z[test], scores),
        },
        {"solve": certificate.seconds},
    )


def solve(
    gram: Gram,
    z: NDArray[np.float64],
    C: float,
    xi: float,
    solver: str = "smo",
    tol: float = _TOL,
    start: SVMSolution | None = None,
) -> SVMSolution:
    """One SVM over all samples of a Gram; ξ = 0 is no bias."""
    problem = BinaryProblem(np.arange(len(z)), z, np.full(len(z), C))
    (solution,) = solve_many(
        gram,
        [problem],
        solver=solver,
        bias="regularized" if xi else "none",
        xi=xi or 1.0,
        limits=Limits(tol=tol),
        starts=[start],
    )
    return solution
