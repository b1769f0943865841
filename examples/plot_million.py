"""
A million samples
=================

The Gram of a million samples would take eight terabytes. The solver asks for the rows
of samples that turn out to be support vectors and for no others, so that an exact
machine on a million samples is a matter of seconds where few samples are in doubt. The
certificate tells how exact it is.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

from mercer import KernelSVC

random = np.random.default_rng(0)
X = random.uniform(-1, 1, (1_350_000, 2)).astype(np.float32)
angle, radius = np.arctan2(*X.T), np.linalg.norm(X, axis=1)
y = np.sin(3 * angle + 4 * radius) > 0
clear = np.abs(np.sin(3 * angle + 4 * radius)) > 0.25  # a gap between the classes
clear &= radius > 0.35
X, y = X[clear], y[clear]

start = time.perf_counter()
model = KernelSVC(C=10, gamma=6.0, memory_budget="500MB").fit(X, y)
seconds = time.perf_counter() - start
certificate = model.certificate_
print(f"{len(X):,} samples, {len(model.support_)} support vectors, {seconds:.0f} s")
print(certificate)

side = np.linspace(-1, 1, 220, dtype=np.float32)
plane = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
scores = model.decision_function(plane).reshape(220, 220)
figure, axis = plt.subplots(figsize=(6, 6))
axis.contourf(side, side, scores, [-99, -1, 0, 1, 99], cmap="RdBu_r", alpha=0.55)
axis.scatter(*X[::400].T, c=y[::400], cmap="RdBu_r", s=2)
axis.scatter(*X[model.support_].T, s=26, facecolors="none", edgecolors="black", lw=0.9)
axis.set(xticks=[], yticks=[], xlim=(-1, 1), ylim=(-1, 1))
axis.set_title(f"{len(X):,} samples, {len(model.support_)} of them support vectors")
figure.tight_layout()
plt.show()
