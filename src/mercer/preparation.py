"""What goes before a learner: missing values filled in, words encoded, features scaled.

`prepare` chooses scikit-learn's transformers for some training samples, and says why.
They become steps of a pipeline, so that a model that is saved takes the same file as
the one that it was trained on; `how_to_read` says what it needs to be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._validation import is_sparse
from mercer.datasets.files import FeaturePlaces
from mercer.exceptions import DataError, ParameterError

__all__ = ["Preparation", "prepare"]

SCALES = ("auto", "standard", "minmax", "none")
#: Features whose ranges differ by more than this are scaled, unless told otherwise.
MOST_UNEQUAL = 10.0

_FILLED_IN = ("mean", "median", "most-frequent")
_WORDS = {"standard": "standardised", "minmax": "scaled to 0 to 1"}


@dataclass(frozen=True)
class Preparation:
    """Steps before a learner, and what they are in words; both empty for none.

    >>> from mercer import KernelKNN
    >>> steps = prepare(np.array([[1.0, 900.0], [2.0, 200.0]]))
    >>> [name for name, _ in steps.before(KernelKNN()).steps]
    ['scale', 'model']
    """

    steps: tuple[tuple[str, Any], ...]
    description: str

    def before(self, model: Any) -> Any:
        """The model with these steps before it."""
        from sklearn.pipeline import Pipeline

        return Pipeline([*self.steps, ("model", model)]) if self.steps else model


def prepare(
    X: Any,
    scale: str = "auto",
    *,
    missing: str = "error",
    categorical: Sequence[int] = (),
    is_image: bool = False,
) -> Preparation:
    """Choose the steps for training samples X.

    Parameters
    ----------
    X : array or CSR matrix
        The training samples; of objects where features are words.
    scale : {"auto", "standard", "minmax", "none"}
        "auto" standardises where the ranges of the features differ by more than a
        factor of 10 (sparse samples are divided by the largest values instead, which
        keeps zeros), and leaves pixels alone, which have one unit.
    missing : str
        What to fill in where a value is missing: "mean", "median" or "most-frequent" of
        the feature; for words always the most frequent. Otherwise nothing is filled in.
    categorical : sequence of int
        The features that are words: one feature of 0 and 1 for each.
    is_image : bool
        Whether samples are images.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> prepare(load_wine().data).description
    'standardised, as the ranges of the features differ by a factor of 2,645'
    """
    if scale not in SCALES:
        raise ParameterError(
            f"`scale` is {scale!r}; it must be one of {', '.join(SCALES)}."
        )
    numbers = [place for place in range(X.shape[1]) if place not in set(categorical)]
    scaler, why = _choose_scaler(X, numbers, scale, is_image, bool(categorical))
    steps = [("missing", _imputer(missing))] if missing in _FILLED_IN else []
    filled = f"missing values: {missing}" if steps else ""
    steps += [("scale", scaler)] if scaler is not None else []
    encoded = ""
    if categorical:
        encoded = f"{len(categorical)} features of words as 0 and 1"
        steps = [("prepare", _by_columns(steps, numbers, categorical, missing))]
    return Preparation(tuple(steps), "; ".join(filter(None, (filled, encoded, why))))


def how_to_read(model: Any) -> dict[str, Any]:
    """Options of `load_dataset` that a model's own steps ask for."""
    parts = dict(_transformers(model))
    options: dict[str, Any] = {}
    if any(type(part).__name__ == "SimpleImputer" for part in parts):
        options["missing"] = "keep"
    words = [
        place
        for part, columns in parts.items()
        if type(part).__name__ == "OneHotEncoder" and columns is not None
        for place in columns
    ]
    if words and all(isinstance(place, int | np.integer) for place in words):
        options["categorical"] = FeaturePlaces(map(int, words))
    return options


def describe_new_words(model: Any, X: Any) -> str | None:
    """Say so if samples hold words that are none of a model's categories."""
    if not isinstance(X, np.ndarray) or X.dtype != object:
        return None
    for place, known in words_of(model).items():
        words = set(X[:, place].tolist()) - {*known, None}
        if words:
            some = ", ".join(map(repr, sorted(map(str, words))[:3]))
            return (
                f"Feature {place + 1} holds words that the model has never seen "
                f"({some}{', …' if len(words) > 3 else ''}); it counts as none."
            )
    return None


def check_takes_rows(model: Any) -> None:
    """Refuse a model of texts where samples are rows of a table or an array."""
    first = model.steps[0][1] if hasattr(model, "steps") else model
    if hasattr(first, "build_analyzer"):
        raise DataError(
            "The model takes texts and no rows of numbers; ask it from Python: "
            "mercer.load(FILE).predict([TEXT, ...])."
        )


