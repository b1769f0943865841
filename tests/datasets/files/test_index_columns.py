"""Columns that number the samples: left out if pandas wrote them, else warned of."""

import numpy as np
import pytest

from mercer.datasets import check_dataset, load_dataset
from mercer.exceptions import DataError, ParameterError

VALUES = ["0.5,1.5", "2.5,0.5", "1.5,0.25", "3.5,1.25"] * 3
LABELS = ["a", "b", "b", "a"] * 3


def write(path, names, index):
    rows = [f"{i},{x},{y}" for i, x, y in zip(index, VALUES, LABELS)]
    path.write_text("\n".join([names, *rows]) + "\n")
    return path


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.csv"


@pytest.mark.parametrize("name", ["", '""', "Unnamed: 0"])
@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("label", ["class", "kind"])
def test_an_index_without_a_name_is_left_out(path, name, start, label):
    write(path, f"{name},x,z,{label}", range(start, start + 12))
    with pytest.warns(UserWarning, match="only numbers the rows, as pandas writes"):
        data = load_dataset(path)
    assert data.feature_names == ("x", "z")
    assert data.X[0].tolist() == [0.5, 1.5]
    assert data.y.tolist() == LABELS
    assert "left out" in data.warnings[0]
    assert "left out" in data.summary()["warnings"][0]


def test_the_index_of_a_shuffled_table_is_one_too(path):
    write(path, ",x,z,class", np.random.default_rng(0).permutation(12))
    with pytest.warns(UserWarning, match="it was left out"):
        assert load_dataset(path).n_features == 2


def test_an_index_of_an_index(path):
    index = [f"{i},{i}" for i in range(12)]
    write(path, ",Unnamed: 0,x,z,class", index)
    with pytest.warns(UserWarning, match="it was left out"):
        assert load_dataset(path).feature_names == ("x", "z")


def test_a_column_without_a_name_that_is_no_index_stays(path):
    write(path, ",x,z,class", [0.5] * 12)
    assert load_dataset(path).n_features == 3


@pytest.mark.parametrize("name", ["id", "ID", "index", "PassengerId", "sample_id"])
def test_a_column_called_id_stays_with_a_warning(path, name):
    write(path, f"{name},x,z,class", [7, 3, 9, 4, 1, 2, 5, 6, 8, 11, 10, 12])
    with pytest.warns(UserWarning, match=f"column 1 has the name .*--drop {name}"):
        data = load_dataset(path)
    assert data.feature_names == (name, "x", "z")
    data = load_dataset(path, drop=name)
    assert data.feature_names == ("x", "z")
    assert data.warnings == ()


@pytest.mark.parametrize("names", ["no,x,z,class", None])
def test_a_column_that_counts_stays_with_a_warning(path, names):
    write(path, names or "", range(100, 112))
    with pytest.warns(UserWarning, match="column 1 goes up by one with every sample"):
        data = load_dataset(path)
    assert data.n_features == 3
    states = [check.state for check in check_dataset(data) if check.what == "doubt"]
    assert states == ["unknown"]
    assert load_dataset(path, drop=0).n_features == 2


def test_arrays_that_count_are_warned_of_too(tmp_path):
    path = tmp_path / "data.npz"
    np.savez(path, X=np.c_[np.zeros(12), np.arange(12)], y=np.arange(12) % 2)
    with pytest.warns(UserWarning, match="feature 2 goes up by one .* without it"):
        load_dataset(path)
    with pytest.raises(DataError, match="columns are dropped from text tables only"):
        load_dataset(path, drop=1)


def test_columns_are_dropped_by_name_and_by_number(path):
    write(path, "id,x,z,class", range(12))
    assert load_dataset(path, drop=["id", "z"]).feature_names == ("x",)
    assert load_dataset(path, drop=(0, -2)).feature_names == ("x",)
    assert load_dataset(path, drop=("0",), label="last").n_features == 2
    assert load_dataset(path, drop="id").X.tolist() == (
        [[float(v) for v in row.split(",")] for row in VALUES]
    )


def test_words_can_be_dropped_and_lines_are_named_as_before(path):
    write(path, "name,x,z,class", [f"plant {i}" for i in range(12)])
    assert load_dataset(path, drop="name").n_features == 2
    path.write_text(path.read_text() + "plant 12,1,none,a\n")
    with pytest.raises(DataError, match="line 14, column 3, has no value"):
        load_dataset(path, drop="name")


@pytest.mark.parametrize(
    ("drop", "sentence"),
    [
        ("none", "there is no column 'none'; the names are: id, x, z, class"),
        (9, "there is no column 9; there are 4, from 0"),
        ("class", r"column 4 \(class\) holds the labels; do not drop it"),
        (["id", "x", "z"], "a label and at least one feature must be left"),
    ],
)
def test_columns_that_cannot_be_dropped(path, drop, sentence):
    write(path, "id,x,z,class", range(12))
    with pytest.raises(DataError, match=sentence):
        load_dataset(path, drop=drop, label="class")


def test_named_sets_are_loaded_as_they_are():
    with pytest.raises(ParameterError, match="leave out drop"):
        load_dataset("iris", drop=0)
