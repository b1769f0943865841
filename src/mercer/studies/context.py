"""What the cells of a group share."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

from numpy.typing import DTypeLike

from mercer.datasets import Dataset
from mercer.exceptions import ParameterError
from mercer.kernels import Gram, Kernel

Made = TypeVar("Made")


class Context:
    """The data, and things made once for all cells of a group.

    Examples
    --------
    >>> context = Context(None)
    >>> context.shared("answer", lambda: 6 * 7), context.shared("answer", lambda: 0)
    (42, 42)
    """

    def __init__(self, dataset: Dataset | None) -> None:
        self._dataset = dataset
        self._group: str | None = None
        self._things: dict[Any, Any] = {}

    @property
    def dataset(self) -> Dataset:
        """The data of the run."""
        if self._dataset is None:
            raise ParameterError("This study has no data set.")
        return self._dataset

    def enter(self, group: str) -> None:
        """Go to a group; what another one shared is dropped, as Grams are large."""
        if group != self._group:
            self._things.clear()
            self._group = group

    def shared(self, name: Any, make: Callable[[], Made]) -> Made:
        """What `make` returns, made once for the group."""
        if name not in self._things:
            self._things[name] = make()
        made: Made = self._things[name]
        return made

    def gram(self, kernel: Kernel) -> Gram:
        """The Gram of all samples, of which splits, folds and classes are views."""
        return self.timed_gram(kernel)[0]

    def timed_gram(
        self, kernel: Kernel, dtype: DTypeLike | None = None
    ) -> tuple[Gram, dict[str, float]]:
        """The same, and its seconds where it was made just now.

        Of samples in this type; None leaves them as they are.
        """
        seconds: dict[str, float] = {}

        def make() -> Gram:
            begin = time.perf_counter()
            X = self.dataset.X
            gram = Gram(kernel, X if dtype is None else X.astype(dtype))
            seconds["kernel matrix"] = time.perf_counter() - begin
            return gram

        return self.shared(("gram", kernel, dtype), make), seconds
