import numpy as np
from hypothesis import given, settings
from sklearn.metrics import roc_curve

from mercer.metrics import det_points, roc_points
from metrics import naive
from metrics.strategies import scored


@settings(deadline=None)
@given(scored())
def test_every_point_is_what_its_threshold_gives(sample):
    det = det_points(*sample)
    for point in zip(det.thresholds, det.miss_rate, det.false_alarm_rate):
        assert naive.rates(*sample, point[0]) == (point[1], point[2])
    assert len(det.thresholds) == len(np.unique(sample[1])) + 1


@settings(deadline=None)
@given(scored())
def test_roc_equals_scikit_learn(sample):
    roc = roc_points(*sample)
    expected = roc_curve(*sample, drop_intermediate=False)
    np.testing.assert_allclose(roc.false_alarm_rate, expected[0], rtol=1e-12)
    np.testing.assert_allclose(roc.hit_rate, expected[1], rtol=1e-12, atol=1e-15)


def test_both_begin_with_nothing_and_end_with_everything_accepted():
    det = det_points([0, 1, 1], [0.0, 1.0, -2.0])
    assert (det.false_alarm_rate[0], det.miss_rate[0]) == (0, 1)
    assert (det.false_alarm_rate[-1], det.miss_rate[-1]) == (1, 0)
    assert det.thresholds[-1] == -np.inf
