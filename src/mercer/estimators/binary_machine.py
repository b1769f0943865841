"""Machines that solve binary problems on a Gram for coefficients."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from mercer._memory import is_budget_given
from mercer._pages import reusable_array
from mercer.estimators._objects import take
from mercer.estimators.kernel_machine import KernelMachine
from mercer.estimators.learner import TrainingSet
from mercer.estimators.reduction import Reduction
from mercer.kernels import Gram, GramPart
from mercer.solvers.svm import (
    BinaryProblem,
    BinaryProblems,
    Certificate,
    Stacked,
    StackedSolutions,
)


class BinarySolution(Protocol):
    """The score of x is Σ coef_i k(x_i, x) + bias, over the samples of the problem."""

    @property
    def coef(self) -> NDArray[np.float64]:
        """One coefficient per sample of the problem, signs included."""

    @property
    def bias(self) -> float:
        """The constant of the score."""

    @property
    def certificate(self) -> Certificate | None:
        """How good the solution is, where that is known."""


@dataclass(frozen=True, eq=False)
class Coefficients:
    """A `BinarySolution` of a learner that certifies nothing."""

    coef: NDArray[np.float64]
    bias: float = 0.0
    certificate: Certificate | None = None


class BinaryMachine(KernelMachine):
    """A kernel machine that is told by `solve` alone.

    A subclass says how binary problems are solved; `fit`, `predict` and, if it names
    its `path_parameters`, the search on one Gram follow.

    Examples
    --------
    A machine that goes by the mean kernel value to the samples of either class:

    >>> from mercer import load_dataset
    >>> from mercer.estimators import BinaryMachine, Coefficients
    >>> class KernelMeans(BinaryMachine):
    ...     path_parameters = frozenset()
    ...
    ...     def __init__(self, kernel="rbf", gamma="scale", degree=3, coef0=0.0,
    ...                  multiclass="ovr", decision_function_shape="ovr",
    ...                  break_ties=False, memory_budget=None):
    ...         self.kernel, self.gamma = kernel, gamma
    ...         self.degree, self.coef0, self.multiclass = degree, coef0, multiclass
    ...         self.decision_function_shape = decision_function_shape
    ...         self.break_ties, self.memory_budget = break_ties, memory_budget
    ...
    ...     def solve(self, gram, problems, *, starts=None, stop=None):
    ...         sizes = [np.where(p.signs > 0, (p.signs > 0).sum(),
    ...                           (p.signs < 0).sum()) for p in problems]
    ...         return [Coefficients(p.signs / n) for p, n in zip(problems, sizes)]
    >>> digits = load_dataset("digits")
    >>> model = KernelMeans().fit(digits.X[:1200], digits.y[:1200])
    >>> round(model.score(digits.X[1200:], digits.y[1200:]), 3)
    0.868
    """

    def path_position(self) -> float:
        """Where the parameters stand on their path, which is followed upwards.

        Each solution is the start of the next; at infinity a path starts anew.
        """
        return np.inf

    def start_after(self, solved: Sequence[tuple[BinaryProblem, Any]]) -> Any:
        """What the next problem starts from: the solution of the last on the path.

        There is at least one, and there are two at most.
        """
        return solved[-1][1]

    def upper_bounds(
        self, training: TrainingSet, sample_weight: Any = None
    ) -> NDArray[np.float64]:
        """The bound of each sample's coefficient, for those that know bounds."""
        return np.ones(len(training))

    def binary_problems(
        self, training: TrainingSet, sample_weight: Any = None
    ) -> BinaryProblems:
        """The binary problems that the classes are reduced to.

        Within a problem the samples come class by class, each in the order of the
        training set.
        """
        upper = self.upper_bounds(training, sample_weight)
        reduction = Reduction.make(self.multiclass, len(training.classes))
        order = np.argsort(training.y_encoded, kind="stable")
        counts = np.bincount(training.y_encoded, minlength=reduction.n_classes)
        ends = np.cumsum(counts).tolist()
        members = [order[first:stop] for first, stop in zip([0, *ends], ends)]

        def build(p: int) -> BinaryProblem:
            code = reduction.code(p)
            (taking_part,) = code.nonzero()
            own = np.concatenate([members[c] for c in taking_part])
            signs = code[taking_part].repeat(counts[taking_part])
            return BinaryProblem(training.rows[own], signs, upper[own])

        def stack() -> Stacked:
            at, signs, bounds = reduction.stack(counts)
            own = order[at]
            return Stacked(training.rows[own], signs, upper[own], bounds)

        with np.errstate(over="ignore"):
            losses = np.array([upper[own].sum() for own in members])
        sizes, at_once = reduction.sums(counts), reduction.kind != "ovr"
        known = sizes, reduction.sums(losses), stack if at_once else None
        return BinaryProblems(build, *known)

    @abstractmethod
    def solve(
        self,
        gram: Gram | GramPart,
        problems: Sequence[BinaryProblem],
        *,
        starts: Sequence[Any] | None = None,
        stop: Event | None = None,
    ) -> Sequence[BinarySolution]:
        """Solve binary problems whose rows are those of the Gram.

        Parameters
        ----------
        gram : Gram
            Kernel values of all samples.
        problems : sequence of BinaryProblem
            Of one training set, or of many.
        starts : sequence, optional
            For each problem what `start_after` makes of those before it on the path, or
            None.
        stop : threading.Event, optional
            When it is set, end with what there is; Ctrl-C sets it.
        """

    def is_carried(
        self,
        gram: Gram,
        solved: Sequence[tuple[Sequence[BinaryProblem], Sequence[Any]]],
    ) -> bool:
        """Whether kernel values of this precision carry these solutions of problems.

        If not, a search on this Gram starts anew in float64.
        """
        return True

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from samples X of classes y."""
        X, y = self._validate(X, y)
        y_encoded = self._encode(y)
        training = TrainingSet(np.arange(len(y_encoded)), y_encoded, self.classes_)
        self.check_parameters(training)
        self.reduction_ = Reduction.make(self.multiclass, len(self.classes_))
        problems = self.binary_problems(training)
        solutions = self.solve(self._make_gram(X), problems)
        order, found = training.rows, dict(enumerate(solutions))
        self._keep(X, order, problems, found, np.arange(len(order)))
        return self

    def _places(
        self, p: NDArray[np.intp], signs: NDArray[np.float64]
    ) -> NDArray[np.intp]:
        """Which of its coefficients a sample of a sign has in a problem."""
        return p

    def _keep(
        self,
        X: Any,
        order: NDArray[np.intp],
        problems: Sequence[BinaryProblem],
        solutions: Mapping[int, BinarySolution] | StackedSolutions,
        rows_in_order: NDArray[np.intp],
    ) -> None:
        """Keep the support vectors, in this order of the samples in X.

        `rows_in_order` says in which row of the Gram each of them is. A problem without
        a solution has the score 0 everywhere.
        """
        p, rows, signs, coef = _coefficients_of(problems, solutions)
        position = np.empty_like(order)
        position[rows_in_order] = np.arange(len(order))
        rows = position[rows]
        kept = np.zeros(len(order), bool)
        kept[rows] = True
        column = np.cumsum(kept) - 1
        coefficients = np.zeros((self._n_columns, kept.sum()))
        coefficients[self._places(p, signs), column[rows]] = coef
        at = order[kept]
        # what a model leaves the next one has; who sets a budget wants to see it gone
        allocate = np.empty if is_budget_given(self.memory_budget) else reusable_array
        kept_samples = X if self.is_precomputed else take(X, at, allocate)
        self._store(kept_samples, at, coefficients)
        if isinstance(solutions, StackedSolutions):
            self.intercept_[:] = solutions.bias
        else:
            for number, solution in solutions.items():
                self.intercept_[number] = solution.bias
        self.dual_coef_ = np.ascontiguousarray(self._coefficients.T)


def _coefficients_of(
    problems: Sequence[BinaryProblem],
    solutions: Mapping[int, BinarySolution] | StackedSolutions,
) -> tuple[NDArray, NDArray, NDArray, NDArray]:
    """Coefficients that are not 0: problem, row, sign, and value."""
    if isinstance(solutions, StackedSolutions):
        own, v = solutions.stacked, solutions.v
        (at,) = v.nonzero()
        p = np.searchsorted(own.bounds, at, side="right") - 1
        return p, own.rows[at], own.signs[at], v[at]
    parts = [np.empty((4, 0))]
    for k, solution in solutions.items():
        (at,) = solution.coef.nonzero()
        rows, signs = problems[k].rows[at], problems[k].signs[at]
        parts.append(np.array([np.full(len(at), k), rows, signs, solution.coef[at]]))
    numbers, rows, signs, coef = np.concatenate(parts, axis=1)
    return numbers.astype(np.intp), rows.astype(np.intp), signs, coef
