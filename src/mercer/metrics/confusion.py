"""Who was taken for whom: once, and over repeated runs."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._validation import check_same_length
from mercer.exceptions import ParameterError
from mercer.metrics._checks import (
    RunPredictions,
    check_labels,
    check_runs,
    class_list,
    encode,
)


def confusion(
    y_true: ArrayLike, y_pred: ArrayLike, *, labels: ArrayLike | None = None
) -> NDArray[np.int64]:
    """Count the samples of each class (rows) by what they were taken for (columns).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        The truth and the decisions.
    labels : array-like, optional
        The classes in order; all that occur, sorted, unless given.

    Returns
    -------
    ndarray of shape (n_classes, n_classes)
        Counts.

    Examples
    --------
    >>> from mercer.metrics import confusion
    >>> confusion(["a", "a", "b"], ["a", "b", "b"])
    array([[1, 1],
           [0, 1]])
    """
    truth, decided = check_labels(y_true), check_labels(y_pred, "y_pred")
    check_same_length(truth, decided, ("y_true", "y_pred"))
    classes = class_list(labels, truth, decided)
    y_encoded = encode(truth, classes, "y_true")
    return _count(y_encoded, encode(decided, classes, "y_pred"), len(classes))


@dataclass(frozen=True, slots=True)
class ConfusionOverRuns:
    """Mean and standard deviation of every cell of row-normalised confusions.

    Attributes
    ----------
    labels : ndarray of shape (n_classes,)
        The classes, in the order of rows and columns.
    mean, std : ndarray of shape (n_classes, n_classes)
        Over the runs; NaN in the row of a class that no run tested.
    n_runs : int
        How many runs there were.
    """

    labels: NDArray[Any]
    mean: NDArray[np.float64]
    std: NDArray[np.float64]
    n_runs: int

    @classmethod
    def from_counts(
        cls, labels: NDArray[Any], counts: ArrayLike, ddof: int = 0
    ) -> "ConfusionOverRuns":
        """Turn counts of shape (n_runs, n_classes, n_classes) into rates by row.

        The standard deviation divides by the number of runs minus `ddof`.
        """
        counts = np.asarray(counts)
        totals = counts.sum(axis=2, keepdims=True)
        n_tested = (totals > 0).sum(axis=0)
        if ddof < 0 or np.any((n_tested > 0) & (n_tested <= ddof)):
            raise ParameterError(
                f"ddof is {ddof}, but a class was tested in {int(n_tested.min())} "
                "runs; ddof must not be negative and must be smaller than the number "
                "of runs."
            )
        rates = counts / np.where(totals > 0, totals, np.nan)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # a class never tested
            mean, std = np.nanmean(rates, axis=0), np.nanstd(rates, axis=0, ddof=ddof)
        return cls(labels, mean, std, len(counts))


def confusion_over_runs(
    y_true: ArrayLike,
    runs: Sequence[RunPredictions],
    *,
    labels: ArrayLike | None = None,
    errors_only: bool = False,
    ddof: int = 0,
) -> ConfusionOverRuns:
    r"""Mean and standard deviation of each confusion rate over repeated runs.

    In run `r`, cell `(i, j)` is

    .. math:: R^{(r)}_{ij} = \frac{\#\{\text{class } i \text{ taken for } j\}}
        {\#\{\text{class } i \text{ tested}\}}.

    A run in which a class was not tested says nothing about its row and is left out
    there.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels of all samples.
    runs : sequence
        For each run either a list with one prediction per sample, or a pair (a tuple)
        ``(indices, predictions)`` when only those samples were tested.
    labels : array-like, optional
        The classes in order; all that occur, sorted, unless given.
    errors_only : bool
        Set the diagonal to zero, so that only mistakes are shown.
    ddof : int
        The standard deviation divides by the number of runs minus this.

    Returns
    -------
    ConfusionOverRuns

    Examples
    --------
    >>> from mercer.metrics import confusion_over_runs
    >>> y = [0, 0, 1, 1]
    >>> table = confusion_over_runs(y, [[0, 1, 1, 1], ([0, 1, 2], [0, 0, 1])])
    >>> table.mean
    array([[0.75, 0.25],
           [0.  , 1.  ]])
    >>> table.std
    array([[0.25, 0.25],
           [0.  , 0.  ]])
    """
    truth = check_labels(y_true)
    checked = list(check_runs(len(truth), runs))
    classes = class_list(labels, truth, *(decided for _, decided in checked))
    y_encoded = encode(truth, classes, "y_true")
    counts = []
    for number, (tested, decided) in enumerate(checked):
        taken_for = encode(decided, classes, f"run {number}")
        counts.append(_count(y_encoded[tested], taken_for, len(classes)))
    rates = ConfusionOverRuns.from_counts(classes, counts, ddof)
    if errors_only:
        for table in (rates.mean, rates.std):
            np.fill_diagonal(table, 0.0)
    return rates


def _count(
    truth: NDArray[np.intp], decided: NDArray[np.intp], n_classes: int
) -> NDArray[np.int64]:
    cells = np.bincount(truth * n_classes + decided, minlength=n_classes**2)
    return cells.reshape(n_classes, n_classes)
