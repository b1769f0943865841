"""The search that tunes a learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.model_selection import GridSearchCV

from mercer.estimators import KernelKNN, KernelPegasos, KernelPerceptron, KernelSVC
from mercer.model_selection import GramSearchCV

_ON_ONE_GRAM = (KernelKNN, KernelPegasos, KernelPerceptron, KernelSVC)


def make_search(
    estimator: Any, candidates: Mapping[str, Sequence[Any]], splitter: Any
) -> Any:
    """A search over all candidates by cross-validated accuracy, without a refit."""
    kind = GramSearchCV if isinstance(estimator, _ON_ONE_GRAM) else GridSearchCV
    return kind(estimator, dict(candidates), cv=splitter, refit=False)
