"""The checks that every file goes through, whatever its format."""

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._validation import first_place
from mercer.datasets.files.index_columns import warn_of_numbering
from mercer.datasets.files.labels import check_label_set, read_labels
from mercer.datasets.files.samples import RawSamples, ReadOptions

#: Tables with so many columns are taken for images when their values allow it.
_IMAGE_SIDES = {256: (16, 16), 784: (28, 28)}
_AT_ONCE = 2**20


def finish(samples: RawSamples, options: ReadOptions) -> NDArray:
    """Check samples, set their image shape, and return their labels."""
    n_samples, n_features = samples.X.shape
    if n_samples == 0 or n_features == 0:
        raise samples.bad(f"the data have the shape {n_samples}x{n_features}.")
    y = np.zeros(0, dtype=np.int64)
    if samples.raw_labels is not None and options.label != "none":
        y = _check_labels(samples, options)
    if options.expected_features not in (None, n_features):
        beside = "" if samples.raw_labels is None else " beside the label"
        hint = "."
        if n_features + 1 == options.n_features and beside:
            hint = "; without labels, say so with label='none' (--label none)."
        raise samples.bad(
            f"{samples.where(0)} has {n_features} values{beside} where "
            f"{options.describe_features()} are expected{hint}"
        )
    _check_finite(samples, options.missing != "error")
    if options.value_range is not None:
        _check_range(samples, *options.value_range)
    samples.image_shape = _image_shape(samples, options)
    warn_of_numbering(samples)
    return _drop_rows(samples, y) if options.missing == "drop-rows" else y


def _check_labels(samples: RawSamples, options: ReadOptions) -> NDArray:
    assert samples.raw_labels is not None
    n_samples = samples.X.shape[0]
    if n_samples != (n_labels := len(samples.raw_labels)):
        raise samples.bad(f"there are {n_samples} samples and {n_labels} labels.")
    y = read_labels(samples)
    if options.labels is not None:
        check_label_set(y, options.labels, samples)
    return y


def _drop_rows(samples: RawSamples, y: NDArray) -> NDArray:
    """Leave out samples that lack a value."""
    X = samples.X
    if isinstance(X, np.ndarray):
        complete = np.asarray(~np.isnan(X).any(axis=1))
    else:
        holes = np.flatnonzero(np.isnan(X.data))
        complete = np.ones(X.shape[0], dtype=bool)
        complete[np.searchsorted(X.indptr, holes, side="right") - 1] = False
    for words in samples.words.values():
        complete &= np.array([word is not None for word in words])
    n_dropped = int((~complete).sum())
    if not n_dropped:
        return y
    if n_dropped == len(complete):
        raise samples.bad("every sample lacks a value, so that none is left.")
    if samples.n_train is not None:
        samples.n_train = int(complete[: samples.n_train].sum())
    samples.X, samples.rows = X[complete], np.flatnonzero(complete)
    samples.words = {place: words[complete] for place, words in samples.words.items()}
    samples.warnings.append(
        f"{n_dropped} of {len(complete)} samples lack a value and were left out."
    )
    return y[complete] if len(y) else y


def _check_finite(samples: RawSamples, missing: bool) -> None:
    # The sum is finite exactly when no value is NaN or infinite, or it overflows.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(_stored_values(samples.X).sum(dtype=np.float64)):
            return
    is_bad = np.isinf if missing else lambda values: ~np.isfinite(values)
    if found := _first(samples, is_bad):
        place, value = found
        what = "NaN, which means a missing value" if np.isnan(value) else f"{value}"
        raise samples.bad(f"{place} is {what}; every value must be a finite number.")


def _check_range(samples: RawSamples, low: float, high: float) -> None:
    if found := _first(samples, lambda values: (values < low) | (values > high)):
        place, value = found
        raise samples.bad(
            f"{place} is {value:g}, outside the range {low:g} to {high:g}."
        )


def _stored_values(X: Any) -> NDArray:
    return np.asarray(X if isinstance(X, np.ndarray) else X.data)


def _first(
    samples: RawSamples, is_bad: Callable[[NDArray], NDArray[np.bool_]]
) -> tuple[str, float] | None:
    """Say where the first bad value is, and what it is; a few rows at a time."""
    X = samples.X
    step = X.shape[0]
    if isinstance(X, np.ndarray):
        step = max(1, _AT_ONCE // X.shape[1])
    for start in range(0, X.shape[0], step):
        block = X[start : start + step]
        bad = is_bad(_stored_values(block))
        if bad.any():
            row, column = first_place(block, bad)
            place = f"{samples.where(start + row)}, {samples.column(column)},"
            return place, float(block[row, column])
    return None


def _image_shape(samples: RawSamples, options: ReadOptions) -> tuple[int, int] | None:
    if options.image_shape is not None:
        return options.image_shape
    n_features = samples.X.shape[1]
    if samples.image_shape is not None and prod(samples.image_shape) == n_features:
        return samples.image_shape
    shape = _IMAGE_SIDES.get(n_features)
    if shape is None or samples.words or not isinstance(samples.X, np.ndarray):
        return None
    low, high = float(samples.X.min()), float(samples.X.max())
    return shape if (low >= -1 and high <= 1) or (low >= 0 and high <= 255) else None
