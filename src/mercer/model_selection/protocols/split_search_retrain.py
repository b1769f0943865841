"""Set samples aside, search on the others, retrain, test once.

The protocol of report 001 (the study `pegasos-gaussian`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from mercer.model_selection.protocols.errors_on_splits import Split
from mercer.model_selection.protocols.holdout_split import Seed, shuffled_split
from mercer.model_selection.search.gram_search import GramSearchCV


@dataclass(frozen=True, eq=False)
class SearchedModel:
    """The search on the training samples, and its winner's error on the others."""

    search: GramSearchCV
    split: Split
    test_error: float


def split_search_retrain(
    estimator: Any,
    param_grid: Any,
    X: Any,
    y: Any,
    *,
    test_size: float = 0.2,
    n_splits: int = 5,
    seed: Seed,
    **search_options: Any,
) -> SearchedModel:
    """80/20; cross-validation on the 80 % chooses; retrained on them; tested once.

    `cv_results_` of the search holds training and validation accuracy of every
    candidate. ``per_class=True`` tunes each binary problem by itself, which report 001
    asks for.

    >>> from mercer import KernelPegasos, load_dataset
    >>> iris = load_dataset("iris")
    >>> model, grid = KernelPegasos(random_state=0), {"n_steps": [10, 100, 1000]}
    >>> done = split_search_retrain(model, grid, iris.X, iris.y, seed=0)
    >>> done.search.best_params_, round(done.test_error, 3)
    ({'n_steps': 1000}, 0.033)
    """
    train, test = shuffled_split(len(y), test_size, seed=seed)
    y = np.asarray(y)
    options = {"return_train_score": True, "cv": KFold(n_splits)} | search_options
    search = GramSearchCV(estimator, param_grid, **options).fit(X[train], y[train])
    error = float(np.mean(search.predict(X[test]) != y[test]))
    return SearchedModel(search, (train, test), error)
