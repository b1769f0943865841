"""Which rows a command trains and tests on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mercer.exceptions import ParameterError

if TYPE_CHECKING:
    from mercer.datasets import Dataset


@dataclass(frozen=True)
class TrainTestRows:
    """Which rows to train and to test on, and how they were chosen."""

    train: Any
    test: Any
    how: str


def choose_split(
    dataset: Dataset,
    train_on: str,
    test_size: float | None,
    limit: int | None,
    seed: int,
) -> TrainTestRows:
    """Choose the rows: all, the official split, or a random one."""
    import numpy as np

    if train_on not in ("train", "all"):
        raise ParameterError(f"--train-on is {train_on!r}; it must be train or all.")
    if train_on == "all" and test_size:
        raise ParameterError("--train-on all leaves nothing for --test-size; drop one.")
    rows = np.arange(dataset.n_samples)
    if train_on == "all" or test_size == 0:
        train, test, how = rows, rows[:0], "all samples"
    elif test_size is None and dataset.train is not None and dataset.test is not None:
        train, test, how = dataset.train, dataset.test, "the official split"
    else:
        share = 0.2 if test_size is None else test_size
        train, test = _split_at_random(dataset, share, seed)
        how = f"at random, seed {seed}"
    if limit is not None and limit < len(train):
        chosen = np.random.default_rng(seed).choice(len(train), limit, replace=False)
        train = train[np.sort(chosen)]
    return TrainTestRows(train, test, how)


def _split_at_random(dataset: Dataset, share: float, seed: int) -> tuple[Any, Any]:
    import numpy as np
    from sklearn.model_selection import train_test_split

    if share >= 1:
        raise ParameterError(
            f"--test-size is {share:g}, which leaves nothing to train on; give a share "
            "below 1."
        )
    counts = dataset.class_counts().values()
    smallest, n_test = min(counts), math.ceil(share * dataset.n_samples)
    n_train = dataset.n_samples - n_test
    if min(n_train, n_test) < (len(counts) if smallest > 1 else 1):
        raise ParameterError(
            f"--test-size {share:g} is {n_test:,} of {dataset.n_samples:,} samples, "
            f"and leaves {n_train:,} to train on; both parts need one of each of the "
            f"{len(counts):,} classes at least, so give another share, or 0 for none."
        )
    rows = np.arange(dataset.n_samples)
    train, test = train_test_split(
        rows,
        test_size=share,
        random_state=seed,
        # a class of one sample cannot be in both parts
        stratify=dataset.y if smallest > 1 else None,
    )
    return np.sort(train), np.sort(test)
