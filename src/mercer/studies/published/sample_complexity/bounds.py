"""Between which curves the numbers of samples lie, and why 1-NN needs so many."""

from collections.abc import Sequence

import numpy as np

from mercer.studies import Row
from mercer.studies.published.sample_complexity.fits import KINDS, Fit
from mercer.studies.published.sample_complexity.theory import (
    growth_base,
    samples_needed,
)
from mercer.studies.story import Column, Field, Lines, Section, Series, Table

#: Up to this n every one is drawn.
_ALL_SHOWN = 20
#: Below it a curve through 1, 2, 3 samples says nothing about growth.
_FROM = 5
_FIGURES = {"winnow": 13, "least squares": 14, "perceptron": 15, "1-NN": 16}


def drawn_places(n: Sequence[int]) -> list[int]:
    """Which n are drawn: a hundred bars beside each other cannot be read."""
    few = max(n) <= _ALL_SHOWN
    return [i for i, size in enumerate(n) if few or size in (1, 2) or size % 5 == 0]


def _trials(rows: Sequence[Row]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each n as published, the mean m over repeats, and the mean std over trials."""
    n = np.array(rows[0].values["lucky n"], float)
    m, std = (
        np.mean([row.values[f"lucky {what}"] for row in rows], axis=0)
        for what in ("m", "std")
    )
    return n, m, std


def _curve(name: str, rows: Sequence[Row]) -> Fit:
    """The curve with a = 1, and the mean b of the fits."""
    b = [row.values["lucky b"] for row in rows if row.values["lucky b"] is not None]
    return Fit(KINDS[name], 1.0, float(np.mean(b)) if b else None, 0.0)


def find_bounds(name: str, rows: Sequence[Row]) -> tuple[float, float]:
    """The a of the curves that enclose mean ± one standard deviation, from n = 5 on."""
    n, m, std = _trials(rows)
    shape, kept = _curve(name, rows).at(n.tolist()), n >= _FROM
    low, high = ((m + sign * std)[kept] / shape[kept] for sign in (-1, 1))
    return float(low.min()), float(high.max())


def _in_words(name: str, rows: Sequence[Row], a: float) -> str:
    b = _curve(name, rows).b
    shape = {"log": "log n", "linear": "n"}.get(KINDS[name], f"{b or 0:.4g}ⁿ")
    return f"{a:.3g}·{shape}"


def say_bounds(name: str, rows: Sequence[Row]) -> str:
    """Two curves of one shape that enclose the numbers of samples."""
    low, high = (_in_words(name, rows, a) for a in find_bounds(name, rows))
    return (
        f"{name[0].upper()}{name[1:]}: mean ± standard deviation of the published "
        f"estimate stays between {low} and {high} from n = {_FROM} on."
    )


def bounds_figure(name: str, rows: Sequence[Row]) -> Lines:
    """The report's figures 13 to 16."""
    n, m, std = _trials(rows)
    shape = _curve(name, rows).at(n.tolist())
    places = drawn_places(n.astype(int).tolist())
    at = n[places].tolist()
    series = [Series("estimate", at, m[places].tolist(), std[places].tolist())]
    for words, a in zip(("lower bound", "upper bound"), find_bounds(name, rows)):
        label = f"{words}, {_in_words(name, rows, a)}"
        series.append(Series(label, at, (a * shape[places]).tolist()))
    exponential = KINDS[name] == "exponential"
    return Lines(
        f"Samples needed by {name}, with bounds",
        "n",
        "samples m for 10 % error",
        series,
        f"Figure {_FIGURES[name]} of the report. The narrowest curves of the fitted "
        f"shape that enclose mean ± one standard deviation over the trials from "
        f"n = {_FROM} on. That such curves exist for n up to {int(n[-1])} is an "
        "observation and no proof.",
        log_y=exponential,
    )


def say_nearest(rows: Sequence[Row]) -> list[str]:
    """The exact numbers of 1-NN, and what they grow by."""
    if not rows:
        return []
    last = int(rows[0].values["unbiased n"][-1])
    measured = np.mean([row.values["unbiased m"][-1] for row in rows])
    return [
        "1-NN needs exponentially many samples, and that can be proved: no coordinate "
        "is preferred, so its expected error is the expected distance to the nearest "
        "sample divided by n, and balls of radius n/10 around the samples must cover "
        f"the cube. Each further coordinate takes {growth_base():.3f} times as many in "
        f"the long run. At n = {last} it is exactly {samples_needed(last):,}; "
        f"{measured:,.0f} were found by drawing."
    ]


def nearest_sections(rows: Sequence[Row]) -> list[Section]:
    """Exact and measured numbers of 1-NN beside each other."""
    if not rows:
        return []
    means = {
        name: dict(
            zip(
                rows[0].values[f"{name} n"],
                np.mean([row.values[f"{name} m"] for row in rows], axis=0).tolist(),
            )
        )
        for name in ("unbiased", "lucky")
    }
    entries: list[list[Field]] = [
        [n, samples_needed(n), means["unbiased"].get(n), means["lucky"].get(n)]
        for n in [*means["unbiased"], 50, 100]
    ]
    columns = [
        Column("n"),
        Column("exact"),
        Column("unbiased estimate", digits=0),
        Column("first lucky m", digits=0),
    ]
    caption = (
        "Exact: the least m with Σₜ P(distance > t)ᵐ ≤ n/10, the distance between two "
        "points of the cube being binomial."
    )
    table = Table("exact", "Samples that 1-NN needs", columns, entries, caption)
    return [Section("Why 1-NN needs so many", [*say_nearest(rows), table])]
