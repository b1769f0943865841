"""
Calibration, before and after
=============================

The score of an SVM is a distance, not a log-likelihood ratio. A calibrator that has
seen scores of other samples turns it into one: a score of 2 then means that the data
speak e² : 1 for the class. The points show what scores are worth, counted in bins; on
the dashed line they mean what they say.
"""

import matplotlib.pyplot as plt
import numpy as np

from mercer import KernelSVC
from mercer.calibration import ScoreCalibrator
from mercer.metrics import cllr

random = np.random.default_rng(1)
y = random.integers(0, 2, 9000)
X = random.normal(size=(9000, 2)) + 1.8 * y[:, None] * [1, 0.4]
train, calibrate, test = np.split(np.arange(9000), [1000, 4000])

model = KernelSVC(C=1, gamma=0.1).fit(X[train], y[train])
calibrator = ScoreCalibrator(prior=0.5)
calibrator.fit(model.decision_function(X[calibrate]), y[calibrate])
raw = model.decision_function(X[test])
kinds = {"raw scores": raw, "calibrated": calibrator.transform(raw)}

figure, axes = plt.subplots(1, 2, figsize=(9, 4.5), sharex=True, sharey=True)
for axis, (name, scores) in zip(axes, kinds.items()):
    bins = np.array_split(np.argsort(scores), 14)
    positive = np.array([y[test][rows].sum() for rows in bins])
    negative = np.array([len(rows) for rows in bins]) - positive
    # of classes that are equally frequent, counts are likelihood ratios
    worth = np.log((positive + 0.5) / (negative + 0.5))
    axis.axline((0, 0), slope=1, color="#59626c", ls="--", lw=1)
    axis.scatter([scores[rows].mean() for rows in bins], worth, color="#0067a5")
    axis.set_title(f"{name}: {cllr(y[test], scores):.3f} bits lost")
    axis.set(xlabel="score", xlim=(-4.5, 4.5), ylim=(-4.5, 4.5))
axes[0].set_ylabel("log-likelihood ratio, counted")
figure.tight_layout()
plt.show()
