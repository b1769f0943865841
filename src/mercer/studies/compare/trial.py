"""One trial: a learner tuned on the training samples, fitted, and tested once."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from mercer._threads import single_threaded_blas
from mercer.calibration import ScoreCalibrator
from mercer.metrics import actual_dcf, confusion, min_dcf
from mercer.studies.cell import Outcome
from mercer.studies.compare.learners import Learner
from mercer.studies.compare.search import make_search
from mercer.studies.compare.split import Split
from mercer.studies.mistakes import pack

#: Larger confusion matrices are no longer read by anybody.
MOST_CLASSES = 60


def run_trial(
    learner: Learner, split: Split, seed: int, folds: int, quick: bool
) -> Outcome:
    """Tune, fit, predict, and say what came out."""
    # Mercer's learners have threads of their own; the baseline's sums then do not
    # depend on how many threads BLAS would take
    with single_threaded_blas():
        return _run_trial(learner, split, seed, folds, quick)


def _run_trial(
    learner: Learner, split: Split, seed: int, folds: int, quick: bool
) -> Outcome:
    begin = time.perf_counter()
    X, y = split.X_train[split.search], split.y_train[split.search]
    splitter = StratifiedKFold(
        min(folds, int(np.bincount(y).min())), shuffle=True, random_state=seed
    )
    candidates = learner.candidates(quick, split.gamma)
    search = make_search(learner.make(seed), candidates, splitter).fit(X, y)
    model = learner.make(seed).set_params(**search.best_params_)
    tuned = time.perf_counter()
    model.fit(split.X_train, split.y_train)
    fitted = time.perf_counter()
    decided = model.predict(split.X_test)
    seconds = {
        "search": tuned - begin,
        "fit": fitted - tuned,
        "predict": time.perf_counter() - fitted,
    }
    wrong = np.flatnonzero(decided != split.y_test)
    values = {
        "test_error": len(wrong) / len(decided),
        "cv_error": 1.0 - float(search.best_score_),
        "chosen": _readable(search.best_params_, split.gamma),
        "n_train": len(split.y_train),
        "n_test": len(decided),
        "n_search": len(y),
        "n_candidates": len(search.cv_results_["params"]),
        "wrong": [
            [int(split.test[i]), int(split.y_test[i]), int(decided[i])] for i in wrong
        ],
        "tested": pack(split.test),
        **_confusion(split, decided),
        **_support(model),
        **_certificate(model),
    }
    if split.n_classes == 2:
        values |= _costs(model, learner, search.best_params_, split, splitter, seed)
    return Outcome(values, seconds, split.test[wrong].tolist())


def _readable(params: dict[str, Any], gamma: float) -> dict[str, Any]:
    """The chosen values, gamma as a multiple of scikit-learn's "scale"."""
    return {
        name: float(f"{value / gamma:.6g}") if name == "gamma" else value
        for name, value in params.items()
    }


def _confusion(split: Split, decided: NDArray) -> dict[str, Any]:
    if split.n_classes > MOST_CLASSES:
        return {}
    labels = np.arange(split.n_classes)
    return {"confusion": confusion(split.y_test, decided, labels=labels)}


def _support(model: Any) -> dict[str, Any]:
    support = getattr(model, "support_", None)
    return {} if support is None else {"support_vectors": len(support)}


def _certificate(model: Any) -> dict[str, Any]:
    certificate = getattr(model, "certificate_", None)
    if certificate is None:
        return {}
    return {
        "primal": certificate.primal,
        "dual": certificate.dual,
        "gap": certificate.gap,
        "relative_gap": certificate.gap / max(abs(certificate.primal), 1e-300),
        "converged": certificate.converged,
    }


def _costs(
    model: Any,
    learner: Learner,
    params: dict[str, Any],
    split: Split,
    splitter: StratifiedKFold,
    seed: int,
) -> dict[str, Any]:
    """Decision costs at even prior: at the best threshold, as scored, calibrated."""
    X, y = split.X_train[split.search], split.y_train[split.search]
    unseen = np.zeros(len(y))
    for part, rest in splitter.split(X, y):
        copy = learner.make(seed).set_params(**params).fit(X[part], y[part])
        unseen[rest] = _scores(copy, X[rest])
    scores = _scores(model, split.X_test)
    ratios = ScoreCalibrator().fit(unseen, y).transform(scores)
    return {
        "min_dcf": min_dcf(split.y_test, scores),
        "actual_dcf": actual_dcf(split.y_test, scores),
        "calibrated_dcf": actual_dcf(split.y_test, ratios),
    }


def _scores(model: Any, X: Any) -> NDArray[np.float64]:
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), np.float64)
    votes = model.predict_proba(X)[:, 1] * model.n_neighbors
    # half a vote for each class keeps the odds finite
    return np.log((votes + 0.5) / (model.n_neighbors - votes + 0.5))
