"""From scores to log-likelihood ratios."""

from mercer.calibration._margins import class_probabilities, fit_slope
from mercer.calibration._responses import scores_of
from mercer.calibration.calibrated_classifier import CalibratedClassifier
from mercer.calibration.score_calibrator import ScoreCalibrator

__all__ = [
    "CalibratedClassifier",
    "ScoreCalibrator",
    "class_probabilities",
    "fit_slope",
    "scores_of",
]
