"""The scikit-learn skin: validate, Gram, reduce to binary problems, solve, decide."""

from mercer.estimators.model_file import load, save
from mercer.estimators.neighbours import KernelKNN
from mercer.estimators.pegasos import KernelPegasos
from mercer.estimators.perceptron import KernelPerceptron
from mercer.estimators.svc import KernelSVC
from mercer.estimators.winnow import Winnow

__all__ = [
    "KernelKNN",
    "KernelPegasos",
    "KernelPerceptron",
    "KernelSVC",
    "Winnow",
    "load",
    "save",
]
