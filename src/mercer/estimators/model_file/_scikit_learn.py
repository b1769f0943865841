"""What must be true of scikit-learn's objects in a file whose numbers become indices.

Most transformers compute by NumPy, which checks every index. Those below write numbers
of theirs into CSR matrices, which compiled code follows without a look, hold models of
their own, or would call a function, or open a file, where an attribute says so. They
are known by their names, so that what a model does not need is not imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from mercer._storable import check_classes_stored, full_name, is_indices, need

_ABSENT_CLASS = "sklearn.multiclass._ConstantPredictor"


def deciding_parts(model: Any) -> Iterator[Any]:
    """The classifiers by which a model decides; mostly the model itself."""
    if isinstance(model, Pipeline):
        yield from deciding_parts(model.steps[-1][1] if model.steps else None)
    elif full_name(type(model)) in _ENSEMBLES:
        members = getattr(model, "estimators_", None) or [model.estimator]
        yield from chain.from_iterable(map(deciding_parts, members))
    elif full_name(type(model)) != _ABSENT_CLASS:
        yield model


def check_scikit_learn(part: Any) -> None:
    """Check an object, if it is one of these."""
    check = _CHECKS.get(full_name(type(part)))
    if check is not None:
        check(part)


def _check_one_hot(encoder: Any) -> None:
    need(
        encoder._infrequent_enabled is False,
        "a OneHotEncoder in it puts infrequent categories together, and files hold "
        "none that does",
    )
    categories, outs = encoder.categories_, encoder._n_features_outs
    good = isinstance(categories, list) and len(categories) == encoder.n_features_in_
    need(good and all(map(_are_categories, categories)), "it lacks categories")
    left_out = encoder._drop_idx_after_grouping
    if left_out is None:
        left_out = [None] * len(categories)
    good = len(left_out) == len(categories) and all(
        place is None or (_is_whole(place) and 0 <= place < len(names))
        for place, names in zip(left_out, categories)
    )
    expected = [
        len(names) - (place is not None) for place, names in zip(left_out, categories)
    ]
    need(
        good and isinstance(outs, list) and outs == expected,
        "its categories have other places than a OneHotEncoder gives them",
    )


def _are_categories(names: Any) -> bool:
    """Sorted, as they are looked for by bisection; NaN is the last."""
    if type(names) is not np.ndarray or names.ndim != 1 or not len(names):
        return False
    if names.dtype == object:
        return all(isinstance(name, str | int | float | None) for name in names)
    last = int(names.dtype.kind == "f" and np.isnan(names[-1]))
    names = names[: len(names) - last]
    return bool((names[1:] > names[:-1]).all())


def _check_vectorizer(vectorizer: Any) -> None:
    need(
        vectorizer.input == "content"
        and vectorizer.analyzer in ("word", "char", "char_wb")
        and vectorizer.preprocessor is vectorizer.tokenizer is None,
        "a vectorizer in it reads files or calls functions",
    )
    words = vectorizer.vocabulary_
    good = isinstance(words, dict) and all(isinstance(word, str) for word in words)
    need(
        good
        and all(map(_is_whole, words.values()))
        and sorted(words.values()) == list(range(len(words))),
        "its words have other places than a vectorizer gives them",
    )


def _check_passing_on(transformer: Any) -> None:
    given = transformer.func, transformer.inverse_func, transformer.kw_args
    need(not any(given), "a FunctionTransformer in it calls a function")


def _check_one_vs_rest(model: Any) -> None:
    _check_members(model)
    kind = full_name(type(model.label_binarizer_))
    need(kind == "sklearn.preprocessing._label.LabelBinarizer", "it has no labels")
    need(_is_row(model.label_binarizer_.classes_), "it has no classes")


def _check_bagging(model: Any) -> None:
    _check_members(model)
    check_classes_stored(model)
    columns, members = model.estimators_features_, model.estimators_
    need(model.n_estimators == len(members), "its models are not as many as it says")
    need(
        isinstance(columns, list)
        and len(columns) == len(members)
        and all(
            _is_row(one)
            and is_indices(one.astype(np.int64), len(one), model.n_features_in_)
            for one in columns
        ),
        "the features of its models are out of bounds",
    )


def _check_members(model: Any) -> None:
    members = model.estimators_
    need(isinstance(members, list) and members, "it has no models")
    for member in members:
        check_is_fitted(member)


def _is_row(array: Any) -> bool:
    return type(array) is np.ndarray and array.ndim == 1 and len(array) > 0


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


_ENSEMBLES: dict[str, Callable[[Any], None]] = {
    "sklearn.ensemble._bagging.BaggingClassifier": _check_bagging,
    "sklearn.multiclass.OneVsRestClassifier": _check_one_vs_rest,
}
_CHECKS: dict[str, Callable[[Any], None]] = _ENSEMBLES | {
    "sklearn.feature_extraction.text.CountVectorizer": _check_vectorizer,
    "sklearn.feature_extraction.text.TfidfVectorizer": _check_vectorizer,
    "sklearn.preprocessing._encoders.OneHotEncoder": _check_one_hot,
    "sklearn.preprocessing._function_transformer.FunctionTransformer": (
        _check_passing_on
    ),
}
