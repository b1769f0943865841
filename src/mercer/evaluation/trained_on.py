"""Which samples a model was trained on, as far as it remembers.

``mercer fit`` and ``mercer search`` let a model remember its training samples by the
fingerprint of their data and the numbers of their rows, in the attribute `trained_on_`,
which `mercer.save` keeps. The record counts only for the model as it was fitted then.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from mercer._validation import is_sparse
from mercer.exceptions import ModelFileError

_ROWS_AT_ONCE = 1024


def remember_training(machine: Any, X: Any, rows: NDArray[np.intp]) -> None:
    """Let a fitted model know that these rows of X are what it was trained on."""
    trained = np.zeros(X.shape[0], dtype=bool)
    trained[rows] = True
    machine.trained_on_ = {
        "data": fingerprint(X),
        "rows": np.packbits(trained),
        "samples": fingerprint(X[rows]),
        "model": _fitted_state(machine),
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
    if X.ndim != 2 or X.dtype.kind not in "fiub":
        return ""
    digest = hashlib.sha256(repr(X.shape).encode())
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
    for name, value in sorted(vars(machine).items()):
        if isinstance(value, np.ndarray) and value.dtype != object:
            digest.update(name.encode())
            digest.update(value.tobytes())
    return digest.hexdigest()


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
