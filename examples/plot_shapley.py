"""
Which features speak for a class
================================

Exact Shapley values of an SVM: what each feature adds to the score of a flower, in the
mean over all coalitions of the others, beside what a background of all flowers scores.
Nothing is sampled, so the shares of a flower add up to its score to the last digits.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer import KernelSVC, load_dataset
from mercer.explain import shapley_values

iris = load_dataset("iris")
model = KernelSVC(C=10, gamma=0.2, multiclass="ovr").fit(iris.X, iris.y)
found = shapley_values(model, iris.X, iris.X)
left_over = np.abs(found.values.sum(axis=1) + found.base_values - found.scores).max()
print(f"Values and base add up to the scores, but for {left_over:.0e}")

figure, axes = plt.subplots(1, 3, figsize=(10.5, 4), sharey=True)
random = np.random.default_rng(0)
for axis, label in zip(axes, model.classes_):
    shares = found.for_class(label)
    for place, values in enumerate(iris.X.T):
        height = place + random.uniform(-0.28, 0.28, len(values))
        dots = axis.scatter(shares[:, place], height, c=values, cmap="coolwarm", s=9)
    axis.axvline(0, color="#59626c", lw=1)
    axis.set(title=f"for {iris.target_names[label]}", xlabel="Shapley value")
names = [name.removesuffix(" (cm)") for name in iris.feature_names]
axes[0].set_yticks(range(4), names)
bar = figure.colorbar(dots, ax=axes, ticks=[values.min(), values.max()], pad=0.02)
bar.ax.set_yticklabels(["small", "large"])
plt.show()
