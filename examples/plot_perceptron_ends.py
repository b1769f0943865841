"""
The perceptron's three ends
===========================

A perceptron that has walked over its samples can answer in three ways: with its last
hypothesis, with the average of all of them, or with the one that made the fewest
training mistakes on the way. One run holds all three; ``GramSearchCV`` reads them at
every epoch without running again. The last one jumps, the average does not.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer import KernelPerceptron, load_dataset
from mercer.model_selection import GramSearchCV

digits = load_dataset("digits")
epochs = list(range(1, 13))
variants = {"last": "o", "best": "s", "averaged": "^"}
search = GramSearchCV(
    KernelPerceptron(kernel="poly", degree=2, random_state=0),
    {"variant": list(variants), "epochs": epochs},
    cv=5,
    refit=False,
)
search.fit(digits.X, digits.y)
results = search.cv_results_

figure, axis = plt.subplots(figsize=(7, 4.4))
for variant, marker in variants.items():
    mine = results["param_variant"] == variant
    error = 100 * (1 - results["mean_test_score"][mine])
    spread = 100 * results["std_test_score"][mine]
    order = np.argsort(results["param_epochs"][mine].astype(int))
    (line,) = axis.plot(epochs, error[order], marker=marker, ms=5, label=variant)
    low, high = (error - spread)[order], (error + spread)[order]
    axis.fill_between(epochs, low, high, color=line.get_color(), alpha=0.12)
axis.set(
    xlabel="epochs", ylabel="mistakes (%), five folds", title="Ten digits, degree 2"
)
axis.legend(frameon=False)
figure.tight_layout()
plt.show()
