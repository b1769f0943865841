"""One trial: a learner tuned on the training samples, fitted, and tested once."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from mercer.calibration import ScoreCalibrator
from mercer.metrics import actual_dcf, confusion, min_dcf
from mercer.studies.cell import Outcome
from mercer.studies.compare.learners import Learner
from mercer.studies.compare.trial_data import TrialData
from mercer.studies.mistakes import note_mistakes

#: Larger confusion matrices are no longer read by anybody.
MOST_CLASSES = 60
#: As so many votes count probabilities of models that know no votes.
_VOTES = 1000


def run_trial(
    learner: Learner, data: TrialData, seed: int, folds: int, quick: bool
) -> Outcome:
    """Tune, fit, predict, and say what came out."""
    begin = time.perf_counter()
    X, y = data.X_train[data.search], data.y_train[data.search]
    splitter = StratifiedKFold(
        min(folds, int(np.bincount(y).min())), shuffle=True, random_state=seed
    )
    search = learner.make_search(seed, quick, data.gamma, splitter).fit(X, y)
    model = learner.make(seed).set_params(**search.best_params_)
    tuned = time.perf_counter()
    model.fit(data.X_train, data.y_train)
    fitted = time.perf_counter()
    decided = model.predict(data.X_test)
    seconds = {
        "search": tuned - begin,
        "fit": fitted - tuned,
        "predict": time.perf_counter() - fitted,
    }
    mistakes = note_mistakes(data.test, data.y_test, decided)
    samples = [sample for sample, *_ in mistakes["wrong"]]
    values = {
        "test_error": len(samples) / len(decided),
        "cv_error": 1.0 - float(search.best_score_),
        "chosen": _readable(search.best_params_, data.gamma if learner.is_ours else 1),
        "n_train": len(data.y_train),
        "n_test": len(decided),
        "n_search": len(y),
        "n_candidates": len(search.cv_results_["params"]),
        **mistakes,
        **_support_and_certificate(model),
    }
    if data.n_classes <= MOST_CLASSES:
        labels = np.arange(data.n_classes)
        values["confusion"] = confusion(data.y_test, decided, labels=labels)
    if data.n_classes == 2 and _gives_scores(model):
        values |= _costs(model, data, splitter)
    return Outcome(values, seconds, samples)


def _readable(params: dict[str, Any], gamma: float) -> dict[str, Any]:
    """The chosen values, gamma as a multiple of scikit-learn's "scale"."""
    return {
        name: float(f"{value / gamma:.6g}") if name == "gamma" else value
        for name, value in params.items()
    }


def _support_and_certificate(model: Any) -> dict[str, Any]:
    """What a model has of these."""
    values: dict[str, Any] = {}
    if hasattr(model, "support_"):
        values["support_vectors"] = len(model.support_)
    if hasattr(model, "certificate_"):
        found = model.certificate_
        for name in ("primal", "dual", "gap", "converged"):
            values[name] = getattr(found, name)
        values["relative_gap"] = found.gap / max(abs(found.primal), 1e-300)
    return values


def _costs(model: Any, data: TrialData, splitter: StratifiedKFold) -> dict[str, Any]:
    """Decision costs at even prior: at the best threshold, as scored, calibrated."""
    X, y = data.X_train[data.search], data.y_train[data.search]

    def predict_unseen(method: str) -> NDArray:
        return cross_val_predict(clone(model), X, y, cv=splitter, method=method)

    unseen = _scores(model, predict_unseen)
    scores = _scores(model, lambda method: getattr(model, method)(data.X_test))
    ratios = ScoreCalibrator().fit(unseen, y).transform(scores)
    return {
        "min_dcf": min_dcf(data.y_test, scores),
        "actual_dcf": actual_dcf(data.y_test, scores),
        "calibrated_dcf": actual_dcf(data.y_test, ratios),
    }


def _gives_scores(model: Any) -> bool:
    return hasattr(model, "decision_function") or hasattr(model, "predict_proba")


def _scores(model: Any, answer: Callable[[str], NDArray]) -> NDArray[np.float64]:
    """The scores of samples, of which `answer` gives what a method says."""
    if hasattr(model, "decision_function"):
        return np.asarray(answer("decision_function"), np.float64)
    # half a vote for each class keeps the odds finite
    n_votes = getattr(model, "n_neighbors", _VOTES)
    votes = answer("predict_proba")[:, 1] * n_votes
    return np.log((votes + 0.5) / (n_votes - votes + 0.5))