def feature_names(machine: Any) -> list[str] | None:
    """What a model's features are called in its data frame or file, if anything.

    Names that do not tell all features apart are none.
    """
    names = getattr(machine, "feature_names_in_", None)
    record = getattr(machine, "trained_on_", None)
    if names is None and isinstance(record, dict):
        names = record.get("names")
    if names is None:
        inner = getattr(machine, "estimator_", None)
        return None if inner is None else feature_names(inner)
    found = list(map(str, names)) if isinstance(names, list | np.ndarray) else []
    return found if len(set(found)) == machine.n_features_in_ == len(found) else None


def words_of(model: Any) -> dict[int, list[str]]:
    """The features that are words to a model, and the words that it knows of each."""
    names: Any = getattr(model, "feature_names_in_", None)
    found = {}
    for part, columns in _transformers(model):
        if type(part).__name__ != "OneHotEncoder":
            continue
        for place, known in zip(columns or (), part.categories_):
            if isinstance(place, str):  # of a data frame
                place = list(names).index(place)
            if known.dtype.kind not in "biuf":
                found[place] = [str(word) for word in known if word is not None]
    return found


def fills_gaps(model: Any) -> bool:
    """Whether a model takes samples that lack values."""
    return "missing" in how_to_read(model)


def check_fills_no_words(model: Any, what: str) -> None:
    """Refuse a model that fills in missing words, for something that has no such."""
    check_takes_rows(model)
    words = words_of(model)
    if words and fills_gaps(model):
        place, known = next(iter(words.items()))
        raise ParameterError(
            f"The model fills in missing words (feature {place + 1}, such as "
            f"{known[0]!r}), which {what} cannot; ask the model with mercer predict, "
            "or train it with --missing drop-rows."
        )


def last_step(model: Any) -> Any:
    """The learner of a pipeline; any other model itself."""
    return model.steps[-1][1] if hasattr(model, "steps") else model


def _transformers(model: Any, columns: Any = None) -> Iterator[tuple[Any, Any]]:
    """The transformers of a model, and the columns that each of them gets."""
    for _, step in getattr(model, "steps", ()):
        if hasattr(step, "transformers_"):
            for _, part, chosen in step.transformers_:
                places = chosen if isinstance(chosen, list) else None
                yield part, places
                yield from _transformers(part, places)
        else:
            yield step, columns


def _choose_scaler(
    X: Any, numbers: list[int], scale: str, is_image: bool, with_words: bool
) -> tuple[Any, str]:
    from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

    sparse, why = is_sparse(X), ""
    if not numbers or scale == "none" or (scale == "auto" and is_image):
        return None, ""
    if scale == "auto":
        ratio = _ratio_of_ranges(X, numbers, with_words)
        if ratio <= MOST_UNEQUAL:
            return None, ""
        why = f", as the ranges of the features differ by a factor of {ratio:,.0f}"
        if sparse:
            return MaxAbsScaler(), f"divided by the largest values{why}"
        scale = "standard"
    if sparse and scale == "minmax":
        raise ParameterError(
            "`scale` minmax would fill in the zeros of sparse samples; use standard or "
            "auto."
        )
    if scale == "minmax":
        return MinMaxScaler(), _WORDS[scale] + why
    return StandardScaler(with_mean=not sparse), _WORDS[scale] + why


def _ratio_of_ranges(X: Any, numbers: list[int], with_words: bool) -> float:
    """The widest range of a feature by the narrowest; those of one value are left out.

    Words become features of 0 and 1.
    """
    if is_sparse(X):
        ranges = X.max(axis=0).toarray() - X.min(axis=0).toarray()
    else:
        values: NDArray = np.asarray(X[:, numbers], dtype=np.float64)
        some = values[:, ~np.isnan(values).all(axis=0)]
        if not some.size:
            return 1.0
        ranges = np.nanmax(some, axis=0) - np.nanmin(some, axis=0)
    ranges = np.append(ranges.ravel(), [1.0] * with_words)
    ranges = ranges[ranges > 0]
    return float(ranges.max() / ranges.min()) if len(ranges) else 1.0


def _imputer(missing: str, **options: Any) -> Any:
    from sklearn.impute import SimpleImputer

    strategy = missing.replace("-", "_")
    return SimpleImputer(strategy=strategy, keep_empty_features=True, **options)


def _by_columns(
    steps: list[tuple[str, Any]],
    numbers: list[int],
    categorical: Sequence[int],
    missing: str,
) -> Any:
    from sklearn.compose import ColumnTransformer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import OneHotEncoder

    # what the model has never seen is none of its categories
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    worded = [("encode", encoder)]
    if missing in _FILLED_IN:
        worded = [("missing", _imputer("most-frequent", missing_values=None)), *worded]
    return ColumnTransformer(
        [
            ("numbers", Pipeline(steps) if steps else "passthrough", numbers),
            ("words", Pipeline(worded), list(categorical)),
        ]
    )
