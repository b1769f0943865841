"""Models and labelled samples: from files, by name, or in memory."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray

from mercer._validation import check_same_length
from mercer.datasets import Dataset, catalogue, load_dataset
from mercer.estimators import load
from mercer.evaluation.trained_on import describe_other_range, rows_trained_on
from mercer.exceptions import DataError, ParameterError
from mercer.preparation import describe_new_words, how_to_read

_ROWS = ("auto", "all", "train", "test")


@dataclass(frozen=True, eq=False)
class LabelledSamples:
    """Labelled samples that a model is asked about.

    Attributes
    ----------
    dataset, given : Dataset, str
        The data that they are from, and what these were asked for as.
    part, rows : str, ndarray
        Which part of the data this is, and the numbers of its rows.
    X, y : array-like, ndarray
        The samples and their labels.
    trained_on : ndarray of bool
        Which of them the model was trained on, as far as it remembers.
    """

    dataset: Dataset
    given: str
    part: str
    rows: NDArray[np.intp]
    X: Any
    y: NDArray
    trained_on: NDArray[np.bool_]

    @property
    def rows_in_file(self) -> NDArray[np.intp]:
        """Their numbers in the file, of which samples may have been left out."""
        numbers = self.dataset.rows_in_file
        return self.rows if numbers is None else numbers[self.rows]

    def held_out(self) -> LabelledSamples:
        """Those that the model was not trained on; all where there are none."""
        rows = np.flatnonzero(~self.trained_on)
        if len(rows) in (0, len(self.y)):
            return self
        X = self.X.iloc[rows] if hasattr(self.X, "iloc") else self.X[rows]
        return replace(
            self,
            part="held-out",
            rows=self.rows[rows],
            X=X,
            y=self.y[rows],
            trained_on=self.trained_on[rows],
        )

    def overlap(self, other: LabelledSamples) -> bool:
        """Whether both hold rows of the same data in common."""
        if not np.intersect1d(self.rows, other.rows).size:
            return False
        pair = (self, other)
        first, second = (one.dataset.sha256 or joblib.hash(one.X) for one in pair)
        return bool(first == second)


def load_classifier(model: Any) -> Any:
    """Return a fitted classifier; read from its file if `model` is a path."""
    kept = isinstance(model, str | os.PathLike)
    machine = load(model) if kept else model
    what = f"The {'file holds' if kept else 'model is'} a {type(machine).__name__}"
    if not hasattr(machine, "predict"):
        raise DataError(
            f"{what}, which takes scores and not samples; predict with a classifier."
        )
    if not isinstance(getattr(machine, "classes_", None), np.ndarray):
        raise DataError(f"{what} without classes; use a classifier that was fitted.")
    return machine


def load_samples(
    machine: Any,
    data: Any,
    rows: str = "auto",
    label: str | int = "auto",
    header: bool | str = "auto",
    drop: str | int | Collection[str | int] = (),
    missing: str = "error",
) -> LabelledSamples:
    """Load samples with as many features as the model was trained on.

    The parameters are those of `evaluate`; "auto" is the test part of an official
    split, else everything. Samples that lack a value are left out with the `missing` of
    "drop-rows", unless the model fills it in.
    """
    if rows not in _ROWS:
        raise ParameterError(
            f"`rows` is {rows!r}; it must be one of {', '.join(_ROWS)}."
        )
    in_memory = isinstance(data, Dataset | tuple)
    if missing not in ("error", "drop-rows"):
        raise ParameterError(
            f"`missing` is {missing!r}; it must be error or drop-rows."
        )
    table = {"label": label, "header": header, "drop": drop, "missing": missing}
    dataset = _as_dataset(data) if in_memory else _load_like(machine, data, table)
    given = dataset.name if in_memory else str(data)
    X, y, chosen = dataset.X, dataset.y, np.arange(dataset.X.shape[0])
    expected = getattr(machine, "n_features_in_", None)
    if len(X.shape) == 2 and X.shape[1] != (expected or X.shape[1]):
        raise DataError(
            f"{given} has {X.shape[1]} features and the model was trained on "
            f"{expected}; give it data of the same kind."
        )
    if not in_memory and getattr(machine, "kernel", None) == "precomputed":
        raise DataError(
            "The model was trained on a precomputed kernel, so it takes kernel values "
            "to its training samples; use it from Python."
        )
    if rows == "auto":
        rows = "all" if dataset.test is None else "test"
    if rows != "all":
        part = dataset.train if rows == "train" else dataset.test
        if part is None:
            raise ParameterError(
                f"{dataset.name} has no official split; leave out `rows` {rows}."
            )
        X, y, chosen = X[part], y[part] if len(y) else y, part
    for remark in (describe_other_range(machine, X), describe_new_words(machine, X)):
        if remark is not None:
            warnings.warn(remark, stacklevel=2)
    seen = rows_trained_on(machine, dataset.X)[chosen]
    return LabelledSamples(dataset, given, rows, chosen, X, y, seen)


def _load_like(
    machine: Any, data: str | os.PathLike[str], table: dict[str, Any]
) -> Dataset:
    named = data in {entry.name for entry in catalogue()}
    # a sparse text file may end before the last feature, which only the model knows
    width = None if named else getattr(machine, "n_features_in_", None)
    own = how_to_read(machine)
    if not named:
        own = {"categorical": "auto", **own}
    if named and table["missing"] == "error":
        own.pop("missing", None)
    return load_dataset(data, n_features=width, **{**table, **own})


def _as_dataset(data: Dataset | tuple[Any, ...]) -> Dataset:
    if isinstance(data, Dataset):
        return data
    if len(data) != 2:
        raise DataError(f"The data are a tuple of {len(data)}; give a pair (X, y).")
    # data frames stay what they are, for models that know their columns
    X = data[0] if hasattr(data[0], "shape") else np.asarray(data[0])
    y = np.asarray(data[1])
    if y.ndim != 1 or not len(y):
        raise DataError(f"y has the shape {y.shape}; give one label for each sample.")
    check_same_length(np.zeros(0) if not X.shape else X, y, ("X", "y"))
    return Dataset(X, y, None, None, None, "(X, y)", "arrays", "", sha256="")
