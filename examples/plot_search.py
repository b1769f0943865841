"""
A search over C and γ
=====================

The ridge of good values runs diagonally: a wider kernel (small γ) needs a larger C.
The whole grid with five folds, 280 machines for ten classes each, shares one matrix of
squared distances.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer import KernelSVC, load_dataset
from mercer.model_selection import GramSearchCV

digits = load_dataset("digits")
Cs, gammas = np.logspace(-2, 4, 7), np.logspace(-5, -1.5, 8)
search = GramSearchCV(KernelSVC(), {"C": Cs, "gamma": gammas}, cv=5)
search.fit(digits.X[:700], digits.y[:700])

error = 100 * (1 - search.cv_results_["mean_test_score"].reshape(len(Cs), len(gammas)))
figure, axis = plt.subplots(figsize=(7.4, 5))
picture = axis.imshow(np.log10(error), origin="lower", cmap="magma_r", aspect="auto")
middle = np.log10(error).mean()
for (row, column), value in np.ndenumerate(error):
    colour = "white" if np.log10(value) > middle else "black"
    axis.text(column, row, f"{value:.1f}", ha="center", va="center", color=colour)
axis.set_xticks(range(len(gammas)), [f"{gamma:.0e}" for gamma in gammas])
axis.set_yticks(range(len(Cs)), [f"{C:g}" for C in Cs])
best = np.unravel_index(search.best_index_, error.shape)
axis.plot(best[1], best[0], "s", ms=30, mec="#0067a5", mfc="none", mew=2.5)
axis.set(xlabel="γ", ylabel="C", title="Mistakes (%), digits, five folds")
other = 1 - search.score(digits.X[700:], digits.y[700:])
print(f"C = {search.best_params_['C']:g}: {other:.1%} mistakes on the others")
figure.tight_layout()
plt.show()
