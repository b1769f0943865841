"""The kernel values of one working set after the other, which overlap."""

import numpy as np
from numpy.typing import NDArray

from mercer.cluster.messages import Task
from mercer.cluster.samples import SamplesByNumber
from mercer.kernels import GramPart


class WorkingMatrix:
    """Those of the last working set of a problem, which the next one starts from."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self.forget()

    def forget(self) -> None:
        """Make room."""
        self._numbers = np.empty(0, np.int64)
        self._values = np.empty((0, 0), self._task.dtype)

    @property
    def n_bytes(self) -> int:
        """What they take."""
        return self._values.nbytes

    def values(self, numbers: NDArray[np.int64], samples: SamplesByNumber) -> NDArray:
        """Between all of them; only those that are new are computed."""
        q, known = len(numbers), np.isin(numbers, self._numbers)
        K = np.empty((q, q), self._task.dtype)
        (new,) = np.nonzero(~known)
        (old,) = np.nonzero(known)
        before = np.searchsorted(self._numbers, numbers[old])
        K[np.ix_(old, old)] = self._values[np.ix_(before, before)]
        if len(new):
            order = np.concatenate([new, old])
            part = GramPart.prepare(self._task.kernel, samples.take(numbers[order]))
            rows = part.block(np.arange(len(new)), slice(0, q))
            K[np.ix_(new, order)] = rows
            K[np.ix_(old, new)] = K[np.ix_(new, old)].T
        self._numbers, self._values = numbers, K
        return K
