"""What a worker keeps of a partition while a machine learns.

The samples in the order of their classes, for each binary problem a share of v and of
the gradient, and as many kernel values as the budget holds. Kernel values are kept by
class: the row of a sample is cut into cells, one for each class of the partition, since
a problem needs only the cells of its own classes, and problems share them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mercer._validation import Matrix
from mercer.cluster.messages import Answer, Changes, Move, Packet, Question, Task
from mercer.cluster.samples import SamplesByNumber, n_bytes, put_together
from mercer.kernels import Bound, KernelColumns, SamplesByBase
from mercer.solvers.svm.shares import Share

_AT_ONCE = 2**25  # bytes of kernel values that are computed, used and dropped
_FOR_SAMPLES = 0.25  # of the budget: samples of others; the rest is for cells


class Partition:
    """The samples of one partition and their shares of all binary problems."""

    def __init__(
        self,
        task: Task,
        first: int,
        X: Matrix,
        y_encoded: NDArray[np.intp],
        upper: NDArray[np.float64],
        budget: int,
    ) -> None:
        """Sample i is number ``first + i`` among all."""
        self.task, self.first, self.version = task, first, 0
        order = np.argsort(y_encoded, kind="stable")
        self._order = order
        self._position = np.empty(len(order), np.intp)
        self._position[order] = np.arange(len(order))
        self._class = y_encoded[order]
        ends = np.searchsorted(self._class, np.arange(task.codes.shape[1] + 1))
        self._spans = [slice(a, b) for a, b in zip(ends.tolist(), ends[1:].tolist())]
        self.X = X[order].astype(task.dtype, copy=False)
        self._columns = KernelColumns(task.kernel, self.X)
        upper = upper[order]
        self._rows = [self._rows_with(code) for code in task.codes]
        self.shares = [
            Share(code[self._class[rows]], upper[rows])
            for code, rows in zip(task.codes, self._rows)
        ]
        item = self._columns.dtype.itemsize
        self._for_samples = int(_FOR_SAMPLES * budget)
        capacity = int((budget - self._for_samples) // (item * len(order)))
        self._cells = [
            _Cells(span.stop - span.start, capacity, self._columns.dtype)
            for span in self._spans
        ]
        self._others = SamplesByNumber()
        self._recent: dict[int, NDArray[np.intp]] = {}
        self.values_computed = 0

    def __reduce__(self) -> Any:
        # a copy on another worker would go its own way: what arrives is out of step
        return Moved, ()

    def __sizeof__(self) -> int:
        shares = 4 * sum(share.v.nbytes for share in self.shares)
        cells = sum(cells.n_bytes for cells in self._cells)
        return 3 * n_bytes(self.X) + shares + cells + self._others.n_bytes

    def _rows_with(self, code: NDArray[np.float64]) -> NDArray[np.intp]:
        spans = [np.arange(s.start, s.stop) for s, c in zip(self._spans, code) if c]
        return np.concatenate(spans)

    def samples(self, numbers: NDArray[np.int64]) -> Matrix:
        """Own samples with these numbers."""
        return self.X[self._position[numbers - self.first]]

    def classes(self, numbers: NDArray[np.int64]) -> NDArray[np.intp]:
        """Their classes."""
        return self._class[self._position[numbers - self.first]]

    def rows_of(self, problem: int) -> NDArray[np.intp]:
        """The samples of a problem, as rows of X."""
        return self._rows[problem]

    def bound_rounding(self, problem: int, dtype: Any = None) -> Bound:
        """How far kernel values of a problem's samples can be off."""
        size, error = self._columns.bound_rounding(dtype)
        rows = self._rows[problem]
        return Bound(size[rows], error[rows])

    def sizes(self, problem: int) -> NDArray[np.float64]:
        """How large their kernel values are, where nothing else is known."""
        lengths = np.sqrt(np.abs(self._columns.diagonal.astype(np.float64)))
        largest: NDArray = lengths[self._rows[problem]] * lengths.max()
        return largest

    def apply(self, changes: Changes, packets: Sequence[Packet]) -> NDArray[np.int64]:
        """Bring v and the gradients up to date; which samples of others are kept."""
        if changes.after == 0:
            for share in self.shares:
                share.v[:], share.gradient[:] = 0.0, share.signs
        kept = self._keep(packets)
        self._move_own(changes)
        updates = [self._needed(c, changes) for c in range(len(self._spans))]
        missing = np.unique(np.concatenate([update.missing for update in updates]))
        if len(missing):
            X = self.find(changes.numbers[missing], packets)
            rows = self._columns.prepare_rows(X)
            for update in updates:
                self._compute(
                    update,
                    changes.numbers,
                    rows,
                    np.searchsorted(missing, update.missing),
                )
        for update in updates:
            cells = self._cells[update.of_class]
            slots = np.full(len(changes.numbers), -1, np.int64)
            slots[update.needed] = cells.find(changes.numbers[update.needed])
            self._subtract(update, cells.values, slots)
        if self.task.xi:
            for move in changes.moves:
                self.shares[move.problem].gradient -= self.task.xi * move.change.sum()
        self.version = changes.becomes
        return kept

    def answer(self, question: Question, kept: NDArray[np.int64]) -> Answer:
        """Candidates and totals of some problems."""
        chosen, states, totals = [], [], []
        for problem, sizes, bias in zip(
            question.problems, question.sizes, question.biases
        ):
            share = self.shares[problem]
            recent = self._recent.get(problem, np.empty(0, np.intp))
            at = share.candidates(sizes, recent)
            own = self._order[self._rows[problem][at]]
            signed = share.signs[at] * share.upper[at]
            chosen.append(self.first + own)
            states.append(np.stack([share.gradient[at], share.v[at], signed]))
            totals.append(share.totals(bias))
        counts = np.array([len(numbers) for numbers in chosen], np.int64)
        return Answer(
            kept,
            counts,
            np.concatenate([np.empty(0, np.int64), *chosen]),
            np.concatenate([np.empty((3, 0)), *states], axis=1),
            totals,
        )

    def _keep(self, packets: Sequence[Packet]) -> NDArray[np.int64]:
        kept = [np.empty(0, np.int64)]
        for numbers, X in packets:
            fits = self._others.n_bytes + n_bytes(X) <= self._for_samples
            own = (numbers >= self.first) & (numbers < self.first + len(self._order))
            new = ~own & ~self._others.has(numbers)
            if fits and new.any():
                self._others.add(numbers[new], X if new.all() else X[new])
            if fits:
                kept.append(numbers)
        return np.concatenate(kept)

    def _move_own(self, changes: Changes) -> None:
        numbers = changes.numbers
        own = (numbers >= self.first) & (numbers < self.first + len(self._order))
        at = np.full(len(numbers), -1, np.intp)
        at[own] = self._position[numbers[own] - self.first]
        self._recent = {}
        for move in changes.moves:
            mine = at[move.who] >= 0
            # the rows of a problem count up
            rows = np.searchsorted(self._rows[move.problem], at[move.who[mine]])
            self.shares[move.problem].v[rows] = move.v[mine]
            self._recent[move.problem] = rows

    def _needed(self, c: int, changes: Changes) -> _Update:
        moves = [m for m in changes.moves if self.task.codes[m.problem, c]]
        span = self._spans[c]
        if not moves or span.start == span.stop:
            return _Update(c, [], np.empty(0, np.intp), np.empty(0, np.intp))
        needed = np.unique(np.concatenate([move.who for move in moves]))
        slots = self._cells[c].find(changes.numbers[needed])
        return _Update(c, moves, needed, needed[slots < 0])

    def _compute(
        self,
        update: _Update,
        numbers: NDArray[np.int64],
        rows: SamplesByBase,
        at: NDArray[np.intp],
    ) -> None:
        """Kernel values that are missing: kept while there is room, else used at once.

        Row ``at[i]`` is sample ``update.missing[i]``.
        """
        cells, span = self._cells[update.of_class], self._spans[update.of_class]
        width = span.stop - span.start
        self.values_computed += len(at) * width
        n = min(len(at), cells.room)
        if n:
            into = cells.add(numbers[update.missing[:n]])
            self._columns.values(rows, at[:n], span, out=cells.values[into])
        step = max(16, _AT_ONCE // max(1, width * self._columns.dtype.itemsize))
        for first in range(n, len(at), step):
            some = slice(first, first + step)
            slots = np.full(len(numbers), -1, np.int64)
            slots[update.missing[some]] = np.arange(len(at[some]))
            values = self._columns.values(rows, at[some], span)
            self._subtract(update, values, slots)

    def _subtract(
        self, update: _Update, values: NDArray, slots: NDArray[np.int64]
    ) -> None:
        """Take changes of v from the gradients of a class, by rows that are there."""
        first = self._spans[update.of_class].start
        for move in update.moves:
            here = slots[move.who] >= 0
            if here.any():
                start = int(np.searchsorted(self._rows[move.problem], first))
                self.shares[move.problem].update_gradient(
                    values, slots[move.who[here]], move.change[here], start
                )

    def find(self, numbers: NDArray[np.int64], packets: Sequence[Packet]) -> Matrix:
        """Samples with these numbers: own ones, kept ones, or those just received."""
        own = (numbers >= self.first) & (numbers < self.first + len(self._order))
        kept = self._others.has(numbers) & ~own
        places, parts = [np.flatnonzero(own)], [self.samples(numbers[own])]
        if kept.any():
            places.append(np.flatnonzero(kept))
            parts.append(self._others.take(numbers[kept]))
        left = np.flatnonzero(~own & ~kept)
        for sent, X in packets:
            place = {number: row for row, number in enumerate(sent.tolist())}
            rows = [place.get(number, -1) for number in numbers[left].tolist()]
            here = np.array(rows, np.intp) >= 0
            places.append(left[here])
            parts.append(X[np.array(rows, np.intp)[here]])
        return put_together(parts, places)


def take_part(partition: Partition, _: None, message: tuple) -> Answer | None:
    """Apply changes and offer candidates; None where it is out of step."""
    version, changes, packets, question = message
    kept = np.empty(0, np.int64)
    if changes is not None:
        if changes.after not in (0, partition.version):
            return None
        kept = partition.apply(changes, packets)
    elif partition.version != version:
        return None
    return partition.answer(question, kept)


def look(partition: Partition, function: Any, message: tuple) -> Any:
    """What a function finds there; None where it is out of step."""
    version, question = message
    return function(partition, question) if partition.version == version else None


def send_samples(
    partition: Partition, numbers: NDArray[np.int64], _: None
) -> tuple[Matrix, NDArray[np.intp]]:
    """The samples with these numbers, and their classes."""
    return partition.samples(numbers), partition.classes(numbers)


class _Update(NamedTuple):
    """What the gradients of one class need: places in `Changes.numbers`."""

    of_class: int
    moves: list[Move]
    needed: NDArray[np.intp]
    missing: NDArray[np.intp]  # of those, whose kernel values are not here


class _Cells:
    """Kernel values between samples from anywhere and those of one class here.

    The memory is reserved at once and taken up as it fills; what is there stays.
    """

    def __init__(self, width: int, capacity: int, dtype: np.dtype) -> None:
        self.values = np.empty((capacity if width else 0, width), dtype)
        self._slots: dict[int, int] = {}

    @property
    def room(self) -> int:
        return len(self.values) - len(self._slots)

    @property
    def n_bytes(self) -> int:
        return len(self._slots) * self.values.shape[1] * self.values.itemsize

    def find(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where their values are, or -1."""
        return np.array([self._slots.get(n, -1) for n in numbers.tolist()], np.int64)

    def add(self, numbers: NDArray[np.int64]) -> slice:
        first = len(self._slots)
        places = range(first, first + len(numbers))
        self._slots.update(zip(numbers.tolist(), places))
        return slice(first, first + len(numbers))


class Moved:
    """What is left of a partition that was moved to another worker."""
