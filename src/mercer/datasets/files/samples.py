"""What a reader hands on: arrays not yet checked, and where in the file each is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from mercer.exceptions import DataError


def bad_file(path: Path | str, text: str) -> DataError:
    """Make the one sentence about a file, on one line whatever the file holds."""
    line = "".join(sign if sign.isprintable() else "�" for sign in text)
    return DataError(f"{path}: {line}")


def sample_number(index: int) -> str:
    """Say where a sample is in a file that has no lines."""
    return f"sample {index + 1}"


@dataclass
class Samples:
    """Samples as they stand in one file.

    `where` turns the index of a sample into words ("line 7"); `column` does the same
    for a feature. `n_train` is set when the file holds training, then test samples.
    """

    X: Any
    raw_labels: Sequence[str] | NDArray
    where: Callable[[int], str] = sample_number
    column: Callable[[int], str] = lambda index: f"feature {index + 1}"
    n_train: int | None = None
    image_shape: tuple[int, int] | None = None
    feature_names: tuple[str, ...] | None = None
    paths: tuple[Path, ...] = ()
    checksums: tuple[str, ...] = ()
