"""What a training and its partitions tell each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mercer._validation import Matrix
from mercer.kernels import Kernel
from mercer.solvers.svm.shares import Totals

#: samples by their numbers, as they are sent
Packet = tuple[NDArray[np.int64], Matrix]


class Move(NamedTuple):
    """Of one problem: who moved (places in `Changes.numbers`), by how much, to where.

    Where to is said too, since what arrives at a bound must do so exactly.
    """

    problem: int
    who: NDArray[np.intp]
    change: NDArray[np.float64]
    v: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Changes:
    """How v has changed: by which sample, in which problem.

    A partition takes them only `after` the changes that came before, which makes it
    `becomes`. After 0 is after v = 0, where any partition can begin anew.
    """

    after: int
    becomes: int
    numbers: NDArray[np.int64]  # of the samples that moved in any problem
    moves: Sequence[Move]


@dataclass(frozen=True, eq=False)
class Question:
    """Problems to offer candidates for: sizes, bias, and the samples that moved."""

    problems: Sequence[int] = ()
    sizes: Sequence[NDArray[np.int64]] = ()
    biases: Sequence[float] = ()


@dataclass(frozen=True, eq=False)
class Answer:
    """What a partition offers, problem by problem; None once it is out of step."""

    kept: NDArray[np.int64]
    counts: NDArray[np.int64]
    numbers: NDArray[np.int64]
    state: NDArray[np.float64]  # gradient, v and zC of the candidates
    totals: list[Totals]

    @property
    def n_bytes(self) -> int:
        """What it takes to send it."""
        return self.numbers.nbytes + self.state.nbytes + 40 * len(self.totals)


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be learnt: the same for all partitions."""

    kernel: Kernel
    codes: NDArray[np.float64]  # of the reduction
    free_bias: bool
    xi: float
    dtype: np.dtype
