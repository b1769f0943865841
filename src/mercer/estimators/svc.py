"""The exact kernel SVM, with a certificate of how good its answer is."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Event
from typing import Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer._compat import check_sample_weight, with_callbacks
from mercer._memory import is_budget_given
from mercer._pages import give_back
from mercer._storable import need, storable
from mercer._threads import parallel_map, single_threaded_blas
from mercer._validation import is_sparse
from mercer.estimators import one_vs_one
from mercer.estimators._objects import densely
from mercer.estimators.binary_machine import BinaryMachine
from mercer.estimators.certificate import SVMCertificate
from mercer.estimators.checks import check_choice, check_count, check_positive
from mercer.estimators.convergence import complaints, describe_limit
from mercer.estimators.kernel_source import kernel_source
from mercer.estimators.learner import TrainingSet
from mercer.estimators.penalties import (
    HARD_MARGIN,
    class_weights,
    is_hard_margin,
    upper_bounds,
)
from mercer.estimators.progress import SolverProgress
from mercer.estimators.reduction import Reduction
from mercer.estimators.verification import Verification
from mercer.exceptions import ParameterError
from mercer.kernels import Gram, GramPart, Kernel, Linear
from mercer.solvers.svm import (
    BinaryProblem,
    BinaryProblems,
    LBFGSOptions,
    Limits,
    Solutions,
    Solved,
    StackedSolutions,
    SVMSolution,
    solve_many,
    solve_next,
)

BIASES = ("free", "regularized", "none")
SOLVERS = ("auto", "smo", "lbfgs")
_MOST_WEIGHTS = 2**24  # of features in problems, instead of support vectors
_CHUNK = 4096  # samples that a thread scores at a time


@storable
class KernelSVC(BinaryMachine):
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
        Weight of the losses; a dict gives each class its own. Infinity is the hard
        margin: 10¹⁰ in the solver, and its own certificate.
    kernel, degree, gamma, coef0, multiclass, decision_function_shape
        As in `KernelPerceptron`.
    break_ties, memory_budget, verbose
        As there.
    bias : {"free", "regularized", "none"}
        Free: Σαz = 0 in the dual, as in SVC. Regularized: ξ = bias_scale² is added to
        the kernel, a constant feature (report 004). None: b = 0.
    bias_scale : float
        The constant feature of a regularized bias.
    solver : {"auto", "smo", "lbfgs"}
        Sequential minimal optimisation over working sets of violators, or SciPy's
        L-BFGS-B, which knows no free bias. Auto is smo.
    tol : float
        Largest violation of the optimality conditions, as in LIBSVM.
    class_weight : dict, "balanced" or None
        Factors for C of each class.
    max_iter : int
        Steps of each binary problem at most; -1 for no limit, 0 for α = 0.
    max_seconds : float or None
        Seconds for all binary problems together. When a limit ends the fit, the best
        model so far is kept and a warning states its gap. Ctrl-C keeps it too, and then
        raises KeyboardInterrupt.
    solver_options : dict or None
        For lbfgs: factr, pgtol, maxfun, maxiter, m.

    Attributes
    ----------
    certificate_ : SVMCertificate
        Primal, dual, gap, converged, seconds, iterations and kernel rows computed, in
        total and for each binary problem.
    classes_, support_, support_vectors_, n_support_, dual_coef_, intercept_
        As in SVC, support vectors in the order of their classes; with one-vs-rest,
        `dual_coef_` has one row per class. After a fit on sparse samples `dual_coef_`
        and `coef_` are sparse.
    n_iter_, class_weight_, fit_status_, shape_fit_
        As in SVC.

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

    path_parameters = frozenset({"C"})
    scores_have_unit = True  # that of the margin

    def __init__(
        self,
        C: float | Mapping[Any, float] = 1.0,
        kernel: str | Kernel | Callable[[Any, Any], Any] = "rbf",
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

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        by_class, kept = state.get("dual_coef_"), state.get("_coefficients")
        if isinstance(by_class, np.ndarray) and isinstance(kept, np.ndarray):
            rows, n_support = by_class.shape
            if rows > 1 and kept.shape == (n_support, rows * (rows + 1) // 2):
                # a model file from when there was a column for each pair, too
                self._coefficients = np.ascontiguousarray(by_class.T)

    def __mercer_check__(self) -> None:
        super().__mercer_check__()
        n, counts = len(self.classes_), self.n_support_
        need(
            type(counts) is np.ndarray
            and counts.dtype == np.int32
            and counts.shape == (n,)
            and counts.min() >= 0
            and counts.sum() == len(self.support_),
            "its support vectors are not those of its classes",
        )

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from samples X of classes y, each loss times its sample weight."""
        # a matrix that is given is looked at once, when it becomes a Gram
        X, y = self._validate(X, y, look=not self.is_precomputed)
        y_encoded = self._encode(y)
        self._learn(X, y_encoded, self._check_weights(X, sample_weight))
        self._give_back()
        return self

    def _give_back(self) -> None:
        """Leave no memory to the next fit: who sets a budget wants to see it gone."""
        if is_budget_given(self.memory_budget):
            give_back()

    @staticmethod
    def _check_weights(X: Any, sample_weight: Any) -> NDArray[np.float64] | None:
        if sample_weight is None:
            return None
        weights: NDArray[np.float64] = check_sample_weight(
            sample_weight, X, dtype=np.float64, ensure_non_negative=True
        )
        return weights

    def _learn(
        self,
        X: Any,
        y_encoded: NDArray[np.intp],
        sample_weight: NDArray[np.float64] | None,
        members: NDArray[np.bool_] | None = None,
    ) -> None:
        """Fit to samples and weights that are validated, of classes that are known.

        `members` says which samples (rows) take part in which binary problem (columns).
        """
        start = time.perf_counter()
        # ordered by class, the samples of a binary problem are a slice or two
        order = np.argsort(y_encoded, kind="stable")
        # a matrix that is there is not copied for that
        rows = np.arange(len(order)) if self.has_kernel else order
        training = TrainingSet(rows, y_encoded[order], self.classes_)
        if sample_weight is not None:
            sample_weight = sample_weight[order]
        problems = self.binary_problems(training, sample_weight)
        if members is not None:
            problems = problems.among(members[order])
        self.class_weight_ = class_weights(self.class_weight, training)
        self.reduction_ = Reduction.make(self.multiclass, len(self.classes_))
        stop = Event()
        with SolverProgress(self, len(problems)) as progress:
            limits = self._limits(start, progress=progress.callback, stop=stop)
            samples = densely(X) if self.has_kernel else X
            task = order, problems, limits
            with single_threaded_blas():  # once, and not for each of its steps
                gram, solutions, carried = self._solve_verified(samples, *task)
                if not carried and not stop.is_set():
                    # float32 cannot carry the answer: float64, also to predict with
                    X, samples = X.astype(np.float64), samples.astype(np.float64)
                    gram, solutions, _ = self._solve_verified(samples, *task, solutions)
        stacked = isinstance(solutions, StackedSolutions)
        found: Any = solutions if stacked else solutions.begun
        self._keep(X, order, problems, found, rows)
        if self.has_kernel and is_sparse(X):
            self.dual_coef_ = type(X)(self.dual_coef_)
        owners = y_encoded[self.support_]
        counts = np.bincount(owners, minlength=len(self.classes_))
        self.n_support_ = counts.astype(np.int32)
        separated = True
        if is_hard_margin(self.C):
            verification = self._verification(gram, self.kernel_, samples, order)
            known = problems, solutions, verification
            solutions, separated = self._with_hard_margins(*known)
        shared = gram.n_samples if gram.in_memory and self.has_kernel else 0
        seconds = time.perf_counter() - start
        certificates = solutions.certificates()
        indefinite = self._is_indefinite(gram)
        self.certificate_ = SVMCertificate.of(certificates, seconds, shared, indefinite)
        self.n_iter_ = np.array([c.iterations for c in self.certificate_.problems])
        self.fit_status_ = int(not self.certificate_.converged)
        self.shape_fit_ = getattr(X, "shape", (len(order),))
        if stop.is_set():  # whoever called this goes on only if it wants to
            raise KeyboardInterrupt(
                f"{type(self).__name__} keeps the best model so far: "
                f"{self.certificate_}"
            )
        self._warn(separated)

    def _solve_verified(
        self,
        X: Any,
        order: NDArray[np.intp],
        problems: BinaryProblems,
        limits: Limits,
        before: Solutions | None = None,
    ) -> tuple[Gram | GramPart, Solutions, bool]:
        """Solve, and certify what the model will say rather than what was computed.

        From where others have come `before`, unless together the problems take no time.
        Also: whether the type of the samples is fine enough to say it.
        """
        how = self._settings() | {"limits": limits}
        gram = self._source(X, order, problems, how)
        if before is None or isinstance(before, StackedSolutions):
            solutions = solve_many(gram, problems, **how)
        else:
            solutions = _go_on_from(before, gram, problems, **how)
        self._give_back()
        verification = self._verification(gram, self.kernel_, X, order)
        solutions = verification.verify_all(problems, solutions)
        if not self.has_kernel or X.dtype == np.float64:
            return gram, solutions, True
        carried = not _too_coarse(solutions)
        if carried and (X.dtype != gram.dtype or gram.rest is not None):
            known = gram, problems, solutions
            carried = verification.is_carried_in(X.dtype, *known)
        return gram, solutions, carried

    def is_carried(
        self,
        gram: Gram,
        solved: Sequence[tuple[Sequence[BinaryProblem], Sequence[SVMSolution]]],
    ) -> bool:
        """Whether `fit` would stay with kernel values of this precision."""
        if gram.kernel is None:
            return True
        rows = np.arange(gram.n_samples)
        verification = self._verification(gram, gram.kernel, gram.X, rows)
        return not verification.finds_lost(solved)

    def _verification(
        self,
        gram: Gram | GramPart,
        kernel: Kernel | None,
        X: Any,
        order: NDArray[np.intp],
    ) -> Verification:
        xi = self._settings()["xi"] if self.bias == "regularized" else 0.0
        free, known = self.bias == "free", (gram, kernel, X, order)
        return Verification.of(
            *known, free_bias=free, xi=xi, tol=self.tol, budget=self.memory_budget
        )

    def check_parameters(self, training: TrainingSet) -> None:
        """Complain as `fit` would on this training set."""
        self.upper_bounds(training)
        self._limits(0.0)
        self._settings()
        Reduction.make(self.multiclass, len(training.classes))

    def can_share(self, training: TrainingSet) -> bool:
        """Whether no limit of time is set for each fit, and the solver can do it."""
        return self.max_seconds is None and (self.solver, self.bias) != (
            "lbfgs",
            "free",
        )

    def path_position(self) -> float:
        """C: the α of a smaller one is feasible for a larger, and close to its own.

        Where each class has its own C there is no path.
        """
        if not isinstance(self.C, int | float | np.number):
            return np.inf
        return float(min(self.C, HARD_MARGIN))

    def start_after(self, solved: Sequence[Solved]) -> Sequence[Solved]:
        """The last two problems, which say where the solution goes."""
        return solved

    def solve(
        self,
        gram: Gram | GramPart,
        problems: Sequence[BinaryProblem],
        *,
        starts: Sequence[Sequence[Solved] | None] | None = None,
        stop: Event | None = None,
    ) -> Sequence[SVMSolution]:
        """Solve binary problems whose rows are those of the Gram."""
        limits = self._limits(time.perf_counter(), stop=stop)
        settings = self._settings()
        if starts is None:
            return solve_many(gram, problems, limits=limits, **settings)
        return solve_next(gram, problems, starts, limits=limits, **settings)

    @property
    def predict_proba(self) -> NoReturn:
        """Not offered: see `mercer.calibration.CalibratedClassifier`."""
        raise AttributeError(
            "KernelSVC has no predict_proba: probabilities that are fitted beside the "
            "SVM, as SVC's are, contradict its predictions. Wrap it instead: "
            "mercer.calibration.CalibratedClassifier(KernelSVC(...)) does agree."
        )

    @property
    def coef_(self) -> Any:
        """Weights of the features, for the linear kernel."""
        if not isinstance(getattr(self, "kernel_", None), Linear):
            raise AttributeError("coef_ is only available with kernel='linear'.")
        coef: Any = self._weights()
        if is_sparse(self.support_vectors_):
            coef = type(self.support_vectors_)(coef)
        (coef.data if is_sparse(coef) else coef).flags.writeable = False
        return coef

    def _weights(self) -> NDArray[np.float64]:
        """Of the features in each binary problem, for the linear kernel."""
        if self.reduction_.kind == "ovo":
            known = self.support_vectors_, self._coefficients, self.n_support_
            return one_vs_one.linear_weights(*known)
        return np.asarray(self._coefficients.T @ self.support_vectors_)

    def _settings(self) -> dict[str, Any]:
        check_choice("bias", self.bias, BIASES)
        check_choice("solver", self.solver, SOLVERS)
        solver = "smo" if self.solver == "auto" else self.solver
        return {
            "solver": solver,
            "bias": self.bias,
            "xi": check_positive("bias_scale", self.bias_scale) ** 2,
            "options": self._lbfgs_options() if solver == "lbfgs" else None,
            "budget": self.memory_budget,
        }

    def _limits(self, start: float, **told: Any) -> Limits:
        deadline = None
        if self.max_seconds is not None:
            deadline = start + check_positive("max_seconds", self.max_seconds)
        max_iter = self.max_iter
        if max_iter != -1:
            max_iter = check_count("max_iter", max_iter, least=0)
        tol = check_positive("tol", self.tol)
        return Limits(tol=tol, max_iter=max_iter, deadline=deadline, **told)

    def _lbfgs_options(self) -> LBFGSOptions:
        try:
            return LBFGSOptions(**(self.solver_options or {}))
        except TypeError:
            known = ", ".join(LBFGSOptions.__dataclass_fields__)
            raise ParameterError(
                f"solver_options is {self.solver_options!r}; lbfgs takes {known}."
            ) from None

    def upper_bounds(
        self, training: TrainingSet, sample_weight: Any = None
    ) -> NDArray[np.float64]:
        """C of each sample: of its class, times the weights of class and sample."""
        return upper_bounds(self.C, self.class_weight, training, sample_weight)

    def _with_hard_margins(
        self,
        problems: Sequence[BinaryProblem],
        solutions: Solutions,
        verification: Verification,
    ) -> tuple[Solutions, bool]:
        """Certificates of the hard margin, and whether all problems have one."""
        begun = solutions.begun
        found = {p: verification.hard_margin(problems[p], s) for p, s in begun.items()}
        hard = {p: solution for p, solution in found.items() if solution is not None}
        return solutions.with_begun({**begun, **hard}), len(hard) == len(begun)

    def _is_indefinite(self, gram: Gram | GramPart) -> bool:
        """Whether the kernel is not positive semidefinite, or not by its nature.

        Of a matrix that was given the values between support vectors are looked at, and
        some others: that the model is the best of these samples. Also what the solver
        met is known.
        """
        if self.kernel_ is not None:
            return not self.kernel_.is_semidefinite
        assert isinstance(gram, Gram)
        return not gram.looks_semidefinite(self.support_, self.bias == "free")

    def _source(
        self,
        X: Any,
        order: NDArray[np.intp],
        problems: BinaryProblems,
        how: Mapping[str, Any],
    ) -> Gram | GramPart:
        """Kernel values of the ordered samples; sets `kernel_`."""
        if not self.has_kernel:
            return self._make_gram(X)
        self.kernel_ = self.make_kernel(X)
        one_vs_rest = self.reduction_.kind == "ovr"
        return kernel_source(
            *(self.kernel_, X, order, problems),
            one_vs_rest=one_vs_rest,
            in_a_hurry=self.max_seconds is not None,
            **{name: how[name] for name in ("budget", "bias", "xi")},
        )

    @property
    def _n_columns(self) -> int:
        pairs = self.reduction_.kind == "ovo"
        return len(self.classes_) - 1 if pairs else super()._n_columns

    def _places(
        self, p: NDArray[np.intp], signs: NDArray[np.float64]
    ) -> NDArray[np.intp]:
        if self.reduction_.kind != "ovo":
            return super()._places(p, signs)
        return one_vs_one.columns_of(p, signs, len(self.classes_))

    def binary_coefficients(self) -> NDArray[np.float64]:
        """Of each support vector (rows) in each binary problem (columns)."""
        if self.reduction_.kind != "ovo":
            return super().binary_coefficients()
        return one_vs_one.one_column_a_pair(self._coefficients, self.n_support_)

    def binary_scores(self, X: Any) -> NDArray:
        """Scores of the binary problems, one column each, of X from `validate_new`."""
        problems, linear = self.reduction_.n_problems, type(self.kernel_) is Linear
        if linear and self.n_features_in_ * problems <= _MOST_WEIGHTS:
            return _linear_scores(X, self._weights()) + self.intercept_
        if self.reduction_.kind != "ovo" or not len(self.support_):
            return super().binary_scores(X)
        values = self._values(X) if self.kernel_ is None else X
        known = self.support_vectors_, self._coefficients, self.n_support_
        return one_vs_one.kernel_scores(self.kernel_, values, *known) + self.intercept_

    def _warn(self, separated: bool) -> None:
        total, name = self.certificate_.total, type(self).__name__
        said = complaints(total, name, self.kernel_, self.tol, separated)
        if not total.converged and total.status != "precision":
            said.append(self._describe_limit())
        for text in said:
            warnings.warn(text, ConvergenceWarning, stacklevel=4)

    def _describe_limit(self) -> str:
        return describe_limit(self.certificate_.total, type(self).__name__, self.tol)


