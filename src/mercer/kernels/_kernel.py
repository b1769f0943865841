"""What every kernel can do, and kernels made of kernels."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mercer._storable import storable
from mercer._validation import as_matrix
from mercer.exceptions import DataError, ParameterError
from mercer.kernels import _evaluate
from mercer.kernels._bases import Base
from mercer.kernels._elementwise import mirror, to_squared_distances

if TYPE_CHECKING:
    from mercer.kernels._sklearn import ForSklearn


class Kernel(ABC):
    """A symmetric function of two samples, positive semidefinite unless it says so.

    Call it with one set of samples for the square matrix of all pairs (exactly
    symmetric, with an exact diagonal), with two for the matrix between them. Kernels
    add, multiply and scale: ``Linear() + Constant(1)``, ``0.5 * Gaussian(0.1)``.

    A subclass is a frozen dataclass whose fields are numbers or kernels, checked in
    ``__post_init__``, with `bases` and `combine`. That is all it takes to be used and
    saved. For a name that estimators take, ``class Polynomial(Kernel, name="poly",
    gamma="scale", …)`` also says which fields the estimators' parameters are.
    """

    #: the base matrices that `combine` needs
    bases: frozenset[Base]

    def __init_subclass__(cls, name: str | None = None, **fields: str) -> None:
        super().__init_subclass__()
        storable(cls)
        if name is not None:
            known = NAMED.setdefault(name, (cls, fields))[0]
            if (known.__module__, known.__name__) != (cls.__module__, cls.__name__):
                raise ParameterError(f"{name!r} is the name of {known} already.")
            NAMED[name] = cls, fields

    @abstractmethod
    def combine(self, tiles: Mapping[Base, NDArray]) -> NDArray:
        """Kernel values from a tile of each base; these tiles may be overwritten."""

    def __call__(self, X: Any, Y: Any = None) -> NDArray:
        """Kernel values between all rows of X and all rows of Y (default: of X)."""
        X = as_matrix(X)
        if Y is None:
            return _evaluate.evaluate_symmetric(self, _evaluate.prepare(self, X))
        Y = as_matrix(Y, "Y")
        check_same_features(X.shape[1], Y.shape[1])
        columns = _evaluate.prepare(self, Y)
        return _evaluate.evaluate(self, _evaluate.prepare(self, X, columns), columns)

    def combine_products(
        self, dots: NDArray, norms_rows: NDArray, norms_columns: NDArray
    ) -> NDArray:
        """`combine` of squared distances from x·y, ‖x‖² and ‖y‖², in place."""
        to_squared_distances(dots, norms_rows, norms_columns)
        return self.combine({Base.SQUARED_DISTANCE: dots})

    def combine_pairs(
        self, dots: NDArray, norms: NDArray, diagonal: NDArray
    ) -> NDArray:
        """The same for all pairs of a few samples, of which k(x, x) is known."""
        values = self.combine_products(dots, norms, norms)
        np.fill_diagonal(values, diagonal)
        mirror(values)
        return values

    def diag(self, X: Any) -> NDArray:
        """k(x, x) of each row, without the matrix."""
        return _evaluate.prepare_with_diagonal(self, as_matrix(X))[1]

    def to_sklearn(self) -> ForSklearn:
        """The kernel for what calls scikit-learn's `pairwise_kernels`: `Nystroem`, ….

        >>> import numpy as np
        >>> from sklearn.kernel_approximation import Nystroem
        >>> from mercer.kernels import Gaussian, Linear
        >>> X = np.random.default_rng(0).normal(size=(50, 3))
        >>> kernel = Gaussian(0.5) + Linear()
        >>> features = Nystroem(kernel.to_sklearn(), n_components=50).fit_transform(X)
        >>> bool(np.allclose(features @ features.T, kernel(X)))
        True
        """
        from mercer.kernels._sklearn import ForSklearn  # a slow import, seldom needed

        return ForSklearn(self)

    @property
    def majorant(self) -> Kernel:
        """A positive semidefinite kernel m with k(x, y)² ≤ m(x, x)·m(y, y).

        By the inequality of Cauchy and Schwarz the kernel itself, unless it is not
        positive semidefinite; it needs no other base matrices.
        """
        return self

    @property
    def is_semidefinite(self) -> bool:
        """Whether all matrices of kernel values are positive semidefinite."""
        return self.majorant == self

    def __add__(self, other: Kernel | float) -> Kernel:
        return Sum((self, _as_kernel(other)))

    def __mul__(self, other: Kernel | float) -> Kernel:
        return Product((self, _as_kernel(other)))

    def __radd__(self, other: float) -> Kernel:
        return Sum((_as_kernel(other), self))

    def __rmul__(self, other: float) -> Kernel:
        return Product((_as_kernel(other), self))


#: kernels by the name that estimators take: the class, and of each parameter of the
#: estimators (gamma, degree, coef0) that it takes the field
NAMED: dict[str, tuple[type[Kernel], dict[str, str]]] = {}


@dataclass(frozen=True)
class Constant(Kernel):
    """k(x, y) = ξ: added to a kernel, a constant feature √ξ.

    A constant K appended to samples, as in the study `svm-decisions`, is ξ = K².

    >>> from mercer.kernels import Linear
    >>> (Linear() + Constant(4.0))([[1.0, 2.0]])
    array([[9.]])
    """

    xi: float = 1.0
    bases = frozenset()

    def __post_init__(self) -> None:
        check_number("xi", self.xi, at_least=0)

    def combine(self, tiles: Mapping[Base, NDArray]) -> NDArray:
        return np.full_like(next(iter(tiles.values())), self.xi)


class _Composite(Kernel):
    """Kernels joined by an operation."""

    parts: tuple[Kernel, ...]
    _operation: np.ufunc

    def __post_init__(self) -> None:
        kernels = isinstance(self.parts, tuple) and len(self.parts) > 0
        if not kernels or not all(isinstance(part, Kernel) for part in self.parts):
            raise ParameterError(
                f"parts is {self.parts!r}; it must be a tuple of kernels."
            )

    @property
    def bases(self) -> frozenset[Base]:  # type: ignore[override]
        return frozenset().union(*(part.bases for part in self.parts))

    @property
    def majorant(self) -> Kernel:
        return type(self)(tuple(part.majorant for part in self.parts))  # type: ignore[call-arg]

    def combine(self, tiles: Mapping[Base, NDArray]) -> NDArray:
        values = (
            part.combine({base: tile.copy() for base, tile in tiles.items()})
            for part in self.parts
        )
        total: NDArray = reduce(self._operation, values)
        return total


@dataclass(frozen=True, repr=False)
class Sum(_Composite):
    """k(x, y) = k₁(x, y) + k₂(x, y) + …: what ``k1 + k2`` gives."""

    parts: tuple[Kernel, ...]
    _operation = np.add

    def __repr__(self) -> str:
        return " + ".join(map(repr, self.parts))


@dataclass(frozen=True, repr=False)
class Product(_Composite):
    """k(x, y) = k₁(x, y) · k₂(x, y) · …: what ``k1 * k2`` and ``2.0 * k`` give."""

    parts: tuple[Kernel, ...]
    _operation = np.multiply

    def __repr__(self) -> str:
        parts = (f"({p})" if isinstance(p, Sum) else repr(p) for p in self.parts)
        return " * ".join(parts)


def _as_kernel(value: Kernel | float) -> Kernel:
    if isinstance(value, Kernel):
        return value
    return Constant(value)


def check_number(
    name: str, value: Any, at_least: float = -math.inf, above: float = -math.inf
) -> None:
    """Complain about a parameter that is not a finite number in its range."""
    good = isinstance(value, int | float | np.integer | np.floating)
    good = good and not isinstance(value, bool) and math.isfinite(value)
    if not good or value < at_least or value <= above:
        bound = f" above {above:g}" if above > -math.inf else ""
        bound = f" of at least {at_least:g}" if at_least > -math.inf else bound
        raise ParameterError(f"{name} is {value!r}; it must be a finite number{bound}.")


def check_same_features(x: int, y: int) -> None:
    """Complain about samples that do not live in the same space."""
    if x != y:
        raise DataError(f"X has {x} features and Y has {y}; they must be the same.")
