"""Files with right checksums whose archive is a trap."""

import io
import time
import tracemalloc
import zipfile

import numpy as np
import pytest
from scipy import sparse

from estimators.model_file.forging import entries_of, packed, refused
from estimators.model_file.samples_and_answers import make_data
from mercer.estimators.model_file import _container


def test_zip_bombs(path, good):
    zeros = bytes(200 * 2**20)
    array = io.BytesIO()
    np.save(array, np.zeros(2**20))
    entries = entries_of(good)
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        bomb = packed(
            {**entries, "1.npy": zeros[: 10**7]}, compression=method, compresslevel=9
        )
        assert len(bomb) < 10**6
        refused(path, bomb, "could be a zip bomb and was not unpacked")
    bomb = packed({"schema.json": zeros}, compression=zipfile.ZIP_DEFLATED)
    tracemalloc.start()
    start = time.perf_counter()
    refused(path, bomb, "could be a zip bomb")
    assert time.perf_counter() - start < 1
    assert tracemalloc.get_traced_memory()[1] < 5e6
    tracemalloc.stop()


def test_entries_that_overlap(path, good):
    """Every entry is the same megabyte: a bomb without compression."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("1.npy", bytes(10**6))
        first = archive.infolist()[0]
        for number in range(2, 500):
            info = zipfile.ZipInfo(f"{number}.npy")
            info.header_offset = first.header_offset
            info.CRC, info.file_size = first.CRC, first.file_size
            info.compress_size = first.compress_size
            archive.filelist.append(info)
            archive.NameToInfo[info.filename] = info
    refused(path, _container.pack(buffer.getvalue()), "overlap|does not fit together")


def test_a_bomb_within_a_sparse_matrix(path, sparse_good):
    entries = entries_of(sparse_good)
    name = next(name for name in entries if name.endswith(".npz"))
    X, _ = make_data(sparse_=True)
    buffer = io.BytesIO()
    sparse.save_npz(buffer, X, compressed=True)
    refused(path, packed({**entries, name: buffer.getvalue()}), "could be a zip bomb")
    sparse.save_npz(path, X.tocsc(), compressed=False)
    content = path.with_name(path.name + ".npz").read_bytes()
    refused(path, packed({**entries, name: content}), "not in CSR form")
    refused(path, packed({**entries, name: b"PK"}), "does not fit together")


@pytest.mark.parametrize(
    "name", ["../../evil.npy", "/etc/x.npy", "a/b.npy", "evil.py", "1.npy/", "\x1b[2J"]
)
def test_entries_with_odd_names(path, good, name):
    text = refused(path, packed({**entries_of(good), name: b"x"}), "it has an entry")
    assert "\x1b" not in text


def test_entries_twice_and_entries_that_nobody_speaks_of(path, good):
    entries = entries_of(good)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("schema.json", entries["schema.json"])
    refused(path, _container.pack(buffer.getvalue()), "same name|overlap|fit together")
    refused(path, packed({**entries, "7.npy": b"x"}), "not those that it speaks of")
    one = next(name for name in entries if name.endswith(".npy"))
    missing = {name: c for name, c in entries.items() if name != one}
    refused(path, packed(missing), "not those that it speaks of")
