"""The checks that every file goes through, whatever its format."""

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._validation import first_place
from mercer.datasets.files.labels import check_label_set, read_labels
from mercer.datasets.files.samples import ReadOptions, Samples

#: Tables with so many columns are taken for images when their values allow it.
_IMAGE_SIDES = {256: (16, 16), 784: (28, 28)}


def finish(samples: Samples, options: ReadOptions) -> NDArray:
    """Check samples, set their image shape, and return their labels."""
    n_samples, n_features = samples.X.shape
    if n_samples == 0 or n_features == 0:
        raise samples.bad(f"the data have the shape {n_samples}x{n_features}.")
    if n_samples != (n_labels := len(samples.raw_labels)):
        raise samples.bad(f"there are {n_samples} samples and {n_labels} labels.")
    y = read_labels(samples)
    if options.labels is not None:
        check_label_set(y, options.labels, samples)
    if options.expected_features not in (None, n_features):
        raise samples.bad(
            f"{samples.where(0)} has {n_features} values beside the label where "
            f"{options.describe_features()} are expected."
        )
    _check_finite(samples)
    if options.value_range is not None:
        _check_range(samples, *options.value_range)
    samples.image_shape = _image_shape(samples, options)
    return y


def _check_finite(samples: Samples) -> None:
    # The sum is finite exactly when no value is NaN or infinite, or it overflows.
    values = _stored_values(samples.X)
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum(dtype=np.float64)):
            return
    bad = ~np.isfinite(values)
    if bad.any():
        place, value = _first(samples, bad)
        what = "NaN, which means a missing value" if np.isnan(value) else f"{value}"
        raise samples.bad(f"{place} is {what}; every value must be a finite number.")


def _check_range(samples: Samples, low: float, high: float) -> None:
    values = _stored_values(samples.X)
    bad = (values < low) | (values > high)
    if bad.any():
        place, value = _first(samples, bad)
        raise samples.bad(
            f"{place} is {value:g}, outside the range {low:g} to {high:g}."
        )


def _stored_values(X: Any) -> NDArray:
    return np.asarray(X if isinstance(X, np.ndarray) else X.data)


def _first(samples: Samples, bad: NDArray) -> tuple[str, float]:
    """Say where the first bad value is, and what it is."""
    row, column = first_place(samples.X, bad)
    place = f"{samples.where(row)}, {samples.column(column)},"
    return place, float(samples.X[row, column])


def _image_shape(samples: Samples, options: ReadOptions) -> tuple[int, int] | None:
    if options.image_shape is not None:
        return options.image_shape
    n_features = samples.X.shape[1]
    if samples.image_shape is not None and prod(samples.image_shape) == n_features:
        return samples.image_shape
    shape = _IMAGE_SIDES.get(n_features)
    if shape is None or not isinstance(samples.X, np.ndarray):
        return None
    low, high = float(samples.X.min()), float(samples.X.max())
    return shape if (low >= -1 and high <= 1) or (low >= 0 and high <= 255) else None
