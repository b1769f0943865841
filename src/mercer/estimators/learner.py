"""What a learner offers to its own `fit`, and to a search that shares one Gram.

A search (`mercer.model_selection.GramSearchCV`) computes kernel values once and lets a
learner work on them in many folds and with many parameters. It knows a learner by what
stands here and in one of three kinds, which the learner's own `fit` goes through too:

- `mercer.estimators.BinaryMachine`: binary problems, solved for coefficients;
- `mercer.estimators.OnlineKernelMachine`: a rule when to update, and an order;
- `mercer.estimators.KernelKNN`: votes of the nearest training samples.

A class takes part when it names its `path_parameters` in its own body. One that
inherits them is fitted alone: it may have changed what `fit` or `predict` do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer.kernels import Kernel


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Samples to learn from: their rows in a Gram, and their classes.

    Parameters
    ----------
    rows : array of int
        Where each sample stands in the Gram.
    y_encoded : array of int
        The class of each sample, as an index of `classes`.
    classes : array
        The labels of the classes.
    """

    rows: NDArray[np.intp]
    y_encoded: NDArray[np.intp]
    classes: NDArray

    def __len__(self) -> int:
        return len(self.rows)


class GramLearner:
    """A learner that sees samples only through a Gram."""

    #: Parameters that form a path: one run serves all of their values.
    path_parameters: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def shares_gram(cls) -> bool:
        """Whether a search may let many fits of this class share a Gram."""
        return "path_parameters" in vars(cls)

    def check_parameters(self, training: TrainingSet) -> None:
        """Complain as `fit` would on this training set, before any work is done."""

    def can_share(self, training: TrainingSet) -> bool:
        """Whether these parameters work on a shared Gram; if not, it is fitted alone.

        For what only `fit` or `predict` itself can do or complain about.
        """
        return True

    def needs_gram(self, kernel: Kernel, X: Any) -> bool:
        """Whether the learner reads kernel values at all."""
        return True
