"""What load takes for a model file, and what it refuses."""

import os
import pickle
import tracemalloc

import h5py
import joblib
import numpy as np
import pytest
import skops.io

import mercer
from estimators.model_file.forging import HEADER, Touch, refused
from mercer import load
from mercer.estimators import model_file
from mercer.estimators.model_file import _container
from mercer.exceptions import ModelFileError


def test_pickles_are_not_opened(path, trace):
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        refused(path, pickle.dumps(Touch(trace), protocol), "this is a pickle")
    refused(path, pickle.dumps(Touch(trace), 0), "not a Mercer model file")
    joblib.dump(Touch(trace), path)
    refused(path, path.read_bytes(), "this is a pickle .or joblib. file")
    joblib.dump(Touch(trace), path, compress=3)
    refused(path, path.read_bytes(), "not a Mercer model file")
    refused(path, _container.pack(pickle.dumps(Touch(trace))), "does not fit together")


def test_other_files(path, tmp_path, good, model):
    refused(path, b"", "the file is empty")
    refused(path, b"hello\n", "not a Mercer model file")
    refused(path, b"sepal,petal\n1,2\n" * 99, "not a Mercer model file")
    refused(path, skops.io.dumps(model), "this is a zip archive")
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(5)
    refused(path, path.read_bytes(), "this is an HDF5 file")
    with pytest.raises(ModelFileError, match="this is a folder"):
        load(tmp_path)
    with pytest.raises(ModelFileError, match="there is no such file"):
        load(tmp_path / "none.mercer")
    with pytest.raises(ModelFileError, match="cannot be the name of a file"):
        load("zero\0byte")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="not a regular file"):
        load(tmp_path / "pipe")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_must_not_be_read(path, good):
    path.write_bytes(good)
    path.chmod(0)
    with pytest.raises(ModelFileError, match=r"cannot be read .Permission denied"):
        load(path)


def test_newer_and_impossible_formats(path, good):
    payload = good[HEADER:]
    newer = _container.pack(payload, version="9.1.0", format=2)
    refused(path, newer, r"by a newer Mercer \(9.1.0, model format 2\).*upgrade Mercer")
    refused(path, _container.pack(payload, format=0), "format 0 does not exist")
    odd = _container.pack(payload, version="\x1b[31m\n", format=2)
    assert "\x1b" not in refused(path, odd, "newer")


def test_cut_off_anywhere(path, good):
    cuts = [*range(HEADER + 2), *range(HEADER + 2, len(good), len(good) // 60)]
    for cut in cuts:
        refused(path, good[:cut], "empty|ends within its header|cut off|not a Mercer")
    refused(path, good + b"\0", "followed by other bytes")


def test_one_bit_anywhere(path, good):
    places = [*range(HEADER), *range(HEADER, len(good), len(good) // 200)]
    for place in places:
        bad = bytearray(good)
        bad[place] ^= 1 << place % 8
        refused(path, bytes(bad), "checksum|not a Mercer|newer|not exist|cut|followed")


def test_a_length_that_is_not_there_takes_no_memory(path, good):
    start = _container._FIELDS.pack(_container.MAGIC, 1, b"0.1.0", 2**50)
    tracemalloc.start()
    refused(path, start + good[40:], "cut off")
    assert tracemalloc.get_traced_memory()[1] < 1e6
    tracemalloc.stop()


def test_the_memory_budget_is_kept(path, good, monkeypatch):
    monkeypatch.setenv("MERCER_MEMORY_BUDGET", "2KB")
    refused(path, good, "memory budget is 2 KB; raise it with MERCER_MEMORY_BUDGET")


def test_the_header_is_as_documented(good):
    assert good[:8] == b"\x93MERCER\n"
    assert good[8:12] == b"\x01\0\0\0"
    assert good[12:32].rstrip(b"\0").decode() == mercer.__version__
    assert int.from_bytes(good[32:40], "little") == len(good) - 72
    assert good[72:76] == b"PK\x03\x04"


def test_names():
    assert model_file.load is mercer.load
    assert model_file.save is mercer.save
