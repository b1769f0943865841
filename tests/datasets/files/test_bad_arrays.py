"""Arrays with something wrong: each gets a sentence, and nothing is loaded by half."""

import gzip
import io
import struct
import zipfile

import h5py
import numpy as np
import pytest

from made_files import (
    archive,
    check_sentence,
    hdf5,
    idx,
    npy,
    npy_with,
    npz,
    npz_with,
    undocumented,
)
from mercer.datasets import load_dataset
from mercer.exceptions import DataError

HUGE = "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999, 9999999), }"
X, Y = np.zeros((4, 2)), np.array([0, 1, 0, 1])


def lying_npy():
    """An NPZ whose array claims far more than it has."""
    honest = npy(np.zeros((4, 4)))
    return archive(X_dot_npy=honest.replace(b"(4, 4)", b"(9, 9)"), y_dot_npy=npy([1]))


def damaged_lzma():
    """An archive packed with LZMA, damaged in the middle of X."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_LZMA) as file:
        file.writestr("X.npy", npy(np.random.default_rng(0).normal(size=(99, 2))))
        file.writestr("y.npy", npy(np.arange(99)))
    content = bytearray(stream.getvalue())
    content[300:400] = bytes(100)
    return bytes(content)


# name: (content, options, the sentence after "FILE: ")
BAD = {
    # arrays that are not complete
    "cut.npz": (
        npz(X=X, y=Y)[:-40],
        {},
        "the NPZ or zip file is cut short or damaged; get it again.",
    ),
    "cut-images-idx3-ubyte": (
        idx((10, 4, 4), 100),
        {},
        "the IDX header says 10x4x4 values, which is 160 bytes, and there are 100; "
        "it is cut short.",
    ),
    "giant-images-idx3-ubyte": (
        idx((2**32 - 1, 2**16, 2**16), 100),
        {},
        "the IDX header says 4294967295x65536x65536 values, which is "
        "18446744069414584320 bytes, and there are 100; it is cut short.",
    ),
    "long-images-idx3-ubyte": (
        idx((1, 4, 4), 100),
        {},
        "the IDX header says 1x4x4 values, which is 16 bytes, and there are 100; "
        "there is more behind them.",
    ),
    "header-images-idx3-ubyte": (
        bytes([0, 0, 8, 3, 0, 0]),
        {},
        "the IDX file is cut short inside its header.",
    ),
    "lonely-images-idx3-ubyte": (
        idx((1, 4, 4), 16),
        {},
        "these are IDX images only; put lonely-labels-idx1-ubyte (or its .gz) next "
        "to it.",
    ),
    # arrays
    "no-y.npz": (
        npz(X=X, weights=Y),
        {},
        "there must be arrays X and y (or data and target), or x_train, y_train, "
        "x_test, y_test, or groups train and test; the arrays here are: X, weights.",
    ),
    "two-x.npz": (
        npz(X=X, data=X, y=Y),
        {},
        "the arrays X and data could both be X; keep one.",
    ),
    "lengths.npz": (
        npz(X=X, y=Y[:3]),
        {},
        "y has the shape (3,), and X has 4 samples; there must be one label for each "
        "sample.",
    ),
    "one-hot.npz": (
        npz(X=X, y=np.eye(4)),
        {},
        "y has the shape (4, 4), and X has 4 samples; there must be one label for each "
        "sample.",
    ),
    "widths.npz": (
        npz(x_train=X, y_train=Y, x_test=X[:, :1], y_test=Y),
        {},
        "training samples have 2 features and test samples 1.",
    ),
    "nan.npz": (
        npz(X=np.array([[1.0, 2.0], [3.0, np.nan]]), y=Y[:2]),
        {},
        "sample 2, feature 2, is NaN, which means a missing value; every value must be "
        "a finite number.",
    ),
    "objects.npz": (
        npz(X=X, y=np.array([{}, 1, 2, 3], dtype=object)),
        {},
        "the array y holds Python objects, which means a pickle; Mercer never opens "
        "pickles, so save it as numbers or as text.",
    ),
    "lying.npz": (
        lying_npy(),
        {},
        "the array X should have 648 bytes by its header and has 128; get the file "
        "again.",
    ),
    "words.npz": (
        npz(X=np.array([["a", "b"], ["c", "d"]]), y=Y[:2]),
        {},
        "X has the shape (2, 2) and the type <U1; it needs a row of numbers for each "
        "sample.",
    ),
    "no-samples.npz": (
        npz(X=np.zeros((0, 3)), y=np.zeros(0)),
        {},
        "the data have the shape 0x3.",
    ),
    "huge.npz": (
        npz_with(X=npy_with(3, HUGE)),
        {},
        "the array X should have 7999999199999920000008 bytes by its header and "
        "has 0; get the file again.",
    ),
    "latin.npz": (
        npz(X=X, y=np.array(["rosé".encode("latin-1"), b"lys"] * 2)),
        {},
        "y holds text that is not UTF-8; save it as UTF-8.",
    ),
    "no-unicode.npz": (
        npz_with(y=npy(np.array([65, 0x110000] * 2, "<u4").view("<U1"))),
        {},
        "y holds text that is not Unicode; get the file again.",
    ),
    "lzma.npz": (
        damaged_lzma(),
        {},
        "the array X is packed in a way that NumPy does not use; save it with "
        "numpy.savez_compressed.",
    ),
    "no-features-images-idx3-ubyte": (
        idx((0, 2**32 - 1, 2**32 - 1), 0),
        {},
        "these are IDX images only; put no-features-labels-idx1-ubyte (or its .gz) "
        "next to it.",
    ),
    "no-y.h5": (
        hdf5(train__data=X, test__data=X, test__target=Y),
        {},
        "there must be arrays X and y (or data and target), or x_train, y_train, "
        "x_test, y_test, or groups train and test; the arrays here are: test/data, "
        "test/target, train/data.",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_gets_its_sentence(name, tmp_path):
    check_sentence(tmp_path / name, *BAD[name])


@pytest.mark.parametrize(
    "member",
    [
        npy_with(1, "(((("),
        npy_with(1, "{[]:1}"),
        npy_with(2, "-" * 9000 + "1"),
        npy_with(9, HUGE),
        npy_with(1, HUGE)[:40],
        b"\x93NUMPY",
        b"",
    ],
    ids=["brackets", "unhashable", "deep", "version", "cut", "magic", "nothing"],
)
def test_an_array_with_an_impossible_header(tmp_path, member):
    path = tmp_path / "data.npz"
    path.write_bytes(npz_with(X=member))
    with pytest.raises(DataError, match=r"the array X is damaged \(.*\); get the file"):
        load_dataset(path)


def test_an_array_with_negative_sizes(tmp_path):
    path = tmp_path / "data.npz"
    header = HUGE.replace("99999999999999, 9999999", "-2, -1")
    path.write_bytes(npz_with(X=npy_with(1, header) + bytes(16)))
    with pytest.raises(
        DataError, match="should have 16 bytes by its header and has 16"
    ):
        load_dataset(path)


@pytest.mark.parametrize("cut", [100, 3000, 6000])
def test_hdf5_cut_short(tmp_path, cut):
    path = tmp_path / "cut.h5"
    path.write_bytes(hdf5(X=np.zeros((100, 9)), y=np.arange(100))[:cut])
    with pytest.raises(DataError, match="the HDF5 file is cut short or damaged"):
        load_dataset(path)


def test_hdf5_that_leads_out_of_the_file(tmp_path):
    outside = tmp_path / "outside.h5"
    with h5py.File(outside, "w") as file:
        file["X"], file["y"] = X, Y
    path = tmp_path / "links.h5"
    with h5py.File(path, "w") as file:
        file["X"] = h5py.ExternalLink(str(outside), "/X")
        file["y"] = Y
    with pytest.raises(DataError, match="the arrays here are: y"):
        load_dataset(path)
    path = tmp_path / "virtual.h5"
    with h5py.File(path, "w") as file:
        layout = h5py.VirtualLayout(shape=X.shape, dtype=X.dtype)
        layout[:] = h5py.VirtualSource(str(outside), "X", shape=X.shape)
        file.create_virtual_dataset("X", layout)
        file["y"] = Y
    with pytest.raises(DataError, match="the array X lies in other files"):
        load_dataset(path)


def test_hdf5_with_a_heap_that_never_ends(tmp_path):
    """HDF5 itself would read on for ever, where Python cannot interrupt it."""
    content = bytearray(hdf5(X=X, y=["rose", "lys", "rose", "lys"]))
    heap = content.index(b"GCOL")
    content[heap + 16 : heap + 32] = bytes(16)
    path = tmp_path / "data.h5"
    path.write_bytes(content)
    with pytest.raises(DataError, match="a heap of texts in the HDF5 file is damaged"):
        load_dataset(path)


def test_hdf5_with_texts_longer_than_the_file(tmp_path):
    content = hdf5(X=X, y=["rose", "lys", "rose", "lys"])
    heap = struct.pack("<Q", content.index(b"GCOL"))
    reference = content.index(struct.pack("<I", 4) + heap)
    path = tmp_path / "data.h5"
    path.write_bytes(
        content[:reference] + struct.pack("<I", 2**31) + content[reference + 4 :]
    )
    with pytest.raises(DataError, match="the array y has texts longer than the file"):
        load_dataset(path)


def test_arrays_that_unpack_to_too_much(tmp_path, monkeypatch):
    monkeypatch.setenv("MERCER_MEMORY_BUDGET", "1MB")
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, X=np.zeros((2**10, 2**9)), y=np.zeros(2**10))
    with pytest.raises(DataError, match=r"the arrays unpack to 4.01 MB"):
        load_dataset(path)
    path = tmp_path / "bomb.h5"
    with h5py.File(path, "w") as file:
        # No values are stored: a few bytes that claim 8 TB.
        file.create_dataset("X", (2**20, 2**20), "f8", chunks=(2**10, 2**10))
        file.create_dataset("y", (2**20,), "i8", chunks=True)
    with pytest.raises(DataError, match="the array X takes 8 TB"):
        load_dataset(path)


def test_images_and_labels_that_do_not_belong_together(tmp_path):
    images = tmp_path / "train-images-idx3-ubyte"
    images.write_bytes(idx((5, 2, 2), 20))
    (tmp_path / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx((4,), 4)))
    with pytest.raises(DataError) as raised:
        load_dataset(images)
    assert str(raised.value) == (
        f"{images}: there are 5 images, and 4 labels in train-labels-idx1-ubyte.gz; "
        "the two do not belong together."
    )


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (bytes([0, 0, 0x77, 1]) + bytes(8), "this is a binary file of a kind that"),
        (bytes([0, 0, 8, 99]) + bytes(4 * 99), "this is a binary file of a kind that"),
        (b"0,1\n", "this is not an IDX file"),
        (bytes([0, 0, 8]), "this is a binary file of a kind that"),
        (idx((0, 2**32 - 1, 2**32 - 1), 0), "images need two or three dimensions"),
        (idx((0,), 0), "there are 5 images, and 0 labels"),
    ],
    ids=["type", "dimensions", "text", "short", "images", "none"],
)
def test_a_partner_that_is_no_file_of_labels(tmp_path, labels, sentence):
    images = tmp_path / "train-images-idx3-ubyte"
    images.write_bytes(idx((5, 2, 2), 20))
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(labels)
    with pytest.raises(DataError, match=sentence):
        load_dataset(images)


@pytest.mark.parametrize("shape", [(0, 2**32 - 1, 2**32 - 1), (5, 0, 2**32 - 1)])
def test_images_without_pixels(tmp_path, shape):
    images = tmp_path / "train-images-idx3-ubyte"
    images.write_bytes(idx(shape, 0))
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(idx(shape[:1], shape[0]))
    with pytest.raises(DataError, match="the data have the shape"):
        load_dataset(images)


def test_the_documentation_has_every_sentence():
    assert undocumented(BAD) == []
