"""A table of bad files: each gets one sentence, and nothing is loaded by half."""

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import sqlite3
import struct
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest

from made_files import archive, hdf5, idx, npy, npy_with, npz, npz_with, zip_text
from mercer.datasets import load_dataset
from mercer.exceptions import DataError

PICKLES = "Mercer never opens pickles, since opening one runs code; save arrays as NPZ."
NO_VALUE = (
    "has no value; have such gaps filled in with missing='median' (--missing median), "
    "or their rows left out with missing='drop-rows' (--missing drop-rows)."
)
ASK = (
    "say which with label='first' or label='last' (--label first, --label last), or "
    "that there are none with label='none' (--label none)."
)


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


HUGE = "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999, 9999999), }"
TABLE = b"1.5,2.5,0\n0.5,1.5,1\n2.5,0.5,0\n"
X, Y = np.zeros((4, 2)), np.array([0, 1, 0, 1])

# name: (content, options, the sentence after "FILE: ")
BAD = {
    # nothing, or not all of it
    "empty.csv": (b"", {}, "the file is empty; get it again from where it came from."),
    "empty.gz": (
        gzip.compress(b""),
        {},
        "there is nothing inside the packed file; get it again.",
    ),
    "blank.csv": (
        b"\n  \n# nothing\n\n",
        {},
        "there are only blank lines and comments in the file.",
    ),
    "header-only.csv": (
        b"a,b,label\n",
        {"header": True},
        "there is a header and no data below it.",
    ),
    "cut.csv.gz": (
        gzip.compress(TABLE * 2000)[:-20],
        {},
        "the gzip file is cut short; get it again, whole.",
    ),
    "cut.csv.bz2": (
        bz2.compress(TABLE * 2000)[:-20],
        {},
        "the bzip2 file is cut short; get it again, whole.",
    ),
    "twice.gz": (
        gzip.compress(gzip.compress(TABLE)),
        {},
        "the file is packed twice; unpack it once.",
    ),
    "cut.npz": (
        npz(X=X, y=Y)[:-40],
        {},
        "the NPZ or zip file is cut short or damaged; get it again.",
    ),
    "cut.zip.train": (
        zip_text()[:-900],
        {},
        "line 3 has 145 values where the lines before have 257; it is the last line, "
        "so the file is cut short.",
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
    # tables with something wrong in a line
    "uneven.csv": (
        b"1,2,0\n3,4,1\n5,1\n6,7,0\n",
        {},
        "line 3 has 2 values where the lines before have 3; every line needs the "
        "same number.",
    ),
    "header-short.csv": (
        b"a,b,label\n1,2,3,0\n1,2,3,1\n",
        {},
        "line 2 has 4 values where the header has 3 names; every line needs the same "
        "number.",
    ),
    "word.csv": (
        b"1.5,2,0\n1.5,x2,1\n2.5,3,0\n",
        {},
        "line 2, column 2, is 'x2', which is not a number.",
    ),
    "word-in-first-line.csv": (
        b"1.5,x2,0\n1.5,2,1\n2.5,3,0\n",
        {},
        "line 1, column 2, is 'x2', which is not a number.",
    ),
    "missing.csv": (
        b"a,b,label\n1.5,2,0\n1.5,,1\n2.5,3,0\n",
        {},
        f"line 3, column 2, {NO_VALUE}",
    ),
    "missing-in-first-line.csv": (
        b"1.5,,0\n1.5,2.5,1\n2.5,3,0\n",
        {},
        f"line 1, column 2, {NO_VALUE}",
    ),
    "comma.csv": (
        b"1,5;2,5;0\n3,5;4,5;1\n",
        {"label": "last"},
        "line 1, column 1, is '1,5'; write decimals with a point.",
    ),
    "underscore.csv": (
        b"1.5,1_000,0\n2.5,2,1\n",
        {},
        "line 1, column 2, is '1_000', which is not a number.",
    ),
    "nan.csv": (
        b"\n1.5,2.5,0\n1.5,nan,1\n2.5,3.5,0\n",
        {},
        "line 3, column 2, is NaN, which means a missing value; every value must be a "
        "finite number.",
    ),
    "infinite.csv": (
        b"label,a,b\n0,1,2\n1,3,1e999\n",
        {},
        "line 3, column 3, is inf; every value must be a finite number.",
    ),
    "no-label.csv": (
        b"a,b,label\n1,2,0\n3,4,\n5,6,1\n",
        {},
        "line 3 has no label; every sample needs one.",
    ),
    "guessed-label.csv": (
        b"a,b,colour\n1.5,2,red\n3.5,4,\n5.5,6,blue\n2.5,8,red\n",
        {},
        "line 3 has no label in column 3 (colour), which looks like the labels; name "
        "their column with label= (--label), or 'none' where there are none.",
    ),
    "mixed-labels.csv": (
        b"a,b,label\n1,2,0\n3,4,rose\n5,6,1\n",
        {},
        "line 3 has the label 'rose' and line 2 has '0'; labels are all numbers or "
        "all words.",
    ),
    "fraction.csv": (
        b"a,b,label\n1,2,0\n3,4,0.5\n",
        {},
        "line 3 has the label 0.5; labels are whole numbers or words.",
    ),
    "outside.csv": (
        TABLE,
        {"labels": (1, 2)},
        "line 1 has the label 0, which is not one of 1, 2.",
    ),
    "ambiguous.csv": (
        b"0,1.5,1\n1,2.5,0\n0,3.5,1\n",
        {},
        f"both the first and the last column look like class labels; {ASK}",
    ),
    "no-classes.csv": (
        b"0.1,1.5,1.5\n1.2,2.5,0.2\n0.3,3.5,1.6\n",
        {},
        f"neither the first nor the last column looks like class labels; {ASK}",
    ),
    "two-labels.csv": (
        b"label,a,class\n0,1.5,1\n1,2.5,0\n",
        {},
        "the columns 'label' and 'class' could both hold the labels; pass label=.",
    ),
    "no-column.csv": (
        b"a,b,c\n1,2,0\n3,4,1\n",
        {"label": "kind"},
        "there is no column 'kind'; the names are: a, b, c.",
    ),
    "column-7.csv": (
        TABLE,
        {"label": 7},
        "there is no column 7; there are 3, from 0.",
    ),
    "one-column.csv": (
        b"1\n2\n3\n",
        {},
        "line 1 has one value only; a table needs a label and at least one feature in "
        "each line, with a separator between them.",
    ),
    "index.csv": (
        b",a,b,label\n0,1.5,2,0\n1,3,4,1\n",
        {"label": "first"},
        "the first column has no name and only counts the rows, as pandas writes its "
        "index; save the table without it (index=False).",
    ),
    "quote.csv": (
        b'1,2,"a\n3,4,"b\n',
        {},
        "line 1 is not well quoted (',' expected after '\"').",
    ),
    "latin.csv": (
        "1.5,2,rosé\n2.5,3,lys\n".encode("latin-1"),
        {},
        "line 1 is not UTF-8 text; save the file as UTF-8.",
    ),
    # images
    "pixels.csv": (
        TABLE,
        {"image_shape": (2, 2)},
        "line 1 has 2 values beside the label where 2x2 = 4 pixels are expected.",
    ),
    "zip.pixels": (
        zip_text(width=256, _1_0="4"),
        {"image_shape": (16, 16), "label": "first"},
        "line 1 has 255 values beside the label where 16x16 = 256 pixels are expected.",
    ),
    "zip.label": (
        zip_text(_1_0="12.0000"),
        {},
        "line 2 has the label 12, which is not one of 0..9.",
    ),
    "zip.range": (
        zip_text(_2_5="1.5"),
        {},
        "line 3, column 6, is 1.5, outside the range -1 to 1.",
    ),
    # LIBSVM text
    "pair.libsvm": (
        b"1 1:0.5 2:1\n2 1:0.5 2\n",
        {},
        "line 2 has '2' where index:value is expected.",
    ),
    "order.libsvm": (
        b"1 1:0.5 2:1\n2 2:0.5 1:1\n",
        {},
        "line 2 has the index 1 after 2; indices must grow.",
    ),
    "label.libsvm": (
        b"1 1:0.5\nrose 1:0.5\n",
        {},
        "line 2 has the label 'rose'; labels are numbers in LIBSVM text.",
    ),
    "nan.libsvm": (
        b"1 1:0.5 4:1\n# note\n2 1:0.5 3:nan\n",
        {},
        "line 3, index 3, is NaN, which means a missing value; every value must be a "
        "finite number.",
    ),
    "qid.libsvm": (
        b"1 qid:1 1:0.5\n2 qid:1 1:0.5\n",
        {},
        "line 1 has a query (qid:), which belongs to ranking, not to classes.",
    ),
    "wide.libsvm": (
        b"1 1:0.5\n2 9:0.5\n",
        {"image_shape": (2, 2)},
        "line 2 has an index beyond the 2x2 = 4 pixels that are expected.",
    ),
    "huge-index.libsvm": (
        b"1 1:0.5\n2 99999999999:0.5\n",
        {},
        "line 2 has the index 99999999999, which is too large.",
    ),
    "endless-index.libsvm": (
        b"1 1:0.5\n2 " + b"9" * 5000 + b":0.5\n",
        {},
        f"line 2 has the index {'9' * 40}…, which is too large.",
    ),
    "underscore.libsvm": (
        b"1 1:0.5\n2 1:1_0\n",
        {},
        "line 2 has '1:1_0' where index:value is expected.",
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
    # something else altogether
    "pointer.csv": (
        b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 12345\n",
        {},
        "this is a Git LFS pointer and not the data it points to; run git lfs pull.",
    ),
    "page.gz": (
        b"\n<!DOCTYPE html>\n<html><body>404 Not Found</body></html>",
        {},
        "this is an HTML page, perhaps the error page of a download; get the data file "
        "itself.",
    ),
    "new.pkl": (pickle.dumps([1, 2]), {}, f"this is a pickle file; {PICKLES}"),
    "old.csv": (
        pickle.dumps({"X": [1]}, protocol=0),
        {},
        f"this is a pickle file; {PICKLES}",
    ),
    "packed.pkl.gz": (
        gzip.compress(pickle.dumps([1, 2])),
        {},
        f"this is a pickle file; {PICKLES}",
    ),
    "model.pt": (
        archive(model__data_dot_pkl=pickle.dumps([1])),
        {},
        f"this is an archive with a pickle in it, as PyTorch saves; {PICKLES}",
    ),
    "array.npy": (
        npy(X),
        {},
        "this is a lone NumPy array without labels; save X and y as NPZ.",
    ),
    "book.xlsx": (
        archive(xl__workbook_dot_xml=b"<x/>"),
        {},
        "this is an Excel workbook; save the table as CSV.",
    ),
    "some.zip": (
        archive(mnist_dot_csv=TABLE),
        {},
        "this is a zip archive with mnist.csv in it; unpack it first.",
    ),
    "table.parquet": (
        b"PAR1\x15\x04\0\0PAR1",
        {},
        "this is a Parquet file; save the table as CSV.",
    ),
    "data.db": (
        b"SQLite format 3\0" + bytes(84),
        {},
        "this is an SQLite database; save the table as CSV.",
    ),
    "table.json": (
        json.dumps([{"x": 1, "y": 0}]).encode(),
        {},
        "this is a JSON document; save the table as CSV.",
    ),
    "table.arff": (
        b"% a comment\n@RELATION iris\n@DATA\n",
        {},
        "this is an ARFF file; save the table as CSV.",
    ),
    "image.csv": (
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        {},
        "this is a PNG picture; give the data as a table or as NPZ.",
    ),
    "table.csv.xz": (
        lzma.compress(TABLE),
        {},
        "this is an xz archive; unpack it first.",
    ),
    "utf16.csv": (
        "1,2,0\n".encode("utf-16"),
        {},
        "this is text in UTF-16; save it as UTF-8.",
    ),
    "report.pdf": (
        b"%PDF-1.7\n...",
        {},
        "this is a PDF document; get the data file itself.",
    ),
    "noise.bin": (
        bytes(range(1, 32)) * 10,
        {},
        "this is a binary file of a kind that Mercer does not know; it reads HDF5, "
        "NPZ, IDX, LIBSVM and CSV or other text tables.",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_gets_its_sentence(name, tmp_path):
    content, options, sentence = BAD[name]
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError) as raised:
        load_dataset(path, **options)
    assert str(raised.value) == f"{path}: {sentence}"


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


def test_a_gzip_with_a_wrong_checksum(tmp_path):
    content = bytearray(gzip.compress(TABLE))
    content[-6] ^= 0xFF
    path = tmp_path / "table.csv.gz"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"the gzip file is damaged \(CRC check failed"):
        load_dataset(path)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress], ids=["gzip", "bzip2"])
