"""Files that are cut, damaged or something else: each gets one sentence."""

import bz2
import gzip
import json
import lzma
import os
import pickle
import sqlite3

import numpy as np
import pytest

from made_files import archive, check_sentence, npy, undocumented, zip_text
from mercer.datasets import load_dataset
from mercer.exceptions import DataError

PICKLES = "Mercer never opens pickles, since opening one runs code; save arrays as NPZ."
TABLE = b"1.5,2.5,0\n0.5,1.5,1\n2.5,0.5,0\n"

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
    "cut.zip.train": (
        zip_text()[:-900],
        {},
        "line 3 has 145 values where the lines before have 257; it is the last line, "
        "so the file is cut short.",
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
        npy(np.zeros((4, 2))),
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
    check_sentence(tmp_path / name, *BAD[name])


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
    assert undocumented(BAD) == []
