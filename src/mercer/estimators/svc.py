"""The exact kernel SVM, with a certificate of how good its answer is."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight
from sklearn.utils.validation import _check_sample_weight

from mercer._storable import storable
from mercer.estimators._base import KernelMachine
from mercer.estimators._certificate import SVMCertificate
from mercer.estimators._checks import check_choice, check_count, check_positive
from mercer.estimators._compat import with_callbacks
from mercer.estimators._progress import SolverProgress
from mercer.estimators._reduction import Reduction
from mercer.exceptions import DataError, ParameterError
from mercer.kernels import Gram, GramPart, Kernel, Linear
from mercer.solvers.svm import (
    BinaryProblem,
    LBFGSOptions,
    Limits,
    SVMSolution,
    solve_many,
)

BIASES = ("free", "regularized", "none")
SOLVERS = ("auto", "smo", "lbfgs")
_ASKING = 600_000  # kernel values that take as long as a problem's asking for rows


@storable
class KernelSVC(KernelMachine):
    r"""Support vector classifier, solved exactly and certified.

    For each binary problem, with signs z,

    .. math:: \min_{w,b} \tfrac12\|w\|^2
              + \sum_i C_i \max(0, 1 - z_i(\langle w, \varphi(x_i)\rangle + b))

    is solved through its dual; primal, dual and the gap between them are reported in
    `certificate_`. The parameters and attributes of scikit-learn's ``SVC`` keep their
    names and meaning.

    Parameters
    ----------
    C : float or dict
        Weight of the losses; a dict gives each class its own.
    kernel, degree, gamma, coef0, multiclass, decision_function_shape, break_ties, \
memory_budget, verbose
        As in `KernelPerceptron`.
    bias : {"free", "regularized", "none"}
        Free: Σαz = 0 in the dual, as in SVC. Regularized: ξ = bias_scale² is added to
        the kernel, a constant feature (report 004). None: b = 0.
    bias_scale : float
        The constant feature of a regularized bias.
    solver : {"auto", "smo", "lbfgs"}
        Blocks of violators by sequential minimal optimisation, or SciPy's L-BFGS-B,
        which knows no free bias. Auto is smo.
    tol : float
        Largest violation of the optimality conditions, as in LIBSVM.
    class_weight : dict, "balanced" or None
        Factors for C of each class.
    max_iter : int
        Steps of each binary problem at most; -1 for no limit.
    max_seconds : float or None
        Seconds for all binary problems together. When a limit ends the fit, or Ctrl-C,
        the best model so far is kept and a warning states its gap.
    solver_options : dict or None
        For lbfgs: factr, pgtol, maxfun, maxiter, m.

    Attributes
    ----------
    certificate_ : SVMCertificate
        Primal, dual, gap, converged, seconds, iterations and kernel rows computed, in
        total and for each binary problem.
    classes_, support_, support_vectors_, n_support_, dual_coef_, intercept_, n_iter_, \
