"""A data set: samples, labels, and where they come from."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Dataset:
    """Samples with labels, and what is known about them.

    Attributes
    ----------
    X : ndarray or csr_matrix of shape (n_samples, n_features)
        The samples.
    y : ndarray of shape (n_samples,)
        The labels: int64 where they are whole numbers, else words.
    train, test : ndarray of int or None
        Indices of the official split, or None where there is none.
    image_shape : tuple of int or None
        Height and width, where a sample is an image.
    name, source, licence : str
        What it is called, where it comes from, and on which terms.
    sha256 : str
        Of one file: the checksum of its bytes as stored. Of several: the checksum of
        their checksums in hexadecimal, a line each, in the order of `files`. Of arrays
        without a file: the checksum of the bytes of X and then of y.
    feature_names, target_names : tuple of str or None
        Names of the columns, and of the classes in sorted order of their labels.
    files : tuple of Path
        The files that were read.
    """

    X: Any
    y: NDArray
    train: NDArray[np.intp] | None
    test: NDArray[np.intp] | None
    image_shape: tuple[int, int] | None
    name: str
    source: str
    licence: str
    sha256: str
    feature_names: tuple[str, ...] | None = None
    target_names: tuple[str, ...] | None = None
    files: tuple[Path, ...] = ()

    @property
    def n_samples(self) -> int:
        """How many samples there are."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """How many values a sample has."""
        return int(self.X.shape[1])

    @property
    def classes(self) -> NDArray:
        """The labels that occur, sorted."""
        return np.unique(self.y)

    @property
    def value_range(self) -> tuple[float, float]:
        """The smallest and the largest value in X."""
        return float(self.X.min()), float(self.X.max())

    def class_counts(self, rows: NDArray | None = None) -> dict[int | str, int]:
        """Count the samples of each class, in all rows or in some.

        >>> from mercer.datasets import load_dataset
        >>> load_dataset("iris").class_counts()
        {0: 50, 1: 50, 2: 50}
        """
        y = self.y if rows is None else self.y[rows]
        counts = dict.fromkeys(self.classes.tolist(), 0)
        labels, numbers = np.unique(y, return_counts=True)
        return counts | dict(zip(labels.tolist(), numbers.tolist()))

    def summary(self) -> dict[str, Any]:
        """Everything that can be said in a few lines, ready for JSON."""
        low, high = self.value_range
        parts = {"train": self.train, "test": self.test}
        return {
            "name": self.name,
            "n_samples": self.n_samples,
            "n_features": self.n_features,
            "dtype": str(self.X.dtype),
            "sparse": not isinstance(self.X, np.ndarray),
            "range": [low, high],
            "image_shape": list(self.image_shape) if self.image_shape else None,
            "class_counts": {str(k): n for k, n in self.class_counts().items()},
            "split": {
                part: {
                    "n_samples": len(rows),
                    "class_counts": {
                        str(k): n for k, n in self.class_counts(rows).items()
                    },
                }
                for part, rows in parts.items()
                if rows is not None
            }
            or None,
            "target_names": list(self.target_names) if self.target_names else None,
            "source": self.source,
            "licence": self.licence,
            "sha256": self.sha256,
            "files": [str(path) for path in self.files],
        }


def split_indices(
    n_train: int | None, n_samples: int
) -> tuple[NDArray[np.intp] | None, NDArray[np.intp] | None]:
    """Make the indices of training samples and then test samples.

    >>> split_indices(2, 3)
    (array([0, 1]), array([2]))
    """
    if n_train is None:
        return None, None
    return np.arange(n_train), np.arange(n_train, n_samples)
