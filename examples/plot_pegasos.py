"""
Pegasos on its way to the SVM
=============================

Pegasos draws a sample a step. Its objective comes down to that of the exact SVM without
a bias, whose certificate tells where the optimum is, faster for a large λ than for a
small one. C = 1/(λn) makes both the same problem.
"""

import matplotlib.pyplot as plt

from mercer import KernelPegasos, KernelSVC, load_dataset

digits = load_dataset("digits")
X, y = digits.X[:900], digits.y[:900] == 8
n = len(X)

figure, axis = plt.subplots(figsize=(7, 4.4))
for lam, colour in zip([1e-2, 1e-3, 1e-4], ["#0067a5", "#00795a", "#c8500a"]):
    exact = KernelSVC(C=1 / (lam * n), gamma=0.0005, bias="none").fit(X, y)
    optimum = lam * exact.certificate_.dual  # both objectives in the same unit
    pegasos = KernelPegasos(lam=lam, gamma=0.0005, epochs=60, record=40, random_state=0)
    pegasos.fit(X, y)
    above = pegasos.objective_[0] / optimum - 1
    axis.plot(pegasos.recorded_steps_[0], above, color=colour, label=f"λ = {lam:g}")
axis.set(
    xscale="log",
    yscale="log",
    xlabel="steps",
    ylabel="objective above the optimum, relative",
)
axis.xaxis.set_minor_formatter("")
axis.set_xticks(
    [2000, 5000, 10000, 20000, 50000], ["2000", "5000", "10000", "20000", "50000"]
)
axis.set_title("Eights among 900 digits")
axis.legend(frameon=False)
figure.tight_layout()
plt.show()
