"""What is wrong with a search is said in a sentence, or as scikit-learn says it."""

import numpy as np
import pytest
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV, KFold

import mercer.kernels
from mercer import KernelKNN, KernelPerceptron, KernelSVC, load_dataset
from mercer.exceptions import DataError, ParameterError
from mercer.model_selection import GramSearchCV

iris = load_dataset("iris")


def search(model, grid, X=iris.X, y=iris.y, **options):
    return GramSearchCV(model, grid, **({"cv": 3} | options)).fit(X, y)


@pytest.mark.parametrize(
    ("grid", "words"),
    [
        ({"gama": [1]}, "KernelSVC has no parameter 'gama'; did you mean gamma"),
        ([{"C": [1]}, {"zzz": [1]}], "no parameter 'zzz'; it has C, "),
        ([], "The grid is empty"),
        ([3], "A grid is a dict of names and lists of values"),
        ({"C": []}, "non-empty"),
        ({"C": 3}, "C"),
        ({"C": "12"}, "C"),
    ],
)
def test_impossible_grids(grid, words):
    with pytest.raises((ValueError, TypeError), match=words):
        search(KernelSVC(), grid)


@pytest.mark.parametrize("per_class", [False, True])
@pytest.mark.parametrize("n", [150, 2000])
@pytest.mark.parametrize("model", [KernelSVC(), KernelKNN(), KernelPerceptron()])
def test_a_continuous_target_is_refused_before_anything_is_solved(
    model, n, per_class, monkeypatch
):
    if per_class and not isinstance(model, KernelSVC):
        pytest.skip("another learner says nothing new")
    X, y = np.random.default_rng(0).normal(size=(2, n, 1))

    def work(*_, **__):
        raise AssertionError("a Gram was made")

    monkeypatch.setattr(mercer.kernels.Gram, "__init__", work)
    monkeypatch.setattr(mercer.kernels.GramFamily, "__init__", work)
    grid = {"gamma": [0.1, 1.0]}
    with pytest.raises(ValueError, match="Unknown label type: continuous") as told:
        search(model, grid, X, y[:, 0], per_class=per_class)
    if not per_class:
        with pytest.raises(ValueError, match="Unknown label type") as expected:
            GridSearchCV(model, grid, cv=3).fit(X, y[:, 0])
        first = [str(error.value).split("\n")[:2] for error in (told, expected)]
        assert first[0] == first[1]


def test_impossible_values_score_nan_as_in_scikit_learn():
    grid = {"C": [1.0, -1.0], "gamma": [0.1]}
    with (
        pytest.warns(FitFailedWarning, match="it must be a number above 0"),
        pytest.warns(UserWarning, match="non-finite"),
    ):
        found = search(KernelSVC(), grid)
    assert found.best_params_["C"] == 1.0
    assert np.isnan(found.cv_results_["mean_test_score"][1])
    assert found.cv_results_["rank_test_score"].tolist() == [1, 2]
    with pytest.raises(ParameterError, match="above 0"):
        search(KernelSVC(), grid, error_score="raise")
    with pytest.raises(ValueError, match="All the 3 fits failed"):
        search(KernelSVC(), {"C": [-1.0]})


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (KernelPerceptron(random_state=0), {"epochs": [0, 1]}),
        (KernelPerceptron(random_state=0), {"variant": ["lest", "last"]}),
        (KernelSVC(), {"kernel": ["rbf", "rbv"]}),
        (KernelSVC(), {"gamma": [-1.0, 1.0]}),
        (KernelSVC(), {"solver": ["lbfgs", "smo"]}),
        (KernelKNN(), {"n_neighbors": [0, 1]}),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
def test_one_bad_value_does_not_spoil_the_others(model, grid):
    ours = search(model, grid)
    plain = GridSearchCV(model, grid, cv=3).fit(iris.X, iris.y)
    theirs = plain.cv_results_["mean_test_score"]
    np.testing.assert_array_equal(ours.cv_results_["mean_test_score"], theirs)


def test_too_many_neighbours():
    with (
        pytest.warns(UserWarning, match="only 100 training samples"),
        pytest.warns(UserWarning, match="non-finite"),
    ):
        found = search(KernelKNN(), {"n_neighbors": [1, 101]})
    assert found.best_params_ == {"n_neighbors": 1}


