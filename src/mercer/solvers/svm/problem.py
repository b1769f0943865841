"""What a solver is given: kernel values, a binary problem, and when to end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from mercer._validation import Rows
from mercer.exceptions import DataError, ParameterError

Visit = Callable[[slice, int, NDArray], None]
FillRows = Callable[[NDArray[np.int64], NDArray], None]
Bias = Literal["free", "regularized", "none"]


class KernelSource(Protocol):
    """Kernel values of some samples; `mercer.kernels.Gram` is one."""

    n_samples: int
    dtype: np.dtype

    @property
    def in_memory(self) -> bool:
        """Whether `matrix` is there."""

    @property
    def matrix(self) -> NDArray:
        """All values."""

    def block(self, rows: Rows, columns: Rows, out: NDArray | None = None) -> NDArray:
        """The values between some rows and some columns."""

    @property
    def is_semidefinite(self) -> bool:
        """Whether the kernel is known to be; else the way decides where it ends."""

    @property
    def is_cheap(self) -> bool:
        """Whether values are computed sooner than gathered out of long rows."""

    def visit(self, rows: NDArray[np.intp], visit: Visit, first: int = 0) -> None:
        """Compute rows for ``visit(which of them, first column, values)`` alone.

        From a first column on.
        """

    def take(self, rows: Rows) -> KernelSource:
        """The source of the values between some of the samples."""

    @property
    def fills_rows(self) -> bool:
        """Whether rows cost so little that `filler` is worth a try."""

    def filler(
        self, rows: NDArray[np.intp], bounds: NDArray[np.int64]
    ) -> FillRows | None:
        """A function for rows of many problems at once, unless they lie scattered.

        ``fill(wanted, out)``: of each row wanted the problem and the sample among all
        of `rows`, of which those of problem p are ``bounds[p]`` to ``bounds[p + 1]``.
        Columns of `out` beyond these get any finite value.
        """


@dataclass(frozen=True, eq=False)
class BinaryProblem:
    r"""Two classes among the samples of a source.

    .. math:: \min_α ½αᵀHα - 1ᵀα, \quad 0 ≤ α_i ≤ C_i, \quad
              H_{ij} = z_i z_j (k(x_i, x_j) + ξ)

    and :math:`Σ_i α_i z_i = 0` where the bias is free.

    Parameters
    ----------
    rows : array of int
        The samples, as numbers within the source.
    signs : array of ±1
        z, the class of each.
    upper : array or float
        C, the bound of each α: class and sample weights are in it.
    """

    rows: NDArray[np.intp]
    signs: NDArray[np.float64]
    upper: NDArray[np.float64]

    def __post_init__(self) -> None:
        rows = np.ascontiguousarray(self.rows, dtype=np.intp)
        signs = np.ascontiguousarray(self.signs, dtype=np.float64)
        upper = np.empty(rows.shape)
        upper[:] = self.upper
        for name, value in (("rows", rows), ("signs", signs), ("upper", upper)):
            object.__setattr__(self, name, value)
        if rows.ndim != 1 or signs.shape != rows.shape or len(rows) == 0:
            raise DataError("A binary problem needs samples, and a sign for each.")
        if not (np.abs(signs) == 1).all():
            raise DataError("The signs of a binary problem must be +1 or -1.")
        if not 0 <= upper.min() <= upper.max() < np.inf:
            raise ParameterError("C must be finite and at least 0 for every sample.")

    def __len__(self) -> int:
        return len(self.rows)

    def is_balanced(self, alpha: NDArray[np.float64]) -> bool:
        """Whether Σαz = 0, but for rounding."""
        return bool(abs(alpha @ self.signs) <= 1e-9 * max(1.0, alpha.sum()))


@dataclass(frozen=True, eq=False)
class Stacked:
    """Samples, signs and bounds of many problems, one problem after the other.

    Those of problem p are ``bounds[p]`` to ``bounds[p + 1]``.
    """

    rows: NDArray[np.intp]
    signs: NDArray[np.float64]
    upper: NDArray[np.float64]
    bounds: NDArray[np.int64]

    @classmethod
    def of(cls, problems: Sequence[BinaryProblem]) -> Stacked:
        """Problems that are there."""
        if len(problems) == 1:
            (one,) = problems
            return cls(one.rows, one.signs, one.upper, np.array([0, len(one)]))
        bounds = np.cumsum([0, *(len(problem) for problem in problems)])
        return cls(
            np.concatenate([problem.rows for problem in problems]),
            np.concatenate([problem.signs for problem in problems]),
            np.concatenate([problem.upper for problem in problems]),
            bounds,
        )


class BinaryProblems(Sequence[BinaryProblem]):
    """Problems that are built when they are asked for: a deadline may spare most.

    Parameters
    ----------
    build : callable
        The problem of a number.
    sizes : array of int
        How many samples each has.
    losses : array of float
        The sum of all C of each: its primal where α = 0.
    stack : callable, optional
        All problems at once, faster than one by one.
    """

    def __init__(
        self,
        build: Callable[[int], BinaryProblem],
        sizes: NDArray[np.intp],
        losses: NDArray[np.float64],
        stack: Callable[[], Stacked] | None = None,
    ) -> None:
        self._build, self.sizes, self.losses = build, sizes, losses
        self._stack = stack or (lambda: Stacked.of(list(self)))
        self._stacked: Stacked | None = None
        self.built: dict[int, BinaryProblem] = {}

    @classmethod
    def of(cls, problems: Sequence[BinaryProblem]) -> BinaryProblems:
        """Problems that are there."""
        if isinstance(problems, BinaryProblems):
            return problems
        sizes = np.array([len(problem) for problem in problems], np.intp)
        losses = np.array([problem.upper.sum() for problem in problems])
        return cls(problems.__getitem__, sizes, losses)

    def among(self, members: NDArray[np.bool_]) -> BinaryProblems:
        """The same with some of the samples: which rows are in which problem."""
        parts = []
        for p, whole in enumerate(self):
            own = members[whole.rows, p]
            some = whole.rows[own], whole.signs[own], whole.upper[own]
            parts.append(BinaryProblem(*some))
        return BinaryProblems.of(parts)

    def stacked(self) -> Stacked:
        """All of them, one after the other."""
        if self._stacked is None:
            self._stacked = self._stack()
        return self._stacked

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, number: Any) -> Any:
        if not 0 <= number < len(self):  # which ends an iteration
            raise IndexError(number)
        problem = self.built.get(number)
        if problem is None:
            problem = self.built[number] = self._build(number)
        return problem

    def __iter__(self) -> Iterator[BinaryProblem]:
        return (self[number] for number in range(len(self)))


@dataclass(frozen=True)
class Snapshot:
    """How far a solver has come, as a progress callback is told."""

    problem: int
    iterations: int
    violation: float
    gap: float


@dataclass(frozen=True)
class Limits:
    """When a solver ends.

    Parameters
    ----------
    tol : float
        Converged when the optimality conditions are violated by no more than this:
        m(α) − M(α) ≤ tol, as in LIBSVM.
    max_iter : int
        Steps at most; -1 for no limit.
    deadline : float or None
        When to end, on the clock of `time.perf_counter`.
    stop : threading.Event or None
        Set it (from anywhere) to end early.
    progress : callable or None
        Called with a `Snapshot` after each round; costs nothing when None.
    """

    tol: float = 1e-3
    max_iter: int = -1
    deadline: float | None = None
    stop: Event | None = None
    progress: Callable[[Snapshot], object] | None = None
    problem: int = field(default=0, repr=False)

    def __post_init__(self) -> None:
        if not self.tol > 0:
            raise ParameterError(f"tol is {self.tol!r}; it must be above 0.")

    def with_share_of_time(self, share: float) -> Limits:
        """The same, with the deadline after this share of the time left."""
        if self.deadline is None:
            return self
        now = time.perf_counter()
        return replace(self, deadline=now + share * (self.deadline - now))

    def reached(self) -> Literal["stopped", "time"] | None:
        """Why to end now: "stopped", "time", or None."""
        if self.stop is not None and self.stop.is_set():
            return "stopped"
        if self.deadline is not None and time.perf_counter() >= self.deadline:
            return "time"
        return None


def check_bias(bias: Bias, xi: float) -> float:
    """ξ as the solvers use it: 0 unless the bias is regularized."""
    if bias not in ("free", "regularized", "none"):
        raise ParameterError(
            f"bias is {bias!r}; it must be 'free', 'regularized' or 'none'."
        )
    if not (np.isfinite(xi) and xi >= 0):
        raise ParameterError(f"xi is {xi!r}; it must be a finite number of at least 0.")
    return float(xi) if bias == "regularized" else 0.0
