"""Every real file: shapes, class counts, ranges, and how the files relate."""

import bz2
import gzip
import shutil
from functools import cache

import numpy as np
import pytest

from mercer.datasets import check_dataset, load_dataset
from mercer.datasets.folder import describe_missing, is_available

USPS_TRAIN = [1194, 1005, 731, 658, 652, 556, 664, 645, 542, 644]
USPS_TEST = [359, 264, 198, 166, 200, 160, 170, 147, 166, 177]
MNIST_TEST = [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]

FILES = {
    "usps/usps.h5": ((9298, 256), (0, 1), np.add(USPS_TRAIN, USPS_TEST), (16, 16)),
    "usps/zip.train.gz": ((7291, 256), (-1, 1), USPS_TRAIN, (16, 16)),
    "usps/zip.test.gz": ((2007, 256), (-1, 1), USPS_TEST, (16, 16)),
    "usps/zipcombo.dat.gz": (
        (9298, 256),
        (-1, 1),
        np.add(USPS_TRAIN, USPS_TEST),
        (16, 16),
    ),
    "usps/usps.t.bz2": ((2007, 256), (-1, 1), USPS_TEST, (16, 16)),
    "mnist/mnist_test.csv.gz": ((10000, 784), (0, 255), MNIST_TEST, (28, 28)),
    "mnist/t10k-images-idx3-ubyte.gz": (
        (10000, 784),
        (0, 255),
        MNIST_TEST,
        (28, 28),
    ),
    "mnist/t10k-labels-idx1-ubyte.gz": (
        (10000, 784),
        (0, 255),
        MNIST_TEST,
        (28, 28),
    ),
    "spoofing/trainData.txt": (
        (6000, 6),
        (-4.543690032990292, 4.695577403748618),
        [2990, 3010],
        None,
    ),
    "spoofing/evalData.txt": (
        (6000, 6),
        (-4.982620740773327, 4.9801553946946155),
        [3010, 2990],
        None,
    ),
}


#: Of the files as they are, which several tests look at.
load_once = cache(load_dataset)


@pytest.mark.parametrize("place", FILES)
def test_a_file_by_its_path(data_folder, place):
    shape, limits, counts, image_shape = FILES[place]
    data = load_once(data_folder / place)
    assert data.X.shape == shape
    assert data.value_range == limits
    assert list(data.class_counts().values()) == list(counts)
    assert data.image_shape == image_shape
    assert data.y.dtype == np.int64
    assert isinstance(data.X, np.ndarray)


@pytest.mark.parametrize(
    ("name", "shape", "limits", "dtype", "n_train"),
    [
        ("usps", (9298, 256), (0, 1), np.float32, 7291),
        ("zipcombo", (9298, 256), (-1, 1), np.float32, 7291),
        ("mnist", (70000, 784), (0, 1), np.float32, 60000),
        ("fashion-mnist", (70000, 784), (0, 1), np.float32, 60000),
        ("spoofing", (12000, 6), None, np.float64, 6000),
    ],
)
def test_a_named_set(data_folder, name, shape, limits, dtype, n_train):
    if name == "fashion-mnist" and not is_available(name):  # a package of Debian's
        pytest.skip(describe_missing(name))
    data = load_dataset(name)
    assert data.X.shape == shape
    assert data.X.dtype == dtype
    assert limits is None or data.value_range == limits
    assert data.train.tolist() == list(range(n_train))
    assert data.test.tolist() == list(range(n_train, shape[0]))
    assert {check.state for check in check_dataset(data)} == {"ok"}


def test_the_three_spellings_of_usps_agree(data_folder):
    train = load_once(data_folder / "usps" / "zip.train.gz")
    test = load_once(data_folder / "usps" / "zip.test.gz")
    usps, zipcombo = load_once("usps"), load_once("zipcombo")
    both = np.concatenate([train.X, test.X]).astype(np.float32)
    labels = np.concatenate([train.y, test.y])
    np.testing.assert_array_equal(zipcombo.X, both)
    np.testing.assert_array_equal(zipcombo.y, labels)
    np.testing.assert_array_equal(usps.X, (both + 1) / 2)
    np.testing.assert_array_equal(usps.y, labels)
    assert list(usps.class_counts(usps.train).values()) == USPS_TRAIN
    assert list(usps.class_counts(usps.test).values()) == USPS_TEST


