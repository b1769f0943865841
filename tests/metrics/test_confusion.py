import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

from mercer.metrics import confusion, confusion_over_runs
from metrics import naive
from metrics.strategies import random_runs

LABELS = st.lists(st.sampled_from("abc"), min_size=3, max_size=20)


@settings(deadline=None)
@given(LABELS, st.randoms())
def test_confusion_equals_brute_force_and_scikit_learn(y_true, random):
    y_pred = [random.choice("abc") for _ in y_true]
    labels = ["b", "c", "a"]
    table = confusion(y_true, y_pred, labels=labels)
    np.testing.assert_array_equal(table, naive.confusion(y_true, y_pred, labels))
    np.testing.assert_array_equal(
        table, confusion_matrix(y_true, y_pred, labels=labels)
    )


def test_confusion_finds_the_labels_and_sorts_them():
    np.testing.assert_array_equal(confusion([2, 9, 2], [9, 9, 2]), [[1, 1], [0, 1]])


def test_mean_and_std_equal_brute_force():
    y, runs = random_runs()
    tables = []
    for tested, taken_for in runs:
        counts = naive.confusion(y[tested], taken_for, range(4))
        tables.append(counts / counts.sum(axis=1, keepdims=True))
    table = confusion_over_runs(y, runs)
    np.testing.assert_allclose(table.mean, np.mean(tables, axis=0), atol=1e-15)
    np.testing.assert_allclose(table.std, np.std(tables, axis=0), atol=1e-15)
    sample_std = confusion_over_runs(y, runs, ddof=1).std
    np.testing.assert_allclose(sample_std, np.std(tables, axis=0, ddof=1), atol=1e-15)
    np.testing.assert_allclose(table.mean.sum(axis=1), 1.0)
    assert table.n_runs == 20


def test_std_is_the_one_of_report_003():
    # One mistake in 20 runs is printed as 0.0211 ± 0.0920 there: dividing by 20.
    runs = [[0] * 100 + [1]] * 19 + [[0] * 99 + [1, 1]]
    y = [0] * 100 + [1]
    table = confusion_over_runs(y, runs)
    assert table.std[0, 1] / table.mean[0, 1] == pytest.approx(
        0.0920 / 0.0211, rel=3e-3
    )


def test_errors_only_leaves_the_diagonal_out():
    y, runs = random_runs()
    table = confusion_over_runs(y, runs, errors_only=True)
    assert not np.diag(table.mean).any()
    assert not np.diag(table.std).any()
    assert table.mean.any()


def test_a_class_that_is_missing_in_a_run_is_left_out_there():
    table = confusion_over_runs([0, 1, 1], [([0, 1], [0, 0]), ([0], [1])])
    np.testing.assert_array_equal(table.mean, [[0.5, 0.5], [1.0, 0.0]])
    np.testing.assert_array_equal(table.std, [[0.5, 0.5], [0.0, 0.0]])


def test_a_class_that_is_never_tested_is_nan():
    table = confusion_over_runs([0, 1], [([0], [2])], labels=[0, 1, 2])
    assert np.isnan(table.mean[1:]).all()
    assert np.isnan(table.std[1:]).all()
    np.testing.assert_array_equal(table.mean[0], [0, 0, 1])
