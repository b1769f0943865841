"""
How far from the optimum
========================

An SVM can be stopped at any time, and says how good it is then: the optimum lies
between the dual and the primal objective of the model at hand. Long before the two
meet, the mistakes on new samples have settled.
"""

import warnings

import matplotlib.pyplot as plt
from sklearn.exceptions import ConvergenceWarning

from mercer import KernelSVC, load_dataset

digits = load_dataset("digits")
X, y = digits.X, digits.y % 2
limits = [5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000]
certificates, errors = [], []
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)  # each limit is warned about
    for limit in limits:
        model = KernelSVC(C=10, gamma=0.0005, max_iter=limit, tol=1e-4).fit(
            X[:900], y[:900]
        )
        certificates.append(model.certificate_)
        errors.append(100 * (1 - model.score(X[900:], y[900:])))

figure, (above, below) = plt.subplots(2, 1, figsize=(7, 6), sharex=True)
primal, dual = zip(*((one.primal, one.dual) for one in certificates))
above.fill_between(
    limits, dual, primal, color="#5db8f0", alpha=0.4, label="the optimum is here"
)
above.plot(limits, primal, color="#0067a5", label="primal, of the model")
above.plot(limits, dual, "--", color="#0067a5", label="dual, a bound")
above.set(yscale="log", ylabel="objective", title="Odd and even digits")
above.legend(frameon=False)
below.plot(limits, errors, marker="o", color="#c8500a")
below.set(xscale="log", xlabel="steps at most", ylabel="mistakes on other samples (%)")
figure.tight_layout()
plt.show()
