"""The Grams of many kernels over the same samples, one after the other.

Kernels of a family share their base matrix, which is computed once. When that and one
member do not fit the budget each Gram is computed by itself, and when that does not fit
either its rows are computed when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from mercer._memory import memory_budget
from mercer.kernels import Base, Gram, GramFamily, Kernel, Sum
from mercer.model_selection.paths.polynomial_rows import PolynomialRows

FAMILY, ONE_BY_ONE, ON_DEMAND = WAYS = ("family", "one by one", "rows on demand")


@dataclass(frozen=True)
class FamilyPlan:
    """Kernels over common base matrices, and how their Grams come to be."""

    kernels: tuple[Kernel, ...]
    bases: frozenset[Base]
    how: str  # one of `WAYS`
    nbytes: int  # of the matrices that are in memory at a time

    @property
    def n_products(self) -> int:
        """Matrix products of all samples with all samples."""
        if self.how == FAMILY:
            return len(self.bases)
        return len(self.kernels) if self.how == ONE_BY_ONE else 0


def plan_families(
    kernels: Sequence[Kernel], n_samples: int, itemsize: int, budget: Any
) -> list[FamilyPlan]:
    """Put kernels with common base matrices together, and see what fits."""
    together: list[tuple[frozenset[Base], list[Kernel]]] = []
    for kernel in kernels:
        bases, members = frozenset(kernel.bases), [kernel]
        for other in [t for t in together if t[0] & bases]:
            together.remove(other)
            bases, members = bases | other[0], other[1] + members
        together.append((bases, members))
    matrix, allowed = n_samples**2 * itemsize, memory_budget(budget)
    return [_plan(bases, members, matrix, allowed) for bases, members in together]


def _plan(
    bases: frozenset[Base], members: list[Kernel], matrix: int, allowed: int
) -> FamilyPlan:
    shared = matrix * (len(bases) + 1)
    if len(members) > 1 and bases and shared <= allowed:
        return FamilyPlan(tuple(members), bases, FAMILY, shared)
    if matrix <= allowed:
        return FamilyPlan(tuple(members), bases, ONE_BY_ONE, matrix)
    return FamilyPlan(tuple(members), bases, ON_DEMAND, allowed)


def make_grams(
    plan: FamilyPlan, X: Any, budget: Any, few_rows: Callable[[Kernel], bool]
) -> Iterator[tuple[Kernel, Gram | PolynomialRows]]:
    """Each kernel with its Gram; a Gram is gone when the next is asked for.

    `few_rows` tells for which kernels rows alone will do.
    """
    if plan.how != FAMILY:
        for kernel in plan.kernels:
            yield kernel, Gram(kernel, X, budget=budget)
        return
    family = GramFamily(_union(plan.kernels), X, budget=budget)
    values: NDArray | None = None
    for kernel in plan.kernels:
        if few_rows(kernel) and PolynomialRows.can_be(kernel):
            yield kernel, PolynomialRows(kernel, family.base_matrix(Base.DOT))
            continue
        # the next member takes the place of the last
        gram = family.gram(kernel, values)
        values = gram.matrix.base
        yield kernel, gram


def key_of(kernel: Kernel | str) -> Hashable:
    """Equal kernels are one; a kernel that cannot be compared is itself."""
    try:
        hash(kernel)
    except TypeError:
        return id(kernel)
    return kernel


def _union(kernels: Sequence[Kernel]) -> Kernel:
    """A kernel that needs every base matrix that one of these needs."""
    bases = {kernel.bases for kernel in kernels}
    return kernels[0] if len(bases) == 1 else Sum(tuple(kernels))
