"""What the rows of `sample-complexity` say."""

from collections.abc import Mapping, Sequence

import numpy as np

from mercer.studies import Row, group_by, numbers, spread_of
from mercer.studies.published.sample_complexity.bounds import (
    bounds_figure,
    drawn_places,
    nearest_sections,
    say_bounds,
    say_nearest,
)
from mercer.studies.published.sample_complexity.estimators import NEAREST
from mercer.studies.published.sample_complexity.fits import KINDS, Fit
from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.shared.beside import Beside
from mercer.studies.story import Column, Field, Lines, Section, Series, Story, Table

Learners = Mapping[str, Sequence[Row]]

_NAMES = {
    "lucky": "first lucky m, new sets",
    "growing": "first lucky m, one growing set",
    "unbiased": "unbiased",
}
_NOVIKOFF = "perceptron"


def tell_story(rows: Sequence[Row], published: Sequence[PublishedNumber]) -> Story:
    """A summary, a table of the fits, and two figures for each learner."""
    found = group_by(rows, "learner")
    learners = {name: found[name] for name in KINDS if name in found}
    printed = {name: _published_fit(name, published) for name in learners}
    sections = [
        Section("The curves", [_fit_table(learners, printed)]),
        *(
            Section(
                name, [_figure(name, part, printed[name]), bounds_figure(name, part)]
            )
            for name, part in learners.items()
        ),
        *nearest_sections(learners.get(NEAREST, ())),
        Section("Seconds", [_seconds_table(learners)]),
    ]
    conclusion = [say_bounds(name, part) for name, part in learners.items()]
    conclusion += say_nearest(learners.get(NEAREST, ()))
    return Story(_summary(learners, printed), sections, conclusion)


def _published_fit(name: str, published: Sequence[PublishedNumber]) -> Fit:
    both = Beside((), published)
    a, b, r2 = (both.theirs(f"lucky {part}", learner=name) for part in ("a", "b", "r2"))
    return Fit(KINDS[name], a or 0.0, b, r2 or 0.0)


def _summary(learners: Learners, printed: Mapping[str, Fit]) -> list[str]:
    lines = []
    for name, rows in learners.items():
        lucky, unbiased = (_mean_fit(name, rows, e) for e in ("lucky", "unbiased"))
        lines.append(
            f"{name[0].upper()}{name[1:]} needs {unbiased} samples for 10 % error; "
            f"stopping at the first lucky number gives {lucky}, and {printed[name]} "
            "was published."
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


def _fit_table(learners: Learners, printed: Mapping[str, Fit]) -> Table:
    shapes = {"log": "a·log n", "linear": "a·n", "exponential": "a·bⁿ"}
    entries: list[list[Field]] = []
    for name, rows in learners.items():
        shape = shapes[KINDS[name]]
        fit = printed[name]
        entries.append([name, shape, "published", fit.a, fit.b, fit.r2, None])
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


def _figure(name: str, rows: Sequence[Row], printed: Fit) -> Lines:
    series = [_series(rows, estimator) for estimator in _NAMES]
    sizes = rows[0].values["lucky n"]
    n = [sizes[place] for place in drawn_places(sizes)]
    series.append(Series(_NAMES["lucky"], n, printed.at(n).tolist(), published=True))
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
    shown = drawn_places(n)
    n, m, std = (
        [values[f"{estimator} {what}"][i] for i in shown] for what in ("n", "m", "std")
    )
    return Series(_NAMES[estimator], n, m, std)


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
