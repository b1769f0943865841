"""Nearest neighbours of every split from one order of all samples.

Each sample's neighbours among *all* samples are sorted once. Its k nearest in a
training part are the first k of them that are in it, whatever the split or fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled
from mercer._threads import parallel_map
from mercer.kernels import Gram
from mercer.studies.published.digit_classifiers.splits import Part

_ROWS = 64


def neighbour_order(gram: Gram) -> NDArray[np.integer]:
    """For each sample all samples, the most similar first; of equals, the earlier."""
    n = gram.n_samples
    small = n <= np.iinfo(np.int16).max
    order = np.empty((n, n), np.int16 if small else np.int32)

    def sort(start: int) -> None:
        rows = slice(start, start + _ROWS)
        values = gram.block(rows, slice(0, n))
        order[rows] = np.argsort(-values, axis=1, kind="stable")

    parallel_map(sort, range(0, n, _ROWS))
    return order


def decide_by_neighbours(
    order: NDArray[np.integer],
    y: NDArray[np.integer],
    part: Part,
    ks: Sequence[int],
) -> NDArray[np.integer]:
    """The classes of a part's samples for every k, in rows; k ascending.

    The most frequent class wins, of equally frequent ones the first. A training sample
    is its own neighbour, as in the report.
    """
    trained = np.zeros(len(order), bool)
    trained[part.train] = True
    limits = np.minimum(np.asarray(ks, np.int64), len(part.train))
    decided = np.empty((len(part.at), len(limits)), np.int64)
    n_classes = int(y.max()) + 1

    def decide(start: int) -> None:
        rows = slice(start, start + 8 * _ROWS)
        _vote(order, y, trained, part.at[rows], limits, n_classes, decided[rows])

    parallel_map(decide, range(0, len(part.at), 8 * _ROWS))
    return decided.T


@compiled
def _vote(
    order: Any, y: Any, trained: Any, at: Any, ks: Any, n_classes: int, decided: Any
) -> None:
    votes = np.zeros(n_classes, np.int64)
    for i in range(at.shape[0]):
        votes[:] = 0
        found, reached = 0, 0
        for other in order[at[i]]:
            if not trained[other]:
                continue
            votes[y[other]] += 1
            found += 1
            while reached < ks.shape[0] and ks[reached] == found:
                decided[i, reached] = votes.argmax()
                reached += 1
            if reached == ks.shape[0]:
                break
