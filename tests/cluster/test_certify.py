"""What a partition adds to a certificate."""

import numpy as np

from mercer.cluster.certify import Stated, state
from mercer.cluster.messages import Task
from mercer.cluster.partition import Partition
from mercer.kernels import Gaussian


def test_rounding_bounds_the_difference_of_the_objectives():
    """Where α is not zero and there is no loss, the gap moves by all of it."""
    X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    y, kernel = np.arange(40) % 2, Gaussian(0.5)
    task = Task(kernel, np.array([[1.0, -1.0]]), False, 0.0, np.dtype(np.float32))
    partition = Partition(task, 0, X, y, np.full(40, 100.0), 2**20)
    (share,) = partition.shares
    # far from the optimum: every score is beyond the margin
    share.v[:] = 50 * share.signs
    share.gradient[:] = -1e6 * share.signs
    alpha_sum = float(np.abs(share.v).sum())
    (verified,) = state(partition, [Stated(0, 0.0, alpha_sum, 1, 4000.0)]).problems
    least = np.abs(share.v) @ (partition.bound_rounding(0).error * alpha_sum)
    assert least > 0
    assert verified.rounding >= least
