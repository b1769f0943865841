import numpy as np
import pytest
from scipy import stats

from mercer.exceptions import DataError, ParameterError
from mercer.metrics import mcnemar_test, wilson_interval


@pytest.mark.parametrize("n_samples", [1, 20, 2007, 10000])
@pytest.mark.parametrize("share", [0, 0.006, 0.5, 1])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_wilson_is_that_of_scipy(n_samples, share, confidence):
    n_wrong = round(share * n_samples)
    tested = stats.binomtest(n_wrong, n_samples)
    expected = tested.proportion_ci(confidence, method="wilson")
    found = wilson_interval(n_wrong, n_samples, confidence)
    np.testing.assert_allclose(found, expected, atol=1e-15, rtol=1e-12)


def answers(both, only_first, only_second, neither):
    """Labels, and the answers of two classifiers that are wrong on so many of them."""
    sizes = (both, only_first, only_second, neither)
    first = np.repeat([1, 1, 0, 0], sizes)
    return np.zeros(sum(sizes)), first, np.repeat([1, 0, 1, 0], sizes)


@pytest.mark.parametrize(
    "sizes", [(3, 0, 0, 9), (0, 1, 0, 4), (2, 5, 11, 30), (9, 40, 40, 1), (1, 83, 9, 0)]
)
def test_mcnemar_is_an_exact_test_of_a_fair_coin(sizes):
    found = mcnemar_test(*answers(*sizes))
    assert (found.only_first_wrong, found.only_second_wrong) == sizes[1:3]
    n = sum(sizes[1:3])
    expected = stats.binomtest(sizes[1], n).pvalue if n else 1.0
    assert found.p_value == pytest.approx(expected, rel=1e-9)


def test_mcnemar_knows_no_first_and_second():
    truth, first, second = answers(2, 5, 11, 30)
    one, other = mcnemar_test(truth, first, second), mcnemar_test(truth, second, first)
    assert one.p_value == other.p_value
    assert one.only_first_wrong == other.only_second_wrong


@pytest.mark.parametrize("counts", [(-1, 4), (5, 4), (0, 0)])
def test_impossible_counts(counts):
    with pytest.raises(ParameterError, match="cannot be wrong"):
        wilson_interval(*counts)


def test_bad_input():
    with pytest.raises(ParameterError, match="confidence is 95"):
        wilson_interval(1, 4, 95)
    with pytest.raises(DataError, match="second"):
        mcnemar_test([1, 2], [1, 2], [1])
