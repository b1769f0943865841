"""The samples that repeated models get wrong most often."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.exceptions import DataError, ParameterError
from mercer.metrics._checks import RunPredictions, check_labels, check_runs


@dataclass(frozen=True, slots=True, eq=False)
class HardSample:
    """One sample that was taken for something else.

    Attributes
    ----------
    index : int
        Its row.
    true_label : label
        What it is.
    times_tested, times_wrong : int
        In how many tests it took part, and in how many it was mistaken.
    taken_for : tuple of (label, count)
        The wrong predictions, the most frequent first.
    image : ndarray or None
        Its image, if images were given.
    """

    index: int
    true_label: Any
    times_tested: int
    times_wrong: int
    taken_for: tuple[tuple[Any, int], ...]
    image: NDArray[Any] | None = None

    @property
    def error_rate(self) -> float:
        """Part of its tests in which the sample was mistaken."""
        return self.times_wrong / self.times_tested


def hardest_samples(
    y_true: ArrayLike,
    runs: Sequence[RunPredictions],
    n_samples: int = 5,
    *,
    rank: str = "rate",
    images: ArrayLike | None = None,
    image_shape: tuple[int, ...] | None = None,
) -> list[HardSample]:
    """List the samples most often mistaken over repeated models.

    Parameters
    ----------
    y_true, runs
        As in `confusion_over_runs`.
    n_samples : int
        How many to list at most; samples that were never mistaken are not listed.
    rank : {"rate", "count"}
        "rate": the greatest part of its tests first, then the most mistakes, then the
        lowest index. "count": the most mistakes first, then the rate, then the index.
    images : array-like of shape (n, ...), optional
        Images or pixel rows of all samples.
    image_shape : tuple of int, optional
        Shape to give to each of `images`.

    Returns
    -------
    list of HardSample
        The hardest first.

    Examples
    --------
    >>> from mercer.metrics import hardest_samples
    >>> y = [3, 5, 8, 8]
    >>> runs = [[3, 5, 8, 0], [3, 3, 8, 3], ([1, 3], [3, 0])]
    >>> for sample in hardest_samples(y, runs):
    ...     print(sample.index, sample.times_wrong, "of", sample.times_tested,
    ...           sample.taken_for)
    3 3 of 3 ((0, 2), (3, 1))
    1 2 of 3 ((3, 2),)
    """
    labels = check_labels(y_true)
    pictures = _check_images(images, image_shape, len(labels))
    tested, decided = map(np.concatenate, zip(*check_runs(len(labels), runs)))
    wrong = decided != labels[tested]
    n_tested = np.bincount(tested, minlength=len(labels))
    n_wrong = np.bincount(tested[wrong], minlength=len(labels))
    names = labels.tolist()
    return [
        HardSample(
            int(index),
            names[index],
            int(n_tested[index]),
            int(n_wrong[index]),
            _most_common(decided[wrong & (tested == index)]),
            None if pictures is None else pictures[index],
        )
        for index in _ranked(n_tested, n_wrong, rank)[: max(n_samples, 0)]
    ]


def _ranked(
    n_tested: NDArray[np.intp], n_wrong: NDArray[np.intp], rank: str
) -> NDArray[np.intp]:
    rate = n_wrong / np.maximum(n_tested, 1)
    if rank not in ("rate", "count"):
        raise ParameterError(f"rank is {rank!r}; it must be 'rate' or 'count'.")
    first, second = (rate, n_wrong) if rank == "rate" else (n_wrong, rate)
    order = np.lexsort((np.arange(len(rate)), -second, -first))
    return order[: np.count_nonzero(n_wrong)]


def _most_common(labels: NDArray[Any]) -> tuple[tuple[Any, int], ...]:
    # sorted first, so that equal counts stand in the order of the labels
    return tuple(Counter(np.sort(labels).tolist()).most_common())


def _check_images(
    images: ArrayLike | None, shape: tuple[int, ...] | None, n_rows: int
) -> NDArray[Any] | None:
    if images is None:
        return None
    pictures = np.asarray(images)
    if len(pictures) != n_rows:
        raise DataError(
            f"There are {len(pictures)} images and {n_rows} labels; "
            "give one image per row of y_true."
        )
    return pictures if shape is None else pictures.reshape(n_rows, *shape)
