"""
Grams: what a machine sees
==========================

Samples sorted by class, and the kernel values between all pairs of them. Bright blocks
on the diagonal are classes whose members are like each other. Where the rest is dark, a
machine has little left to do; where everything is bright or only the diagonal is, it
can hardly learn anything.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer import load_dataset
from mercer.kernels import Cosine, Gaussian, Gram, GramFamily, Polynomial

digits = load_dataset("digits")
rows = np.concatenate([np.flatnonzero(digits.y == digit)[:40] for digit in range(10)])
X = digits.X[rows]

family = GramFamily(Gaussian(), X)  # squared distances, computed once
pictures = {
    "Cosine": Gram(Cosine(), X).matrix,
    "Polynomial, degree 5": Gram(Polynomial(5), X).matrix,
    **{
        f"Gaussian, γ = {gamma:g}": family.gram(Gaussian(gamma)).matrix
        for gamma in [1e-5, 2e-4, 1e-3, 1e-1]
    },
}
figure, axes = plt.subplots(2, 3, figsize=(9, 6.6))
for axis, (name, K) in zip(axes.flat, pictures.items()):
    scale = np.sqrt(np.diag(K))
    axis.imshow(K / np.outer(scale, scale), cmap="magma", vmin=0, vmax=1)
    axis.set_title(name, fontsize=11)
    axis.set_xticks(np.arange(20, 400, 40), range(10))
    axis.set_yticks(np.arange(20, 400, 40), range(10))
    axis.tick_params(length=0)
figure.tight_layout()
plt.show()
