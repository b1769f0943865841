"""Rows by the names of columns, with words and gaps where a model takes these."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import mercer
from mercer.evaluation import remember_training
from mercer.preparation import prepare
from mercer.web.served_model import ServedModel

from .service import LIMITS, refused

RANDOM = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "age": RANDOM.uniform(1, 80, 60).round(1),
        "sex": RANDOM.choice(["male", "female"], 60),
        "deck": RANDOM.integers(1, 4, 60).astype(float),
    }
)
LABELS = np.where((FRAME.sex == "male") & (FRAME.deck < 3), "lost", "saved")
NUMBERS = ["age", "deck"]


def from_file(folder, **options):
    """A model as `mercer fit` keeps one."""
    FRAME.assign(label=LABELS).to_csv(folder / "ship.csv", index=False)
    path = str(folder / "ship.csv")
    data = mercer.load_dataset(path, categorical="auto", **options)
    steps = prepare(data.X, missing=data.missing, categorical=data.categorical)
    model = steps.before(mercer.KernelSVC(C=10)).fit(data.X, data.y)
    remember_training(model, data.X, np.arange(len(data.y)), data.feature_names)
    mercer.save(model, folder / "ship.mercer")
    return mercer.load(folder / "ship.mercer")


def from_frame():
    """One that chooses its columns by their names."""
    encode = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["sex"]), remainder="passthrough"
    )
    return make_pipeline(encode, mercer.KernelSVC(C=10)).fit(FRAME, LABELS)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ship")
    plain = mercer.KernelSVC().fit(FRAME[NUMBERS], LABELS)
    nameless = mercer.KernelKNN(3).fit(FRAME[NUMBERS].to_numpy(), LABELS)
    made = {
        "file": from_file(folder),
        "gaps": from_file(folder, missing="median"),
        "frame": from_frame(),
        "numbers": plain,
        "nameless": nameless,
    }
    return [ServedModel(name, model, LIMITS) for name, model in made.items()]


def test_models_tell_names_and_words(ask):
    said = {one["name"]: one for one in ask("GET", "/api/models").json()}
    for name in ("file", "gaps", "frame"):
        assert said[name]["feature_names"] == ["age", "sex", "deck"]
        assert said[name]["words"] == {"1": ["female", "male"]}
    assert said["numbers"]["feature_names"] == NUMBERS
    assert said["nameless"]["feature_names"] is None
    assert said["nameless"]["words"] == {}


@pytest.mark.parametrize("name", ["file", "gaps", "frame", "numbers"])
def test_names_in_any_order_say_what_arrays_say(ask, models, name):
    model = next(one for one in models if one.name == name).model
    frame = FRAME[NUMBERS] if name == "numbers" else FRAME
    given = frame if hasattr(model, "feature_names_in_") else frame.to_numpy(object)
    wanted = model.predict(given).tolist()
    named = frame[sorted(frame, reverse=True)].to_dict("records")
    for rows in (named, frame.to_numpy(object).tolist(), [*named[:9], *named[9:]]):
        parts = [rows[:30], rows[30:]]  # of 50 samples at most
        said = [
            ask("POST", "/api/predict", json={"model": name, "samples": part}).json()
            for part in parts
        ]
        labels = [one["label"] for part in said for one in part["predictions"]]
        assert labels == wanted


@pytest.mark.parametrize("name", ["file", "frame", "numbers"])
def test_a_row_by_name_is_explained(ask, name):
    row = {"deck": 1.0, "sex": "male", "age": 30}
    if name == "numbers":
        del row["sex"]
    asked = {"model": name, "sample": row}
    said = ask("POST", "/api/explain", json=asked).json()
    label = ask("POST", "/api/predict", json={"model": name, "samples": [row]}).json()
    assert said["label"] == label["predictions"][0]["label"]
    assert (said["shapley"] is not None) == (name == "numbers")


def test_what_is_missing_or_unknown_is_named(ask):
    def predict(name, *samples):
        asked = {"model": name, "samples": samples}
        return ask("POST", "/api/predict", json=asked)

    good = {"age": 30, "sex": "male", "deck": 1}
    refused(predict("file", good, {"age": 3}), 422, "Sample 1 lacks 'sex', 'deck'.")
    other = {**good, "port": "S"}
    refused(predict("file", other), 422, "has 'port', which file does not know")
    wrong = {"AGE": 30, "sex": "male", "deck": 1}
    refused(predict("file", wrong), 422, "lacks 'age' and has 'AGE', which")
    many = {f"x{i}": 1 for i in range(9)}
    refused(predict("numbers", many), 422, "'x4' and 4 more, which")
    refused(predict("nameless", {"age": 3, "deck": 1}), 422, "does not know those of")
    refused(predict("file", {**good, "age": "old"}), 422, "'age' is 'old'", "no number")
    refused(predict("file", {**good, "sex": 1}), 422, "'sex' is 1", "such as 'female'")
    refused(predict("file", {**good, "age": None}), 422, "sample 0 'age' is missing")
    refused(predict("nameless", [1.0, "two"]), 422, "feature 1 is 'two'", "no number")
    refused(predict("file", [30.0, "male"]), 422, "has 2 features; file takes 3")
    refused(predict("numbers", [True, 1]), 422, "body.samples.0")
    gone = dict.fromkeys(good)
    assert predict("gaps", gone, good).status_code == 200


def test_words_that_were_never_seen_are_noted(ask):
    rows = [[30, "male", 1], [30, "captain", 1]]
    said = ask("POST", "/api/predict", json={"model": "file", "samples": rows}).json()
    assert "Feature 2 holds words that the model has never seen" in said["note"]
    said = ask("POST", "/api/predict", json={"model": "file", "samples": rows[:1]})
    assert said.json()["note"] is None
