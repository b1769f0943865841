"""Nearest neighbours in all folds: one search for the largest k, read at every k."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer._threads import parallel_map
from mercer._validation import Matrix
from mercer.estimators._neighbour_search import find_neighbours
from mercer.kernels import Cosine, Gram, Kernel
from mercer.model_selection.search.cells import Cell, Outcome, Tell, groups
from mercer.model_selection.search.folds import Fold
from mercer.model_selection.search.known_model import Votes
from mercer.solvers.neighbours import add_neighbours, count_votes, empty_neighbours

READ = {"n_neighbors"}
_ROWS = 128


@dataclass(frozen=True)
class KernelOnSamples:
    """A kernel by which neighbours are found without its values."""

    kernel: Kernel
    X: Matrix


def list_neighbours(
    source: Gram | KernelOnSamples, cells: Sequence[Cell], with_train: bool, tell: Tell
) -> Iterator[Outcome]:
    """Search and answer in all cells."""
    for candidates, folds in groups(cells, READ):
        most = max(candidate.estimator.n_neighbors for candidate in candidates)
        for fold in folds:
            at = [fold.test_at, fold.train_at] if with_train else [fold.test_at]
            lists = [_search(source, fold, places, most) for places in at]
            tell(len(candidates))
            for candidate in candidates:
                k = candidate.estimator.n_neighbors
                votes = [Votes(_count(found[:, :k], fold), k) for found in lists]
                train = votes[1] if with_train else None
                yield Outcome(Cell(candidate, fold), votes[0], train)


def _search(
    source: Gram | KernelOnSamples, fold: Fold, at: NDArray[np.intp], k: int
) -> NDArray[np.int64]:
    """The k nearest training samples of each sample, as numbers within the fold."""
    if isinstance(source, Gram):
        return _search_gram(source, fold, at, k)
    # kernels that decrease with the distance have the same neighbours
    name = "neighbours", isinstance(source.kernel, Cosine), at is fold.test_at, k
    if name not in fold.memory:
        X = source.X
        found = find_neighbours(source.kernel, X[at], X[fold.train_at], k)
        fold.memory[name] = found[1]
    indices: NDArray[np.int64] = fold.memory[name]
    return indices


def _search_gram(
    gram: Gram, fold: Fold, at: NDArray[np.intp], k: int
) -> NDArray[np.int64]:
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
