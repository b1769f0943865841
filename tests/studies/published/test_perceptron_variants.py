"""Report 002: three ways to end against the estimator, tiny, and for real."""

from dataclasses import replace

import numpy as np
import pytest

from mercer import load_dataset
from mercer.estimators import KernelPerceptron
from mercer.report.page import write_report
from mercer.studies import Store, get_study, make_plan, run_plan
from mercer.studies.published.perceptron_variants.cells import (
    features_of,
    kernel_of,
    make_split,
    run_split,
    samples_of,
    show_samples,
)
from mercer.studies.row import Row
from mercer.studies.verdicts import Verdict, judge


@pytest.fixture(scope="module")
def small():
    digits = load_dataset("digits")
    rows = np.random.default_rng(0).permutation(digits.n_samples)[:300]
    return replace(digits, X=digits.X[rows], y=digits.y[rows])


@pytest.mark.parametrize("epochs", [1, 3, 20])
@pytest.mark.parametrize(
    ("name", "variant"), [("vanilla", "last"), ("erm", "best"), ("averaged",) * 2]
)
def test_each_way_to_end_is_the_estimators(small, epochs, name, variant):
    X = features_of(small)
    train, test = make_split(300, 1)
    kernel = kernel_of(2, 1.0)
    _, values = run_split(X, small.y, 1, [kernel_of(3, 1.0), kernel], epochs)
    model = KernelPerceptron(kernel, variant=variant, epochs=epochs, shuffle=False)
    decided = model.fit(X[train], small.y[train]).predict(X[test])
    error = np.mean(decided != small.y[test])
    assert values[f"{name} test after {epochs}"] == pytest.approx(error)


def test_ten_images_are_shown_as_they_are_taken(small):
    X, (train, test) = features_of(small), make_split(300, 1)
    shown, answers = show_samples(X, small.y, 1, kernel_of(2, 1.0))
    assert len(set(shown) & set(test)) == 10
    assert answers["true"].tolist() == small.y[shown].tolist()
    model = KernelPerceptron("poly", gamma=1.0, degree=2, coef0=2.0, shuffle=False)
    model.set_params(variant="averaged", epochs=5).fit(X[train], small.y[train])
    assert answers["decided"].tolist() == model.predict(X[shown]).tolist()


def test_a_tiny_run_ends_in_a_report(small, tmp_path):
    study = get_study("perceptron-variants")
    plan = make_plan(study, small, quick=True)
    with Store(tmp_path / "store.sqlite") as store:
        assert run_plan(plan, store) == []
        rows = store.rows(plan=plan.id)
        page = write_report(store, tmp_path / "report.html").read_text("utf-8")
    assert len(rows) == len(plan.cells) == 16
    assert "Ten random test images" in page or "Ten digits" in page
    assert study.story(rows[-1:], small.summary()).summary


def test_pixels_become_fractions(small):
    assert features_of(small).max() == 1.0
    assert len(samples_of(small)) == 300


def test_a_number_of_report_002_for_real(data_folder):
    mnist = load_dataset("mnist")
    assert len(samples_of(mnist)) == 10_000
    X, y, kernels = features_of(mnist), mnist.y[samples_of(mnist)], [kernel_of(2, 1.0)]
    rows = [
        Row("", "", "", {"degree": 2, "offset": 1.0}, 0, values)
        for seed in range(4)
        for values in run_split(X, y, seed, kernels, 5)
    ]
    published = get_study("perceptron-variants").published()
    (number,) = [n for n in published if n.measure == "averaged test after 5"]
    assert judge(number, number.ours(rows)).verdict is Verdict.AGREES
    assert all(row.values["averaged train after 5"] < 0.005 for row in rows)
