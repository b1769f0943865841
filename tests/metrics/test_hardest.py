import numpy as np

from mercer.metrics import hardest_samples
from metrics.strategies import random_runs


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
