"""scikit-learn's own checks of the search; every expected failure has a reason."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import KernelKNN, KernelSVC
from mercer.model_selection import GramSearchCV

SEARCHES = [
    GramSearchCV(KernelSVC(gamma=0.1), {"C": [1, 10]}, cv=2),
    GramSearchCV(KernelSVC(gamma=0.1), {"C": [1, 10]}, cv=2, per_class=True),
    GramSearchCV(KernelKNN(), {"n_neighbors": [1, 3]}, cv=2),
]


def expected_failures(search):
    if search.per_class:
        weights = "what is chosen per class takes no sample weights, and says so"
        return {"check_classifiers_one_label_sample_weights": weights}
    return {}


# what GridSearchCV warns about on the same samples
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.FitFailedWarning")
@pytest.mark.filterwarnings("ignore:Scoring failed:UserWarning")
@pytest.mark.filterwarnings("ignore:One or more of the test scores:UserWarning")
@pytest.mark.filterwarnings("ignore:invalid value encountered in cast:RuntimeWarning")
@parametrize_with_checks(SEARCHES, expected_failed_checks=expected_failures)
def test_scikit_learn_check(estimator, check):
    check(estimator)
