"""
What decisions cost, at every prior
===================================

Two machines tell eights from the other digits. Whether one is better depends on how
rare eights are and on what a mistake costs. The DET plot shows the trade between both
kinds of mistakes; the Bayes error plot shows what decisions cost against the prior:
dashed with the threshold that the scores stand for, solid with the best one. The gap
between the two lines is a matter of calibration, not of the machine.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm

from mercer import KernelPegasos, KernelSVC, load_dataset
from mercer.metrics import bayes_error_curve, det_points, min_dcf

digits = load_dataset("digits")
order = np.random.default_rng(0).permutation(len(digits.y))
X, y = digits.X[order], digits.y[order] == 8
machines = {
    "SVM": KernelSVC(gamma=1e-4),
    "Pegasos": KernelPegasos(gamma=1e-4, lam=1e-3, epochs=1, random_state=0),
}

figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.6))
for (name, machine), colour in zip(machines.items(), ["#0067a5", "#c8500a"]):
    scores = machine.fit(X[:900], y[:900]).decision_function(X[900:])
    cost = min_dcf(y[900:], scores, prior=0.1)
    points = det_points(y[900:], scores)
    rates = np.clip([points.false_alarm_rate, points.miss_rate], 5e-4, 0.9995)
    left.plot(
        *norm.ppf(rates), color=colour, label=f"{name}, minDCF {cost:.2f} at π = 0.1"
    )
    curve = bayes_error_curve(y[900:], scores, log_odds=np.linspace(-5, 5, 101))
    right.plot(
        curve.log_odds, curve.minimum, color=colour, label=f"{name}, best threshold"
    )
    right.plot(
        curve.log_odds, curve.actual, "--", color=colour, label=f"{name}, as it is"
    )
ticks = np.array([0.001, 0.01, 0.05, 0.2, 0.5])
for set_ticks in (left.set_xticks, left.set_yticks):
    set_ticks(norm.ppf(ticks), [f"{100 * tick:g} %" for tick in ticks])
left.set(xlim=norm.ppf([5e-4, 0.6]), ylim=norm.ppf([5e-4, 0.6]))
left.set(xlabel="false alarms", ylabel="misses", title="DET")
right.set(ylim=(0, 1.05), xlabel="prior log-odds log π/(1−π)", ylabel="normalised cost")
right.set(title="Bayes error")
for axis in (left, right):
    axis.legend(frameon=False, fontsize=8)
    axis.grid(alpha=0.3)
figure.tight_layout()
plt.show()
