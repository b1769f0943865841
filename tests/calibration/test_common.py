"""scikit-learn's own checks of the calibration estimators."""

from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from mercer.calibration import CalibratedClassifier, ScoreCalibrator

EXPECTED = {
    "ScoreCalibrator": {
        "check_fit1d": "one score per sample is what calibration is for",
    },
}


def expected_failures(estimator):
    return EXPECTED.get(type(estimator).__name__, {})


@parametrize_with_checks(
    [
        ScoreCalibrator(),
        CalibratedClassifier(LogisticRegression(), cv=2, random_state=0),
        CalibratedClassifier(SVC(), cv=2, random_state=0),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
