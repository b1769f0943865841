"""`mercer explain`: what is printed adds up, figures appear, and what is refused."""

import json
from functools import partial

import numpy as np
import pytest

import mercer
from cli.console import good, refused
from mercer.explain import shapley_values, support_vectors


@pytest.fixture
def run(run):
    return partial(run, "explain")


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    path = tmp_path_factory.mktemp("explain") / "digits.mercer"
    data = mercer.load_dataset("digits")
    model = mercer.KernelSVC(C=10).fit(data.X[:300], data.y[:300])
    mercer.save(model, path)
    return path, model, data


@pytest.fixture(scope="module")
def iris(tmp_path_factory):
    path = tmp_path_factory.mktemp("explain") / "iris.mercer"
    data = mercer.load_dataset("iris")
    mercer.save(mercer.KernelSVC(multiclass="ovr").fit(data.X, data.y), path)
    return path, data


def test_json_says_what_the_library_says(run, digits):
    path, model, data = digits
    said = json.loads(
        good(
            run(path, "digits", "--row", 1000, "--background", 7, "--top", 64, "--json")
        )
    )
    why = support_vectors(model, data.X[1000:1001])
    assert said["predicted"] == str(model.predict(data.X[1000:1001])[0])
    assert said["votes"] == dict(zip("0123456789", why.votes[0]))
    assert said["pairs"] == dict(zip(why.outputs, why.scores[0]))
    assert said["for"][0]["share"] == why.strongest(0, said["class"])[0][0].share
    rows = np.sort(np.random.default_rng(0).permutation(len(data.y))[:7])
    values = shapley_values(model, data.X[1000:1001], data.X[rows])
    adds = [one["adds"] for one in said["shapley"]["features"]]
    wanted = values.for_class(said["class"])[0]
    np.testing.assert_allclose(sorted(adds), sorted(wanted), atol=1e-12)
    total = said["shapley"]["base_value"] + sum(adds) + said["shapley"]["rest"]
    assert total == pytest.approx(said["scores"][said["class"]])
    assert said["picture"] is None


def test_a_table_and_a_figure_of_images(run, digits, tmp_path):
    path, _, _ = digits
    shown = good(run(path, "digits", "--row", 5, "--class", 3, "--background", 5))
    assert "the score of 3" in shown
    assert "votes" in shown
    assert "all others" in shown
    assert (tmp_path / "out" / "explain-digits-digits-5.png").stat().st_size > 1000


def test_a_figure_of_features(run, iris, tmp_path):
    path, _ = iris
    shown = good(run(path, "iris", "--row", 70, "-o", "why.svg", "--dark"))
    assert "feature 2" in shown
    assert "votes" not in shown
    assert (tmp_path / "why.svg").stat().st_size > 1000


def test_kernels_without_exact_values_still_show_support_vectors(run, tmp_path):
    data = mercer.load_dataset("iris")
    model = mercer.KernelPerceptron("cosine", random_state=0).fit(data.X, data.y)
    mercer.save(model, tmp_path / "cosine.mercer")
    result = run("cosine.mercer", "iris")
    assert result.exit_code == 0
    assert "note: No exact way to Shapley values is known for Cosine()" in result.stderr
    assert "training sample" in result.stdout


def test_what_is_wrong_is_a_sentence(run, iris, tmp_path):
    path, data = iris
    refused(run(path, "iris", "--row", 150), "--row is 150", "150 samples")
    refused(run(path, "iris", "--class", "rose"), "no class 'rose'", "knows 0, 1, 2")
    refused(run(path, "iris", "-o", "why.txt"), "why.txt", ".png, .svg or .pdf")
    mercer.save(mercer.KernelKNN().fit(data.X, data.y), tmp_path / "knn.mercer")
    refused(run("knn.mercer", "iris"), "KernelKNN", "kneighbors")
