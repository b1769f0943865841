"""Plain values: what a row may hold, and their one spelling as text."""

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from mercer.exceptions import ParameterError

#: None, bool, int, float, str, and lists and dicts of these.
Plain = Any


def to_plain(value: Any) -> Plain:
    """Turn NumPy's values into plain ones; a number that is not finite becomes None.

    >>> import numpy as np
    >>> to_plain({"error": np.float32(0.5), "wrong": np.array([3, 4]), "gap": np.inf})
    {'error': 0.5, 'wrong': [3, 4], 'gap': None}
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    raise ParameterError(
        f"A row holds numbers, words and lists of them, not a {type(value).__name__}."
    )


def to_text(value: Any) -> str:
    """Write a plain value as JSON, equal values always alike.

    >>> to_text({"b": 1, "a": [0.1, None]})
    '{"a":[0.1,null],"b":1}'
    """
    return json.dumps(
        to_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )


def fingerprint(*parts: Any) -> str:
    """A short name of plain values that changes when any of them does.

    >>> fingerprint("compare", {"repeat": 1})
    'ed62cafa830dbb047f55'
    """
    return hashlib.sha256(to_text(list(parts)).encode()).hexdigest()[:20]


def derive_seed(*parts: Any) -> int:
    """A seed that follows from plain values alone, never from order or time.

    >>> derive_seed(0, "split", 3)
    1048033328
    """
    digest = hashlib.sha256(to_text(list(parts)).encode()).digest()
    return int.from_bytes(digest[:4], "big")
