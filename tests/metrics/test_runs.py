import numpy as np
import pytest

from mercer.metrics import confusion_over_runs, hardest_samples
from metrics import naive


def random_runs(n=60, n_runs=20, n_classes=4, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % n_classes)
    runs = []
    for _ in range(n_runs):
        tested = rng.choice(n, size=n // 3, replace=False)
        taken_for = np.where(
            rng.random(len(tested)) < 0.7,
            y[tested],
            rng.integers(0, n_classes, len(tested)),
        )
        runs.append((tested, taken_for))
    return y, runs


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


def naive_hardest(y, runs):
    wrong, tested = {}, {}
    for indices, predictions in runs:
        for i, p in zip(indices, predictions):
            tested[i] = tested.get(i, 0) + 1
            if p != y[i]:
                wrong.setdefault(i, []).append(p)
    return {i: (tested[i], sorted(w)) for i, w in wrong.items()}


def test_hardest_samples_equal_brute_force():
    y, runs = random_runs()
    expected = naive_hardest(y, runs)
    found = hardest_samples(y, runs, 1000)
    assert {s.index for s in found} == set(expected)
    for s in found:
        tested, wrong = expected[s.index]
        assert (s.times_tested, s.times_wrong) == (tested, len(wrong))
        assert dict(s.taken_for) == {k: wrong.count(k) for k in wrong}
        assert s.true_label == y[s.index]
        counts = [count for _, count in s.taken_for]
        assert counts == sorted(counts, reverse=True)


def test_order_by_rate_and_by_count():
    y, runs = random_runs()
    by_rate = hardest_samples(y, runs, 1000)
    keys = [(-s.error_rate, -s.times_wrong, s.index) for s in by_rate]
    assert keys == sorted(keys)
    by_count = hardest_samples(y, runs, 1000, rank="count")
    keys = [(-s.times_wrong, -s.error_rate, s.index) for s in by_count]
    assert keys == sorted(keys)


def test_images_come_along():
    X = np.arange(12.0).reshape(3, 4)
    (sample,) = hardest_samples([0, 1, 2], [[0, 2, 2]], images=X, image_shape=(2, 2))
    np.testing.assert_array_equal(sample.image, [[4, 5], [6, 7]])
    assert sample.taken_for == ((2, 1),)
    assert hardest_samples([0, 1], [[0, 1]]) == []
    assert hardest_samples([0, 1], [[1, 0]], 0) == []


def test_names_as_labels_become_plain_strings():
    (sample,) = hardest_samples(np.array(["a", "b"]), [["a", "a"]])
    assert sample.true_label == "b"
    assert type(sample.true_label) is str
    assert sample.taken_for == (("a", 1),)
    boxed = np.array(["a", "b"], dtype=object)
    assert hardest_samples(boxed, [boxed[::-1]])[0].true_label == "a"
