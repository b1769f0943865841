"""Damaged files of every format: each is loaded soundly or refused with a sentence.

`run(seed, n)` makes n files from a seed and loads each in a process with limits of time
and of memory; it raises with the seed and the file on the first that ends otherwise.
"""

import base64
import bz2
import gzip
import io
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import threading
import zipfile
from pathlib import Path

import h5py
import numpy as np

BUDGET = 64 * 2**20
#: What the process may take beside the budget once everything is imported.
SPARE = 64 * 2**20
SECONDS = 10

# Loads the files named on stdin, a line each, and says "ok" or what went wrong.
_LOADER = """
import json, re, resource, signal, sys, traceback, warnings
import h5py, numpy, scipy.sparse, sklearn.datasets
from mercer.datasets import load_dataset
from mercer.exceptions import MercerError

NO_MEMORY = "MemoryError|nable to alloc|memory alloc"
seconds, spare = int(sys.argv[1]), int(sys.argv[2])
warnings.simplefilter("ignore")

def load(path, options):
    try:
        data = load_dataset(path, **options)
        data.summary()
    except MercerError as error:
        text = str(error)
        assert text.isprintable() and text.endswith("."), f"no sentence: {text!r}"
        # HDF5 asks for a record of its own before it sees that the file is too short.
        text = text.replace("memory allocation failed for on disk image buffer", "")
        assert not re.search(NO_MEMORY, text), f"out of memory: {text!r}"
        return
    assert data.X.shape[0] == len(data.y) > 0, "labels and samples differ"
    assert numpy.isfinite(data.value_range).all(), "values that are not finite"

def too_long(*_):
    raise TimeoutError(f"it takes more than {seconds} seconds")

signal.signal(signal.SIGALRM, too_long)
print("ready", flush=True)
limited = False
for line in sys.stdin:
    path, options = json.loads(line)
    signal.alarm(seconds)
    try:
        load(path, options)
        said = "ok"
    except BaseException:
        said = traceback.format_exc()
    signal.alarm(0)
    if not limited:
        # The first file is a sound one and has brought in what is imported late.
        with open("/proc/self/statm") as file:
            taken = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + spare, taken + spare))
        limited = True
    print(json.dumps(said), flush=True)
"""


def run(seed: int, n: int) -> None:
    """Load n damaged files; raise AssertionError on the first failure."""
    rng = random.Random(seed)
    sound = sound_files(seed)
    with tempfile.TemporaryDirectory() as folder, _Loader() as loader:
        for name in sound:
            _ask(loader, seed, Path(folder), sound[name], {})
        for _ in range(n):
            kind = rng.choice(list(sound))
            files = damage(sound[kind], rng)
            options = rng.choice(_OPTIONS)
            _ask(loader, seed, Path(folder), files, options)


#: What a caller may say about a file.
_OPTIONS: list[dict[str, object]] = [
    *[{}] * 6,
    {"label": "last"},
    {"label": "first", "header": False},
    {"label": 1, "drop": [0]},
    {"header": True},
    {"dense": True},
    {"n_features": 3},
    {"separator": " "},
]


