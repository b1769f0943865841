"""Calibration of an SVM's scores on held-out spoofing data, as in report 004."""

import os
import re
from pathlib import Path

import numpy as np
import pytest

from mercer import KernelSVC
from mercer.calibration import CalibratedClassifier, ScoreCalibrator
from mercer.metrics import actual_dcf, cllr, min_cllr, min_dcf

FOLDER = Path(os.environ.get("MERCER_DATA", "")) / "spoofing"
pytestmark = pytest.mark.skipif(
    "MERCER_DATA" not in os.environ or not FOLDER.is_dir(),
    reason="MERCER_DATA does not name a folder with the spoofing data",
)
PRIOR = 0.1


def read(name):
    rows = (FOLDER / name).read_text().split("\n")
    table = np.array([row.split(" , ") for row in rows if row.strip()], dtype=float)
    return table[:, :-1], table[:, -1].astype(int)


@pytest.fixture(scope="module")
def model_and_scores():
    """Train on two thirds of trainData; score the rest, and evalData."""
    X, y = read("trainData.txt")
    order = np.random.RandomState(0).permutation(len(y))
    train, valid = order[:4000], order[4000:]
    model = KernelSVC(C=10**1.5, gamma=np.exp(-2), tol=1e-6)
    model.fit(X[train], y[train])
    X_eval, y_eval = read("evalData.txt")
    scores = model.decision_function(X[valid]), model.decision_function(X_eval)
    return model, (scores[0], y[valid]), (scores[1], y_eval), (X[valid], X_eval)


@pytest.mark.parametrize(
    ("method", "calibrated_cllr", "calibrated_dcf"),
    [("logistic", 0.1902, 0.2889), ("pav", 0.2022, 0.3008)],
)
def test_calibration_mends_the_costs_of_evaluation_data(
    model_and_scores, method, calibrated_cllr, calibrated_dcf
):
    _, valid, (scores, y), _ = model_and_scores
    llr = ScoreCalibrator(method, prior=PRIOR).fit(*valid).transform(scores)
    assert min_cllr(y, scores) == pytest.approx(0.1795, abs=2e-3)
    assert cllr(y, scores) == pytest.approx(0.2614, abs=2e-3)
    assert actual_dcf(y, scores, PRIOR) == pytest.approx(0.4023, abs=5e-3)
    assert min_dcf(y, scores, PRIOR) == pytest.approx(0.2622, abs=5e-3)
    assert cllr(y, llr) == pytest.approx(calibrated_cllr, abs=2e-3)
    assert actual_dcf(y, llr, PRIOR) == pytest.approx(calibrated_dcf, abs=5e-3)
    assert cllr(y, llr) - min_cllr(y, llr) < 0.012
    assert actual_dcf(y, llr, PRIOR) < 0.8 * actual_dcf(y, scores, PRIOR)


@pytest.mark.parametrize("method", ["logistic", "pav"])
def test_k_fold_over_the_validation_scores(model_and_scores, method):
    _, (scores, y), _, _ = model_and_scores
    calibrator = ScoreCalibrator(method, prior=PRIOR, cv=5, random_state=0)
    llr = calibrator.fit_transform(scores, y)
    assert min_dcf(y, scores, PRIOR) == pytest.approx(0.1755, abs=2e-3)
    assert actual_dcf(y, scores, PRIOR) == pytest.approx(0.4226, abs=5e-3)
    assert actual_dcf(y, llr, PRIOR) < 0.2
    assert cllr(y, llr) - min_cllr(y, llr) < 0.02


def test_the_calibrated_classifier_decides_at_the_same_cost(model_and_scores):
    model, (scores, y), (_, y_eval), (X, X_eval) = model_and_scores
    calibrated = CalibratedClassifier(model, prior=PRIOR, cv="prefit").fit(X, y)
    llr = ScoreCalibrator(prior=PRIOR).fit(scores, y)
    found = calibrated.log_likelihood_ratio(X_eval)
    expected = llr.transform(model.decision_function(X_eval))
    np.testing.assert_allclose(found, expected)
    by_decision = actual_dcf(
        y_eval, calibrated.decision_function(X_eval), PRIOR, threshold=0.0
    )
    assert by_decision == pytest.approx(actual_dcf(y_eval, found, PRIOR))


def test_the_figures_in_the_guide(model_and_scores):
    guide = Path(__file__).parents[2] / "docs/decisions.md"
    printed = re.findall(r"^\| (?:validation|evalData), .*", guide.read_text(), re.M)
    _, (scores, y), (new, y_new), _ = model_and_scores
    rows = [(y, scores)]
    for method in ("logistic", "pav"):
        calibrator = ScoreCalibrator(method, prior=PRIOR, cv=5, random_state=0)
        rows.append((y, calibrator.fit_transform(scores, y)))
    rows.append((y_new, new))
    for method in ("logistic", "pav"):
        calibrator = ScoreCalibrator(method, prior=PRIOR).fit(scores, y)
        rows.append((y_new, calibrator.transform(new)))
    assert len(printed) == len(rows)
    for line, (truth, llr) in zip(printed, rows):
        found = cllr(truth, llr), min_cllr(truth, llr)
        costs = actual_dcf(truth, llr, PRIOR), min_dcf(truth, llr, PRIOR)
        numbers = [float(cell) for cell in line.split("|")[2:-1]]
        assert numbers == pytest.approx([*found, *costs], abs=6e-4), line
