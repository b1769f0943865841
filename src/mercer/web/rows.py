"""Rows of a request as samples: in order or by name, of numbers and of words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from mercer.preparation import feature_names, fills_gaps, words_of
from mercer.web.limits import Refusal

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
#: Null where a value is missing, and the model fills it in.
Value = Annotated[Number | str | None, Field(union_mode="left_to_right")]
RequestRow = (
    Annotated[list[Value], Field(min_length=1)]
    | Annotated[dict[str, Value], Field(min_length=1)]
)
_NAMED = 5  # at most, of those that are missing or unknown


class Columns:
    """What a model takes: how many features, their names, and which of them are words.

    Attributes
    ----------
    n_features, names, words : int, list of str or None, dict
        The words are those that the model knows, by the places of their features.
    """

    def __init__(self, name: str, model: Any) -> None:
        self.name, self.n_features = name, int(model.n_features_in_)
        self.names, self.words = feature_names(model), words_of(model)
        self._known, self._gaps = set(self.names or ()), fills_gaps(model)
        # a model of a data frame may choose its columns by name
        self._framed = hasattr(model, "feature_names_in_")

    def describe(self) -> dict[str, Any]:
        """What `/api/models` says about them."""
        return {
            "n_features": self.n_features,
            "feature_names": self.names,
            "words": {str(place): known for place, known in self.words.items()},
        }

    def samples(self, rows: list[Any]) -> NDArray:
        """The rows as an array, or a sentence about what is wrong with one."""
        plain = not (self.words or self._gaps)
        found = [self._in_order(number, row) for number, row in enumerate(rows)]
        for number, row in enumerate(found):
            if not (plain and all(type(value) is float for value in row)):
                found[number] = self._checked(number, row)
        return np.array(found, object if self.words else np.float64)

    def as_fitted(self, samples: NDArray) -> Any:
        """Samples as a data frame, if the model was fitted on one."""
        if not self._framed:
            return samples
        try:
            from pandas import DataFrame
        except ImportError:
            return samples
        frame = DataFrame(samples, columns=self.names)
        return frame.infer_objects() if self.words else frame

    def _in_order(self, number: int, row: Any) -> list[Any]:
        if isinstance(row, dict):
            self._check_names(number, row)
            return [row[name] for name in self.names or ()]
        if len(row) != self.n_features:
            raise Refusal(
                422,
                f"Sample {number} has {len(row)} features; {self.name} takes "
                f"{self.n_features}.",
            )
        return list(row)

    def _check_names(self, number: int, row: dict[str, Any]) -> None:
        if self.names is None:
            raise Refusal(
                422,
                f"Sample {number} has names, and {self.name} does not know those of "
                f"its features; send an array of {self.n_features} values.",
            )
        missing = [name for name in self.names if name not in row]
        unknown = [name for name in row if name not in self._known]
        wrong = f"lacks {_some(missing)}" if missing else ""
        if unknown:
            wrong += " and " * bool(missing) + f"has {_some(unknown)}"
            wrong += f", which {self.name} does not know"
        if wrong:
            raise Refusal(422, f"Sample {number} {wrong}.")

    def _checked(self, number: int, row: list[Any]) -> list[Any]:
        for place, value in enumerate(row):
            if value is None:
                if not self._gaps:
                    self._refuse(number, place, "is missing")
                if place not in self.words:
                    row[place] = np.nan
            elif isinstance(value, str) != (place in self.words):
                kind = "no number" if isinstance(value, str) else "no word"
                self._refuse(number, place, f"is {_short(value)}, which is {kind}")
        return row

    def _refuse(self, number: int, place: int, wrong: str) -> None:
        feature = f"feature {place}" if self.names is None else repr(self.names[place])
        known = self.words.get(place)
        instead = f"; it is a word such as {known[0]!r}" if known else ""
        raise Refusal(422, f"Of sample {number} {feature} {wrong}{instead}.")


def _some(names: Iterable[str]) -> str:
    listed = list(map(_short, names))
    left = len(listed) - _NAMED
    return ", ".join(listed[:_NAMED]) + (f" and {left} more" if left > 0 else "")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
