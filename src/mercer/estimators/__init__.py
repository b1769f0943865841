"""The scikit-learn skin: validate, Gram, reduce to binary problems, solve, decide."""

from mercer.estimators.binary_machine import BinaryMachine, Coefficients
from mercer.estimators.compressed_machine import compress
from mercer.estimators.kernel_machine import KernelEstimator, KernelMachine
from mercer.estimators.learner import GramLearner, TrainingSet
from mercer.estimators.machines_per_class import MachinesPerClass
from mercer.estimators.model_file import load, save
from mercer.estimators.neighbours import KernelKNN
from mercer.estimators.online_machine import (
    Course,
    OnlineKernelMachine,
    Reading,
)
from mercer.estimators.pegasos import KernelPegasos
from mercer.estimators.perceptron import KernelPerceptron
from mercer.estimators.reduction import Reduction
from mercer.estimators.svc import KernelSVC
from mercer.estimators.virtual_svc import VirtualSVC
from mercer.estimators.winnow import Winnow

__all__ = [
    "BinaryMachine",
    "Coefficients",
    "Course",
    "GramLearner",
    "KernelEstimator",
    "KernelKNN",
    "KernelMachine",
    "KernelPegasos",
    "KernelPerceptron",
    "KernelSVC",
    "MachinesPerClass",
    "OnlineKernelMachine",
    "Reading",
    "Reduction",
    "TrainingSet",
    "VirtualSVC",
    "Winnow",
    "compress",
    "load",
    "save",
]
