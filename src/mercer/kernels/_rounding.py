r"""How far computed kernel values can be from the true ones.

Worst-case bounds of rounding error analysis (Higham, Accuracy and Stability of
Numerical Algorithms, chapter 3). With u the unit roundoff of a type, a dot product of d
terms is off by at most (d + 2)·u·‖x‖‖y‖ and a squared distance of centred samples by
(d + 6)·u·(‖x‖ + ‖y‖)²; what follows is the kernel's own slope. Errors are usually √d
times smaller, but constant features and offsets do reach the bounds.

In float32 norms are summed in float64, so that only 2x·y is off by d·u: a squared
distance D by at most Δ = u·(2(d + 2)·‖x‖‖y‖ + 6(‖x‖ + ‖y‖)²). Of a Gaussian that is
γΔ·exp(−γD), and D ≥ r² with r = ‖y‖ − ‖x‖: a sample that is far longer than others is
also far from them. Since r·exp(−γr²) ≤ 0.43/√γ and r²·exp(−γr²) ≤ 0.37/γ, a few long
samples do not loosen the bounds of all others. And Δ is a polynomial of the lengths, so
that of a sum over many samples only sums of their lengths and squares are needed.

A squared distance D that is summed from differences of centred samples is off by at
most ε·D + 2δ·√D with ε = (d + 4)·u and δ = u·(‖x‖ + ‖y‖), which is the rounding of the
centred samples: little where D is small, and where it is large kernels are flat. Of
t = γD both t·exp(−t) and √t·exp(−t) stay below 0.6, even where t is off by an eighth of
itself and of its root.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mercer._validation import is_sparse
from mercer.kernels._bases import Base, group_of_wide, roundings_of_sum
from mercer.kernels._distance import Exponential, Gaussian
from mercer.kernels._dot_product import Cosine, Linear, Polynomial, Sigmoid
from mercer.kernels._evaluate import SamplesByBase
from mercer.kernels._kernel import Constant, Kernel, Product, Sum

_STEEPEST, _OFF = 0.6, 0.125  # of t·exp(−t) and √t·exp(−t), where t is so much off
_FLAT, _FLAT_SQUARE = 0.43, 0.37  # of r·exp(−r²) and r²·exp(−r²)
_UNIT_64 = 2.0**-53  # unit roundoff of float64
_UP = 1 + 2.0**-40  # more than a few roundings of float64
_EXP = 6  # units in the last place of a compiled exponential, and its argument's


class Bound(NamedTuple):
    """For each sample: how large its kernel values and their errors can be."""

    size: NDArray[np.float64]
    error: NDArray[np.float64]


class MostOf(NamedTuple):
    """The largest of a bound, of all samples.

    >>> from mercer.kernels import Gaussian, Gram
    >>> most = Gram(Gaussian(0.5), [[3.0], [4.0]]).bound_most("float32")
    >>> most.size, most.error < 1e-5
    (1.0, True)
    """

    size: float
    error: float


class _Lengths(NamedTuple):
    """What errors depend on; `dots` and `distances` bound the base matrices' rows.

    Of each sample, or numbers for all of them.
    """

    length: Any  # ‖x‖
    radius: Any  # from the centre of squared distances
    dots: Any
    distances: Any
    terms: int
    unit: float
    tiny: float
    slip: float | None  # of samples from the whole numbers that are multiplied
    subtracted: bool  # whether distances are summed from differences


@dataclass(frozen=True, eq=False)
class Products:
    """What the rounding of base matrices depends on, of samples as they are multiplied.

    Squared norms by base, how many products a sum has at most, and, where they are
    exact because whole numbers are multiplied, how far samples are from these. Whether
    distances are summed from differences. Where sums are those of groups: how often a
    product is rounded at most, in the type of the samples (`in_groups`) and in float32.
    """

    norms: Mapping[Base, NDArray]
    terms: int
    slip: float | None
    subtracted: bool = False
    in_groups: int | None = None
    in_float32: int | None = None

    @classmethod
    def of(cls, samples: SamplesByBase) -> Products:
        """Of samples that were made ready."""
        parts = list(samples.values())
        terms = [
            int(np.diff(part.samples.indptr).max(initial=0))
            if is_sparse(part.samples)
            else part.samples.shape[1]
            for part in parts
        ]
        in_groups = [roundings_of_sum(n, part.group) for n, part in zip(terms, parts)]
        in_float32 = [
            n
            if is_sparse(part.samples)
            else roundings_of_sum(n, group_of_wide(n, np.dtype(np.float32)))
            for n, part in zip(terms, parts)
        ]
        slips = [part.quantized.slip for part in parts if part.quantized is not None]
        return cls(
            {base: part.norms for base, part in samples.items()},
            max(terms),
            max(slips) if len(slips) == len(parts) else None,
            in_groups=max(in_groups),
            in_float32=max(in_float32),
        )

    @cached_property
    def longest(self) -> dict[Base, float]:
        """By base, at least the largest squared norm."""
        return {
            base: (float(own.max(initial=0.0)) + float(np.finfo(own.dtype).tiny)) * _UP
            for base, own in self.norms.items()
        }

    def are_of(self, dtype: Any) -> bool:
        """Whether samples are multiplied in this type."""
        return bool(next(iter(self.norms.values())).dtype == dtype)

    def roundings(self, dtype: Any) -> int:
        """How often a product is rounded at most, in a sum of this type."""
        in_groups = self.in_groups if self.are_of(dtype) else None
        if dtype == np.float32 and not self.are_of(dtype):
            in_groups = self.in_float32
        return self.terms if in_groups is None else in_groups


def bound_most(kernel: Kernel, products: Products, dtype: Any) -> MostOf | None:
    """At least the largest of `bound_values`, at once; None where that is not known.

    As if all samples were as long as the longest.
    """
    rule, info = _AT_ONCE.get(type(kernel)), np.finfo(dtype)
    if rule is None or (products.slip is not None and products.are_of(dtype)):
        return None
    longest = products.longest
    r, s = (longest.get(base, 0.0) for base in (Base.DOT, Base.SQUARED_DISTANCE))
    unit, tiny = float(info.eps) / 2, float(info.tiny)
    known = products.roundings(dtype), unit, tiny, None, False
    try:
        size, error = rule(kernel, _Lengths(r**0.5, s**0.5, r, 4 * s, *known))
    except OverflowError:
        return None
    # bounds are rounded, too, some of them as differences of sizes
    return MostOf(size, error * _UP + 4 * _UNIT_64 * size + tiny)


def bound_values(kernel: Kernel, products: Products, dtype: Any) -> Bound:
    """Bounds for k(x, y) in this type, with x each of the samples and y any of them.

    Of a kernel that is not Mercer's own nothing is known: its bounds are infinite.
    """
    info, norms = np.finfo(dtype), products.norms
    n, is_own = len(next(iter(norms.values()))), products.are_of(dtype)
    with np.errstate(all="ignore"):  # what overflows is an infinite bound
        # a norm that underflowed was below the smallest normal number
        r, s = (
            np.sqrt(norms[base].astype(np.float64) + np.finfo(norms[base].dtype).tiny)
            if base in norms
            else np.zeros(n)
            for base in (Base.DOT, Base.SQUARED_DISTANCE)
        )
        lengths = _Lengths(
            r,
            s,
            r * r.max(initial=0.0),
            (s + s.max(initial=0.0)) ** 2,
            products.roundings(dtype),
            float(info.eps) / 2,
            float(info.tiny),
            # in another type they are not whole numbers, or others
            products.slip if is_own else None,
            products.subtracted,
        )
        return _bound(kernel, lengths)


def bound_sums(
    kernel: Kernel,
    products: Products,
    dtype: Any,
    rows: NDArray[np.intp],
    weights: NDArray[np.float64],
) -> NDArray[np.float64] | None:
    """Bounds for Σ_j w_j·k(x, y_j) over some samples, with x each of them and w ≥ 0.

    As `bound_values` has them, but by the lengths of all rather than of the longest.
    None where no more is known than that.
    """
    info, norms = np.finfo(dtype), products.norms
    single = info.eps > 2 * _UNIT_64 and products.slip is None
    if type(kernel) is not Gaussian or products.subtracted or not single:
        return None
    gamma, unit, terms = kernel.gamma, float(info.eps) / 2, products.roundings(dtype)
    squares = norms[Base.SQUARED_DISTANCE].astype(np.float64) + float(info.tiny)
    most = gamma * (terms + 6) * unit * 4 * float(squares.max(initial=0.0))
    if not (most <= _OFF and terms * unit < _OFF):
        return None
    squares, total = squares[rows], float(weights.sum())
    s = np.sqrt(squares)
    lengths, long = float(weights @ s), float(weights @ squares)
    off = 2 * _many(terms, unit) * s * lengths
    off += 6 * (squares * total + 2 * s * lengths + long)
    off = unit * off + (terms + 6) * float(info.tiny) * total
    found: NDArray[np.float64] = gamma * off * np.exp(2 * most) + _EXP * unit * total
    return found * _UP


def _many(terms: int, unit: float) -> float:
    return (terms + 2) / (1 - (terms + 2) * unit)


def _bound(kernel: Kernel, lengths: _Lengths) -> Bound:
    rule = _RULES.get(type(kernel))
    if rule is None:
        unknown = np.full(len(lengths.dots), np.inf)
        return Bound(unknown, unknown)
    size, error = rule(kernel, lengths)
    return Bound(size, error + lengths.tiny)


def _linear(kernel: Linear, at: _Lengths) -> Bound:
    if at.slip is None:
        return Bound(at.dots, (at.terms + 2) * (at.unit * at.dots + at.tiny))
    slipped = at.slip * (at.length + at.length.max(initial=0.0) + at.slip)
    return Bound(at.dots, at.unit * at.dots + at.tiny + slipped)


def _polynomial(kernel: Polynomial, at: _Lengths) -> Bound:
    degree = int(kernel.degree)
    dots = _linear(Linear(), at)
    base = kernel.scale * dots.size + abs(kernel.offset)
    slip = kernel.scale * dots.error + 3 * at.unit * base
    size = base**degree
    return Bound(size, (base + slip) ** degree - size + 2 * degree * at.unit * size)


def _sigmoid(kernel: Sigmoid, at: _Lengths) -> Bound:
    # tanh is nowhere steeper than 1
    inner = _polynomial(Polynomial(1, kernel.offset, kernel.scale), at)
    error = np.minimum(inner.error + _EXP * at.unit, 2.0)
    return Bound(np.ones(len(error)), error)


def _sigmoid_at_once(kernel: Sigmoid, at: _Lengths) -> tuple[float, float]:
    inner = _polynomial(Polynomial(1, kernel.offset, kernel.scale), at)
    return 1.0, min(2.0, float(inner.error) + _EXP * at.unit)


def _distance_error(at: _Lengths) -> Any:
    if at.slip is not None:  # of either sample, so twice in their difference
        slip = 2 * at.slip
        return at.tiny + slip * (2 * np.sqrt(at.distances) + slip)
    return (at.terms + 6) * (at.unit * at.distances + at.tiny)


def _gaussian(kernel: Gaussian, at: _Lengths) -> Bound:
    error = kernel.gamma * _distance_error(at)
    if at.subtracted:
        relative = (at.terms + 4) * at.unit
        shift = at.unit * np.sqrt(kernel.gamma * at.distances) + at.tiny
        near = _STEEPEST * (relative + 2 * shift)
        small = (relative <= _OFF) & (2 * shift <= _OFF)
        error = np.where(small, np.minimum(near, error), error)
    elif at.slip is None and at.unit > _UNIT_64 and at.terms * at.unit < _OFF:
        error = np.where(error <= _OFF, _flattened(kernel.gamma, at, error), error)
    error = error + _EXP * at.unit
    return Bound(np.ones(len(error)), np.minimum(error, 1.0))


def _gaussian_at_once(kernel: Gaussian, at: _Lengths) -> tuple[float, float]:
    return 1.0, min(1.0, kernel.gamma * _distance_error(at) + _EXP * at.unit)


def _flattened(
    gamma: float, at: _Lengths, error: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The same with Δ·exp(−γr²), for y of whatever length.

    Lengths and D are off by rounding themselves, by less than twice the error.
    """
    s, reach = at.radius, _FLAT / np.sqrt(gamma)
    products = s * np.minimum(s.max(initial=0.0), s + reach)
    squares = 4 * s * (s + reach) + _FLAT_SQUARE / gamma
    squares = np.minimum(at.distances, squares)
    many = _many(at.terms, at.unit)
    off = at.unit * (2 * many * products + 6 * squares) + (at.terms + 6) * at.tiny
    return np.minimum(error, gamma * off * np.exp(2 * error))


