"""The study svm-decisions: exact rows, and both parts end to end."""

import dataclasses
from collections import Counter

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

from mercer.datasets import load_dataset
from mercer.estimators import KernelSVC
from mercer.kernels import Gram, Linear
from mercer.model_selection import rotate
from mercer.studies import Store, get_study, make_plan, run_plan
from mercer.studies.published.svm_decisions.iris import (
    FOLDS,
    SETTINGS,
    scores_of_folds,
    solve_row,
    split_iris,
)
from mercer.studies.published.svm_decisions.other_models import (
    least_error,
    likelihood_ratio,
)
from mercer.studies.verdicts import Verdict, judge_all


def test_every_printed_number_of_the_iris_tables_is_reproduced(tmp_path):
    study = get_study("svm-decisions")
    plan = make_plan(study, load_dataset("iris"))
    with Store(tmp_path / "store.sqlite") as store:
        assert run_plan(plan, store) == []
        rows = store.rows(plan.id)
    judgements = judge_all(study.published(), rows)
    rules = Counter(judgement.published.rule for judgement in judgements)
    # where L-BFGS-B stops depends on the last bits: primals go by their duality gaps
    assert rules == {"exact": 4 * len(SETTINGS), "certified": len(SETTINGS)}
    assert {j.verdict for j in judgements} == {Verdict.AGREES}
    for judgement in judgements:
        if judgement.published.rule == "certified":
            assert judgement.ours.n == 1
            assert abs(judgement.difference) < 1e-5 * judgement.ours.mean
    story = study.story(rows, {})
    assert story.summary[0].startswith("14 of the 14 rows")


@pytest.mark.parametrize("name", list(SETTINGS))
def test_the_dual_is_below_the_primal(name):
    values = solve_row(name, "smo").values
    assert 0 <= values["gap"] < 1e-5
    assert values["primal"] >= values["dual"]


def test_the_project_end_to_end_on_made_up_fingerprints(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 360)
    X = rng.normal(size=(360, 6)) + y[:, None]
    iris = load_dataset("iris")
    data = dataclasses.replace(
        iris,
        X=X,
        y=y,
        train=np.arange(240),
        test=np.arange(240, 360),
        name="spoofing",
        target_names=None,
    )
    study = get_study("svm-decisions")
    plan = make_plan(study, data, quick=True)
    with Store(tmp_path / "store.sqlite") as store:
        assert run_plan(plan, store) == []
        rows = store.rows(plan.id)
    story = study.story(rows, data.summary())
    titles = [section.title for section in story.sections]
    assert {"Other models", "The last two features", "Every prior"} < set(titles)
    assert any("On evalData" in sentence for sentence in story.conclusion)
    (best,) = (s.blocks[0] for s in story.sections if s.title.startswith("The best C"))
    costs = [entry for line in best.rows for entry in line[2:8]]
    assert len(costs) == 6 * len(best.rows)
    assert all(0 <= cost < 10 for cost in costs)
    for row in rows:
        if row.params["part"] == "spoofing":
            assert row.values["best_min_dcf"] <= row.values["best_act_dcf"]
            assert max(row.values["gap"]) < 0.05


def test_a_score_over_folds_is_of_an_svm_that_has_not_seen_the_sample():
    problem = split_iris()
    gram = Gram(Linear(), problem.X)
    scores = scores_of_folds(gram, problem.z, 1.0, 1.0)
    part, rest = rotate(np.arange(len(problem.z)), FOLDS)[0]
    svm = KernelSVC(C=1.0, kernel="linear", bias="regularized", tol=1e-6)
    model = svm.fit(problem.X[part], problem.z[part])
    expected = model.decision_function(problem.X[rest])
    np.testing.assert_allclose(scores[rest], expected, atol=1e-3)


def test_gaussian_scores_are_likelihood_ratios():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [600, 200])
    X = rng.normal(size=(800, 1)) * np.where(y == 1, 2.0, 1.0)[:, None] + y[:, None]
    model = QuadraticDiscriminantAnalysis().fit(X, y)
    at = np.array([[-1.0], [0.5], [3.0]])
    logs = []
    for label in (0, 1):
        part = X[y == label]
        logs.append(norm.logpdf(at, part.mean(), part.std(ddof=1)).ravel())
    found = likelihood_ratio(model, y)(at)
    # whether variances are divided by n or n - 1 depends on the version
    np.testing.assert_allclose(found, logs[1] - logs[0], rtol=0.01)


def test_the_least_error_is_that_of_the_best_threshold():
    rng = np.random.default_rng(1)
    values, labels = rng.normal(size=40), rng.integers(0, 2, 40)
    cuts = [-np.inf, *np.sort(values)]
    tried = [np.mean((values > cut) != (labels == 1)) for cut in cuts]
    assert least_error(values, labels) == min(*tried, *(1 - e for e in tried))
