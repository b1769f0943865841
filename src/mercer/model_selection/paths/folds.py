"""Folds as index views on one Gram of all samples."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.estimators import TrainingSet
from mercer.exceptions import DataError


@dataclass(frozen=True, eq=False)
class Fold:
    """One split: samples to learn from, in the splitter's order, and to score on.

    `train` and `test` are indices of samples, `training` and `test_rows` their places
    in the Gram.
    """

    number: int
    train: NDArray[np.intp]
    test: NDArray[np.intp]
    training: TrainingSet
    test_rows: NDArray[np.intp]
    can_learn: bool  # at least two classes, and no sample twice
    memory: dict[Any, Any] = field(default_factory=dict)  # what paths keep for later

    def rows_to_score(self, with_train: bool) -> list[NDArray[np.intp]]:
        """Rows of the Gram to answer for: of the test and, if asked, the training."""
        return [self.test_rows, self.training.rows] if with_train else [self.test_rows]


def make_folds(splits: Sequence[tuple[Any, Any]], y: NDArray) -> list[Fold]:
    """The folds of a classification problem, in the order of the splits."""
    folds = []
    for number, parts in enumerate(splits):
        train, test = map(_as_indices, parts)
        if not len(train) or not len(test):
            raise DataError(
                f"Split {number} has {len(train)} samples to train on and "
                f"{len(test)} to test on; each needs at least one."
            )
        classes, y_encoded = np.unique(y[train], return_inverse=True)
        can_learn = len(classes) > 1 and len(np.unique(train)) == len(train)
        training = TrainingSet(train, y_encoded, classes)
        folds.append(Fold(number, train, test, training, test, can_learn))
    _warn_of_missing_classes(folds, np.unique(y))
    return folds


def order_by_class_and_fold(y: NDArray, folds: Sequence[Fold]) -> NDArray[np.intp]:
    """An order in which each class of each fold's training samples is a few stretches.

    A binary problem of a fold then reads rows of the Gram in long runs.
    """
    membership = np.zeros((len(folds), len(y)), bool)
    for fold in folds:
        membership[fold.number, fold.test] = True
    # the last key of lexsort counts most
    return np.lexsort([*membership[::-1], np.unique(y, return_inverse=True)[1]])


def placed(folds: Sequence[Fold], order: NDArray[np.intp]) -> list[Fold]:
    """The folds on a Gram whose samples come in this order."""
    place = np.empty(len(order), np.intp)
    place[order] = np.arange(len(order))
    return [
        replace(
            fold,
            training=replace(fold.training, rows=place[fold.train]),
            test_rows=place[fold.test],
        )
        for fold in folds
    ]


def _as_indices(part: Any) -> NDArray[np.intp]:
    part = np.asarray(part)
    return np.flatnonzero(part) if part.dtype == bool else part.astype(np.intp)


def _warn_of_missing_classes(folds: Sequence[Fold], classes: NDArray) -> None:
    for fold in folds:
        missing = np.setdiff1d(classes, fold.training.classes)
        if len(missing):
            warnings.warn(
                f"Split {fold.number} has no training samples of class "
                f"{missing.tolist()[0]!r}, so it cannot recognise that class; shuffle "
                "the samples or use stratified folds.",
                stacklevel=2,
            )
            return
