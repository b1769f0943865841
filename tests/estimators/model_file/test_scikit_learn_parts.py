"""Encoders, vectorizers and ensembles of scikit-learn: the same model, or refused."""

import copy
from pickle import whichmodule

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.compose import (
    ColumnTransformer,
    make_column_selector,
    make_column_transformer,
)
from sklearn.ensemble import BaggingClassifier
from sklearn.feature_extraction.text import (
    CountVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from estimators.model_file.forging import refused
from estimators.model_file.samples_and_answers import answers
from mercer import KernelKNN, KernelPerceptron, KernelSVC, load, save
from mercer.estimators.model_file import _container
from mercer.estimators.model_file._payload import unpacked
from mercer.exceptions import ModelFileError

random = np.random.default_rng(0)
y = np.arange(30) % 3
COLOURS = np.array(["red", "blue", "green"])[y]
X = random.normal(size=(30, 2)) + np.eye(3, 2)[y]
FRAME = pd.DataFrame({"a": X[:, 0], "colour": COLOURS, "b": X[:, 1]})
TABLE = FRAME.to_numpy(object)
TEXTS = [f"{colour} thing number {i % 5}" for i, colour in enumerate(COLOURS)]

NUMBERS = make_pipeline(SimpleImputer(), StandardScaler())
BY_PLACE = ColumnTransformer(
    [("n", NUMBERS, [0, 2]), ("c", OneHotEncoder(handle_unknown="ignore"), [1])]
)
BY_NAME = make_column_transformer(
    (StandardScaler(), ["a", "b"]),
    (OneHotEncoder(drop="first", sparse_output=False), ["colour"]),
)
BY_TYPE = make_column_transformer(
    (StandardScaler(), make_column_selector(dtype_include=np.number)),
    (OneHotEncoder(), make_column_selector(dtype_exclude=np.number)),
)
PASSING = ColumnTransformer(
    [("c", OneHotEncoder(drop="if_binary"), [1])], remainder="passthrough"
)
PASSING_BY_NAME = make_column_transformer(
    (OneHotEncoder(), ["colour"]), remainder="passthrough"
)
# before NumPy 2.2 its ufuncs do not say that they are of numpy itself
ABSOLUTE = f"{whichmodule(np.abs, 'absolute')}.absolute"
MODELS = {
    "columns by place": (make_pipeline(BY_PLACE, KernelSVC()), TABLE),
    "columns by name": (make_pipeline(BY_NAME, KernelSVC()), FRAME),
    "columns by type": (make_pipeline(BY_TYPE, KernelKNN()), FRAME),
    "columns passed on": (make_pipeline(PASSING, KernelSVC()), TABLE),
    "columns passed on by name": (make_pipeline(PASSING_BY_NAME, KernelSVC()), FRAME),
    "numbers as categories": (make_pipeline(OneHotEncoder(), KernelSVC()), X.round()),
    "words": (make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), KernelSVC()), TEXTS),
    "letters": (make_pipeline(TfidfVectorizer(analyzer="char"), KernelKNN()), TEXTS),
    "counts": (
        make_pipeline(
            CountVectorizer(stop_words=["a"]), TfidfTransformer(), KernelKNN()
        ),
        TEXTS,
    ),
    "one-vs-rest": (OneVsRestClassifier(KernelSVC()), X),
    "one-vs-rest inside": (
        make_pipeline(
            StandardScaler(), OneVsRestClassifier(KernelPerceptron(random_state=0))
        ),
        X,
    ),
    "bagging": (
        BaggingClassifier(KernelSVC(), 3, max_features=1, random_state=0),
        X,
    ),
    "bagged pipelines": (
        BaggingClassifier(make_pipeline(StandardScaler(), KernelKNN()), 3),
        X,
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_same_answers(name, path):
    model, samples = MODELS[name]
    model.fit(samples, y)
    save(model, path)
    assert answers(load(path), samples) == answers(model, samples)


def test_saving_leaves_the_columns_of_a_model_as_they_are(path):
    model = make_pipeline(PASSING_BY_NAME, KernelSVC()).fit(FRAME, y)
    before = copy.deepcopy(model[0].transformers_[-1][2])
    save(model, path)
    after = model[0].transformers_[-1][2]
    assert type(after) is type(before)
    assert after == before


def test_several_labels_a_sample(path):
    labels = np.column_stack([y == 0, y > 0, np.ones(30)]).astype(int)
    with pytest.warns(UserWarning, match="present in all"):
        model = OneVsRestClassifier(KernelSVC()).fit(X, labels)
    save(model, path)
    assert (load(path).predict(X) == model.predict(X)).all()


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (
            OneVsRestClassifier(LogisticRegression()),
            "decides by a .*LogisticRegression",
        ),
        (BaggingClassifier(LogisticRegression()), "decides by a .*LogisticRegression"),
        (
            make_pipeline(FunctionTransformer(np.abs), KernelSVC()),
            f"cannot be saved: it holds a {ABSOLUTE}",
        ),
        (
            make_pipeline(OneHotEncoder(max_categories=2), KernelSVC()),
            "puts infrequent categories together",
        ),
    ],
    ids=["one-vs-rest", "bagging", "function", "infrequent"],
)
def test_what_is_not_saved(model, sentence, path):
    model.fit(X.round(), y)
    with pytest.raises(ModelFileError, match=sentence):
        save(model, path)
    assert not path.exists()


