"""Repeated runs: who was tested, and what each was taken for.

A run is either a list with one prediction per sample, or a pair ``(indices,
predictions)`` when only some samples were tested, as in repeated random splits.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.exceptions import DataError
from mercer.metrics._checks import check_labels, check_same_length

Run = ArrayLike | tuple[ArrayLike, ArrayLike]


def iterate_runs(
    n_samples: int, runs: Sequence[Run]
) -> Iterator[tuple[NDArray[np.intp], NDArray[Any]]]:
    """Yield the tested indices and the predictions of every run, checked."""
    if len(runs) == 0:
        raise DataError("There are no runs; give the predictions of at least one.")
    for number, run in enumerate(runs):
        if not isinstance(run, tuple):
            predictions = check_labels(run, f"Run {number}")
            check_same_length(
                np.empty(n_samples), predictions, ("y_true", f"run {number}")
            )
            yield np.arange(n_samples), predictions
        elif len(run) != 2:
            raise DataError(
                f"Run {number} is a tuple of {len(run)}; give either one prediction "
                "per sample or a pair (indices, predictions)."
            )
        else:
            yield _check_pair(n_samples, number, *run)


def _check_pair(
    n_samples: int, number: int, indices: ArrayLike, predictions: ArrayLike
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    tested = np.asarray(indices)
    taken_for = check_labels(predictions, f"The predictions of run {number}")
    if tested.ndim != 1 or tested.dtype.kind not in "iu":
        raise DataError(
            f"The indices of run {number} must be a flat list of whole numbers."
        )
    check_same_length(
        tested, taken_for, (f"The index list of run {number}", "its prediction list")
    )
    outside = (tested < 0) | (tested >= n_samples)
    if np.any(outside):
        raise DataError(
            f"Run {number} tests sample {tested[np.argmax(outside)]}, but y_true has "
            f"{n_samples} rows; indices count from 0."
        )
    return tested.astype(np.intp), taken_for
