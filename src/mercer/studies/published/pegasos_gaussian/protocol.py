"""The split into training and test samples, and the folds of the first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.studies.one_vs_rest import OneVsRest, Split
from mercer.studies.published.pegasos_gaussian.settings import N_FOLDS, TEST_SHARE


@dataclass(frozen=True, eq=False)
class Protocol:
    """Everything shuffled, a fifth for testing, five folds of the rest.

    >>> protocol = Protocol.of(np.arange(100) % 2, 0)
    >>> len(protocol.split[0]), len(protocol.folds[0][1])
    (80, 16)
    """

    y: NDArray
    split: Split
    folds: list[Split]

    @classmethod
    def of(cls, y: NDArray, seed: int) -> Protocol:
        """Shuffle and split."""
        order = np.random.default_rng(seed).permutation(len(y))
        n_test = round(TEST_SHARE * len(y))
        test, train = order[:n_test], order[n_test:]
        parts = np.array_split(train, N_FOLDS)
        folds: list[Split] = [
            (np.concatenate(parts[:k] + parts[k + 1 :]), parts[k])
            for k in range(N_FOLDS)
        ]
        return cls(y, (train, test), folds)

    def problems(self) -> OneVsRest:
        """Those of all folds."""
        return OneVsRest.of(self.y, self.folds)

    def final_problems(self) -> OneVsRest:
        """Those of all training samples."""
        return OneVsRest.of(self.y, [self.split])
