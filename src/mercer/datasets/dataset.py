"""A data set: samples, labels, and where they come from."""

import hashlib
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer.datasets.files import printable


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
    notes, warnings : tuple of str
        How a file was understood, and what is doubtful about it.
    categorical : tuple of int
        The features that are words; X is then an array of objects.
    missing : str
        What shall become of missing values, as `load_dataset` was told.
    rows_in_file : ndarray of int or None
        The numbers of the samples in the file, where others were left out.
    read_with : tuple of (str, value)
        Which options have changed what was read.
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
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    categorical: tuple[int, ...] = ()
    missing: str = "error"
    rows_in_file: NDArray[np.intp] | None = None
    read_with: tuple[tuple[str, Any], ...] = ()

    @classmethod
    def from_arrays(cls, X: NDArray, y: NDArray, **about: Any) -> Self:
        """Make a data set without files and without a split."""
        checksum = array_checksum(X, y)
        return cls(X=X, y=y, train=None, test=None, sha256=checksum, **about)

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
        """The smallest and the largest number in X."""
        return range_of(self.X, self.categorical)

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
        parts = {"train": self.train, "test": self.test}
        return {
            "name": self.name,
            "n_samples": self.n_samples,
            "n_features": self.n_features,
            "dtype": str(self.X.dtype),
            "sparse": not isinstance(self.X, np.ndarray),
            "range": list(self.value_range),
            "image_shape": list(self.image_shape) if self.image_shape else None,
            "class_counts": self._counts_by_name(),
            "split": {
                part: {
                    "n_samples": len(rows),
                    "class_counts": self._counts_by_name(rows),
                }
                for part, rows in parts.items()
                if rows is not None
            }
            or None,
            "target_names": list(self.target_names) if self.target_names else None,
            "source": self.source,
            "licence": self.licence,
            "sha256": self.sha256,
            "files": [printable(path) for path in self.files],
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }

    def _counts_by_name(self, rows: NDArray | None = None) -> dict[str, int]:
        return {str(label): n for label, n in self.class_counts(rows).items()}


def range_of(X: Any, categorical: Sequence[int] = ()) -> tuple[float, float]:
    """The smallest and the largest number, without features that are words.

    >>> range_of(np.array([[1.5, "oak"], [np.nan, "elm"]], object), [1])
    (1.5, 1.5)
    """
    if not isinstance(X, np.ndarray):
        return float(X.min()), float(X.max())
    numbers = np.delete(X, list(categorical), axis=1) if len(categorical) else X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where there are none
        values = numbers.astype(np.float64) if X.dtype == object else numbers
        if not values.size:
            return np.nan, np.nan
        return float(np.nanmin(values)), float(np.nanmax(values))


def combine_checksums(checksums: Sequence[str]) -> str:
    """Make one checksum of several: that of the list, a line each.

    >>> combine_checksums(["abc"])
    'abc'
    >>> combine_checksums(["abc", "def"])[:8]
    '924d391c'
    """
    if len(checksums) == 1:
        return checksums[0]
    lines = "".join(f"{checksum}\n" for checksum in checksums)
    return hashlib.sha256(lines.encode()).hexdigest()


def array_checksum(X: NDArray, y: NDArray) -> str:
    """Make the checksum of X and y, the same on every machine."""
    digest = hashlib.sha256()
    for array in (X, y):
        little = array.dtype.newbyteorder("<")
        digest.update(np.ascontiguousarray(array, dtype=little).tobytes())
    return digest.hexdigest()
