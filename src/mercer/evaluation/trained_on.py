"""Which samples a model was trained on, as far as it remembers.

``mercer fit`` and ``mercer search`` let a model remember its training samples by the
fingerprint of their data and the numbers of their rows, in the attribute `trained_on_`,
which `mercer.save` keeps. The record counts only for the model as it was fitted then.
The names of its columns are kept with it.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._validation import is_sparse
from mercer.exceptions import ModelFileError
from mercer.preparation import last_step

_ROWS_AT_ONCE = 1024
#: Values that lie so many times the range of the training samples outside of it, or
#: fill so small a part of it, are in other units.
_FAR = 4.0
#: Fewer samples may well fill a small part of it.
_ENOUGH = 10


def remember_training(
    machine: Any, X: Any, rows: NDArray[np.intp], names: Sequence[str] | None = None
) -> None:
    """Let a fitted model know that these rows of X are what it was trained on.

    `names` are those of its features, where the data have any.
    """
    trained = np.zeros(X.shape[0], dtype=bool)
    trained[rows] = True
    low, high = _ranges(X[rows])
    machine.trained_on_ = {
        "low": low,
        "high": high,
        "data": fingerprint(X),
        "rows": np.packbits(trained),
        "samples": fingerprint(X[rows]),
        "model": _fitted_state(machine),
        "names": None if names is None else list(names),
    }


def rows_trained_on(machine: Any, X: Any) -> NDArray[np.bool_]:
    """Which rows of X the model was trained on; none of data that it does not know.

    What is wrapped around a model, such as its calibration, knows what the model does.
    """
    n_samples = X.shape[0] if X.shape else 0
    unknown = np.zeros(n_samples, dtype=bool)
    record = getattr(machine, "trained_on_", None)
    if record is None:
        inner = getattr(machine, "estimator_", None)
        return unknown if inner is None else rows_trained_on(inner, X)
    _check(record)
    if record["model"] != _fitted_state(machine):
        return unknown
    found = fingerprint(X)
    if found == record["data"]:
        return np.unpackbits(record["rows"], count=n_samples).astype(bool)
    return ~unknown if found == record["samples"] else unknown


def fingerprint(X: Any) -> str:
    """The checksum of samples: the same for sparse and dense, float32 and float64.

    Empty where these are not a table of numbers.

    >>> fingerprint(np.eye(2)) == fingerprint(sparse.eye_array(2, dtype=np.float32))
    True
    """
    X = X.tocsr() if is_sparse(X) else np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "fiubO":
        return ""
    digest = hashlib.sha256(repr(X.shape).encode())
    if X.dtype == object:  # numbers and words
        digest.update(repr(X.tolist()).encode())
        return digest.hexdigest()
    for start in range(0, X.shape[0], _ROWS_AT_ONCE):
        block = X[start : start + _ROWS_AT_ONCE]
        values = sparse.csr_array(block, dtype=np.float64, copy=True)
        values.sum_duplicates()
        values.eliminate_zeros()
        for part, kind in (
            (values.indptr, "<i8"),
            (values.indices, "<i8"),
            (values.data, "<f8"),
        ):
            digest.update(part.astype(kind).tobytes())
    return digest.hexdigest()


def _fitted_state(machine: Any) -> str:
    """The checksum of the arrays of a model, which another fit would change."""
    digest = hashlib.sha256()
    for name, value in sorted(vars(last_step(machine)).items()):
        if isinstance(value, np.ndarray) and value.dtype != object:
            digest.update(name.encode())
            digest.update(value.tobytes())
    return digest.hexdigest()


def describe_other_range(machine: Any, X: Any) -> str | None:
    """Say so if samples are in another range than those that a model was trained on.

    What was trained on 0 to 255 and is asked about 0 to 1 answers, but by chance.
    """
    old, new = _range_trained_on(machine), _overall(*_ranges(X))
    if old is None or new is None:
        return None
    width, new_width = old[1] - old[0], new[1] - new[0]
    beyond = max(old[0] - new[0], new[1] - old[1])
    if beyond <= _FAR * width and (X.shape[0] < _ENOUGH or new_width * _FAR >= width):
        return None
    return (
        f"These samples have values from {new[0]:g} to {new[1]:g}, and the model was "
        f"trained on values from {old[0]:g} to {old[1]:g}; are they in the same units?"
    )


def _range_trained_on(machine: Any) -> tuple[float, float] | None:
    """By the record, else by the support vectors."""
    record = getattr(machine, "trained_on_", None)
    if isinstance(record, dict) and "low" in record:
        return _overall(record["low"], record.get("high"))
    samples = getattr(machine, "support_vectors_", None)
    return None if samples is None else _overall(*_ranges(samples))


def _overall(low: Any, high: Any) -> tuple[float, float] | None:
    """The range of all features together; None where there are no numbers."""
    for bound in (low, high):
        good = isinstance(bound, np.ndarray) and bound.dtype.kind == "f"
        if not good or not np.isfinite(bound).any():
            return None
    return float(np.nanmin(low)), float(np.nanmax(high))


def _ranges(X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The smallest and the largest value of each feature; NaN for words."""
    if not X.shape or not X.shape[0]:
        return np.zeros(0), np.zeros(0)
    if is_sparse(X):
        return tuple(  # type: ignore[return-value]
            np.asarray(bound.toarray(), dtype=np.float64).ravel()
            for bound in (X.min(axis=0), X.max(axis=0))
        )
    X = np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "fiubO":
        return np.zeros(0), np.zeros(0)
    if X.dtype != object and not np.isnan(X.sum(dtype=np.float64)):
        return X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
    low, high = np.full((2, X.shape[1]), np.nan)
    for place, column in enumerate(X.T):
        values = [v for v in column if isinstance(v, int | float | np.number)]
        present = np.array([v for v in values if v == v], dtype=np.float64)
        if len(present):
            low[place], high[place] = present.min(), present.max()
    return low, high


def _check(record: Any) -> None:
    """A record from a file may hold anything."""
    texts = ("data", "samples", "model")
    good = isinstance(record, dict) and all(
        isinstance(record.get(name), str) for name in texts
    )
    rows = record.get("rows") if good else None
    if not (isinstance(rows, np.ndarray) and rows.dtype == np.uint8 and rows.ndim == 1):
        raise ModelFileError(
            "What the model remembers of its training samples is damaged; fit it again."
        )