def test_a_file_that_unpacks_to_too_much(tmp_path, monkeypatch, pack):
    monkeypatch.setenv("MERCER_MEMORY_BUDGET", "1MB")
    path = tmp_path / "bomb.csv"
    path.write_bytes(pack(b"0" * 2**24))
    with pytest.raises(DataError) as raised:
        load_dataset(path)
    assert str(raised.value) == (
        f"{path}: the file unpacks to more than 1 MB, which is the limit here; raise "
        "MERCER_MEMORY_BUDGET if that is meant."
    )


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


def test_sparse_data_that_would_be_too_large_as_an_array(tmp_path):
    path = tmp_path / "wide.libsvm"
    path.write_bytes(b"1 2000000000:1\n2 1:1\n" * 100)
    assert load_dataset(path).X.shape == (200, 2_000_000_000)
    with pytest.raises(DataError, match=r"as a dense array it takes 2\.91 TB"):
        load_dataset(path, dense=True)


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


def test_files_that_wait_for_ever_are_not_read(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with pytest.raises(DataError, match="this is a device or a pipe; give a file"):
        load_dataset(fifo)
    link = tmp_path / "link"
    link.symlink_to(fifo)
    with pytest.raises(DataError, match="this is a device or a pipe; give a file"):
        load_dataset(link)
    # Of no size, and without an end.
    with pytest.raises(DataError, match="the file is empty"):
        load_dataset("/proc/kmsg")


def test_a_name_that_is_not_utf8_is_printable(tmp_path):
    path = tmp_path / os.fsdecode(b"caf\xe9.csv")
    path.write_bytes(TABLE)
    data = load_dataset(path)
    assert data.name == "caf�.csv"
    assert data.files == (path,)
    json.dumps(data.summary(), ensure_ascii=False).encode()
    path.write_bytes(b"")
    with pytest.raises(DataError, match=r"caf�\.csv: the file is empty"):
        load_dataset(path)


def test_paths_that_are_no_files(tmp_path):
    with pytest.raises(DataError, match=r"this is a folder; give a file.*pictures in"):
        load_dataset(tmp_path)
    with pytest.raises(DataError, match="there is no such file; look at the path"):
        load_dataset(tmp_path / "none.csv")
    with pytest.raises(DataError, match="this is a device or a pipe; give a file"):
        load_dataset("/dev/null")


def test_a_real_database_and_a_real_pickle_are_never_opened(tmp_path):
    path = tmp_path / "results.db"
    connection = sqlite3.connect(path)
    connection.execute("create table t (x)")
    connection.commit()
    connection.close()
    with pytest.raises(DataError, match="SQLite"):
        load_dataset(path)
    marker = tmp_path / "ran"
    path = tmp_path / "hostile.csv"
    path.write_bytes(b"cbuiltins\nopen\n(V%b\nVw\ntR." % str(marker).encode())
    with pytest.raises(DataError, match="pickle"):
        load_dataset(path)
    assert not marker.exists()


def test_the_documentation_has_every_sentence():
    page = Path(__file__).parents[3] / "docs" / "data.md"
    text = page.read_text(encoding="utf-8")
    assert [name for name, (_, _, said) in BAD.items() if said not in text] == []
