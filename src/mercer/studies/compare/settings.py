"""The settings that the searches chose, in few words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mercer.studies.plain import Plain
from mercer.studies.row import Row

_SYMBOLS = {"gamma": "γ", "lam": "λ", "n_neighbors": "k", "alpha": "α"}


def describe_settings(rows: Sequence[Row]) -> str:
    """Each parameter with its values; how often, where repeats disagree.

    >>> rows = [Row("", "", "", {}, 0, {"chosen": {"C": c}}) for c in (1.0, 10.0, 10.0)]
    >>> describe_settings(rows)
    'C = 10 (2), 1 (1)'
    """
    chosen = [row.values.get("chosen") or {} for row in rows]
    names = list(dict.fromkeys(name for choice in chosen for name in choice))
    return "; ".join(
        _describe(name, [choice.get(name) for choice in chosen]) for name in names
    )


def _describe(name: str, values: Sequence[Plain]) -> str:
    counts = Counter(map(_short, values)).most_common()
    if len(counts) == 1:
        return f"{_SYMBOLS.get(name, name)} = {counts[0][0]}"
    parts = ", ".join(f"{value} ({count})" for value, count in counts)
    return f"{_SYMBOLS.get(name, name)} = {parts}"


def _short(value: Plain) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
