"""The study digit-classifiers: parts against plain versions, and one real row."""

import dataclasses

import numpy as np
import pytest
from sklearn.svm import SVC

from mercer.datasets import load_dataset
from mercer.estimators import KernelKNN, KernelPerceptron
from mercer.exceptions import MercerError
from mercer.kernels import Gaussian, Gram, Polynomial
from mercer.studies import Context, Store, get_study, make_plan, run_plan, select
from mercer.studies.plain import derive_seed
from mercer.studies.published.digit_classifiers.learners import learner
from mercer.studies.published.digit_classifiers.settings import CONFIGURATIONS, EPOCHS
from mercer.studies.published.digit_classifiers.splits import draw_part, fold_parts
from mercer.studies.published.digit_classifiers.svms import decide_by_svms
from mercer.studies.verdicts import Verdict, judge


@pytest.fixture(scope="module")
def few():
    data = load_dataset("digits")
    rows = np.random.default_rng(0).permutation(data.n_samples)[:400]
    return dataclasses.replace(data, X=data.X[rows], y=data.y[rows])


@pytest.fixture(scope="module")
def scaled(few):
    low, high = few.value_range
    return ((few.X - low) * (2 / (high - low)) - 1).astype(np.float32)


def test_end_to_end_on_a_few_digits(few, tmp_path):
    study = get_study("digit-classifiers")
    plan = make_plan(study, few, quick=True)
    with Store(tmp_path / "store.sqlite") as store:
        assert run_plan(plan, store) == []
        rows = store.rows(plan.id)
    story = study.story(rows, few.summary())
    titles = [section.title for section in story.sections]
    assert "Tested after cross-validation" in titles
    assert "One-vs-one at d = 1" in titles
    tested = select(rows, procedure="cross-validating", configuration="knn")
    assert all(row.values["chosen"] in (1, 7) for row in tested)
    # training samples are their own nearest neighbours
    basic = select(rows, procedure="basic", configuration="knn")
    assert all(row.values["train 1"] == 0 for row in basic)


@pytest.mark.parametrize(
    ("name", "multiclass"), [("poly-ovr", "ovr"), ("poly-ovo", "ovo")]
)
def test_perceptrons_are_those_of_the_estimator(few, scaled, name, multiclass):
    part = draw_part(np.arange(len(few.y)), 3)
    (decided,) = learner(Context(few), name)([part], [2])
    model = KernelPerceptron(
        Polynomial(2),
        epochs=EPOCHS,
        multiclass=multiclass,
        mistake="sign",
        shuffle=False,
    )
    model.fit(scaled[part.train], few.y[part.train])
    assert np.array_equal(decided[0], model.predict(scaled[part.at]))


def test_neighbours_are_those_of_the_estimator(few, scaled):
    part = draw_part(np.arange(len(few.y)), 3)
    (decided,) = learner(Context(few), "knn")([part], [1, 15])
    model = KernelKNN(1).fit(scaled[part.train], few.y[part.train])
    assert np.array_equal(decided[0], model.predict(scaled[part.at]))
    model = KernelKNN(15).fit(scaled[part.train], few.y[part.train])
    assert np.mean(decided[1] != model.predict(scaled[part.at])) < 0.02  # ties


def test_svms_are_those_of_scikit_learn(few, scaled):
    parts = fold_parts(np.arange(len(few.y)), 5)[:2]
    gram = Gram(Gaussian(1 / 64), scaled)
    penalties = (0.5, 10.0, 1000.0)
    for part, decided in zip(parts, decide_by_svms(gram, few.y, parts, penalties)):
        for C, found in zip(penalties, decided):
            model = SVC(C=C, gamma=1 / 64).fit(scaled[part.train], few.y[part.train])
            assert np.mean(found != model.predict(scaled[part.at])) <= 0.0125


def test_every_published_number_has_its_measure(few):
    published = get_study("digit-classifiers").published()
    assert len(published) == 192
    for number in published:
        if number.where.get("procedure") == "basic" and number.rule == "mean":
            values = CONFIGURATIONS[number.where["configuration"]].values
            assert float(number.measure.split()[1]) in values


def test_a_row_of_table_2_agrees_with_the_report():
    try:
        data = load_dataset("zipcombo")
    except MercerError as error:
        pytest.skip(f"needs the data set zipcombo: {error}")
    (number,) = (
        n
        for n in get_study("digit-classifiers").published()
        if n.where.get("configuration") == "poly-ovr" and n.measure == "test 4"
    )
    context = Context(data)
    parts = [
        draw_part(np.arange(data.n_samples), derive_seed(0, "basic", run))
        for run in range(20)
    ]
    answers = learner(context, "poly-ovr")(parts, [4])
    errors = [
        100 * np.mean(decided[0] != data.y[part.at])
        for decided, part in zip(answers, parts)
    ]
    assert judge(number, errors).verdict is Verdict.AGREES
