"""What the rows of `compare` say in a few sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt

from mercer.studies.compare.learners import learner_name
from mercer.studies.plain import Plain
from mercer.studies.row import Row, Spread, numbers

Learners = Mapping[str, Sequence[Row]]
_SYMBOLS = {"gamma": "γ", "lam": "λ", "n_neighbors": "k", "alpha": "α"}


def summarise(learners: Learners) -> list[str]:
    """Who wins, whether by chance, what it costs, and what is proven."""
    ranking = rank(learners)
    best = ranking[0]
    rows = learners[best]
    error = error_of(rows)
    lines = [
        f"{learner_name(best)} makes the fewest mistakes: {_percent(error)} of the "
        f"{rows[0].values['n_test']:,} test samples wrong, {_repeats(error.n)}."
    ]
    if len(ranking) > 1:
        lines.append(_runner_up(learners, best, ranking[1]))
    if "linear" in learners and best != "linear":
        baseline = error_of(learners["linear"])
        lines.append(
            f"The linear baseline gets {_percent(baseline)} wrong, "
            f"{_times(baseline.mean, error.mean)}."
        )
    lines.append(_range_of_seconds(learners, rows[0].values["n_train"]))
    gaps = [gap for part in learners.values() for gap in numbers(part, "relative_gap")]
    if gaps:
        lines.append(
            f"Every SVM is certified: its objective is proven to be within "
            f"{100 * max(gaps):.2g} % of the best possible."
        )
    return [line[0].upper() + line[1:] for line in lines]


def conclude(learners: Learners) -> list[str]:
    """Which learner to take: of those that chance may have put first the fastest."""
    best, *others = rank(learners)
    if not others:
        return []
    leads = {name: _lead(learners, best, name) for name in others}
    equals = [best, *(name for name, lead in leads.items() if not _is_clear(lead))]
    names = ", ".join(learner_name(name) for name in equals)
    if len(equals) == 1:
        return [f"{names}: its lead over every other learner is more than chance."]
    fastest = min(equals, key=lambda name: mean_of(learners[name], "fit"))
    return [
        f"{names} cannot be told apart by their mistakes on these splits; of these "
        f"{learner_name(fastest)} takes the fewest seconds to fit."
    ]


def _lead(learners: Learners, best: str, other: str) -> Spread | None:
    """Points by which a learner is behind, by the repeats they have in common."""
    first = {row.params["repeat"]: row.values["test_error"] for row in learners[best]}
    return Spread.of(
        [
            100 * (row.values["test_error"] - first[row.params["repeat"]])
            for row in learners[other]
            if row.params["repeat"] in first
        ]
    )


def _is_clear(lead: Spread | None) -> bool:
    """Whether it is more than two standard errors."""
    if lead is None or lead.std is None:
        return False
    return lead.mean > 2 * lead.std / sqrt(lead.n)


def _runner_up(learners: Learners, best: str, second: str) -> str:
    """Whether the lead is more than chance."""
    lead, name = _lead(learners, best, second), learner_name(second)
    if lead is None or lead.std is None:
        return f"Next comes {name}; one repeat does not tell how much that means."
    if lead.mean == lead.std == 0:
        return f"{name} does just as well, on every one of the same splits."
    meaning = (
        "more than two standard errors, so not by chance alone"
        if _is_clear(lead)
        else "within two standard errors, so it may be chance"
    )
    return (
        f"Next comes {name}, behind by {lead.mean:.2f} ± {lead.std:.2f} points on the "
        f"same splits: {meaning}."
    )


def _range_of_seconds(learners: Learners, n_train: int) -> str:
    seconds = {name: mean_of(part, "fit") for name, part in learners.items()}
    fastest, slowest = (f(seconds, key=lambda name: seconds[name]) for f in (min, max))
    return (
        f"Fitting takes from {_seconds(seconds[fastest])} for {learner_name(fastest)} "
        f"to {_seconds(seconds[slowest])} for {learner_name(slowest)}, on {n_train:,} "
        "training samples."
    )


def rank(learners: Learners) -> list[str]:
    """The learners, the one with the fewest mistakes first."""
    return sorted(learners, key=lambda name: error_of(learners[name]).mean)


def error_of(rows: Sequence[Row]) -> Spread:
    """The test error in percent."""
    spread = percent_of(rows, "test_error")
    assert spread is not None
    return spread


def percent_of(rows: Sequence[Row], name: str) -> Spread | None:
    """A share in percent, where there is one."""
    spread = Spread.of(numbers(rows, name))
    return None if spread is None else spread.scaled(100)


def mean_of(rows: Sequence[Row], name: str) -> float:
    """The mean of a value or a time."""
    values = numbers(rows, name)
    return sum(values) / max(len(values), 1)


def _percent(error: Spread) -> str:
    spread = "" if error.std is None else f" ± {error.std:.2f}"
    # no line ends within it
    return f"{error.mean:.2f}{spread} %".replace(" ", "\N{NO-BREAK SPACE}")


def _repeats(n: int) -> str:
    return "in one repeat" if n == 1 else f"over {n} repeats"


def _times(large: float, small: float) -> str:
    return f"{large / small:.1f} times as many" if small else "while the best gets none"


def _seconds(value: float) -> str:
    return f"{value:.2g} s" if value < 10 else f"{value:.0f} s"


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
    short = (f"{v:g}" if isinstance(v, float) else str(v) for v in values)
    counts = Counter(short).most_common()
    shown = [value if len(counts) == 1 else f"{value} ({n})" for value, n in counts]
    return f"{_SYMBOLS.get(name, name)} = {', '.join(shown)}"