def sound_files(seed: int) -> dict[str, dict[str, bytes]]:
    """Sound files of every format; those that need a partner come with it."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(12, 3)).round(2), np.arange(12) % 3
    words = np.array(["rose", "lys", "tulip"])[y]
    pixels = rng.integers(0, 256, (12, 2, 2), dtype=np.uint8)
    rows = [[*map(str, row), word] for row, word in zip(X, words)]
    images, labels = "a-images-idx3-ubyte", "a-labels-idx1-ubyte"
    split = {"train/data": pixels, "train/target": y}
    split |= {"test/data": pixels, "test/target": y}
    kinds: dict[str, dict[str, bytes]] = {
        "csv": {"a": _lines(rows, ",")},
        "named": {"a": b"0,1,2,class\n" + _lines(rows, ",")},
        "quoted": {"a": _lines([[f'"{v}"' for v in row] for row in rows], ";")},
        "index": {"a": b",x,y,z,kind\n" + _lines(_numbered(rows), ",")},
        "spaces": {"a": _lines([[str(b), *map(str, a)] for a, b in zip(X, y)], " ")},
        "libsvm": {"a": b"".join(_pairs(a, b) for a, b in zip(X, y))},
        "npz": {"a": _npz(X=X, y=y)},
        "npz words": {"a": _npz(x_train=X, y_train=words, x_test=X, y_test=words)},
        "npz images": {"a": _npz(images=pixels, labels=words.astype("S"))},
        "hdf5": {"a": _hdf5({"X": X, "y": y})},
        "hdf5 split": {"a": _hdf5(split, compression="gzip")},
        "hdf5 words": {"a": _hdf5({"X": X, "y": words.astype(object)})},
        "idx": {images: _idx(pixels), labels: _idx(y.astype(np.uint8))},
        "labels": {labels: _idx(y.astype(np.uint8)), images: _idx(pixels)},
    }
    kinds["csv.gz"] = {"a": gzip.compress(kinds["csv"]["a"])}
    kinds["npz.bz2"] = {"a": bz2.compress(kinds["npz"]["a"])}
    return kinds


def damage(files: dict[str, bytes], rng: random.Random) -> dict[str, bytes]:
    """Damage one of the files a few times."""
    damaged = dict(files)
    name = rng.choice(list(files))
    for _ in range(rng.choice([1, 1, 2, 3, 8])):
        content = bytearray(damaged[name])
        rng.choice(_DAMAGES)(content, rng)
        damaged[name] = bytes(content)
    if rng.random() < 0.1:
        damaged[name] = rng.choice([gzip.compress, bz2.compress])(damaged[name])
    return damaged


def _cut(content: bytearray, rng: random.Random) -> None:
    del content[rng.randrange(len(content) + 1) :]


def _drop_piece(content: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(content) + 1)
    del content[start : start + rng.choice([1, 4, 100])]


def _change_bytes(content: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice([1, 1, 2, 10])):
        if content:
            content[rng.randrange(len(content))] = rng.randrange(256)


def _flip_bit(content: bytearray, rng: random.Random) -> None:
    if content:
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)


def _write_size(content: bytearray, rng: random.Random) -> None:
    """Write a number where a size may stand: headers are at the beginning."""
    size = rng.choice([0, 1, 255, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1])
    form = rng.choice(["<I", ">I", "<Q", "<H"])
    limit = 256 ** struct.calcsize(form)
    start = rng.randrange(min(len(content), rng.choice([16, 200, 10**6])) + 1)
    content[start : start + struct.calcsize(form)] = struct.pack(form, size % limit)


def _insert_text(content: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(content) + 1)
    content[start:start] = rng.choice(_TEXTS) * rng.choice([1, 1, 2, 100])


def _repeat_piece(content: bytearray, rng: random.Random) -> None:
    start = rng.randrange(len(content) + 1)
    piece = content[start : start + rng.choice([1, 10, 200])]
    content[start:start] = piece * rng.choice([1, 3, 2000])


def _replace_number(content: bytearray, rng: random.Random) -> None:
    """Put another number in place of one that is written out."""
    places = [i for i, byte in enumerate(content) if 48 <= byte <= 57]
    if places:
        place = rng.choice(places)
        content[place : place + 1] = rng.choice(_NUMBERS)


_NUMBERS = [b"-1", b"1e999", b"99999999999", b"9" * 5000, b"1_0", b"nan", b"0x1", b""]
_TEXTS = [
    *(b",", b";", b"\n", b"\r", b"\t", b" ", b'"', b"'", b"#", b":", b"\0", b"?"),
    *(b"((((", b"{[]:1}", b"qid:1 ", b"1:1 ", b"nan,", b"class,", b"0,1,2,3\n"),
    *(b"\xff", b"\xc3\xa9", b"\xf0\x9f\x8c\xb9", b"\xef\xbb\xbf"),
    *(b"\x1f\x8b\x08", b"PK\x03\x04", b"\x93NUMPY\x03\x00", b"\x89HDF\r\n\x1a\n"),
]
_DAMAGES = [
    _cut,
    _drop_piece,
    _change_bytes,
    _flip_bit,
    _write_size,
    _insert_text,
    _repeat_piece,
    _replace_number,
]


class _Loader:
    """A process that loads files; it ends with the block."""

    def __enter__(self) -> "_Loader":
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            stream.close()

    def _start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _LOADER, str(SECONDS), str(BUDGET + SPARE)],
            env={**os.environ, "MERCER_MEMORY_BUDGET": str(BUDGET)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout.readline() == "ready\n"

    def load(self, path: Path, options: dict[str, object]) -> str:
        self.process.stdin.write(json.dumps([str(path), options]) + "\n")
        self.process.stdin.flush()
        # A loop in compiled code does not see the alarm.
        timer = threading.Timer(2 * SECONDS, self.process.kill)
        timer.start()
        answer = self.process.stdout.readline()
        timer.cancel()
        return json.loads(answer) if answer else "the process died or had to be ended"


def _ask(
    loader: _Loader,
    seed: int,
    folder: Path,
    files: dict[str, bytes],
    options: dict[str, object],
) -> None:
    for name, content in files.items():
        (folder / name).write_bytes(content)
    said = loader.load(folder / next(iter(files)), options)
    if said != "ok":
        shown = {name: base64.b85encode(data).decode() for name, data in files.items()}
        raise AssertionError(
            f"seed {seed}, options {options}, files (base85) {shown}\n{said}"
        )


def _lines(rows: list[list[str]], separator: str) -> bytes:
    return "".join(separator.join(row) + "\n" for row in rows).encode()


def _numbered(rows: list[list[str]]) -> list[list[str]]:
    return [[str(number), *row] for number, row in enumerate(rows)]


def _pairs(x: np.ndarray, label: int) -> bytes:
    pairs = " ".join(f"{i}:{value}" for i, value in enumerate(x, 1))
    return f"{label} {pairs}\n".encode()


def _npz(**arrays: np.ndarray) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for number, (name, array) in enumerate(arrays.items()):
            member = io.BytesIO()
            np.lib.format.write_array(member, array, version=(1 + number % 3, 0))
            packing = zipfile.ZIP_DEFLATED if number % 2 else zipfile.ZIP_STORED
            archive.writestr(f"{name}.npy", member.getvalue(), packing)
    return stream.getvalue()


def _hdf5(arrays: dict[str, np.ndarray], **options: str) -> bytes:
    stream = io.BytesIO()
    with h5py.File(stream, "w") as file:
        for name, array in arrays.items():
            file.create_dataset(name, data=array, **options)
    return stream.getvalue()


def _idx(array: np.ndarray) -> bytes:
    sizes = struct.pack(f">{array.ndim}I", *array.shape)
    return bytes([0, 0, 8, array.ndim]) + sizes + array.tobytes()
