import numpy as np
import pytest

from mercer.solvers.svm import _steps


@pytest.mark.uncompiled
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 15, 16, 17, 31, 33, 64, 99, 130])
def test_the_largest_value_and_where_it_stands_first(n):
    rng = np.random.default_rng(n)
    for most in (1, 2, 5, 1000):  # few different values: many are equal
        for _ in range(20):
            values = rng.integers(-most, most, n).astype(float)
            assert _steps._largest(values) == values.max()
            assert _steps._first_largest(values) == (values.max(), values.argmax())
