"""What a reader is told about a file, and what it hands on."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from mercer.datasets.files.content import bad_file
from mercer.exceptions import DataError, ParameterError

#: What may become of missing values: refused, kept as NaN, their rows left out, or kept
#: until a model is trained, which fills them in.
MISSING = ("error", "keep", "drop-rows", "mean", "median", "most-frequent")


class FeaturePlaces(tuple[int, ...]):
    """Numbers of features, counted without the label and without dropped columns."""


@dataclass(frozen=True)
class ReadOptions:
    """What the caller says about a file; everything left out is found out."""

    label: str | int = "auto"
    image_shape: tuple[int, int] | None = None
    n_features: int | None = None
    labels: Collection[int | str] | None = None
    value_range: tuple[float, float] | None = None
    header: bool | None = None
    separator: str | None = None
    dense: bool | None = None
    drop: Collection[int | str] = ()
    categorical: Collection[int | str] = ()
    missing: str = "error"

    def __post_init__(self) -> None:
        shape = self.image_shape
        if shape is not None and (len(shape) != 2 or min(shape) < 1):
            raise ParameterError(
                f"image_shape is {shape!r}; give height and width, such as (16, 16)."
            )
        if shape is not None and self.n_features not in (None, prod(shape)):
            raise ParameterError(
                f"image_shape {shape[0]}x{shape[1]} and n_features "
                f"{self.n_features} contradict each other; give one of them."
            )
        if self.header not in (None, True, False):
            raise ParameterError(
                f"header is {self.header!r}; give True, False or 'auto'."
            )
        if self.missing not in MISSING:
            raise ParameterError(
                f"missing is {self.missing!r}; it must be one of {', '.join(MISSING)}."
            )
        if self.separator is not None and len(self.separator) != 1:
            raise ParameterError(
                f"separator is {self.separator!r}; give one character, "
                "or ' ' for any white space."
            )

    @property
    def words(self) -> bool:
        """Whether columns of words are taken for categories."""
        return "auto" in self.categorical

    @property
    def expected_features(self) -> int | None:
        """Features that a sample must have, where the caller knows."""
        return prod(self.image_shape) if self.image_shape else self.n_features

    def describe_width(self, n_features: int, labelled: bool) -> str | None:
        """Say what is wrong with the number of features, if anything is."""
        expected = self.expected_features
        if expected in (None, n_features):
            return None
        hint = "."
        if labelled and n_features + 1 == self.n_features:
            hint = "; without labels, say so with label='none' (--label none)."
        return (
            f"has {n_features} values{' beside the label' if labelled else ''} where "
            f"{self.describe_features()} are expected{hint}"
        )

    def describe_features(self) -> str:
        """Write the expected number of features as people say it."""
        if self.image_shape:
            height, width = self.image_shape
            return f"{height}x{width} = {height * width} pixels"
        return f"{self.n_features} features"


@dataclass
class RawSamples:
    """Samples as they stand in one file, not yet checked.

    `where` turns the index of a sample into words ("line 7"); `column` does the same
    for a feature, and `how_to_drop` says how to leave it out. `guessed_label` is the
    column of the labels where nobody named it. `n_train` is set when the
    file holds training, then test samples. `promise` is what the file's form says of
    its content, as options. `notes` say how the file was understood, `warnings` what is
    doubtful about it. `words` are the categories of features that hold no numbers, None
    where one is missing; X has 0.5 in their place. `raw_labels` is None where there are
    none, and `rows` are the numbers of samples where some were left out.
    """

    X: Any
    raw_labels: Sequence[str] | NDArray | None
    where: Callable[[int], str] = lambda index: f"sample {index + 1}"
    column: Callable[[int], str] = lambda index: f"feature {index + 1}"
    how_to_drop: Callable[[int], str] = lambda index: "save the samples without it"
    guessed_label: str | None = None
    n_train: int | None = None
    image_shape: tuple[int, int] | None = None
    feature_names: tuple[str, ...] | None = None
    promise: dict[str, Any] = field(default_factory=dict)
    paths: tuple[Path, ...] = ()
    checksums: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    words: dict[int, NDArray] = field(default_factory=dict)
    rows: NDArray | None = None

    def bad(self, text: str) -> DataError:
        """Make the one sentence about their file."""
        return bad_file(self.paths[0], text)