def _exponential(kernel: Exponential, at: _Lengths) -> Bound:
    error = kernel.gamma * np.sqrt(_distance_error(at)) + _EXP * at.unit
    return Bound(np.ones(len(error)), np.minimum(error, 1.0))


def _cosine(kernel: Cosine, at: _Lengths) -> Bound:
    ones = np.ones(len(at.dots))
    return Bound(ones, (at.terms + _EXP) * at.unit * ones)


def _constant(kernel: Constant, at: _Lengths) -> Bound:
    size = np.full(len(at.dots), float(kernel.xi))
    return Bound(size, at.unit * size)


def _sum(kernel: Sum, at: _Lengths) -> Bound:
    parts = [_bound(part, at) for part in kernel.parts]
    size = reduce(np.add, (part.size for part in parts))
    error = reduce(np.add, (part.error for part in parts))
    return Bound(size, error + len(parts) * at.unit * (size + error))


def _product(kernel: Product, at: _Lengths) -> Bound:
    parts = [_bound(part, at) for part in kernel.parts]
    size = reduce(np.multiply, (part.size for part in parts))
    reached = reduce(np.multiply, (part.size + part.error for part in parts))
    return Bound(size, reached - size + len(parts) * at.unit * reached)


_RULES: dict[type[Kernel], Callable[[Any, _Lengths], Bound]] = {
    Constant: _constant,
    Cosine: _cosine,
    Exponential: _exponential,
    Gaussian: _gaussian,
    Linear: _linear,
    Polynomial: _polynomial,
    Product: _product,
    Sigmoid: _sigmoid,
    Sum: _sum,
}

# by numbers instead of arrays
_AT_ONCE: dict[type[Kernel], Callable[[Any, _Lengths], tuple[Any, Any]]] = {
    Gaussian: _gaussian_at_once,
    Linear: _linear,
    Polynomial: _polynomial,
    Sigmoid: _sigmoid_at_once,
}
