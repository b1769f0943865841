"""Files of many formats as bytes, good and bad ones, and what is said of the bad."""

import io
import struct
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest

from mercer.datasets import load_dataset
from mercer.exceptions import DataError


def zip_text(rows=3, width=257, **changes):
    """Text in the form of zip.train; changes map (row, column) names to fields."""
    lines = [["3", *["-1.0000"] * (width - 1)] for _ in range(rows)]
    for place, field in changes.items():
        row, column = map(int, place.strip("_").split("_"))
        lines[row][column] = field
    return "\n".join(" ".join(line) for line in lines).encode() + b"\n"


def npz(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def archive(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, data in members.items():
            file.writestr(name.replace("__", "/").replace("_dot_", "."), data)
    return stream.getvalue()


def hdf5(**arrays):
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        for name, array in arrays.items():
            file[name.replace("__", "/")] = array
    return stream.getvalue()


def idx(shape, n_bytes):
    return (
        bytes([0, 0, 8, len(shape)])
        + struct.pack(f">{len(shape)}I", *shape)
        + bytes(n_bytes)
    )


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def npy_with(version, header):
    """An NPY file with any header."""
    text = header.encode().ljust(64)
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text


def npz_with(X=None, y=None):
    """An NPZ file whose members are these bytes."""
    return archive(
        X_dot_npy=npy(np.zeros((4, 2))) if X is None else X,
        y_dot_npy=npy(np.array([0, 1, 0, 1])) if y is None else y,
    )


def check_sentence(path, content, options, sentence):
    """Write a bad file, and complain unless the error is this sentence."""
    path.write_bytes(content)
    with pytest.raises(DataError) as raised:
        load_dataset(path, **options)
    assert str(raised.value) == f"{path}: {sentence}"


def undocumented(bad):
    """Bad files whose sentence is not in the documentation."""
    text = (Path(__file__).parents[1] / "docs" / "data.md").read_text(encoding="utf-8")
    return [name for name, (_, _, sentence) in bad.items() if sentence not in text]
