"""
Neighbours: one search, every k
===============================

The k nearest neighbours for the largest k hold those for every smaller one, so that a
search over k costs a single one. Which samples are near depends on the kernel: angles
(cosine) and distances (Gaussian) rank digits differently.
"""

import matplotlib.pyplot as plt

from mercer import KernelKNN, load_dataset
from mercer.model_selection import GramSearchCV

digits = load_dataset("digits")
X, y = digits.X, digits.y
ks = list(range(1, 31))

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), width_ratios=[3, 2])
for kernel, style in {"cosine": "-", "rbf": "--"}.items():
    search = GramSearchCV(
        KernelKNN(kernel=kernel), {"n_neighbors": ks}, cv=5, refit=False
    )
    search.fit(X, y)
    left.plot(
        ks, 100 * (1 - search.cv_results_["mean_test_score"]), style, label=kernel
    )
left.set(xlabel="k", ylabel="mistakes (%), five folds", title="Ten digits")
left.legend(frameon=False)

model = KernelKNN(n_neighbors=5).fit(X[:1500], y[:1500])
asked = 1500 + (model.predict(X[1500:]) != y[1500:]).argmax()
distances, near = model.kneighbors(X[[asked]])
right.axis("off")
right.set_title(f"A mistaken {y[asked]}, and its five neighbours")
for place, row in enumerate([asked, *near[0]]):
    spot = right.inset_axes([place % 3 / 3, 0.5 - place // 3 / 2, 0.3, 0.42])
    spot.imshow(X[row].reshape(8, 8), cmap="gray_r" if place else "Oranges")
    spot.set(
        xticks=[], yticks=[], xlabel=f"{y[row]}" if place else f"this is a {y[row]}"
    )
figure.tight_layout()
plt.show()
