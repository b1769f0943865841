"""Model files, damaged, spliced and forged: they load, or are refused in a sentence.

They are read in a process of its own with little memory and time, which also predicts
with what it could load, and saves that again: a file that ends the process, takes more
than a small file may, or makes it complain in other words than Mercer's is a failure.
"""

import contextlib
import functools
import json
import os
import random
import resource
import select
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from estimators.model_file.forging import HEADER, entries_of, packed
from mercer import (
    KernelKNN,
    KernelPegasos,
    KernelPerceptron,
    KernelSVC,
    Winnow,
    load,
    save,
)
from mercer.calibration import CalibratedClassifier
from mercer.estimators.model_file import _container
from mercer.exceptions import ModelFileError
from mercer.kernels import Cosine, Exponential, Gaussian, Linear, Polynomial
from mercer.model_selection import MachinesPerClass

TESTS = Path(__file__).parents[1]
#: For one file, beside what the process has taken before; no file is larger than 2 MB.
SECONDS, BYTES = 20.0, 400 * 2**20


def run(seed: int, n: int) -> None:
    """Read n files that follow from the seed; raise where the first goes wrong."""
    with tempfile.TemporaryDirectory() as folder:
        reader = _Reader(Path(folder))
        try:
            for number in range(n):
                choice = random.Random(f"{seed} {number}")
                change = choice.choice(CHANGES)
                content = change(choice)
                said = reader.read(content)
                if said not in ("loaded", "refused"):
                    raise AssertionError(
                        f"model_files.run({seed}, ...), input {number} "
                        f"({change.__name__}, {len(content)} bytes): {said}"
                    )
        finally:
            reader.end()


