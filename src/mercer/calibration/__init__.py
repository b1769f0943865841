"""From scores to log-likelihood ratios."""

from mercer.calibration._responses import scores_of
from mercer.calibration.calibrated_classifier import CalibratedClassifier
from mercer.calibration.score_calibrator import ScoreCalibrator

__all__ = ["CalibratedClassifier", "ScoreCalibrator", "scores_of"]
