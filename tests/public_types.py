"""What type checkers know of the public classes; mypy reads it (`make lint`)."""

from typing import assert_type

import numpy as np

from mercer import (
    CalibratedClassifier,
    GramSearchCV,
    KernelKNN,
    KernelPegasos,
    KernelPerceptron,
    KernelSVC,
    VirtualSVC,
    Winnow,
)
from mercer.calibration import ScoreCalibrator
from mercer.estimators import MachinesPerClass


def fit_returns_its_own_type() -> None:
    X, y = np.eye(4), np.arange(4) % 2
    assert_type(KernelSVC().fit(X, y), KernelSVC)
    assert_type(KernelPerceptron().fit(X, y), KernelPerceptron)
    assert_type(KernelPerceptron().partial_fit(X, y), KernelPerceptron)
    assert_type(KernelPegasos().fit(X, y), KernelPegasos)
    assert_type(KernelKNN().fit(X, y), KernelKNN)
    assert_type(VirtualSVC().fit(X, y), VirtualSVC)
    assert_type(Winnow().fit(X, y), Winnow)
    assert_type(GramSearchCV(KernelSVC(), {}).fit(X, y), GramSearchCV)
    model = CalibratedClassifier(KernelSVC())
    assert_type(model.fit(X, y), CalibratedClassifier)
    assert_type(ScoreCalibrator().fit(X[0], y), ScoreCalibrator)
    assert_type(MachinesPerClass(KernelSVC(), []).fit(X, y), MachinesPerClass)