def test_a_vectorizer_of_files_or_functions_is_not_saved(path):
    for given in ({"tokenizer": str.split, "token_pattern": None}, {"analyzer": list}):
        model = make_pipeline(CountVectorizer(**given), KernelKNN()).fit(TEXTS, y)
        with pytest.raises(ModelFileError, match="cannot be saved: "):
            save(model, path)


def forged(name, change):
    """A file whose outside is sound, of a model that was changed behind its back."""
    model, samples = MODELS[name]
    model = copy.deepcopy(model.fit(samples, y))
    change(model)
    return _container.pack(unpacked(skops.io.dumps(model)))


def put(name, value):
    return lambda part: part.__dict__.__setitem__(name, value)


PLACES = np.array([-1, 0, 1, 2])


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("numbers as categories", put("_n_features_outs", [1, 1]), "other places"),
        ("numbers as categories", put("_n_features_outs", [99, 3]), "other places"),
        (
            "numbers as categories",
            put("_drop_idx_after_grouping", np.array([9**9, 0], object)),
            "other places",
        ),
        (
            "numbers as categories",
            put("categories_", [np.array([3.0, -1.0, 0.0])] * 2),
            "lacks categories",
        ),
        ("numbers as categories", put("categories_", [PLACES]), "lacks categories"),
        ("numbers as categories", put("categories_", 7), "lacks categories"),
        (
            "numbers as categories",
            put("_infrequent_enabled", True),
            "infrequent categories",
        ),
        ("counts", put("vocabulary_", {"red": 10**9, "blue": 0}), "other places"),
        ("counts", put("vocabulary_", {"red": -1, "blue": 0}), "other places"),
        ("counts", put("vocabulary_", {"red": 1, "blue": True}), "other places"),
        ("counts", put("input", "filename"), "reads files or calls functions"),
        ("counts", put("analyzer", KernelKNN()), "reads files or calls functions"),
        ("words", put("input", "file"), "reads files or calls functions"),
        ("words", put("vocabulary_", {"red": 3}), "other places"),
    ],
)
def test_steps_that_lie(name, change, sentence, path):
    refused(path, forged(name, lambda model: change(model[0])), sentence)


@pytest.mark.parametrize(
    ("name", "change", "sentence"),
    [
        ("bagging", put("n_estimators", 10**9), "not as many as it says"),
        ("bagging", put("estimators_", []), "it has no models"),
        ("bagging", put("estimators_features_", [np.array([7])] * 3), "out of bounds"),
        ("bagging", put("estimators_features_", [PLACES] * 3), "out of bounds"),
        ("bagging", put("classes_", None), "it has no classes"),
        ("bagging", put("estimators_", [StandardScaler()] * 3), "classifier of Mercer"),
        ("bagging", put("predict", 1), "has an attribute 'predict'"),
        ("one-vs-rest", put("estimators_", [KernelSVC()] * 3), "NotFittedError"),
        ("one-vs-rest", put("estimators_", 3), "does not fit together"),
        ("one-vs-rest", put("label_binarizer_", StandardScaler()), "it has no labels"),
    ],
)
def test_ensembles_that_lie(name, change, sentence, path):
    refused(path, forged(name, change), sentence)


def test_a_function_that_is_passed_on_in_disguise(path):
    def change(model):
        model[0].transformers_[1][1].func = KernelKNN()  # which files may hold

    refused(path, forged("columns passed on", change), "calls a function")
