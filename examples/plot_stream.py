"""
Learning from a stream
======================

``partial_fit`` takes samples as they come; the model after ten pieces is the one that
a single pass over all of them gives. Halfway the world changes: the two classes swap
their places. A machine that goes on learning recovers, one that stopped does not.
"""

from copy import deepcopy

import matplotlib.pyplot as plt
import numpy as np

from mercer import KernelPerceptron

random = np.random.default_rng(0)


def arrive(n, swapped):
    """Samples of two classes, each on two islands."""
    y = random.integers(0, 2, n)
    islands = np.array([[[0, 0], [2, 2]], [[0, 2], [2, 0]]])[
        y, random.integers(0, 2, n)
    ]
    return islands + 0.45 * random.normal(size=(n, 2)), y ^ swapped


learning = KernelPerceptron(gamma=1.0, random_state=0)
pieces, errors, frozen_errors, frozen = 60, [], [], None
for piece in range(pieces):
    X, y = arrive(50, swapped=int(piece >= pieces // 2))
    if piece:  # asked before it learns
        errors.append(100 * (1 - learning.score(X, y)))
        frozen_errors.append(100 * (1 - (frozen or learning).score(X, y)))
    learning.partial_fit(X, y, classes=[0, 1])
    if piece == pieces // 2 - 1:
        frozen = deepcopy(learning)

samples = 50 * np.arange(1, pieces)
figure, axis = plt.subplots(figsize=(8, 4.2))
axis.plot(samples, frozen_errors, color="#c8500a", ls="--", label="stopped halfway")
axis.plot(samples, errors, color="#0067a5", label="goes on learning")
axis.axvline(50 * pieces / 2, color="#59626c", lw=1, ls=":")
axis.set(xlabel="samples seen", ylabel="mistakes on the next 50 (%)", ylim=(0, 100))
axis.legend(frameon=False)
figure.tight_layout()
plt.show()
