"""
Boundaries that change with C and γ
===================================

How far a sample reaches is γ; how much a mistake costs is C. Small values of both make
a smooth boundary that gives up on some samples, large values one that bends around
each of them. Support vectors are circled: the fewer, the simpler the model.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from mercer import KernelSVC

X, y = make_moons(160, noise=0.28, random_state=3)
X_new, y_new = make_moons(4000, noise=0.28, random_state=4)

side = np.linspace(0, 1, 150)
lower, upper = X.min(axis=0) - 0.4, X.max(axis=0) + 0.4
across, up = np.meshgrid(*(lower + (upper - lower) * side[:, None]).T)
plane = np.column_stack([across.ravel(), up.ravel()])

figure, axes = plt.subplots(3, 3, figsize=(9, 8), sharex=True, sharey=True)
for row, C in zip(axes, [0.1, 10, 1000]):
    for axis, gamma in zip(row, [0.1, 1, 10]):
        model = KernelSVC(C=C, gamma=gamma).fit(X, y)
        scores = model.decision_function(plane).reshape(across.shape)
        axis.contourf(across, up, scores, [-99, -1, 0, 1, 99], cmap="RdBu_r", alpha=0.6)
        axis.contour(across, up, scores, [0], colors="black", linewidths=1.2)
        axis.scatter(*X.T, c=y, cmap="RdBu_r", s=9)
        axis.scatter(
            *X[model.support_].T, s=32, facecolors="none", edgecolors="black", lw=0.5
        )
        error = 1 - model.score(X_new, y_new)
        axis.set_title(f"C = {C:g}, γ = {gamma:g}: {error:.1%} wrong", fontsize=10)
        axis.set(xticks=[], yticks=[])
figure.tight_layout()
plt.show()
