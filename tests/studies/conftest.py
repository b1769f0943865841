from dataclasses import replace

import numpy as np
import pytest

from mercer import load_dataset


@pytest.fixture(scope="session")
def small():
    """A few samples of every digit, in random order."""
    digits = load_dataset("digits")
    rows = np.random.default_rng(0).permutation(digits.n_samples)[:250]
    return replace(digits, X=digits.X[rows], y=digits.y[rows])
