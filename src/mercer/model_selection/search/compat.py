"""The private parts of scikit-learn that a search needs, in one place."""

from sklearn.metrics._scorer import _MultimetricScorer as MultimetricScorer
from sklearn.model_selection._validation import (
    _fit_and_score as fit_and_score,
)
from sklearn.model_selection._validation import (
    _insert_error_scores as insert_error_scores,
)
from sklearn.model_selection._validation import _score as score
from sklearn.model_selection._validation import (
    _warn_or_raise_about_fit_failures as warn_or_raise_about_fit_failures,
)
from sklearn.utils.validation import _check_method_params as check_method_params

__all__ = [
    "MultimetricScorer",
    "check_method_params",
    "fit_and_score",
    "insert_error_scores",
    "score",
    "warn_or_raise_about_fit_failures",
]