def _too_coarse(solutions: Solutions) -> bool:
    if isinstance(solutions, StackedSolutions):  # else they would not be
        return False
    found = solutions.begun.values()
    return any(solution.certificate.status == "precision" for solution in found)


def _go_on_from(
    before: Solutions, gram: Gram | GramPart, problems: BinaryProblems, **how: Any
) -> Solutions:
    """Solve problems again by finer kernel values; what was done before counts, too."""
    known, starts = before.begun, {}
    for p, solution in known.items():
        # what rounding has left nothing of is no start
        if how["bias"] != "free" or problems[p].is_balanced(solution.alpha):
            starts[p] = solution.alpha
    everyone = [starts.get(p) for p in range(len(before))]
    solutions = solve_many(gram, problems, starts=everyone, **how)
    begun = dict(solutions.begun)
    for p in begun.keys() & starts.keys():
        # that a curvature is negative may have been rounding
        own, earlier = begun[p].certificate, known[p].certificate
        both = own.after(replace(earlier, indefinite=False))
        begun[p] = replace(begun[p], certificate=both)
    return solutions.with_begun(begun)


def _linear_scores(X: Any, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores by the weights of features, in float64, however many support vectors."""
    scores = np.empty((X.shape[0], len(weights)))

    def score(first: int) -> None:
        part = slice(first, first + _CHUNK)
        scores[part] = X[part].astype(np.float64) @ weights.T

    parallel_map(score, range(0, X.shape[0], _CHUNK))
    return scores
