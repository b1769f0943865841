"""What decisions cost.

The positive class is decided when a score is greater than the threshold; a score at
the threshold is decided negative. Scores are read as natural log-likelihood ratios
wherever a threshold follows from a prior and costs. Rows of confusions and cost
matrices are the truth, columns the decision.
"""

from mercer.metrics.bayes_decisions import (
    bayes_cost,
    bayes_decisions,
    normalized_bayes_cost,
)
from mercer.metrics.bayes_error import BayesErrorCurve, bayes_error_curve
from mercer.metrics.cllr import cllr, min_cllr
from mercer.metrics.confusion import ConfusionOverRuns, confusion, confusion_over_runs
from mercer.metrics.dcf import actual_dcf, bayes_threshold, best_threshold, min_dcf
from mercer.metrics.error_rates import McNemarTest, mcnemar_test, wilson_interval
from mercer.metrics.hardest import HardSample, hardest_samples
from mercer.metrics.operating_points import DetPoints, RocPoints, det_points, roc_points
from mercer.metrics.scorers import (
    actual_dcf_scorer,
    bayes_cost_scorer,
    cllr_scorer,
    min_dcf_scorer,
)

__all__ = [
    "BayesErrorCurve",
    "ConfusionOverRuns",
    "DetPoints",
    "HardSample",
    "McNemarTest",
    "RocPoints",
    "actual_dcf",
    "actual_dcf_scorer",
    "bayes_cost",
    "bayes_cost_scorer",
    "bayes_decisions",
    "bayes_error_curve",
    "bayes_threshold",
    "best_threshold",
    "cllr",
    "cllr_scorer",
    "confusion",
    "confusion_over_runs",
    "det_points",
    "hardest_samples",
    "mcnemar_test",
    "min_cllr",
    "min_dcf",
    "min_dcf_scorer",
    "normalized_bayes_cost",
    "roc_points",
    "wilson_interval",
]
