"""Grids, folds and paths on one Gram."""

from mercer.estimators import MachinesPerClass, Reduction
from mercer.model_selection.protocols.coarse_to_fine import (
    REPORT_003,
    CoarseToFine,
    Stage,
    coarse_to_fine,
)
from mercer.model_selection.protocols.errors_on_splits import ProtocolResult
from mercer.model_selection.protocols.holdout_split import holdout, shuffled_split
from mercer.model_selection.protocols.repeated_runs import (
    CrossValidatedRuns,
    basic_procedure,
    cross_validating_procedure,
)
from mercer.model_selection.protocols.rotation_folds import (
    RotationFolds,
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
    "PerClassReport",
    "ProtocolResult",
    "Reduction",
    "RotationFolds",
    "SearchCost",
    "SearchedModel",
    "Stage",
    "basic_procedure",
    "coarse_to_fine",
    "cross_validating_procedure",
    "holdout",
    "rotation_k_fold",
    "shuffled_split",
    "split_search_retrain",
    "two_to_one_split",
]
