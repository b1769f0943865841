"""One sentence for each thing that can be wrong."""

import numpy as np
import pytest

from mercer.exceptions import DataError, ParameterError
from mercer.metrics import (
    actual_dcf,
    bayes_cost,
    bayes_decisions,
    bayes_error_curve,
    cllr,
    confusion,
    confusion_over_runs,
    det_points,
    hardest_samples,
    min_cllr,
    min_dcf,
    normalized_bayes_cost,
    roc_points,
)

ON_SCORES = (
    actual_dcf,
    min_dcf,
    bayes_error_curve,
    cllr,
    min_cllr,
    roc_points,
    det_points,
)
Y, S = [0, 1, 1], [0.1, 0.2, 0.3]


def says(error, start, end, function, *args, **kwargs):
    """Call, and ask for one sentence that starts and ends like this."""
    with pytest.raises(error) as caught:
        function(*args, **kwargs)
    message = str(caught.value)
    assert start in message, message
    assert end in message, message
    assert message.endswith(".")


@pytest.mark.parametrize("measure", ON_SCORES)
def test_scores_and_labels(measure):
    says(DataError, "only the class 1", "both classes", measure, [1, 1, 1], S)
    says(DataError, "3 classes", "normalized_bayes_cost", measure, [0, 1, 2], S)
    says(DataError, "NaN in row 1", "drop that row", measure, Y, [0, np.nan, 1])
    says(DataError, "infinite value (inf) in row 2", "clip", measure, Y, [0, 1, np.inf])
    says(DataError, "y_true has 3 rows and scores has 2", "same", measure, Y, S[:2])
    says(DataError, "one-dimensional", "(3, 1)", measure, Y, np.ones((3, 1)))
    says(DataError, "one-dimensional", "(3, 1)", measure, np.ones((3, 1)), S)
    says(DataError, "must be numbers", "'a'", measure, Y, ["a", "b", "c"])
    says(DataError, "empty", "each class", measure, [], [])
    says(DataError, "NaN in row 2", "a label", measure, [0, 1, np.nan], S)
    mixed = np.array([0, "x", 1], dtype=object)
    says(DataError, "cannot be sorted", "all strings", measure, mixed, S)
    says(ParameterError, "pos_label is 7", "0 and 1", measure, Y, S, pos_label=7)


@pytest.mark.parametrize("measure", [actual_dcf, min_dcf])
def test_prior_and_costs(measure):
    for prior in (0, 1, -0.1, 2, np.nan):
        says(ParameterError, "between 0 and 1", str(prior), measure, Y, S, prior)
    for cost in (-1, np.inf, np.nan):
        says(ParameterError, "cost_miss", str(cost), measure, Y, S, cost_miss=cost)
        what = "cost_false_alarm"
        says(ParameterError, what, str(cost), measure, Y, S, cost_false_alarm=cost)
    free = {"cost_miss": 0, "cost_false_alarm": 0}
    says(ParameterError, "both 0", "positive cost", measure, Y, S, **free)


def test_threshold_and_log_odds():
    says(ParameterError, "threshold is NaN", "", actual_dcf, Y, S, threshold=np.nan)
    for bad in ([np.nan], [1e9], [[0.0]]):
        says(ParameterError, "log_odds", "500", bayes_error_curve, Y, S, bad)


def test_multi_class():
    p = [[0.5, 0.5], [0.2, 0.8]]
    says(DataError, "shape (3,)", "column per class", bayes_decisions, S)
    says(DataError, "row 0", "finite", bayes_decisions, [[np.nan, 0.0]])
    says(DataError, "row 1", "finite", bayes_decisions, [[0, 0], [-np.inf, -np.inf]])
    says(
        DataError, "Row 1", "sum to 1", bayes_decisions, [p[0], [1, 1]], posteriors=True
    )
    says(
        *(ParameterError, "together", "leave priors out", bayes_decisions, p),
        **{"priors": [0.5, 0.5], "posteriors": True},
    )
    says(ParameterError, "(1, 2)", "2 x 2", bayes_decisions, p, [[0, 1]])
    says(
        ParameterError,
        "-1.0 in row 1, column 0",
        "",
        bayes_decisions,
        p,
        [[0, 1], [-1, 0]],
    )
    says(ParameterError, "(3,)", "2 classes", bayes_decisions, p, None, [0.2, 0.3, 0.5])
    says(ParameterError, "sum to 1", "", bayes_decisions, p, None, [0.5, 0.6])
    says(ParameterError, "sum to 1", "", bayes_decisions, p, None, [0.0, 1.0])
    says(DataError, "class number 2 of 3", "every class", bayes_cost, Y, [0, 1, 2])
    says(
        *(ParameterError, "always free", "bayes_cost", normalized_bayes_cost),
        *(Y, Y, [[0, 1], [0, 0]]),
    )


def test_confusions_and_runs():
    says(DataError, "y_true has 3", "y_pred has 2", confusion, Y, [0, 1])
    says(DataError, "label 1 in row 1", "add it", confusion, Y, Y, labels=[0, 2])
    says(ParameterError, "comes twice", "", confusion, Y, Y, labels=[0, 0, 1])
    for function in (confusion_over_runs, hardest_samples):
        says(DataError, "no runs", "at least one", function, Y, [])
        says(DataError, "run 1 has 2", "same", function, Y, [Y, [0, 1]])
        says(DataError, "tuple of 3", "pair", function, Y, [(0, 1, 1)])
        says(DataError, "sample 3", "3 rows", function, Y, [([3], [0])])
        says(DataError, "sample -1", "from 0", function, Y, [([-1], [0])])
        says(DataError, "whole numbers", "run 0", function, Y, [([0.5], [0])])
        says(DataError, "run 0 has 2", "has 1", function, Y, [([0, 1], [0])])
    says(ParameterError, "ddof is 1", "runs", confusion_over_runs, Y, [Y], ddof=1)
    says(ParameterError, "rank is 'x'", "'count'", hardest_samples, Y, [Y], rank="x")
    says(DataError, "2 images", "3 labels", hardest_samples, Y, [Y], images=[1, 2])
