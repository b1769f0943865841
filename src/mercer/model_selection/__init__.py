"""Grids, folds and paths on one Gram."""

from mercer.estimators import MachinesPerClass, Reduction
from mercer.model_selection.protocols.coarse_to_fine import (
    REPORT_003,
    CoarseToFine,
    Stage,
    coarse_to_fine,
)
from mercer.model_selection.protocols.errors_on_splits import (
    ProtocolResult,
    Split,
    evaluate_splits,
)
from mercer.model_selection.protocols.holdout_split import holdout, shuffled_split
from mercer.model_selection.protocols.pegasos_on_splits import (
    PegasosRun,
    SplitProblems,
    averaged_errors,
    walk_pegasos,
)
from mercer.model_selection.protocols.repeated_runs import (
    CrossValidatedRuns,
    basic_procedure,
    cross_validating_procedure,
)
from mercer.model_selection.protocols.rotation_folds import (
    RotationFolds,
    rotate,
    rotation_k_fold,
)
from mercer.model_selection.protocols.seeded_split import two_to_one_split
from mercer.model_selection.protocols.split_search_retrain import (
    SearchedModel,
    split_search_retrain,
)
from mercer.model_selection.search.cost import SearchCost
from mercer.model_selection.search.gram_search import GramSearchCV
from mercer.model_selection.search.per_class import BinaryChoice, PerClassReport

__all__ = [
    "REPORT_003",
    "BinaryChoice",
    "CoarseToFine",
    "CrossValidatedRuns",
    "GramSearchCV",
    "MachinesPerClass",
    "PegasosRun",
    "PerClassReport",
    "ProtocolResult",
    "Reduction",
    "RotationFolds",
    "SearchCost",
    "SearchedModel",
    "Split",
    "SplitProblems",
    "Stage",
    "averaged_errors",
    "basic_procedure",
    "coarse_to_fine",
    "cross_validating_procedure",
    "evaluate_splits",
    "holdout",
    "rotate",
    "rotation_k_fold",
    "shuffled_split",
    "split_search_retrain",
    "two_to_one_split",
    "walk_pegasos",
]
