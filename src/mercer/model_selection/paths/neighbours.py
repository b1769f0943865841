"""Nearest neighbours in all folds: one search for the largest k, read at every k."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer._threads import parallel_map
from mercer._validation import Matrix
from mercer.estimators import KernelKNN
from mercer.estimators.equal_rows import EqualRows
from mercer.estimators.neighbour_search import find_neighbours
from mercer.kernels import Cosine, Gram, Kernel
from mercer.model_selection.paths.answers import Learned, Tell, Votes
from mercer.model_selection.paths.folds import Fold
from mercer.solvers.neighbours import add_neighbours, empty_neighbours

_ROWS_AT_ONCE = 128


@dataclass(frozen=True)
class KernelOnSamples:
    """A kernel by which neighbours are found without its values."""

    kernel: Kernel
    X: Matrix


def list_neighbours(
    source: Gram | KernelOnSamples,
    models: Sequence[KernelKNN],
    folds: Sequence[Fold],
    with_train: bool,
    tell: Tell,
) -> Iterator[Learned]:
    """Search and answer for all models in all folds."""
    most = max(model.n_neighbors for model in models)
    where = _ValuesOnce(source) if isinstance(source, Gram) else source
    for fold in folds:
        lists = [
            _search(where, fold, rows, most) for rows in fold.rows_to_score(with_train)
        ]
        tell(len(models))
        y_encoded, n_classes = fold.training.y_encoded, len(fold.training.classes)
        for m, model in enumerate(models):
            k = model.n_neighbors
            test, *train = (
                Votes(model.votes(found[:, :k], y_encoded, n_classes), k)
                for found in lists
            )
            yield Learned(m, fold, test, train[0] if train else None)


def _search(
    source: _ValuesOnce | KernelOnSamples, fold: Fold, rows: NDArray[np.intp], k: int
) -> NDArray[np.int64]:
    """The k nearest training samples of each sample, as indices within the fold."""
    if isinstance(source, _ValuesOnce):
        return source.search(fold, rows, k)
    # kernels that decrease with the distance have the same neighbours
    name = "neighbours", isinstance(source.kernel, Cosine), rows is fold.test_rows, k
    if name not in fold.memory:
        X = source.X
        found = find_neighbours(source.kernel, X[rows], X[fold.training.rows], k)
        fold.memory[name] = found[1]
    indices: NDArray[np.int64] = fold.memory[name]
    return indices


class _ValuesOnce:
    """A Gram in which samples that are equal have the values of the first of them.

    Off the diagonal values are rounded, and would put the sample itself ahead of those
    that equal it and come before.
    """

    def __init__(self, gram: Gram) -> None:
        self._gram = gram
        self._first = np.arange(gram.n_samples)
        if gram.X is not None:
            self._first = EqualRows(gram.X).first

    def search(self, fold: Fold, rows: NDArray[np.intp], k: int) -> NDArray[np.int64]:
        """The k nearest training samples, as indices within the fold."""
        gram, columns = self._gram, self._first[fold.training.rows]
        diagonal = np.ascontiguousarray(gram.diagonal[columns])
        keys, indices = empty_neighbours(len(rows), k, gram.dtype)

        def search(start: int) -> None:
            part = slice(start, start + _ROWS_AT_ONCE)
            # columns in the order of the training set, which decides between equals
            values = np.ascontiguousarray(gram.block(rows[part], columns))
            add_neighbours(values, diagonal, 0, keys[part], indices[part])

        parallel_map(search, range(0, len(rows), _ROWS_AT_ONCE))
        return indices
