"""The two tables of the report: SVMs on two classes of Iris."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.datasets import load_dataset
from mercer.kernels import Gaussian, Gram, Kernel, Linear, Polynomial
from mercer.metrics import actual_dcf, min_dcf
from mercer.model_selection import two_to_one_split
from mercer.solvers.svm import BinaryProblem, Limits, SVMSolution, solve_many
from mercer.studies.cell import Outcome

SOLVERS = ("smo", "lbfgs")
_TOL = 1e-7
_KERNELS: dict[str, Kernel] = {
    "Poly (d = 2, c = 0)": Polynomial(2, 0.0),
    "Poly (d = 2, c = 1)": Polynomial(2, 1.0),
    "RBF (γ = 1)": Gaussian(1.0),
    "RBF (γ = 10)": Gaussian(10.0),
}


@dataclass(frozen=True)
class Setting:
    """A row of a table: x is extended by K, which adds ξ = K² to the kernel."""

    table: str
    kernel: Kernel
    K: float
    C: float


#: All fourteen rows in the report's order.
SETTINGS = {
    f"K = {K:g}, C = {C:g}": Setting("linear SVM", Linear(), K, C)
    for K in (1.0, 10.0)
    for C in (0.1, 1.0, 10.0)
} | {
    f"{name}, K = {K:g}": Setting("kernel SVM", kernel, K, 1.0)
    for name, kernel in _KERNELS.items()
    for K in (0.0, 1.0)
}


def solve_row(name: str, solver: str) -> Outcome:
    """Solve a row and say what the report says of it."""
    setting, data = SETTINGS[name], load_dataset("iris")
    # versicolor is +1, virginica -1
    X, z = data.X[data.y != 0], np.where(data.y[data.y != 0] == 1, 1.0, -1.0)
    train, test = two_to_one_split(len(z))
    gram = Gram(setting.kernel, X[train])
    solution = solve(gram, z[train], setting.C, setting.K**2, solver)
    scores = gram.cross(X[test]) @ solution.coef + solution.bias
    certificate = solution.certificate
    found = {
        "primal": certificate.primal,
        "dual": certificate.dual,
        "gap": certificate.gap,
        "error": float(np.mean((scores > 0) != (z[test] > 0))),
        "min_dcf": min_dcf(z[test], scores),
        "act_dcf": actual_dcf(z[test], scores),
    }
    return Outcome(found, {"solve": certificate.seconds})


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
