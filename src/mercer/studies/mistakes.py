"""Which samples were tested and mistaken: kept in few characters, and read back."""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mercer import metrics
from mercer.studies.plain import Plain
from mercer.studies.row import Row
from mercer.studies.story import ShownSample


def pack(rows: NDArray[np.integer]) -> str:
    """Write a set of row numbers as text.

    >>> unpack(pack(np.array([3, 1, 4000]))).tolist()
    [1, 3, 4000]
    """
    mask = np.zeros(int(rows.max(initial=-1)) + 1, bool)
    mask[rows] = True
    return b64encode(zlib.compress(np.packbits(mask).tobytes(), 9)).decode("ascii")


def unpack(text: str) -> NDArray[np.intp]:
    """Read it back, in ascending order."""
    packed = np.frombuffer(zlib.decompress(b64decode(text)), np.uint8)
    return np.flatnonzero(np.unpackbits(packed))


def note_mistakes(
    tested: NDArray[np.integer],
    y_test: NDArray[np.integer],
    decided: NDArray[np.integer],
) -> dict[str, Plain]:
    """The values ``tested`` and ``wrong`` of a row: sample, class, taken for what.

    >>> note_mistakes(np.array([7, 8]), np.array([0, 1]), np.array([0, 2]))["wrong"]
    [[8, 1, 2]]
    """
    wrong = decided != y_test
    found = np.column_stack([tested, y_test, decided])[wrong]
    return {"wrong": found.tolist(), "tested": pack(tested)}


def hardest(
    rows: Sequence[Row], n_samples: int | None = None, rank: str = "rate"
) -> list[metrics.HardSample]:
    """The samples that these rows got wrong, ranked by `mercer.metrics`."""
    tests = [(unpack(row.values["tested"]), row.values["wrong"]) for row in rows]
    n_rows = max(int(tested.max(initial=-1)) for tested, _ in tests) + 1
    # what nobody ever got wrong needs no true label
    y_true = np.zeros(n_rows, np.intp)
    for _, wrong in tests:
        for sample, label, _ in wrong:
            y_true[sample] = label
    runs = []
    for tested, wrong in tests:
        decided = y_true.copy()
        for sample, _, taken in wrong:
            decided[sample] = taken
        runs.append((tested, decided[tested]))
    most = n_rows if n_samples is None else n_samples
    return metrics.hardest_samples(y_true, runs, most, rank=rank)


def taken_for(
    rows: Sequence[Row], label: int, decided: int
) -> list[metrics.HardSample]:
    """The samples of a class that were taken for a certain other, the hardest first."""
    found = {(s, y, d) for row in rows for s, y, d in row.values["wrong"]}
    chosen = {s for s, y, d in found if (y, d) == (label, decided)}
    return [sample for sample in hardest(rows) if sample.index in chosen]


def class_names(facts: Mapping[str, Plain]) -> list[str]:
    """What the classes are called, in the order of their numbers.

    >>> class_names({"class_counts": {"0": 5, "1": 6}, "target_names": ["no", "yes"]})
    ['no', 'yes']
    """
    return [str(n) for n in facts.get("target_names") or facts.get("class_counts", {})]


def as_shown(sample: metrics.HardSample, names: Sequence[str]) -> ShownSample:
    """A sample as stories show it, its classes by their names."""
    taken = [(names[decided], count) for decided, count in sample.taken_for]
    return ShownSample(
        sample.index,
        names[sample.true_label],
        sample.times_wrong,
        sample.times_tested,
        taken,
    )
