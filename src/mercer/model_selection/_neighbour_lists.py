"""Nearest neighbours in all folds: one search for the largest k, read at every k."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mercer._threads import parallel_map
from mercer.kernels import Gram
from mercer.model_selection._cells import Cell, Outcome, Tell, groups
from mercer.model_selection._folds import Fold
from mercer.model_selection._known_model import Votes
from mercer.solvers.neighbours import add_neighbours, count_votes, empty_neighbours

READ = {"n_neighbors"}
_ROWS = 128


def list_neighbours(
    gram: Gram, cells: Sequence[Cell], with_train: bool, tell: Tell
) -> Iterator[Outcome]:
    """Search and answer in all cells."""
    for candidates, folds in groups(cells, READ):
        most = max(candidate.estimator.n_neighbors for candidate in candidates)
        for fold in folds:
            at = [fold.test_at, fold.train_at] if with_train else [fold.test_at]
            lists = [_search(gram, fold, places, most) for places in at]
            tell(len(candidates))
            for candidate in candidates:
                k = candidate.estimator.n_neighbors
                votes = [Votes(_count(found[:, :k], fold), k) for found in lists]
                train = votes[1] if with_train else None
                yield Outcome(Cell(candidate, fold), votes[0], train)


def _search(gram: Gram, fold: Fold, at: NDArray[np.intp], k: int) -> NDArray[np.int64]:
    """The k nearest training samples of each sample, as numbers within the fold."""
    diagonal = np.ascontiguousarray(gram.diagonal[fold.train_at])
    keys, indices = empty_neighbours(len(at), k, gram.dtype)

    def search(start: int) -> None:
        part = slice(start, start + _ROWS)
        # columns in the order of the training set, which decides between equals
        values = np.ascontiguousarray(gram.block(at[part], fold.train_at))
        add_neighbours(values, diagonal, 0, keys[part], indices[part])

    parallel_map(search, range(0, len(at), _ROWS))
    return indices


def _count(indices: NDArray[np.int64], fold: Fold) -> NDArray[np.int64]:
    votes = np.zeros((len(indices), len(fold.classes)), np.int64)
    count_votes(indices, fold.numbers, votes)
    return votes
