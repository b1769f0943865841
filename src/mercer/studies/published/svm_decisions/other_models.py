"""What the report compares the SVM with, on the same samples; and why degree 4."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.discriminant_analysis import (
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from mercer.datasets import Dataset
from mercer.studies.cell import Outcome
from mercer.studies.published.svm_decisions.spoofing import (
    Scored,
    SpoofingParts,
    summarise,
)

_SHOWN = 800
#: λ of λ/2·‖w‖² plus the mean logistic loss; stronger ones shrink the scores so much
#: that they are no log-likelihood ratios any more.
_PENALTIES = np.logspace(-1, -4, 7)


def _logistic(degree: int) -> Callable[[float, int], Any]:
    def make(penalty: float, n: int) -> Any:
        return make_pipeline(
            PolynomialFeatures(degree, include_bias=False),
            StandardScaler(),
            LogisticRegression(C=1 / (penalty * n), max_iter=2000),
        )

    return make


#: Names, and a model for each λ; those without a λ are made once.
PATHS = {
    "logistic regression": _logistic(1),
    "quadratic logistic regression": _logistic(2),
}
GAUSSIANS = {
    "multivariate Gaussian": QuadraticDiscriminantAnalysis,
    "multivariate Gaussian, tied covariance": LinearDiscriminantAnalysis,
    "multivariate Gaussian, diagonal covariance": GaussianNB,
}
MODELS = [*PATHS, *GAUSSIANS]


def run_other(data: Dataset, name: str) -> Outcome:
    """Costs of a model of scikit-learn, as `run_family` finds those of an SVM."""
    (train, rest, final), begin = SpoofingParts.of(data), time.perf_counter()
    penalties = _PENALTIES if name in PATHS else np.zeros(1)
    scored = []
    for penalty in penalties:
        model = PATHS[name](penalty, len(train)) if name in PATHS else GAUSSIANS[name]()
        model.fit(data.X[train], data.y[train])
        ratio = likelihood_ratio(model, data.y[train])
        scored.append([Scored(data.y[p], ratio(data.X[p])) for p in (rest, final)])
    seconds = {"path": time.perf_counter() - begin}
    return Outcome(summarise(penalties, scored), seconds)


def likelihood_ratio(
    model: Any, y: NDArray
) -> Callable[[NDArray], NDArray[np.float64]]:
    """The logarithm of posterior odds, less that of the odds trained on."""
    prior = np.log(np.mean(y == 1) / np.mean(y == 0))

    def ratio(X: NDArray) -> NDArray[np.float64]:
        logs = model.predict_log_proba(X)
        return np.asarray(logs[:, 1] - logs[:, 0] - prior)

    return ratio


def look_at_features(data: Dataset) -> Outcome:
    """The last two features of some samples, and rules for their product."""
    (train, *_), y = SpoofingParts.of(data), data.y
    pair, labels = data.X[train][:, -2:], y[train]
    product = pair[:, 0] * pair[:, 1]
    found = {
        "first": pair[:_SHOWN, 0].round(3),
        "second": pair[:_SHOWN, 1].round(3),
        "labels": labels[:_SHOWN],
        "error by a threshold": least_error(product, labels),
        "error by an interval": least_error(np.abs(product), labels),
    }
    return Outcome(found)


def least_error(values: NDArray[np.float64], labels: NDArray) -> float:
    """Of all thresholds, in either direction, the least share of mistakes.

    >>> least_error(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 0]))
    0.3333333333333333
    """
    ordered = labels[np.argsort(values)] == 1
    below = np.concatenate([[0], np.cumsum(ordered)])
    place = np.arange(len(below))
    # positives below a threshold and negatives above it
    wrong = below + (len(ordered) - place) - (ordered.sum() - below)
    return float(min(wrong.min(), (len(ordered) - wrong).min()) / len(ordered))
