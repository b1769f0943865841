"""Good files of every format, packed and plain, under a name that says nothing."""

import bz2
import gzip
import hashlib
import struct

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from made_files import hdf5, npz
from mercer.datasets import load_dataset
from mercer.exceptions import DataError, ParameterError

X = np.array([[0.5, -1.25], [2.0, 0.0], [3.5, 1e-3]])
Y = np.array([4, 9, 4])

PACKINGS = {"plain": bytes, "gzip": gzip.compress, "bzip2": bz2.compress}


ROWS = [("0.5", "-1.25", "4"), ("2", "0", "9"), ("3.5", "1e-3", "4")]


def table(separator, end="\n", label="last"):
    rows = ROWS if label == "last" else [(c, a, b) for a, b, c in ROWS]
    return "".join(separator.join(row) + end for row in rows).encode()


GOOD = {
    "comma": table(","),
    "semicolon": table(";"),
    "tab": table("\t"),
    "bar": table("|"),
    "spaces": table("   "),
    "spaced comma": table(" , "),
    "colon": table(":"),
    "caret": table("^"),
    "CRLF": table(",", "\r\n"),
    "old Mac line ends": table(",", "\r"),
    "byte order mark": b"\xef\xbb\xbf" + table(","),
    "label first": table(",", label="first"),
    "trailing space": table(" ", " \n"),
    "blank lines": table(",").replace(b"\n", b"\n\n"),
    "no last newline": table(",")[:-1],
    "quoted": b'"0.5","-1.25","4"\n"2","0","9"\n"3.5","1e-3","4"\n',
    "header": b"a,b,Class\n" + table(","),
    "header, label in the middle": b"a,target,b\n0.5,4,-1.25\n2,9,0\n3.5,4,1e-3\n",
    "numbered header": b"0,1,label\n" + table(","),
    "comment header": b"# a,b,c\n" + table(","),
    "labels as decimals": table(",").replace(b",4\n", b",4.0000\n"),
    "LIBSVM": b"4 1:0.5 2:-1.25\n9 1:2 # note\n\n4 1:3.5 2:1e-3\n",
    "LIBSVM from 0": b"4 0:0.5 1:-1.25\n9 0:2\n4 0:3.5 1:1e-3\n",
    "npz X y": npz(X=X, y=Y),
    "npz data target": npz(data=X, target=Y.astype(float), other=X),
    "npz column of labels": npz(X=X, y=Y[:, None]),
    "hdf5 X y": hdf5(X=X, y=Y),
    "hdf5 data labels": hdf5(data=X, labels=Y.astype(np.uint8)),
    "hdf5 group": hdf5(train__data=X, train__target=Y),
}


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("name", GOOD)
def test_every_format_gives_the_same_samples(name, packing, tmp_path):
    path = tmp_path / "a file"
    path.write_bytes(PACKINGS[packing](GOOD[name]))
    data = load_dataset(path)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, Y)
    assert data.y.dtype == np.int64
    assert data.X.dtype == np.float64
    assert data.target_names == ("4", "9")
    assert data.train is data.test is None
    assert data.files == (path,)


@pytest.mark.parametrize("make", [npz, hdf5])
def test_arrays_with_a_split(make, tmp_path):
    path = tmp_path / "data"
    arrays = {"x_train": X, "y_train": Y, "x_test": X[:1], "y_test": Y[:1]}
    path.write_bytes(make(**arrays))
    data = load_dataset(path)
    assert data.X.shape == (4, 2)
    assert data.train.tolist() == [0, 1, 2]
    assert data.test.tolist() == [3]


def test_arrays_of_images_and_small_types(tmp_path):
    path = tmp_path / "data"
    images = np.arange(24, dtype=np.uint8).reshape(4, 2, 3, 1)
    path.write_bytes(npz(images=images, labels=np.array(["a", "b", "a", "b"])))
    data = load_dataset(path)
    assert data.image_shape == (2, 3)
    assert data.X.dtype == np.float32
    assert data.X[1].tolist() == [6, 7, 8, 9, 10, 11]
    assert data.y.tolist() == ["a", "b", "a", "b"]