def test_usps_and_zipcombo_from_the_zip_files(data_folder, tmp_path, monkeypatch):
    usps, zipcombo = load_once("usps"), load_once("zipcombo")
    for part in ("train", "test"):
        packed = (data_folder / "usps" / f"zip.{part}.gz").read_bytes()
        # Flat in the folder, one of them under another packing.
        text = gzip.decompress(packed)
        place = tmp_path / (f"zip.{part}" if part == "train" else f"zip.{part}.bz2")
        place.write_bytes(text if part == "train" else bz2.compress(text, 1))
    monkeypatch.setenv("MERCER_DATA", str(tmp_path))
    np.testing.assert_array_equal(load_dataset("usps").X, usps.X)
    np.testing.assert_array_equal(load_dataset("zipcombo").X, zipcombo.X)
    assert {check.state for check in check_dataset(load_dataset("usps"))} == {"ok"}


def test_mnist_unpacked_with_dotted_names(data_folder, tmp_path, monkeypatch):
    for source in (data_folder / "mnist").glob("*ubyte.gz"):
        name = source.name.removesuffix(".gz").replace("-idx", ".idx")
        (tmp_path / name).write_bytes(gzip.decompress(source.read_bytes()))
    monkeypatch.setenv("MERCER_DATA", str(tmp_path))
    data = load_dataset("mnist")
    assert {check.state for check in check_dataset(data)} == {"ok"}


def test_the_csv_and_the_idx_files_hold_the_same_images(data_folder):
    table = load_once(data_folder / "mnist" / "mnist_test.csv.gz")
    idx = load_once(data_folder / "mnist" / "t10k-images-idx3-ubyte.gz")
    np.testing.assert_array_equal(table.X, idx.X)
    np.testing.assert_array_equal(table.y, idx.y)


def test_names_do_not_matter(data_folder, tmp_path):
    disguised = tmp_path / "table.csv"
    shutil.copyfile(data_folder / "usps" / "usps.t.bz2", disguised)
    data = load_dataset(disguised)
    assert data.X.shape == (2007, 256)
    assert sorted(data.class_counts()) == list(range(1, 11))


def test_mnist_csv_with_header_and_crlf(data_folder, tmp_path):
    packed = (data_folder / "mnist" / "mnist_test.csv.gz").read_bytes()
    lines = gzip.decompress(packed).decode().splitlines()[:300]
    header = ",".join(["label", *(f"{i}x{j}" for i in range(28) for j in range(28))])
    path = tmp_path / "mnist.csv"
    path.write_bytes("\r\n".join([header, *lines, ""]).encode())
    data = load_dataset(path)
    whole = load_once(data_folder / "mnist" / "mnist_test.csv.gz")
    np.testing.assert_array_equal(data.X, whole.X[:300])
    assert data.feature_names[0] == "0x0"


def test_a_file_cut_at_a_line_end_is_not_taken_for_the_named_set(
    data_folder, tmp_path, monkeypatch
):
    text = gzip.decompress((data_folder / "usps" / "zipcombo.dat.gz").read_bytes())
    lines = text.splitlines(keepends=True)
    (tmp_path / "zipcombo.dat").write_bytes(b"".join(lines[:9000]))
    monkeypatch.setenv("MERCER_DATA", str(tmp_path))
    with pytest.raises(ValueError, match="9000 samples where zipcombo has 9298"):
        load_dataset("zipcombo")


def test_a_changed_pixel_fails_the_check(data_folder, tmp_path, monkeypatch):
    text = gzip.decompress((data_folder / "usps" / "zipcombo.dat.gz").read_bytes())
    (tmp_path / "zipcombo.dat").write_bytes(text.replace(b"0.8620", b"0.8621", 1))
    monkeypatch.setenv("MERCER_DATA", str(tmp_path))
    states = {c.what: c.state for c in check_dataset(load_dataset("zipcombo"))}
    assert states.pop("checksum of zipcombo.dat") == "failed"
    assert set(states.values()) == {"ok"}
