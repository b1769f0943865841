"""Which images are learned from and which are tested: protocols that are not mixed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold, train_test_split

from mercer.datasets import Dataset
from mercer.exceptions import DataError, ParameterError
from mercer.images import Brighten, Centre, Deslant, EqualInk, Smooth

#: Splits of a data set without an official one, and the share that is tested.
SPLITS, TEST_SHARE = 20, 0.2
#: Splits and training images of a first look.
QUICK_SPLITS, QUICK_TRAIN = 2, 1500
#: Images that settings are compared on: to learn from, and to validate with. They are
#: training images.
TUNED_ON, VALIDATED_ON = 15_000, 20_000
#: Training images up to which each is validated with, if there is one split: in so many
#: folds. Of many splits each has half and half.
FEW, FOLDS = 20_000, 3
AS_THEY_ARE = "as they are"
CLOTHES = "fashion-mnist"
_STEPS = {
    "deslanted": Deslant,
    "smoothed": Smooth,
    "centred": Centre,
    "brightened": Brighten,
    "equal ink": EqualInk,
}
_SHADES = 255
#: Its two parts are pooled, although it has them: the protocol of report 003.
POOLED = ("zipcombo",)


@dataclass(frozen=True, eq=False)
class RecordSplit:
    """One split of a data set, as rows of it.

    Each of the folds has rows of `train` to learn from and others to validate with.
    """

    folds: list[tuple[NDArray[np.intp], NDArray[np.intp]]]
    train: NDArray[np.intp]
    test: NDArray[np.intp]


def is_fixed(dataset: Dataset) -> bool:
    """Whether the official split is kept; others are split at random."""
    return dataset.train is not None and dataset.name not in POOLED


def n_splits(dataset: Dataset, quick: bool) -> int:
    """How many splits there are."""
    if is_fixed(dataset):
        return 1
    return QUICK_SPLITS if quick else SPLITS


def make_split(dataset: Dataset, seed: int, quick: bool) -> RecordSplit:
    """The official split, or one at random, of each class its share."""
    y = class_numbers(dataset)
    if is_fixed(dataset) and dataset.train is not None and dataset.test is not None:
        train, test = dataset.train, dataset.test
    else:
        train, test = _two_parts(np.arange(len(y)), y, TEST_SHARE, seed)
    if quick and len(train) > QUICK_TRAIN:
        train, _ = _two_parts(train, y, len(train) - QUICK_TRAIN, seed)
    return RecordSplit(_folds(dataset, train, y, seed), np.sort(train), np.sort(test))


def _folds(
    dataset: Dataset, train: NDArray[np.intp], y: NDArray[np.intp], seed: int
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    if is_fixed(dataset) and len(train) <= FEW:
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        train = np.sort(train)
        parts = folds.split(train, y[train])
        return [
            (train[tuned_on], train[validated_on]) for tuned_on, validated_on in parts
        ]
    n_validated = min(VALIDATED_ON, len(train) // 2)
    tuned_on, validated_on = _two_parts(train, y, n_validated, seed)
    if len(tuned_on) > TUNED_ON:
        tuned_on, _ = _two_parts(tuned_on, y, len(tuned_on) - TUNED_ON, seed)
    return [(tuned_on, validated_on)]


def class_numbers(dataset: Dataset) -> NDArray[np.intp]:
    """The class of each image, by its number."""
    y: NDArray[np.intp] = np.unique(dataset.y, return_inverse=True)[1]
    if np.bincount(y).min() < 10:
        raise DataError(
            "A class has fewer than 10 images: too few to test, validate and learn."
        )
    return y


def tries_one_vs_rest(dataset: Dataset) -> bool:
    """Whether one class against the rest is affordable: it takes several times as long.

    Most clothes are support vectors, of every class.
    """
    return is_fixed(dataset) and dataset.name != CLOTHES


class Views(dict[str, NDArray[np.float32]]):
    """All images with values from 0 to 1, each kind drawn when it is first looked at.

    As they are, in 256 shades, or by steps one after the other: "deslanted, smoothed".
    """

    def __init__(self, dataset: Dataset, split: RecordSplit) -> None:
        if dataset.image_shape is None or not isinstance(dataset.X, np.ndarray):
            raise ParameterError(
                "The study records is about images; of those in a file, --image-shape "
                "tells the height and width."
            )
        self._shape, self._split = dataset.image_shape, split
        low, high = dataset.value_range
        scaled = (dataset.X - low) / ((high - low) or 1.0)
        shades = np.rint(scaled * _SHADES) / _SHADES
        super().__init__({AS_THEY_ARE: np.asarray(shades, np.float32)})

    def __missing__(self, name: str) -> NDArray[np.float32]:
        before, _, last = name.rpartition(", ")
        images = self[before or AS_THEY_ARE]
        step = _STEPS[last](image_shape=self._shape).fit(images[self._split.train])
        self[name] = step.transform(images)
        return self[name]


def _two_parts(
    rows: NDArray[np.intp], y: NDArray[np.intp], second: float, seed: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    parts = train_test_split(
        rows, test_size=second, stratify=y[rows], random_state=seed
    )
    return np.sort(parts[0]), np.sort(parts[1])
