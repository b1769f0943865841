"""scikit-learn's own checks of the calibration estimators."""

import pytest
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer import KernelPerceptron, KernelSVC
from mercer.calibration import CalibratedClassifier, ScoreCalibrator

EXPECTED = {
    "ScoreCalibrator": {
        "check_fit1d": "one score per sample is what calibration is for",
    },
}
WEIGHTS = [
    f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")
]
if tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 7):
    EXPECTED["ScoreCalibrator"][WEIGHTS[0]] = (
        "of two classes this check makes the first row's the negative one, in rows and "
        "in shuffled rows, which are other classes; test_sample_weight tests weights"
    )


def expected_failures(estimator):
    inner = getattr(estimator, "estimator", None)
    if isinstance(inner, SVC):
        scale = "gamma='scale' comes from the rows as they are, weights aside"
        return dict.fromkeys(WEIGHTS, scale)
    if isinstance(inner, KernelPerceptron):
        return dict.fromkeys(WEIGHTS, "its fit takes no weights, which a warning says")
    return EXPECTED.get(type(estimator).__name__, {})


@parametrize_with_checks(
    [
        ScoreCalibrator(),
        CalibratedClassifier(LogisticRegression(), cv=2, random_state=0),
        CalibratedClassifier(SVC(), cv=2, random_state=0),
        CalibratedClassifier(KernelSVC(gamma=0.1, tol=1e-9), cv=2, random_state=0),
        CalibratedClassifier(KernelPerceptron(random_state=0), cv=2, random_state=0),
    ],
    expected_failed_checks=expected_failures,
)
@pytest.mark.filterwarnings("ignore:The fit of KernelPerceptron takes no sample_weight")
def test_scikit_learn_checks(estimator, check):
    check(estimator)
