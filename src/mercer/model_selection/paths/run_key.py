"""Which models do the same on a given Gram, but for what is read of them."""

from __future__ import annotations

import pickle
from collections.abc import Collection, Hashable, Mapping
from typing import Any

import numpy as np

#: parameters that do not change what a learner does on a given Gram
_ASIDE = {
    "kernel",
    "gamma",
    "degree",
    "coef0",
    "memory_budget",
    "verbose",
    "decision_function_shape",
    "break_ties",
    "record",
}


def run_key(
    learner: type, params: Mapping[str, Any], aside: Collection[str]
) -> Hashable:
    """All parameters but those in `aside`, as something to compare."""
    kept = sorted(set(params) - _ASIDE - set(aside))
    return learner, tuple((name, _comparable(params[name])) for name in kept)


def _comparable(value: Any) -> Hashable:
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return pickle.dumps(value)
    try:
        hash(value)
    except TypeError:
        return repr(value)
    return type(value).__name__, value
