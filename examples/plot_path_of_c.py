"""
A path of C
===========

One Gram serves a whole path of C, and each solution starts the next one. From left to
right the machine gives up on fewer training samples: the bound support vectors, whose
α is C, become free ones, and once none is left a larger C changes nothing any more.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer import KernelSVC, load_dataset
from mercer.model_selection import GramSearchCV

digits = load_dataset("digits")
X, y = digits.X, digits.y == 8
grid = {"C": np.logspace(-2, 3, 16)}
search = GramSearchCV(KernelSVC(gamma=0.0008), grid, cv=5, return_train_score=True)
search.fit(X, y)

free, bound = [], []
for C in grid["C"]:
    model = KernelSVC(C=C, gamma=0.0008).fit(X, y)
    at_bound = np.abs(model.dual_coef_[0]) > C * (1 - 1e-6)
    bound.append(at_bound.sum())
    free.append((~at_bound).sum())

figure, (above, below) = plt.subplots(2, 1, figsize=(7, 6.4), sharex=True)
for name, style in {"train": "--", "test": "-"}.items():
    error = 100 * (1 - search.cv_results_[f"mean_{name}_score"])
    above.plot(grid["C"], error, style, color="#0067a5", label=f"{name} error")
above.axvline(search.best_params_["C"], color="#59626c", lw=1, ls=":")
above.set(ylabel="mistakes (%), five folds", title="Eights among the digits")
above.legend(frameon=False)
below.stackplot(
    grid["C"], free, bound, labels=["free", "bound"], colors=["#5db8f0", "#ff9a5c"]
)
below.set(xscale="log", xlabel="C", ylabel="support vectors")
below.legend(frameon=False)
figure.tight_layout()
plt.show()