class_weight_, fit_status_, shape_fit_
        As in SVC, support vectors in the order of their classes; with one-vs-rest,
        `dual_coef_` has a row a class.

    Examples
    --------
    >>> from mercer import KernelSVC, load_dataset
    >>> digits = load_dataset("digits")
    >>> model = KernelSVC(C=10).fit(digits.X[:1200], digits.y[:1200])
    >>> round(model.score(digits.X[1200:], digits.y[1200:]), 3)
    0.965
    >>> round(model.certificate_.gap / model.certificate_.primal, 3)
    0.002
    """

    def __init__(
        self,
        C: float | Mapping[Any, float] = 1.0,
        kernel: str | Kernel = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        bias: str = "free",
        bias_scale: float = 1.0,
        solver: str = "auto",
        multiclass: str = "ovo",
        tol: float = 1e-3,
        class_weight: Mapping[Any, float] | str | None = None,
        max_iter: int = -1,
        max_seconds: float | None = None,
        solver_options: Mapping[str, Any] | None = None,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        memory_budget: int | str | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.bias = bias
        self.bias_scale = bias_scale
        self.solver = solver
        self.multiclass = multiclass
        self.tol = tol
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.solver_options = solver_options
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.memory_budget = memory_budget
        self.verbose = verbose

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from samples X of classes y, each loss times its sample weight."""
        start = time.perf_counter()
        X, y = self._validate(X, y)
        numbers = self._encode(y)
        upper = self._upper_bounds(X, y, numbers, sample_weight)
        self.reduction_ = Reduction.make(self.multiclass, len(self.classes_))
        # ordered by class, the samples of a binary problem are a slice or two
        order = np.argsort(numbers, kind="stable")
        problems = self._problems(numbers[order], upper[order])
        with SolverProgress(self, len(problems)) as progress:
            settings = self._settings(start, progress)
            source = self._source(X, order)
            solutions = solve_many(source, problems, **settings)
        self._keep(X, numbers, order, problems, solutions)
        shared = source.n_samples if source.in_memory and not self._precomputed else 0
        seconds = time.perf_counter() - start
        self.certificate_ = SVMCertificate.of(solutions, seconds, shared)
        self.n_iter_ = np.array([c.iterations for c in self.certificate_.problems])
        self.fit_status_ = int(not self.certificate_.converged)
        self.shape_fit_ = X.shape
        self._warn()
        return self

    @property
    def predict_proba(self) -> NoReturn:
        """Not offered: see `mercer.calibration.CalibratedClassifier`."""
        raise AttributeError(
            "KernelSVC has no predict_proba: probabilities that are fitted beside the "
            "SVM, as SVC's are, contradict its predictions. Wrap it instead: "
            "mercer.calibration.CalibratedClassifier(KernelSVC(...)) does agree."
        )

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Weights of the features, for the linear kernel."""
        if not isinstance(getattr(self, "kernel_", None), Linear):
            raise AttributeError("coef_ is only available with kernel='linear'.")
        return np.asarray(self._coefficients.T @ self.support_vectors_)

    def _settings(self, start: float, progress: SolverProgress) -> dict[str, Any]:
        check_choice("bias", self.bias, BIASES)
        check_choice("solver", self.solver, SOLVERS)
        deadline = None
        if self.max_seconds is not None:
            deadline = start + check_positive("max_seconds", self.max_seconds)
        max_iter = (
            self.max_iter
            if self.max_iter == -1
            else check_count("max_iter", self.max_iter)
        )
        solver = "smo" if self.solver == "auto" else self.solver
        return {
            "solver": solver,
            "bias": self.bias,
            "xi": check_positive("bias_scale", self.bias_scale) ** 2,
            "limits": Limits(
                tol=check_positive("tol", self.tol),
                max_iter=max_iter,
                deadline=deadline,
                progress=progress.callback,
            ),
            "options": self._lbfgs_options() if solver == "lbfgs" else None,
            "budget": self.memory_budget,
        }

    def _lbfgs_options(self) -> LBFGSOptions:
        try:
            return LBFGSOptions(**(self.solver_options or {}))
        except TypeError:
            known = ", ".join(LBFGSOptions.__dataclass_fields__)
            raise ParameterError(
                f"solver_options is {self.solver_options!r}; lbfgs takes {known}."
            ) from None

    def _upper_bounds(
        self, X: Any, y: NDArray, numbers: NDArray[np.integer], sample_weight: Any
    ) -> NDArray[np.float64]:
        """C of each sample: of its class, times the weights of class and sample."""
        if isinstance(self.C, Mapping):
            missing = [c for c in self.classes_.tolist() if c not in self.C]
            if missing:
                raise ParameterError(f"C has no value for class {missing[0]!r}.")
            C = [check_positive("C", self.C[c]) for c in self.classes_.tolist()]
        else:
            C = [check_positive("C", self.C)] * len(self.classes_)
        self.class_weight_ = compute_class_weight(
            self.class_weight, classes=self.classes_, y=y
        )
        upper = (np.asarray(C) * self.class_weight_)[numbers]
        if sample_weight is None:
            return upper
        weights = _check_sample_weight(
            sample_weight, X, dtype=np.float64, ensure_non_negative=True
        )
        for number, label in enumerate(self.classes_.tolist()):
            if not weights[numbers == number].any():
                raise DataError(
                    f"All samples of class {label!r} have weight 0; a classifier needs "
                    "samples of every class."
                )
        return upper * weights

    def _source(self, X: Any, order: NDArray[np.integer]) -> Gram | GramPart:
        """Kernel values of the ordered samples.

        Few rows are ever needed, and a pair needs only its own columns. Problems of one
        class against all others need the same rows, so they share the whole matrix; and
        so do problems that are so small that they would spend more on asking for rows.
        """
        if self._precomputed:
            return Gram.from_matrix(self._make_gram(X).block(order, order))
        n, n_problems = X.shape[0], self.reduction_.n_problems
        if self.reduction_.kind == "ovr" or n * n <= _ASKING * n_problems:
            gram = self._make_gram(X[order])
            if gram.in_memory:
                return gram
        self.kernel_ = self._make_kernel(X)
        return GramPart.prepare(self.kernel_, X, order)

    def _problems(
        self, numbers: NDArray[np.integer], upper: NDArray[np.float64]
    ) -> list[BinaryProblem]:
        members = [np.flatnonzero(numbers == c) for c in range(len(self.classes_))]
        problems = []
        for code in self.reduction_.codes:
            taking_part = np.flatnonzero(code)
            rows = np.concatenate([members[c] for c in taking_part])
            signs = np.repeat(code[taking_part], [len(members[c]) for c in taking_part])
            problems.append(BinaryProblem(rows, signs, upper[rows]))
        return problems

    def _keep(
        self,
        X: Any,
        numbers: NDArray[np.integer],
        order: NDArray[np.integer],
        problems: list[BinaryProblem],
        solutions: list[SVMSolution],
    ) -> None:
        coefficients = np.zeros((len(problems), len(numbers)))
        for p, (problem, solution) in enumerate(zip(problems, solutions)):
            coefficients[p, problem.rows] = solution.coef
        kept = coefficients.any(axis=0)
        at = order[kept]
        self._store(X if self._precomputed else X[at], at, coefficients[:, kept])
        self.intercept_ = np.array([solution.bias for solution in solutions])
        owners = numbers[self.support_]
        self.n_support_ = np.bincount(owners, minlength=len(self.classes_)).astype(
            np.int32
        )
        self.dual_coef_ = self._coefficients.T
        if self.reduction_.kind == "ovo":
            self.dual_coef_ = _libsvm_layout(self.reduction_, self.dual_coef_, owners)

    def _warn(self) -> None:
        total = self.certificate_.total
        if total.indefinite:
            warnings.warn(
                "The kernel is not positive semidefinite on these samples: the dual is "
                "not concave, and the certificate holds for a stationary point only.",
                ConvergenceWarning,
                stacklevel=3,
            )
        if not total.converged:
            warnings.warn(
                f"KernelSVC ended before tol={self.tol:g} ({total.status}): the gap is "
                f"{total.gap:.3g}, {total.gap / max(abs(total.primal), 1e-300):.1e} of "
                f"the objective {total.primal:.6g}; the model is the best so far.",
                ConvergenceWarning,
                stacklevel=3,
            )


def _libsvm_layout(
    reduction: Reduction, coefficients: NDArray[np.float64], owners: NDArray[np.integer]
) -> NDArray[np.float64]:
    """Coefficients as SVC stores them: one row less than classes, others squeezed out.

    A support vector of class c takes part in the pairs with each other class; they
    follow each other in the order of these classes.
    """
    layout = np.zeros((len(reduction.codes[0]) - 1, len(owners)))
    for code, values in zip(reduction.codes, coefficients):
        (i,), (j,) = np.flatnonzero(code > 0), np.flatnonzero(code < 0)
        layout[j - 1, owners == i] = values[owners == i]
        layout[i, owners == j] = values[owners == j]
    return layout