def test_hdf5_with_words_as_labels(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(hdf5(X=X.astype(np.float32), y=["rose", "lys", "rose"]))
    data = load_dataset(path)
    assert data.class_counts() == {"lys": 1, "rose": 2}
    assert data.X.dtype == np.float32


@pytest.mark.parametrize(
    "storage", [{}, {"chunks": (2,)}, {"compression": "gzip"}, {"maxshape": (None,)}]
)
def test_hdf5_with_words_of_any_length(tmp_path, storage):
    path = tmp_path / "data"
    with h5py.File(path, "w") as file:
        file["X"] = X
        words = np.array(["rosé", "lys", "rosé"], dtype=object)
        file.create_dataset("y", data=words, dtype=h5py.string_dtype(), **storage)
    assert load_dataset(path).y.tolist() == ["rosé", "lys", "rosé"]


def test_labels_keep_their_line_breaks(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b'1.5,"a\nb"\n2.5,ab\n3.5,"a\nb"\n')
    assert load_dataset(path).class_counts() == {"a\nb": 2, "ab": 1}


@pytest.mark.parametrize("end", ["", ".gz"])
@pytest.mark.parametrize("dot", ["-", "."])
def test_idx_pairs(tmp_path, end, dot):
    pack = gzip.compress if end else bytes
    images = tmp_path / f"train-images{dot}idx3-ubyte{end}"
    images.write_bytes(
        pack(bytes([0, 0, 8, 3]) + struct.pack(">3I", 3, 2, 2) + bytes(range(12)))
    )
    labels = tmp_path / "train-labels-idx1-ubyte"
    labels.write_bytes(bytes([0, 0, 8, 1]) + struct.pack(">I", 3) + bytes([7, 1, 7]))
    data = load_dataset(images)
    assert data.X.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert data.y.tolist() == [7, 1, 7]
    assert data.image_shape == (2, 2)
    assert data.files == (images, labels)


def test_idx_of_floats(tmp_path):
    path = tmp_path / "images"
    path.write_bytes(
        bytes([0, 0, 0x0D, 2])
        + struct.pack(">2I", 2, 2)
        + struct.pack(">4f", *range(4))
    )
    (tmp_path / "labels").write_bytes(bytes([0, 0, 8, 1, 0, 0, 0, 2, 1, 0]))
    data = load_dataset(path)
    assert data.X.tolist() == [[0, 1], [2, 3]]
    assert data.image_shape is None


def test_sparse_stays_sparse_and_dense_on_demand(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b"+1 1:1\n-1 40:2\n")
    data = load_dataset(path)
    assert data.X.format == "csr"
    assert data.X.shape == (2, 40)
    assert data.y.tolist() == [1, -1]
    assert load_dataset(path, n_features=50).X.shape == (2, 50)
    assert load_dataset(path, dense=True).X[1, 39] == 2
    path.write_bytes(b"+1 1:1 2:2\n-1 2:2\n")
    assert isinstance(load_dataset(path).X, np.ndarray)
    assert load_dataset(path, dense=False).X.nnz == 3


def test_words_as_labels_and_names(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b"5.1,3.5,Iris-setosa\n4.9,3.0,Iris-virginica\n")
    assert load_dataset(path).y.tolist() == ["Iris-setosa", "Iris-virginica"]
    path.write_bytes(b'"sepal length","a ""b"", c",kind\n1,2,"x, y"\n3,4,z\n')
    data = load_dataset(path, label="kind")
    assert data.y.tolist() == ["x, y", "z"]
    assert data.feature_names == ("sepal length", 'a "b", c')


@pytest.mark.parametrize(
    ("label", "y"), [("first", [1, 0]), ("last", [0, 1]), (1, [7, 8]), (-2, [7, 8])]
)
def test_the_label_column_asked_for(tmp_path, label, y):
    path = tmp_path / "data"
    path.write_bytes(b"1,7,0\n0,8,1\n")
    data = load_dataset(path, label=label)
    assert data.y.tolist() == y
    assert data.X.shape == (2, 2)


def test_a_column_name_goes_before_a_number(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b"a,0,b\n1,7,0\n0,8,1\n")
    assert load_dataset(path, label="0").y.tolist() == [7, 8]
    assert load_dataset(path, label="2").y.tolist() == [0, 1]


def test_lines_are_counted_as_an_editor_counts_them(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b'# note\r\n\r\na,b,label\r\n1,2,"two\r\nlines"\r\n1,x,z\r\n')
    with pytest.raises(DataError, match="line 6, column 2, is 'x'"):
        load_dataset(path)


def test_header_and_separator_can_be_said(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b"3.5 7.5 1\n1 2 0\n3 4 1\n")
    assert load_dataset(path, label="last").n_samples == 3
    assert load_dataset(path, label="last", header=True).n_samples == 2
    path.write_bytes(b"1.5%2%0\n3.5%4%1\n")
    assert load_dataset(path, separator="%").X.shape == (2, 2)


def test_options_that_contradict_each_other(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b"1.5,2,0\n3.5,4,1\n")
    with pytest.raises(ParameterError, match="contradict each other"):
        load_dataset(path, image_shape=(1, 2), n_features=3)
    with pytest.raises(ParameterError, match="give height and width"):
        load_dataset(path, image_shape=(0, 2))
    with pytest.raises(ParameterError, match="give one character"):
        load_dataset(path, separator=", ")


def test_checksums_are_of_the_bytes_as_stored(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(b"1.5,2,0\n3.5,4,1\n")
    assert load_dataset(path).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert load_dataset(path).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("name", GOOD)
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_a_damaged_file_is_loaded_whole_or_refused(name, tmp_path, data):
    """Whatever happens to a file, it is read soundly or refused with a sentence."""
    content = bytearray(GOOD[name])
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    path = tmp_path / "a file"
    path.write_bytes(content[: data.draw(st.integers(1, len(content)))])
    try:
        loaded = load_dataset(path)
    except DataError:
        return
    assert loaded.X.shape[0] == len(loaded.y)
    assert np.isfinite(loaded.value_range).all()
