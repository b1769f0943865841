"""What the rows of `sample-complexity` say."""

from collections.abc import Mapping, Sequence

import numpy as np

from mercer.studies import Row, group_by, numbers, spread_of
from mercer.studies.published.sample_complexity.fits import KINDS, Fit
from mercer.studies.story import (
    Column,
    Entry,
    Lines,
    Section,
    Series,
    Story,
    Table,
)

Learners = Mapping[str, Sequence[Row]]

#: The published curves: a, and b where there is one; R².
_PUBLISHED = {
    "winnow": (5.007, None, 0.9901),
    "least squares": (0.5781, None, 0.9993),
    "perceptron": (1.38, None, 0.9918),
    "1-NN": (2.903, 1.471, 0.9986),
}
_NAMES = {
    "lucky": "first lucky m, new sets",
    "growing": "first lucky m, one growing set",
    "unbiased": "unbiased",
}
_NOVIKOFF = "perceptron"
#: Up to this n every one is drawn.
_ALL_SHOWN = 20


def tell_story(rows: Sequence[Row]) -> Story:
    """A summary, a table of the fits, and a figure for each learner."""
    found = group_by(rows, "learner")
    learners = {name: found[name] for name in KINDS if name in found}
    sections = [
        Section("The curves", [_fit_table(learners)]),
        *(Section(name, [_figure(name, part)]) for name, part in learners.items()),
        Section("Seconds", [_seconds_table(learners)]),
    ]
    return Story(_summary(learners), sections)


def _summary(learners: Learners) -> list[str]:
    lines = []
    for name, rows in learners.items():
        lucky, unbiased = (_mean_fit(name, rows, e) for e in ("lucky", "unbiased"))
        lines.append(
            f"{name[0].upper()}{name[1:]} needs {unbiased} samples for 10 % error; "
            f"stopping at the first lucky number gives {lucky}, and "
            f"{Fit(KINDS[name], *_PUBLISHED[name])} was published."
        )
    lows = {name: _bias(rows) for name, rows in learners.items()}
    lines.append(
        "The published estimate is too low, as the report suspected: at the largest n "
        + ", ".join(f"by {100 * low:.0f} % ({name})" for name, low in lows.items())
        + "."
    )
    return lines


def _bias(rows: Sequence[Row]) -> float:
    """How much lower the published estimate is than the unbiased one."""
    n = rows[0].values["lucky n"][-1]
    lucky = np.mean([row.values["lucky m"][-1] for row in rows])
    place = rows[0].values["unbiased n"].index(n)
    unbiased = np.mean([row.values["unbiased m"][place] for row in rows])
    return float(1 - lucky / unbiased)


def _mean_fit(name: str, rows: Sequence[Row], estimator: str) -> Fit:
    a, r2 = (np.mean(numbers(rows, f"{estimator} {part}")) for part in ("a", "r2"))
    b = numbers(rows, f"{estimator} b")
    return Fit(KINDS[name], float(a), float(np.mean(b)) if b else None, float(r2))


def _fit_table(learners: Learners) -> Table:
    shapes = {"log": "a·log n", "linear": "a·n", "exponential": "a·bⁿ"}
    entries: list[list[Entry]] = []
    for name, rows in learners.items():
        shape = shapes[KINDS[name]]
        entries.append([name, shape, "published", *_PUBLISHED[name], None])
        for estimator, words in _NAMES.items():
            parts = (f"{estimator} {part}" for part in ("a", "b", "r2", "r2 from zero"))
            spreads = (spread_of(rows, part) for part in parts)
            entries.append([name, shape, words, *spreads])
    columns = [
        *(Column(name) for name in ("learner", "curve", "estimate")),
        *(Column(name, digits=4) for name in ("a", "b", "R²", "R², from zero")),
    ]
    caption = (
        "Least squares through the numbers of samples for n = 1 to 100 (1-NN: 17 as "
        "published, 20 for the other two); mean ± standard deviation over the repeats. "
        "From zero: the share of the sum of squares instead of that of the variance, "
        "which programs report for curves without a constant."
    )
    return Table("fits", "Curves through the samples needed", columns, entries, caption)


def _figure(name: str, rows: Sequence[Row]) -> Lines:
    series = [_series(rows, estimator) for estimator in _NAMES]
    sizes = rows[0].values["lucky n"]
    n = [sizes[place] for place in _drawn_places(sizes)]
    published = Fit(KINDS[name], *_PUBLISHED[name])
    series.append(Series(_NAMES["lucky"], n, published.at(n).tolist(), published=True))
    caption = (
        "Bars: one standard deviation over the trials of the first repeat (unbiased: "
        "over the repeats). Published: the printed curve."
    )
    if name == _NOVIKOFF:
        series.append(Series("bound: n/m = 10 %", n, [10.0 * x for x in n]))
        caption += (
            " Bound: with m = 10n samples Novikoff's bound says that the error is at "
            "most n/m = 10 %; far fewer are enough."
        )
    title = f"Samples needed by {name}"
    log_y = KINDS[name] == "exponential" or name == _NOVIKOFF
    return Lines(title, "n", "samples m for 10 % error", series, caption, log_y=log_y)


def _series(rows: Sequence[Row], estimator: str) -> Series:
    values = rows[0].values
    n = values[f"{estimator} n"]
    all_m = np.array([row.values[f"{estimator} m"] for row in rows])
    if estimator == "unbiased":
        std = all_m.std(axis=0, ddof=1).tolist() if len(all_m) > 1 else None
        return Series(_NAMES[estimator], n, all_m.mean(axis=0).tolist(), std)
    shown = _drawn_places(n)
    n, m, std = (
        [values[f"{estimator} {what}"][i] for i in shown] for what in ("n", "m", "std")
    )
    return Series(_NAMES[estimator], n, m, std)


def _drawn_places(n: Sequence[int]) -> list[int]:
    """Which n are drawn: a hundred bars beside each other cannot be read."""
    few = max(n) <= _ALL_SHOWN
    return [i for i, size in enumerate(n) if few or size in (1, 2) or size % 5 == 0]


def _seconds_table(learners: Learners) -> Table:
    entries = [
        [name, *(spread_of(rows, estimator) for estimator in _NAMES)]
        for name, rows in learners.items()
    ]
    columns = [Column("learner"), *(Column(words, "s") for words in _NAMES.values())]
    caption = (
        "All n of one repeat. The report gave up on 1-NN at n = 17 for its time and "
        "names no seconds."
    )
    return Table("seconds", "Seconds", columns, entries, caption)
