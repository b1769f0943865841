"""What the decisions of a model cost, in numbers and as text.

Sentences about a parameter of `evaluate` put its name into backticks, so that the
command line can say the same about its options.
"""

from mercer.evaluation._evaluate import evaluate
from mercer.evaluation._text import (
    TextTable,
    describe_confusions,
    describe_error,
    describe_samples,
    describe_seconds,
    list_some,
)
from mercer.evaluation.evaluation import Evaluation
from mercer.evaluation.samples import LabelledSamples, load_classifier, load_samples
from mercer.evaluation.several_classes import (
    ClassErrors,
    Decisions,
    SeveralClassesEvaluation,
)
from mercer.evaluation.trained_on import remember_training
from mercer.evaluation.two_classes import (
    ApplicationCosts,
    ScoreCosts,
    TwoClassesEvaluation,
)

__all__ = [
    "ApplicationCosts",
    "ClassErrors",
    "Decisions",
    "Evaluation",
    "LabelledSamples",
    "ScoreCosts",
    "SeveralClassesEvaluation",
    "TextTable",
    "TwoClassesEvaluation",
    "describe_confusions",
    "describe_error",
    "describe_samples",
    "describe_seconds",
    "evaluate",
    "list_some",
    "load_classifier",
    "load_samples",
    "remember_training",
]
