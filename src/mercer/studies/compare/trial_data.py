"""Training and test samples of one repeat, ready for every learner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import MaxAbsScaler

from mercer.datasets import Dataset
from mercer.exceptions import DataError
from mercer.kernels import make_kernel
from mercer.preparation import prepare

TEST_SHARE = 0.2


@dataclass(frozen=True, eq=False)
class TrialData:
    """What a learner is given; labels are numbers of classes.

    Attributes
    ----------
    X_train, y_train, X_test, y_test
        The samples, scaled by what the training samples say.
    test : ndarray
        Rows of the data set that are tested.
    search : ndarray
        Rows of `X_train` that the search looks at.
    gamma : float
        What gamma="scale" would be.
    n_classes : int
        How many classes there are.
    """

    X_train: Any
    y_train: NDArray[np.integer]
    X_test: Any
    y_test: NDArray[np.integer]
    test: NDArray[np.integer]
    search: NDArray[np.integer]
    gamma: float
    n_classes: int


def make_trial_data(
    data: Dataset, seed: int, most_train: int, most_test: int, most_search: int
) -> TrialData:
    """Split by the official split, or a fifth of each class for testing."""
    y = class_numbers(data)
    if data.train is not None and data.test is not None:
        train, test = data.train, data.test
    else:
        train, test = train_test_split(
            np.arange(len(y)), test_size=TEST_SHARE, stratify=y, random_state=seed
        )
    train = np.sort(_some(train, y, most_train, seed))
    test = np.sort(_some(test, y, most_test, seed))
    X_train, X_test = _scaled(data, train, test)
    search = np.sort(_some(np.arange(len(train)), y[train], most_search, seed))
    rbf: Any = make_kernel("rbf", "scale", X=X_train)
    return TrialData(
        X_train=X_train,
        y_train=y[train],
        X_test=X_test,
        y_test=y[test],
        test=test,
        search=search,
        gamma=rbf.gamma,
        n_classes=int(y.max()) + 1,
    )


def class_numbers(data: Dataset) -> NDArray[np.intp]:
    """The class of each sample, by its number.

    Says in a sentence when there is nothing to compare learners on.
    """
    y: NDArray[np.intp] = np.unique(data.y, return_inverse=True)[1]
    counts = np.bincount(y)
    if len(counts) < 2:
        raise DataError("There is one class only; comparing learners needs two.")
    if counts.min() < 5:
        raise DataError(
            f"A class has {counts.min()} samples only ({(counts < 5).sum()} of the "
            f"{len(counts)} classes have fewer than 5); each needs 5 to be split into "
            "training and test samples and those into folds. Are these class labels? "
            "--label names their column."
        )
    return y


def _some(
    rows: NDArray[np.integer], y: NDArray[np.integer], most: int, seed: int
) -> NDArray[np.integer]:
    """At most so many rows, of each class its share."""
    if len(rows) <= most + y.max():
        return rows  # what is left over could not hold every class
    chosen, _ = train_test_split(
        rows, train_size=most, stratify=y[rows], random_state=seed
    )
    return np.asarray(chosen)


def _scaled(
    data: Dataset, train: NDArray[np.integer], test: NDArray[np.integer]
) -> tuple[Any, Any]:
    """Prepared by what the training samples say; pixels have one unit already."""
    X_train, X_test = data.X[train], data.X[test]
    if data.image_shape is None and not isinstance(data.X, np.ndarray):
        scaler = MaxAbsScaler()  # zeros stay
        return scaler.fit_transform(X_train), scaler.transform(X_test)
    prepared = prepare(
        X_train,
        "none" if data.image_shape is not None else "standard",
        missing=data.missing,
        categorical=data.categorical,
    )
    for _, step in prepared.steps:
        X_train, X_test = step.fit_transform(X_train), step.transform(X_test)
    return X_train, X_test