class _Reader:
    """The process that reads; it says in a line what became of each file."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "model.mercer"
        self.errors = (folder / "errors").open("w+b")
        path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fuzz.model_files", str(self.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            env={**os.environ, "PYTHONPATH": path, "MERCER_NUM_THREADS": "1"},
        )
        for good in models():
            assert self.read(good, seconds=120) == "loaded"
        self.ask(b"limit\n")

    def read(self, content: bytes, seconds: float = SECONDS) -> str:
        self.path.write_bytes(content)
        return self.ask(b"read\n", seconds)

    def ask(self, question: bytes, seconds: float = SECONDS) -> str:
        self.process.stdin.write(question)
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            return f"no answer within {seconds} seconds"
        if answer := self.process.stdout.readline().decode().strip():
            return answer
        self.errors.seek(0)
        last = self.errors.read().decode("utf-8", "replace")[-2000:]
        return f"the process ended with {self.process.wait()}; {last}"

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()
        self.errors.close()


def answer(path: str) -> None:
    """What the process does, for each line that comes in."""
    for question in sys.stdin:
        if question == "limit\n":
            pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
            limit = pages * resource.getpagesize() + BYTES
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            print("limited", flush=True)
        else:
            print(_read(path), flush=True)


def _read(path: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = load(path)
            learned = vars(model[-1] if isinstance(model, Pipeline) else model).values()
            for array in learned:
                floats = isinstance(array, np.ndarray) and array.dtype.kind == "f"
                assert not floats or np.isfinite(array).all(), "NaN or infinity"
            _predict(model)
            save(model, path)
    except ModelFileError as error:
        text = str(error)
        good = "MemoryError" not in text and "\n" not in text
        return "refused" if good else f"in other words than a sentence: {text!r}"
    except Exception as error:
        return f"{type(error).__name__}: {error}".replace("\n", " ")
    return "loaded"


def _predict(model: object) -> None:
    """Nothing is asked of it, but that the process goes on."""
    n_features = getattr(model, "n_features_in_", 1)
    X = np.random.default_rng(0).normal(size=(3, min(n_features, 1000)))
    texts = ["elm", "oak and elm", "rose 1.5"]
    for samples in (X, np.column_stack([*X.T[1:], texts]), texts):
        with contextlib.suppress(Exception):  # parameters are checked when used
            model.predict(samples)


@functools.cache
def models() -> tuple[bytes, ...]:
    """The files of every estimator with some kernels."""
    choice = np.random.default_rng(1)
    y = np.arange(24) % 3
    X = (choice.normal(size=(24, 4)) + np.eye(4)[y] * 2).round(3)
    words = np.array(["elm", "oak", "rose"])
    per_class = MachinesPerClass(KernelSVC(), [{"C": c} for c in (1, 2, 3)])
    table = np.column_stack([X[:, 1:].astype(object), words[y]])
    columns = ColumnTransformer(
        [
            ("n", make_pipeline(SimpleImputer(), StandardScaler()), [0, 1]),
            ("c", OneHotEncoder(handle_unknown="ignore", sparse_output=False), [3]),
        ],
        remainder="passthrough",
    )
    fitted = [
        KernelSVC(kernel=Gaussian(0.5)).fit(X, words[y]),
        KernelSVC(kernel=2 * Linear() + Cosine(), multiclass="ovr").fit(X, y),
        KernelSVC(kernel="precomputed").fit(X @ X.T, y > 0),
        KernelSVC(kernel=Polynomial(3)).fit(sparse.csr_matrix(X), words[y].astype("O")),
        KernelPerceptron(kernel=Exponential(0.1), random_state=0).fit(X, y),
        KernelPerceptron(random_state=np.random.RandomState(3)).fit(X, y > 0),
        KernelPegasos(kernel=Linear() * Gaussian(0.1), random_state=0).fit(X, y),
        KernelKNN(n_neighbors=3).fit(sparse.csr_matrix(X), words[y]),
        KernelKNN(kernel="precomputed").fit(X @ X.T, y),
        Winnow(random_state=0).fit(np.sign(X), y),
        clone(per_class).fit(X, y),
        CalibratedClassifier(KernelSVC(), cv=2, random_state=0).fit(X, y),
        make_pipeline(StandardScaler(), KernelSVC()).fit(X, y),
        make_pipeline(columns, KernelSVC()).fit(table, y),
        make_pipeline(OneHotEncoder(drop="first"), KernelKNN()).fit(X.round(), y),
        make_pipeline(TfidfVectorizer(), KernelSVC()).fit(words[y], y),
        make_pipeline(CountVectorizer(), KernelKNN()).fit(words[y], y),
        OneVsRestClassifier(KernelPerceptron(random_state=0)).fit(X, words[y]),
        BaggingClassifier(KernelKNN(), 2, max_features=2, random_state=0).fit(X, y),
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mercer"
        files = []
        for model in fitted:
            save(model, path)
            files.append(path.read_bytes())
    return tuple(files)


def damaged(choice: random.Random, content: bytes) -> bytes:
    """Some bytes are others, more or fewer."""
    content = bytearray(content or b"\0")
    for _ in range(choice.randint(1, 4)):
        place = choice.randrange(len(content))
        length = min(choice.choice([1, 1, 4, 64, 4096]), len(content) - place)
        match choice.choice(["flip", "zero", "cut", "end", "insert", "repeat"]):
            case "flip":
                content[place] ^= 1 << choice.randrange(8)
            case "zero":
                content[place : place + length] = bytes(length)
            case "cut":
                del content[place : place + length]
            case "end":
                del content[max(1, len(content) - length) :]
            case "insert":
                content[place:place] = choice.randbytes(length)
            case "repeat":
                content[place:place] = content[place : place + length]
        content = content or bytearray(1)
    return bytes(content)


def damaged_file(choice: random.Random) -> bytes:
    return damaged(choice, choice.choice(models()))


def damaged_payload(choice: random.Random) -> bytes:
    return _container.pack(damaged(choice, choice.choice(models())[HEADER:]))


def damaged_entry(choice: random.Random) -> bytes:
    entries = entries_of(choice.choice(models()))
    name = choice.choice(list(entries))
    return packed({**entries, name: damaged(choice, entries[name])})


def spliced_file(choice: random.Random) -> bytes:
    one, other = choice.sample(models(), 2)
    cut = choice.randrange(HEADER, min(len(one), len(other)))
    return _container.pack((one[:cut] + other[cut:])[HEADER:])


def spliced_entries(choice: random.Random) -> bytes:
    one, other = (entries_of(content) for content in choice.sample(models(), 2))
    arrays = [content for name, content in other.items() if name.endswith(".npy")]
    for name in choice.sample(list(one), choice.randint(1, 3)):
        one[name] = choice.choice(arrays) if name.endswith(".npy") else one[name]
    return packed(one)


def forged_numbers(choice: random.Random) -> bytes:
    """Values of an array become what no model learns."""
    entries = entries_of(choice.choice(models()))
    name = choice.choice([name for name in entries if name.endswith(".npy")])
    content = bytearray(entries[name])
    start = 10 + int.from_bytes(content[8:10], "little")
    wild = [np.nan, np.inf, -np.inf, 1e308, 5e-324]
    values = [np.float64(value).tobytes() for value in wild]
    values += [np.int64(value).tobytes() for value in (-1, 2**31, 2**62, -(2**63))]
    if len(content) >= start + 8:
        place = choice.randrange(start, len(content) - 7, 8)
        content[place : place + 8] = choice.choice(values)
    return packed({**entries, name: bytes(content)})


def forged_header(choice: random.Random) -> bytes:
    """An array says something else about its type and shape."""
    entries = entries_of(choice.choice(models()))
    name = choice.choice([name for name in entries if name.endswith(".npy")])
    values = entries[name][10 + int.from_bytes(entries[name][8:10], "little") :]
    shapes = [
        "0, 99999",
        "99999, 0",
        f"{len(values)},",
        f"{len(values) // 8},",
        "",
        "1",
    ]
    shapes += [
        "1" * choice.randrange(1, 99) + choice.choice(",x"),
        "9, " * 99,
        "-1,",
        "2, " * 7,
        "1,1",
        "0,",
    ]
    kinds = [
        "<f8",
        "<i8",
        "|b1",
        "|u1",
        "<f4",
        "<U1",
        "|S9",
        "|O",
        "<U999999999",
        ">f8",
    ]
    shape, kind = choice.choice(shapes), choice.choice(kinds)
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}"
    text += " " * choice.choice([0, 0, 9, 9999]) + "\n"
    header = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()
    return packed({**entries, name: header + choice.choice([values, b""])})


def forged_schema(choice: random.Random) -> bytes:
    """Values in a schema become others, of another model or of no model."""
    entries = entries_of(choice.choice(models()))
    schema = json.loads(entries["schema.json"])
    donor = json.loads(entries_of(choice.choice(models()))["schema.json"])
    for _ in range(choice.randint(1, 3)):
        holder, key = choice.choice(_places(schema))
        other, other_key = choice.choice(_places(donor))
        simple = [None, True, -1, 0, 10**30, 1.5, "", "x", [], {}, "1e999", "NaN"]
        simple += [str(10**6), "Infinity", "[[1]]", "0", "null", "9" * 5000]
        grafted = json.loads(json.dumps(other[other_key]))
        holder[key] = choice.choice([grafted, choice.choice(simple)])
    return packed({**entries, "schema.json": json.dumps(schema)})


def _places(schema: object) -> list[tuple]:
    found, waiting = [], [schema]
    while waiting:
        holder = waiting.pop()
        pairs = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for key, value in pairs:
            found.append((holder, key))
            if isinstance(value, dict | list):
                waiting.append(value)
    return found


def bomb(choice: random.Random) -> bytes:
    """A schema that is small as text and would be large or deep in memory."""
    entries = entries_of(choice.choice(models()))
    schema = json.loads(entries["schema.json"])
    holder, key = choice.choice(_places(schema))
    piece = choice.choice(["[]", "{}", '"ab"', "1.5", "[[]]", '{"a":1}', "null"])
    times = choice.choice([100, 10**4, 10**5, 3 * 10**5])
    text = {
        "wide": "[" + ",".join([piece] * times) + "]",
        "deep": "[" * times + "]" * times,
        "word": json.dumps("[" + ",".join([piece] * (times // 4)) + "]"),
        "again": json.dumps([holder[key]] * min(times, 10**6 // len(str(holder[key])))),
    }[choice.choice(["wide", "deep", "word", "again"])]
    holder[key] = "HERE"
    return packed(
        {**entries, "schema.json": json.dumps(schema).replace('"HERE"', text[: 2**21])}
    )


CHANGES = (
    damaged_file,
    damaged_payload,
    damaged_entry,
    spliced_file,
    spliced_entries,
    forged_numbers,
    forged_header,
    forged_schema,
    bomb,
)

if __name__ == "__main__":
    answer(sys.argv[1])
