"""The Grams of a family of kernels, each made once if there is room."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from mercer._memory import memory_budget
from mercer.kernels import Gram, GramFamily, Kernel


class GramShelf:
    """Members of one family, from one matrix of dot products or distances.

    As many are kept as the memory budget allows; beyond that a member is made anew
    when it is asked for, into the same memory.

    Examples
    --------
    >>> from mercer.kernels import Polynomial
    >>> shelf = GramShelf(Polynomial(1), [[1.0], [2.0]])
    >>> shelf.gram(Polynomial(3)).matrix[1].tolist()
    [8.0, 64.0]
    """

    def __init__(self, kernel: Kernel, X: Any) -> None:
        self._family = GramFamily(kernel, X)
        self._kept: dict[Kernel, Gram] = {}
        self._spare: NDArray | None = None
        self._current: tuple[Kernel, Gram] | None = None

    def gram(self, kernel: Kernel) -> Gram:
        """The Gram of a member; valid until another one is asked for."""
        if kernel in self._kept:
            return self._kept[kernel]
        if self._current is not None and self._current[0] == kernel:
            return self._current[1]
        if (
            not self._kept
            or 2 * next(iter(self._kept.values())).nbytes < memory_budget()
        ):
            self._kept[kernel] = self._family.gram(kernel)
            return self._kept[kernel]
        self._spare = self._family.matrix(kernel, self._spare)
        self._current = kernel, Gram.of_member(kernel, self._spare)
        return self._current[1]
