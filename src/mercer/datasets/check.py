"""Checks of a data set against what is known about it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mercer.datasets.dataset import Dataset, array_checksum
from mercer.datasets.files import printable, read_content, unpacked_name
from mercer.datasets.known import FILES, KNOWN, Known


@dataclass(frozen=True)
class Check:
    """One thing looked at: "ok", "failed", or "unknown" where nothing is known."""

    what: str
    state: str
    detail: str


def check_dataset(dataset: Dataset) -> list[Check]:
    """Compare a data set with the known checksums, sizes, class counts and ranges.

    >>> from mercer.datasets import load_dataset
    >>> [check.state for check in check_dataset(load_dataset("iris"))]
    ['ok', 'ok', 'ok', 'ok']
    """
    checks = [_check_file(path) for path in dataset.files]
    checks += [Check("read", "ok", note) for note in dataset.notes]
    checks += [Check("doubt", "unknown", doubt) for doubt in dataset.warnings]
    is_file = dataset.source.startswith("the file ")
    known = None if is_file else KNOWN.get(dataset.name)
    if known is None:
        return [*checks, *_check_unknown(dataset)]
    if known.arrays_sha256 is not None:
        found = array_checksum(dataset.X, dataset.y)
        checks.append(_compare("checksum", found, known.arrays_sha256))
    return [*checks, *_check_numbers(dataset, known)]


def _check_file(path: Path) -> Check:
    checksum = read_content(path).content_sha256
    what = f"checksum of {printable(path.name)}"
    if name := FILES.get(checksum):
        return Check(what, "ok", f"{checksum[:16]}…, the known {name}")
    stem = unpacked_name(path).replace(".idx", "-idx")
    if stem in FILES.values():
        wrong = f"{checksum[:16]}… is not that of the known {stem}"
        return Check(what, "failed", wrong)
    return Check(what, "unknown", f"{checksum[:16]}…; none is known for this file")


def _check_numbers(dataset: Dataset, known: Known) -> list[Check]:
    shape = f"{known.n_samples} x {known.n_features}"
    checks = [_compare("shape", _shape(dataset), shape)]
    parts = [
        ("class counts of train", dataset.train, known.train),
        ("class counts of test", dataset.test, known.test),
    ]
    if dataset.train is None or dataset.test is None:
        parts = [("class counts", None, known.counts)]
    for what, rows, counts in parts:
        expected = dict(zip(known.labels, counts))
        found = dataset.class_counts(rows)
        checks.append(_compare(what, _counts(found), _counts(expected)))
    if known.value_range is not None:
        low, high = known.value_range
        checks.append(_compare("range", _range(dataset), f"{low:g} to {high:g}"))
    return checks


def _check_unknown(dataset: Dataset) -> list[Check]:
    checks = [
        Check("shape", "ok", _shape(dataset)),
        Check("class counts", "ok", _counts(dataset.class_counts())),
        Check("range", "ok", f"{_range(dataset)}, all finite"),
    ]
    if dataset.name == "just-a-little-bit":
        holds = bool(np.array_equal(dataset.X[:, 0], dataset.y))
        checks.append(Check("label", "ok" if holds else "failed", "y = x₁"))
    return checks


def _compare(what: str, found: str, expected: str) -> Check:
    if found == expected:
        return Check(what, "ok", found)
    return Check(what, "failed", f"{found}; expected {expected}")


def _shape(dataset: Dataset) -> str:
    return f"{dataset.n_samples} x {dataset.n_features}"


def _counts(counts: dict[int | str, int] | dict[int, int]) -> str:
    shown = [f"{label}: {count}" for label, count in list(counts.items())[:20]]
    return ", ".join(shown) + (", …" if len(counts) > 20 else "")


def _range(dataset: Dataset) -> str:
    low, high = dataset.value_range
    return f"{low:g} to {high:g}"
