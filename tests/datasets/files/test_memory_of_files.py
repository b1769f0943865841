"""The memory budget holds while a file is loaded, whatever is packed into it."""

import gzip
import os
import struct
import subprocess
import sys
import zipfile
import zlib

import h5py
import numpy as np
import pytest

BUDGET = 100 * 2**20
#: What the allocator and the readers keep for themselves is not the file's.
ALLOWED = BUDGET + 16 * 2**20
# The peak of each load, in a process of its own with everything imported before.
SCRIPT = """
import os, resource, sys, warnings
import h5py, scipy.sparse, sklearn.datasets
from mercer.datasets import load_dataset
from mercer.exceptions import DataError

def load(path):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        said = "%d %d" % load_dataset(path, label="last").X.shape
    except DataError as error:
        said = str(error)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(1024 * (after - before), said, flush=True)

warnings.simplefilter("ignore")
for path in sys.argv[1:]:
    if not (child := os.fork()):
        load(path)
        os._exit(0)
    os.waitpid(child, 0)
"""


def idx(path, shape, values):
    header = bytes([0, 0, 8, len(shape)]) + struct.pack(f">{len(shape)}I", *shape)
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(header + values)


def hdf5(path, n_samples, parts=("",)):
    with h5py.File(path, "w") as file:
        for part in parts:
            # Nothing is stored: the file is small, and the arrays are not.
            shape = n_samples // len(parts), 1000
            file.create_dataset(f"{part}/data", shape, "u1", chunks=(100, 1000))
            file.create_dataset(f"{part}/target", shape[:1], "u1", chunks=True)


def packed_text(path, line, n_bytes):
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(line * (n_bytes // len(line)))


def images(path, n_samples):
    idx(path.with_name("some-labels-idx1-ubyte"), (n_samples,), bytes(n_samples))
    idx(path, (n_samples, 20, 50), bytes(1000 * n_samples))


def npz_that_lies(path):
    """A member that unpacks to far more than the archive says."""
    np.savez_compressed(path, X=np.zeros((20 * 2**20, 1)), y=np.zeros(10))
    content = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo("X.npy").file_size
    path.write_bytes(content.replace(struct.pack("<I", size), struct.pack("<I", 288)))


def hdf5_that_lies(path):
    """A chunk that unpacks to far more than its shape says."""
    with h5py.File(path, "w") as file:
        X = file.create_dataset("X", (9, 9), "f8", chunks=(9, 9), compression="gzip")
        X.id.write_direct_chunk((0, 0), zlib.compress(bytes(160 * 2**20)))
        file["y"] = np.arange(9)


def one_long_label(path):
    path.write_text(f"0.5,{'a' * 20000}\n" + "0.5,b\n0.25,c\n" * 20000)


HOSTILE = {
    "fill.h5": lambda path: hdf5(path, 90_000),
    "split.h5": lambda path: hdf5(path, 24_000, ("train", "test")),
    "some-images-idx3-ubyte": lambda path: images(path, 80_000),
    "lies.npz": npz_that_lies,
    "lies.h5": hdf5_that_lies,
    "commas.csv": lambda path: packed_text(path, b",", 40 * 2**20),
    "short-lines.csv": lambda path: packed_text(path, b"0,1\n", 8 * 2**20),
    "blank-lines.csv": lambda path: packed_text(path, b"\n", 20 * 2**20),
    "pairs.libsvm": lambda path: packed_text(path, b"1 1:1\n", 8 * 2**20),
    "label.csv": one_long_label,
}
FITTING = {
    "fill.h5": (lambda path: hdf5(path, 18_000), "18000 1000"),
    "split.h5": (lambda path: hdf5(path, 18_000, ("train", "test")), "18000 1000"),
    "some-images-idx3-ubyte": (lambda path: images(path, 18_000), "18000 1000"),
    "table.csv": (
        lambda path: packed_text(path, b"1.25,2.5,0\n0.5,1.5,1\n", 21 * 2**17),
        "262144 2",
    ),
}


def load(makers, folder):
    """Load files under the budget; returns what is said of each, and its peak."""
    for name, make in makers.items():
        make(folder / name)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *(folder / name for name in makers)],
        env={**os.environ, "MERCER_MEMORY_BUDGET": str(BUDGET)},
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )
    said = [line.partition(" ") for line in done.stdout.splitlines()]
    return {name: (text, int(peak)) for name, (peak, _, text) in zip(makers, said)}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    return load(HOSTILE, tmp_path_factory.mktemp("hostile"))


@pytest.fixture(scope="module")
def fitting(tmp_path_factory):
    makers = {name: make for name, (make, _) in FITTING.items()}
    return load(makers, tmp_path_factory.mktemp("fitting"))


@pytest.mark.parametrize("name", HOSTILE)
def test_what_does_not_fit_is_refused(name, hostile):
    said, peak = hostile[name]
    assert f"{name}: " in said
    assert peak < ALLOWED


@pytest.mark.parametrize("name", FITTING)
def test_what_fits_is_loaded_within_the_budget(name, fitting):
    said, peak = fitting[name]
    assert said == FITTING[name][1]
    assert peak < ALLOWED
