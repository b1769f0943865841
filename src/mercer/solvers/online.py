r"""Online learners in a kernel's feature space: perceptron and Pegasos.

Both walk through a sequence of samples and, when sample :math:`i` of sign
:math:`y_i` is not yet right, add it to the predictor:

.. math:: s(x) \leftarrow s(x) + y_i\, k(x_i, x).

The scores of all samples are maintained and not recomputed: a step that changes nothing
costs O(1), one that does adds a kernel row. What a run did is kept as the list of its
updates, from which the last, the averaged and every intermediate predictor follow.

A binary problem is a vector of signs, +1, -1, or 0 for samples that are not part of
it; several problems walk side by side over one Gram. When that is over budget, the
sequence is walked in chunks: the chunk's own small Gram decides the steps within it,
and then the rows of its mistakes, all in one product, bring every score up to date.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled
from mercer._storable import is_indices, need, storable
from mercer._threads import parallel_map

_CHUNK, _ROWS_AT_ONCE = 512, 256


class RowSource(Protocol):
    """Kernel values between all samples, in memory or on demand."""

    n_samples: int

    @property
    def in_memory(self) -> bool: ...

    @property
    def matrix(self) -> NDArray: ...

    def block(self, rows: Any, columns: Any) -> NDArray: ...


@storable
@dataclass(frozen=True)
class Updates:
    """The samples that a run added, in order, and at which of its steps (from 1)."""

    samples: NDArray[np.int64]
    steps: NDArray[np.int64]
    n_steps: int

    def __mercer_check__(self) -> None:
        need(
            is_indices(self.samples, len(self.steps))
            and is_indices(self.steps, len(self.samples))
            and isinstance(self.n_steps, int | np.integer)
            and (np.diff(self.steps, prepend=0) > 0).all()
            and self.n_steps >= (self.steps[-1] if len(self.steps) else 0),
            "the list of updates in it is out of order",
        )

    def __add__(self, later: Updates) -> Updates:
        """Both runs, the steps of the second counted on from the first."""
        return Updates(
            np.concatenate([self.samples, later.samples]),
            np.concatenate([self.steps, later.steps]),
            later.n_steps,
        )

    def until(self, step: int) -> Updates:
        """The run as it was after `step` steps."""
        cut = int(np.searchsorted(self.steps, step, side="right"))
        return Updates(self.samples[:cut], self.steps[:cut], min(step, self.n_steps))

    @classmethod
    def none(cls, n_steps: int = 0) -> Updates:
        """A run that has taken steps and changed nothing."""
        return cls(np.empty(0, np.int64), np.empty(0, np.int64), n_steps)


@dataclass(frozen=True)
class PerceptronRule:
    """Update on a mistake: y·s ≤ 0, or, with `zero_is_negative`, y ≠ sign(s).

    The two differ for a negative sample of score zero, which is right by the second.
    """

    zero_is_negative: bool = False

    def walk(self, *arguments: Any) -> tuple[int, int]:
        """Take the steps of one problem over a small or whole Gram."""
        return _walk(*arguments, self.zero_is_negative, 0.0)

    def walk_powers(self, *arguments: Any) -> tuple[int, int]:
        """The same over dot products, whose powers are the kernel values."""
        return _walk_powers(*arguments, self.zero_is_negative, 0.0)


@dataclass(frozen=True)
class PegasosRule:
    """Update when the margin is too small: y·s/(λt) < 1 at step t."""

    lam: float

    def walk(self, *arguments: Any) -> tuple[int, int]:
        """Take the steps of one problem over a small or whole Gram."""
        return _walk(*arguments, False, self.lam)

    def walk_powers(self, *arguments: Any) -> tuple[int, int]:
        """The same over dot products, whose powers are the kernel values."""
        return _walk_powers(*arguments, False, self.lam)


Rule = PerceptronRule | PegasosRule


def walk(
    source: RowSource,
    rules: Sequence[Rule],
    signs: NDArray[np.float64],
    orders: NDArray[np.int64],
    scores: NDArray[np.float64],
    steps_before: NDArray[np.int64],
) -> list[Updates]:
    """Walk every problem through its sequence; scores are brought up to date in place.

    Parameters
    ----------
    source : RowSource
        The Gram.
    rules : sequence of n_problems rules
        When to update.
    signs : array of shape (n_problems, n_samples)
        +1, -1, or 0 for a sample that the problem does not have.
    orders : array of shape (n_problems or 1, length)
        The samples in the order in which they come; -1 for none.
    scores : array of shape (n_problems, n_samples)
        Scores of all samples so far.
    steps_before : array of shape (n_problems,)
        Steps that each problem has taken before.
    """
    orders = np.broadcast_to(orders, (len(signs), orders.shape[1]))
    if source.in_memory:
        return _walk_gram(source.matrix, rules, signs, orders, scores, steps_before)
    return _walk_chunks(source, rules, signs, orders, scores, steps_before)


def _walk_gram(
    K: NDArray,
    rules: Sequence[Rule],
    signs: NDArray[np.float64],
    orders: NDArray[np.int64],
    scores: NDArray[np.float64],
    steps_before: NDArray[np.int64],
) -> list[Updates]:
    def walk_problem(p: int) -> Updates:
        order = np.ascontiguousarray(orders[p])
        samples, steps = np.empty((2, len(order)), np.int64)
        count, last = rules[p].walk(
            K, order, signs[p], scores[p], steps_before[p], samples, steps
        )
        return Updates(samples[:count].copy(), steps[:count].copy(), int(last))

    return parallel_map(walk_problem, range(len(signs)))


def _walk_chunks(
    source: RowSource,
    rules: Sequence[Rule],
    signs: NDArray[np.float64],
    orders: NDArray[np.int64],
    scores: NDArray[np.float64],
    steps_before: NDArray[np.int64],
) -> list[Updates]:
    total = [Updates.none(int(steps)) for steps in steps_before]
    # problems with sequences of their own touch many samples in few steps
    distinct = 1 if (orders == orders[0]).all() else len(orders)
    length = max(1, _CHUNK // distinct)
    for start in range(0, orders.shape[1], length):
        piece = orders[:, start : start + length]
        here = np.unique(piece[piece >= 0])
        if len(here):
            local = np.where(piece >= 0, np.searchsorted(here, piece), -1)
            K = source.block(here, here)
            K.flags.writeable = False
            done = np.array([updates.n_steps for updates in total])
            found = _walk_gram(K, rules, signs[:, here], local, scores[:, here], done)
            found = [Updates(here[u.samples], u.steps, u.n_steps) for u in found]
            _bring_up_to_date(source, signs, scores, found)
            total = [before + new for before, new in zip(total, found)]
    return total


def _bring_up_to_date(
    source: RowSource,
    signs: NDArray[np.float64],
    scores: NDArray[np.float64],
    found: list[Updates],
) -> None:
    changed = np.unique(np.concatenate([updates.samples for updates in found]))
    for start in range(0, len(changed), _ROWS_AT_ONCE):
        rows = changed[start : start + _ROWS_AT_ONCE]
        K = source.block(rows, slice(0, source.n_samples))

        def add(p: int, rows: NDArray = rows, K: NDArray = K) -> None:
            mine = found[p].samples[np.isin(found[p].samples, rows)]
            add_rows(K, np.searchsorted(rows, mine), signs[p, mine], scores[p])

        parallel_map(add, range(len(found)))


def fewest_mistakes(
    source: RowSource,
    rule: PerceptronRule,
    signs: NDArray[np.float64],
    updates: Updates,
    first: int,
) -> int:
    """How many of one problem's updates to make for the fewest mistakes on all samples.

    Predictors after update `first` and later ones count, from 0; the first of several
    equals is taken, and all updates when there are none to choose from, as the
    study ``perceptron-variants`` has it.
    """
    scores = np.zeros(source.n_samples)
    fewest, best = np.iinfo(np.int64).max, len(updates.samples)
    for start in range(0, len(updates.samples), _ROWS_AT_ONCE):
        samples = updates.samples[start : start + _ROWS_AT_ONCE]
        rows = source.block(samples, slice(0, source.n_samples))
        mistakes = np.empty(len(samples), np.int64)
        _count_mistakes(
            rows, signs[samples], signs, scores, rule.zero_is_negative, mistakes
        )
        mistakes[: max(0, first - start)] = np.iinfo(np.int64).max
        if mistakes.min() < fewest:
            fewest, best = int(mistakes.min()), start + int(mistakes.argmin()) + 1
    return best


@compiled
def _is_wrong(
    y: float, score: float, step: int, zero_is_negative: bool, lam: float
) -> Any:
    """Whether to update: by the margin of Pegasos if λ > 0, else as the perceptron."""
    if lam > 0.0:
        return y * (1.0 / (lam * step)) * score < 1.0
    if zero_is_negative:
        return (score > 0.0) != (y > 0.0)
    return y * score <= 0.0


@compiled
def _walk(
    K: Any,
    order: Any,
    signs: Any,
    scores: Any,
    step: int,
    samples: Any,
    steps: Any,
    zero_is_negative: bool,
    lam: float,
) -> Any:
    count = 0
    for t in range(order.shape[0]):
        i = order[t]
        if i < 0 or signs[i] == 0.0:
            continue
        step += 1
        y = signs[i]
        if _is_wrong(y, scores[i], step, zero_is_negative, lam):
            samples[count] = i
            steps[count] = step
            count += 1
            row = K[i]
            for j in range(scores.shape[0]):
                scores[j] += y * row[j]
    return count, step


@compiled
def _walk_powers(
    dots: Any,
    scale: Any,
    offset: Any,
    degree: int,
    order: Any,
    signs: Any,
    scores: Any,
    step: int,
    samples: Any,
    steps: Any,
    zero_is_negative: bool,
    lam: float,
) -> Any:
    """As `_walk` on (scale·dots + offset)^degree, a row made when it is needed."""
    count = 0
    square, row = np.empty_like(dots[0]), np.empty_like(dots[0])
    for t in range(order.shape[0]):
        i = order[t]
        if i < 0 or signs[i] == 0.0:
            continue
        step += 1
        y = signs[i]
        if _is_wrong(y, scores[i], step, zero_is_negative, lam):
            samples[count] = i
            steps[count] = step
            count += 1
            _raise_row(dots[i], scale, offset, degree, square, row)
            for j in range(scores.shape[0]):
                scores[j] += y * row[j]
    return count, step


@compiled
def _raise_row(
    dots: Any, scale: Any, offset: Any, degree: int, square: Any, row: Any
) -> None:
    """By repeated squaring, as kernels do: the values are theirs to the last bit."""
    for j in range(dots.shape[0]):
        square[j] = scale * dots[j] + offset
        row[j] = row.dtype.type(1)
    left = degree
    while left > 0:
        if left & 1:
            for j in range(dots.shape[0]):
                row[j] *= square[j]
        left >>= 1
        if left > 0:
            for j in range(dots.shape[0]):
                square[j] *= square[j]


@compiled
def add_rows(K: Any, rows: Any, weights: Any, scores: Any) -> None:
    """Add rows of K to the scores, each times its weight."""
    for a in range(rows.shape[0]):
        weight = weights[a]
        row = K[rows[a]]
        for j in range(scores.shape[0]):
            scores[j] += weight * row[j]


@compiled
def _count_mistakes(
    rows: Any,
    row_signs: Any,
    signs: Any,
    scores: Any,
    zero_is_negative: bool,
    mistakes: Any,
) -> None:
    for a in range(rows.shape[0]):
        y = row_signs[a]
        row = rows[a]
        wrong = 0
        for j in range(scores.shape[0]):
            scores[j] += y * row[j]
            if signs[j] != 0.0:
                wrong += _is_wrong(signs[j], scores[j], 0, zero_is_negative, 0.0)
        mistakes[a] = wrong


@compiled
def follow_to_fewest_mistakes(
    K: Any,
    rows: Any,
    row_signs: Any,
    signs: Any,
    scores: Any,
    zero_is_negative: bool,
    best: Any,
) -> Any:
    """Follow updates from `scores` on; `best` is the first with fewest mistakes.

    Returns how many updates lead to it.
    """
    fewest, until = signs.shape[0] + 1, 0
    for a in range(rows.shape[0]):
        y = row_signs[a]
        row = K[rows[a]]
        wrong = 0
        for j in range(scores.shape[0]):
            scores[j] += y * row[j]
            if signs[j] != 0.0:
                wrong += _is_wrong(signs[j], scores[j], 0, zero_is_negative, 0.0)
        if wrong < fewest:
            fewest, until = wrong, a + 1
            best[:] = scores
    return until
