"""How long the kernel matrix of a group took."""

from __future__ import annotations

import time

from mercer.kernels import Gram, Kernel
from mercer.studies.context import Context


def timed_gram(context: Context, kernel: Kernel) -> tuple[Gram, float]:
    """The Gram of all samples, and its seconds; 0 when it was there already."""
    made: list[float] = []

    def make() -> Gram:
        begin = time.perf_counter()
        gram = Gram(kernel, context.dataset.X)
        made.append(time.perf_counter() - begin)
        return gram

    gram = context.shared(("gram", kernel), make)
    return gram, sum(made)