def test_a_class_missing_from_a_fold():
    with pytest.warns(UserWarning, match="Split 0 has no training samples of class 0"):
        found = search(KernelSVC(), {"C": [1, 10]}, cv=KFold(3))
    assert found.cv_results_["mean_test_score"].tolist() == [0.0, 0.0]


def test_a_fold_of_one_class():
    everything = np.arange(150)
    splits = [(everything[:50], everything[50:]), (everything[::2], everything[1::2])]
    with (
        pytest.warns(UserWarning, match="no training samples"),
        pytest.warns(FitFailedWarning, match="one class only"),
        pytest.warns(UserWarning, match="non-finite"),
    ):
        found = search(KernelSVC(), {"C": [1]}, cv=splits, refit=False)
    assert np.isnan(found.cv_results_["split0_test_score"]).all()
    assert found.cv_results_["split1_test_score"][0] > 0.9


def test_a_scorer_that_fails_or_returns_nan():
    def fails(model, X, y):
        raise RuntimeError("no score today")

    with (
        pytest.warns(UserWarning, match="no score today"),
        pytest.warns(UserWarning, match="non-finite"),
    ):
        found = search(KernelKNN(), {"n_neighbors": [1]}, scoring=fails, refit=False)
    assert np.isnan(found.cv_results_["mean_test_score"]).all()
    with pytest.raises(RuntimeError, match="no score today"):
        search(KernelKNN(), {"n_neighbors": [1]}, scoring=fails, error_score="raise")

    def sometimes(model, X, y):
        return np.nan if len(model.predict(X)) and model.n_neighbors == 3 else 0.5

    with pytest.warns(UserWarning, match="non-finite"):
        found = search(KernelKNN(), {"n_neighbors": [3, 1]}, scoring=sometimes)
    assert found.best_params_ == {"n_neighbors": 1}


def test_samples_and_splits_that_are_no_good():
    X = iris.X.copy()
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN"):
        search(KernelSVC(), {"C": [1]}, X=X, error_score="raise")
    with pytest.raises(ValueError, match="greater than the number of members"):
        search(KernelSVC(), {"C": [1]}, cv=51)
    with pytest.raises(DataError, match="no splits"):
        search(KernelSVC(), {"C": [1]}, cv=[])
    with pytest.raises(DataError, match="Split 0 has 150 samples to train on and 0"):
        search(KernelSVC(), {"C": [1]}, cv=[(np.arange(150), [])])
    with pytest.raises(ParameterError, match="n_jobs is 0"):
        search(KernelSVC(), {"C": [1]}, n_jobs=0)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        search(KernelSVC(), {"C": [1]}, y=iris.y[:-1])


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
def test_a_kernel_that_overflows():
    X = iris.X.astype(np.float32) * 1e10
    grid = {"degree": [1, 9], "gamma": [1.0]}
    found = search(KernelPerceptron("poly", random_state=0), grid, X=X)
    assert np.isnan(found.cv_results_["mean_test_score"]).tolist() == [False, True]


def test_per_class_where_it_cannot_be():
    with pytest.raises(ParameterError, match="KernelKNN is none"):
        search(KernelKNN(), {"n_neighbors": [1]}, per_class=True)
    with pytest.raises(ParameterError, match="take multiclass out of the grid"):
        search(KernelSVC(), {"multiclass": ["ovo", "ovr"]}, per_class=True)
    with pytest.raises(ParameterError, match="C is -1; it must be"):
        search(KernelSVC(), {"C": [1, -1]}, per_class=True)
    with pytest.raises(ParameterError, match="fitted alone"):
        search(KernelSVC(max_seconds=1.0), {"C": [1]}, per_class=True)
    with pytest.raises(ParameterError, match="kernel is a function"):
        search(KernelSVC(kernel=np.inner), {"C": [1]}, per_class=True)
    with (
        pytest.warns(UserWarning, match="no training samples"),
        pytest.raises(DataError, match="every class in every fold"),
    ):
        search(KernelSVC(), {"C": [1]}, per_class=True, cv=KFold(3))
