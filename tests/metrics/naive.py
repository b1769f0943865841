"""Slow and obvious versions of the measures."""

import numpy as np


def rates(target, scores, threshold):
    accepted = scores > threshold
    miss = np.sum(target & ~accepted) / np.sum(target)
    false_alarm = np.sum(~target & accepted) / np.sum(~target)
    return miss, false_alarm


def dcf(target, scores, threshold, prior, cost_miss, cost_false_alarm, normalize=True):
    miss, false_alarm = rates(target, scores, threshold)
    a, b = prior * cost_miss, (1 - prior) * cost_false_alarm
    cost = a * miss + b * false_alarm
    return cost / min(a, b) if normalize else cost


def actual_dcf(target, scores, prior=0.5, cost_miss=1.0, cost_false_alarm=1.0, **kw):
    threshold = -np.log(prior * cost_miss / ((1 - prior) * cost_false_alarm))
    return dcf(target, scores, threshold, prior, cost_miss, cost_false_alarm, **kw)


def min_dcf(target, scores, prior=0.5, cost_miss=1.0, cost_false_alarm=1.0, **kw):
    return min(
        dcf(target, scores, threshold, prior, cost_miss, cost_false_alarm, **kw)
        for threshold in (-np.inf, *scores, np.inf)
    )


def cllr(target, llr):
    with np.errstate(over="ignore"):
        bits = np.log2(1 + np.exp(np.where(target, -llr, llr)))
    return (bits[target].mean() + bits[~target].mean()) / 2


def confusion(y_true, y_pred, labels):
    return np.array(
        [
            [sum(t == a and p == b for t, p in zip(y_true, y_pred)) for b in labels]
            for a in labels
        ]
    )
