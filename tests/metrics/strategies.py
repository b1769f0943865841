"""Labels of two classes with scores that often tie; runs that test some samples."""

import numpy as np
from hypothesis import strategies as st

PRIORS = st.floats(0.01, 0.99)
COSTS = st.floats(0.1, 10.0)


@st.composite
def scored(draw):
    """Draw which samples are positive, and scores with ties, near and far."""
    n = draw(st.integers(2, 30))
    scores = draw(
        st.one_of(
            st.lists(st.integers(-3, 3), min_size=n, max_size=n),
            st.lists(st.floats(-20, 20), min_size=n, max_size=n),
            st.lists(st.floats(-1e300, 1e300), min_size=n, max_size=n),
        )
    )
    target = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    target[0], target[-1] = True, False
    return target, np.array(scores, dtype=float)


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
