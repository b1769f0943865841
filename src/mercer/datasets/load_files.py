"""From samples of one or more files to a data set."""

import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.datasets.dataset import Dataset, combine_checksums
from mercer.datasets.files import (
    RawSamples,
    ReadOptions,
    printable,
    read_file,
    unpacked_name,
)
from mercer.datasets.known import KNOWN, Known


def load_path(path: Path, options: ReadOptions) -> Dataset:
    """Read the file at a path as a data set; nothing is scaled."""
    samples, y = read_file(path, options)
    about = {
        "name": printable(unpacked_name(path)),
        "source": printable(f"the file {path}"),
    }
    named = (name for name in options.categorical if name != "auto")
    read: dict[str, Any] = {
        "drop": tuple(sorted(map(str, options.drop))),
        "categorical": tuple(sorted(map(str, named))),
        "missing": options.missing if options.missing != "error" else None,
    }
    return _make_dataset(
        [samples],
        _with_words(samples),
        y,
        samples.n_train,
        categorical=tuple(sorted(samples.words)),
        missing=options.missing,
        rows_in_file=samples.rows,
        read_with=tuple((name, value) for name, value in read.items() if value),
        **about,
    )


def _with_words(samples: RawSamples) -> Any:
    """Numbers, or where some features are words, an array of both."""
    if not samples.words:
        return samples.X
    X = samples.X.astype(object)
    for place, words in samples.words.items():
        X[:, place] = words
    return X


def load_known(
    name: str,
    paths: Sequence[Path],
    options: ReadOptions,
    scale: Callable[[Any], Any],
    **about: Any,
) -> Dataset:
    """Read the files of a named data set, put them together and scale them."""
    parts = [read_file(path, options) for path in paths]
    samples = [part for part, _ in parts]
    y = np.concatenate([labels for _, labels in parts])
    n_train = _n_train(name, KNOWN[name], samples, y)
    X = np.concatenate([np.asarray(part.X) for part in samples])
    return _make_dataset(samples, scale(X), y, n_train, name=name, **about)


def _make_dataset(
    samples: list[RawSamples],
    X: Any,
    y: NDArray,
    n_train: int | None,
    licence: str = "not stated",
    **about: Any,
) -> Dataset:
    train, test = None, None
    if n_train is not None:
        train, test = np.arange(n_train), np.arange(n_train, len(y))
    doubts = tuple(doubt for part in samples for doubt in part.warnings)
    for doubt in doubts:
        # at the call of load_dataset
        warnings.warn(f"{about['name']}: {doubt}", stacklevel=4)
    return Dataset(
        X=X,
        y=y,
        train=train,
        test=test,
        image_shape=samples[0].image_shape,
        licence=licence,
        sha256=combine_checksums([sum_ for part in samples for sum_ in part.checksums]),
        feature_names=samples[0].feature_names,
        target_names=tuple(map(str, np.unique(y).tolist())),
        files=tuple(path for part in samples for path in part.paths),
        notes=tuple(dict.fromkeys(note for part in samples for note in part.notes)),
        warnings=doubts,
        **about,
    )


def _n_train(
    name: str, known: Known, samples: list[RawSamples], y: NDArray
) -> int | None:
    """Find where training samples end; refuse files that are not whole."""
    first = samples[0]
    if len(samples) > 1:
        for part, size in zip(samples, (known.n_train, sum(known.test))):
            _check_size(name, part, part.X.shape[0], size)
        return known.n_train
    _check_size(name, first, len(y), known.n_samples)
    if first.n_train is not None:
        _check_size(name, first, first.n_train, known.n_train)
        return known.n_train
    # One file without parts: training samples first, if the class counts say so.
    as_known = known.test and known.count(y[: known.n_train]) == known.train
    return known.n_train if as_known else None


def _check_size(name: str, samples: RawSamples, found: int, expected: int) -> None:
    if found != expected:
        raise samples.bad(
            f"there are {found} samples where {name} has {expected}; "
            "the file is cut short or another one."
        )
