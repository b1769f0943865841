"""From samples of one or more files to a data set."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.datasets.checksums import combine_checksums
from mercer.datasets.dataset import Dataset, split_indices
from mercer.datasets.files import ReadOptions, Samples, bad_file, read_file
from mercer.datasets.known import KNOWN, Known


def load_path(path: Path, options: ReadOptions) -> Dataset:
    """Read the file at a path as a data set; nothing is scaled."""
    samples, y = read_file(path, options)
    train, test = split_indices(samples.n_train, len(y))
    return Dataset(
        X=samples.X,
        y=y,
        train=train,
        test=test,
        image_shape=samples.image_shape,
        name=path.name.removesuffix(".gz").removesuffix(".bz2"),
        source=f"the file {path}",
        licence="not stated",
        sha256=combine_checksums(samples.checksums),
        feature_names=samples.feature_names,
        target_names=_names(y),
        files=samples.paths,
    )


def load_known(
    name: str,
    paths: Sequence[Path],
    options: ReadOptions,
    scale: Callable[[Any], Any],
    **about: Any,
) -> Dataset:
    """Read the files of a named data set, put them together and scale them."""
    known = KNOWN[name]
    parts = [read_file(path, options) for path in paths]
    y = np.concatenate([labels for _, labels in parts])
    samples = [part for part, _ in parts]
    n_train = _n_train(name, known, samples, y)
    X = np.concatenate([np.asarray(part.X) for part in samples])
    train, test = split_indices(n_train, len(y))
    return Dataset(
        X=scale(X),
        y=y,
        train=train,
        test=test,
        name=name,
        sha256=combine_checksums([sum_ for part in samples for sum_ in part.checksums]),
        files=tuple(path for part in samples for path in part.paths),
        target_names=_names(y),
        **about,
    )


def _names(y: NDArray) -> tuple[str, ...]:
    return tuple(map(str, np.unique(y).tolist()))


def _n_train(name: str, known: Known, samples: list[Samples], y: NDArray) -> int | None:
    """Find where training samples end; refuse files that are not whole."""
    expected = (known.n_train, sum(known.test))
    if len(samples) > 1:
        for part, size in zip(samples, expected):
            _check_size(name, part.paths[0], part.X.shape[0], size)
        return known.n_train
    _check_size(name, samples[0].paths[0], len(y), known.n_samples)
    if samples[0].n_train is not None:
        _check_size(name, samples[0].paths[0], samples[0].n_train, known.n_train)
        return known.n_train
    # One file without parts: training samples first, if the class counts say so.
    counts = tuple(int((y[: known.n_train] == label).sum()) for label in known.labels)
    return known.n_train if known.test and counts == known.train else None


def _check_size(name: str, path: Path, found: int, expected: int) -> None:
    if found != expected:
        raise bad_file(
            path,
            f"there are {found} samples where {name} has {expected}; "
            "the file is cut short or another one.",
        )
