"""USPS and MNIST from the data folder: values 0 to 1, zipcombo -1 to 1."""

from pathlib import Path
from typing import Any

import numpy as np

from mercer.datasets.dataset import Dataset
from mercer.datasets.files import ReadOptions
from mercer.datasets.folder import FETCHED, find_files
from mercer.datasets.from_files import load_known

_HULL = (
    "J. J. Hull, A database for handwritten text recognition research, "
    "IEEE PAMI 16(5), 1994"
)
_ESL = f"{_HULL}; as prepared for The Elements of Statistical Learning"
_SIGNED = ReadOptions(
    label="first", image_shape=(16, 16), labels=range(10), value_range=(-1, 1)
)
_UNSIGNED = ReadOptions(image_shape=(16, 16), labels=range(10), value_range=(0, 1))


def load_usps() -> Dataset:
    """Load USPS, 7291 training and 2007 test images, values 0 to 1.

    From ``usps.h5``, else from ``zip.train`` and ``zip.test`` as (value + 1) / 2, which
    gives the same numbers, else from what ``mercer data fetch usps`` brought, whose
    pixels need not be the same.
    """
    paths = find_files("usps")
    signed = len(paths) == 2
    return load_known(
        "usps",
        paths,
        _SIGNED if signed else _UNSIGNED,
        _from_signed if signed else _to_float32,
        image_shape=(16, 16),
        source=f"{_HULL}; through OpenML" if _was_fetched("usps", paths) else _ESL,
        licence="not stated",
    )


def load_zipcombo() -> Dataset:
    """Load the 9298 images of USPS, training then test, values -1 to 1."""
    return load_known(
        "zipcombo",
        find_files("zipcombo"),
        _SIGNED,
        _to_float32,
        image_shape=(16, 16),
        source=_ESL,
        licence="not stated",
    )


def load_mnist() -> Dataset:
    """Load MNIST, 60000 training and 10000 test images, values 0 to 1."""
    paths = find_files("mnist")
    if not _was_fetched("mnist", paths):
        # Each file of images brings the labels next to it.
        paths = paths[::2]
    return load_known(
        "mnist",
        paths,
        ReadOptions(image_shape=(28, 28), labels=range(10), value_range=(0, 255)),
        _from_bytes,
        image_shape=(28, 28),
        source="Y. LeCun, C. Cortes and C. J. C. Burges, The MNIST database of "
        "handwritten digits, 1998",
        licence="CC BY-SA 3.0",
    )


def _was_fetched(name: str, paths: tuple[Path, ...]) -> bool:
    return paths[0].name == Path(FETCHED[name]).name


def _to_float32(X: Any) -> Any:
    return X.astype(np.float32, copy=False)


def _from_signed(X: Any) -> Any:
    return (X.astype(np.float32) + 1) / 2


def _from_bytes(X: Any) -> Any:
    X = X.astype(np.float32, copy=False)
    X /= np.float32(255)
    return X
