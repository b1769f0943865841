"""What is saved and how, and what save refuses."""

import os
import stat

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from estimators.model_file.samples_and_answers import make_data
from mercer import KernelKNN, KernelPerceptron, load, save
from mercer.exceptions import ModelFileError


def test_an_unfitted_model_is_not_saved(path):
    with pytest.raises(
        ModelFileError, match="KernelKNN is not fitted; call fit before"
    ):
        save(KernelKNN(), path)
    assert not path.exists()


def test_foreign_objects_are_not_saved(path):
    X, y = make_data()
    with pytest.raises(ModelFileError, match=r"A builtins.dict cannot be saved"):
        save({}, path)
    with pytest.raises(ModelFileError, match="LogisticRegression cannot be saved"):
        save(LogisticRegression().fit(X, y), path)
    with pytest.raises(
        ModelFileError, match=r"Pipeline decides by a .*LogisticRegression"
    ):
        save(make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y), path)
    search = GridSearchCV(KernelKNN(), {"n_neighbors": [1, 2]}, cv=2).fit(X, y)
    with pytest.raises(ModelFileError, match="save its best_estimator_"):
        save(search, path)
    assert not path.exists()


class MyPerceptron(KernelPerceptron):
    def predict(self, X):
        raise AssertionError


def test_a_foreign_part_is_named(path):
    X, y = make_data()
    model = make_pipeline(FunctionTransformer(np.abs), KernelKNN()).fit(X, y)
    with pytest.raises(ModelFileError, match=r"cannot be saved: .*numpy.*absolute"):
        save(model, path)
    with pytest.raises(ModelFileError, match="MyPerceptron cannot be saved"):
        save(MyPerceptron().fit(X, y), path)
    odd = KernelKNN().fit(X, y)
    odd.note = open  # a function
    with pytest.raises(ModelFileError, match=r"cannot be saved: it holds a "):
        save(odd, path)
    assert not path.exists()


def test_the_file_follows_the_umask_and_replaces_what_was_there(model, path):
    before = os.umask(0o027)
    try:
        save(model, path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    link = path.with_name("link.mercer")
    link.symlink_to(path.name)
    save(model, link)
    assert link.is_symlink()
    assert sorted(p.name for p in path.parent.iterdir()) == [link.name, path.name]


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), KeyboardInterrupt()]
)
def test_an_interrupted_save_leaves_what_was_there(model, path, monkeypatch, error):
    path.write_bytes(b"before")

    def stop(handle):
        raise error

    monkeypatch.setattr(os, "fsync", stop)
    expected = ModelFileError if isinstance(error, OSError) else KeyboardInterrupt
    with pytest.raises(expected):
        save(model, path)
    assert path.read_bytes() == b"before"
    assert os.listdir(path.parent) == [path.name]


def test_places_where_nothing_can_be_written(model, tmp_path):
    with pytest.raises(ModelFileError, match=r"could not be written .Is a directory"):
        save(model, tmp_path)
    with pytest.raises(ModelFileError, match=r"could not be written .No such file"):
        save(model, tmp_path / "none" / "model.mercer")


def test_a_cache_folder_stays_behind(path, tmp_path):
    X, y = make_data()
    cache = str(tmp_path / "cache")
    inner = make_pipeline(StandardScaler(), memory=cache)
    model = make_pipeline(inner, KernelKNN(), memory=cache).fit(X, y)
    save(model, path)
    assert model.memory == model[0].memory == cache
    again = load(path)
    assert again.memory is again[0].memory is None
    assert (again.predict(X) == model.predict(X)).all()
