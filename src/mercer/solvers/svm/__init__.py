"""The exact dual SVM: binary problems in, coefficients and certificates out."""

from mercer.solvers.svm.lbfgs import LBFGSOptions, solve_lbfgs
from mercer.solvers.svm.many import solve_many
from mercer.solvers.svm.path import Solved, extrapolated, grown, solve_next
from mercer.solvers.svm.problem import (
    Bias,
    BinaryProblem,
    BinaryProblems,
    KernelSource,
    Limits,
    Snapshot,
    Stacked,
)
from mercer.solvers.svm.smo import solve_smo
from mercer.solvers.svm.solution import Certificate, Solutions, SVMSolution
from mercer.solvers.svm.stacked import StackedSolutions
from mercer.solvers.svm.support import share_of_support

__all__ = [
    "Bias",
    "BinaryProblem",
    "BinaryProblems",
    "Certificate",
    "KernelSource",
    "LBFGSOptions",
    "Limits",
    "SVMSolution",
    "Snapshot",
    "Solutions",
    "Solved",
    "Stacked",
    "StackedSolutions",
    "extrapolated",
    "grown",
    "share_of_support",
    "solve_lbfgs",
    "solve_many",
    "solve_next",
    "solve_smo",
]
