"""How a file is to be read, and what it must hold."""

from collections.abc import Collection
from dataclasses import dataclass
from math import prod

from mercer.exceptions import ParameterError


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
        if self.separator is not None and len(self.separator) != 1:
            raise ParameterError(
                f"separator is {self.separator!r}; give one character, "
                "or ' ' for any white space."
            )

    @property
    def expected_features(self) -> int | None:
        """Features that a sample must have, where the caller knows."""
        return prod(self.image_shape) if self.image_shape else self.n_features

    def describe_features(self) -> str:
        """Write the expected number of features as people say it."""
        if self.image_shape:
            height, width = self.image_shape
            return f"{height}x{width} = {height * width} pixels"
        return f"{self.n_features} features"
