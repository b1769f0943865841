"""What the rows of `records` say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mercer.metrics import McNemarTest, mcnemar_test, wilson_interval
from mercer.studies.mistakes import as_shown, class_names, hardest, unpack
from mercer.studies.plain import Plain
from mercer.studies.records.lines import LINES
from mercer.studies.row import Row, Spread, group_by, select, spread_of
from mercer.studies.story import Column, Field, Images, Section, Story, Table

_Point = tuple[str, str, float, float, str]
_SHOWN = 60  # mistakes whose images are shown
_PAIRS = (("plain", "deslanted"), ("plain", "virtual"), ("deslanted", "virtual"))


def tell_story(rows: Sequence[Row], facts: Mapping[str, Plain]) -> Story:
    """The lines, whether they differ, what was tried, and what is left."""
    lines = {line: select(rows, line=line) for line in LINES}
    there = {line: own for line, own in lines.items() if own}
    sections = [
        Section("The lines", [_lines_table(there)]),
        Section("Whether they differ", [_differences_table(rows)]),
        Section("What was tried", [_tried_table(there)]),
        Section("What is still mistaken", [_mistakes(there, facts)]),
    ]
    summary = [_sentence(line, own) for line, own in there.items()]
    return Story(summary, sections, _conclusion(rows, there))


def _conclusion(rows: Sequence[Row], lines: Mapping[str, Sequence[Row]]) -> list[str]:
    """What virtual support vectors changed, and whether that was chance."""
    if not {"plain", "virtual"} <= set(_first_split(rows)):
        return []
    before, after = (_mean(lines[line], "error") for line in ("plain", "virtual"))
    change = f"from {100 * before:.2f} to {100 * after:.2f} %"
    both = [_first_split(rows)[line] for line in ("plain", "virtual")]
    p = _mcnemar(*both).p_value
    chance = "chance alone seldom does that" if p < 0.05 else "that may be chance"
    return [
        f"With virtual support vectors the error goes {change}; {chance} (McNemar's "
        f"test on {both[0].values['n_test']} images: p = {p:.2g})."
    ]


def _sentence(line: str, rows: Sequence[Row]) -> str:
    values = rows[0].values
    low, high = _interval(rows)
    where = f"of {values['n_test']} images"
    if len(rows) > 1:
        where += f", the mean of {len(rows)} splits"
    return (
        f"{_NAMES[line]}: {100 * _mean(rows, 'error'):.2f} % mistakes {where} "
        f"({100 * low:.2f} to {100 * high:.2f} % by Wilson's interval at 95 %), with "
        f"{_mean(rows, 'support_vectors'):.0f} support vectors."
    )


_NAMES = {
    "plain": "Plain SVM",
    "deslanted": "Deslanted images",
    "virtual": "Virtual support vectors",
}


def _mean(rows: Sequence[Row], name: str) -> float:
    spread = spread_of(rows, name)
    assert spread is not None
    return spread.mean


def _interval(rows: Sequence[Row]) -> tuple[float, float]:
    """Of the mean error, as if one split had been tested: splits share their images."""
    n_test = int(rows[0].values["n_test"])
    return wilson_interval(round(_mean(rows, "error") * n_test), n_test)


def _lines_table(lines: Mapping[str, Sequence[Row]]) -> Table:
    columns = [
        Column("line"),
        Column("error", "%", 2, best="low"),
        Column("from", "%", 2),
        Column("to", "%", 2),
        Column("learned from", digits=0),
        Column("support vectors", digits=0),
        Column("gap, relative"),
        Column("certified"),
        *(Column(name, "s") for name in ("tune", "fit", "predict")),
    ]
    entries: list[list[Field]] = []
    for line, rows in lines.items():
        low, high = _interval(rows)
        entries.append(
            [
                _NAMES[line],
                _shown(spread_of(rows, "error", 100.0)),
                100 * low,
                100 * high,
                _mean(rows, "n_learned"),
                _mean(rows, "support_vectors"),
                max(float(row.values["relative_gap"]) for row in rows),
                all(bool(row.values["converged"]) for row in rows),
                *(_mean(rows, name) for name in ("tune", "fit", "predict")),
            ]
        )
    return Table(
        "lines",
        "Three lines",
        columns,
        entries,
        "Error on test images, by which no setting of this run was chosen; from and to "
        "are Wilson's "
        "interval at 95 %, of one test set. Gap: primal minus dual objective as a "
        "share of the primal, the largest of all splits; certified: within the "
        "tolerance in every binary problem. Seconds are those of one split, tuning of "
        "the virtual line without that of the other two.",
    )


def _shown(spread: Spread | None) -> Spread | float | None:
    """A single run has no spread."""
    return spread.mean if spread is not None and spread.n == 1 else spread


def _differences_table(rows: Sequence[Row]) -> Table:
    by_line = _first_split(rows)
    entries: list[list[Field]] = []
    for one, other in _PAIRS:
        if one in by_line and other in by_line:
            test = _mcnemar(by_line[one], by_line[other])
            counts = test.only_first_wrong, test.only_second_wrong
            entries.append([f"{one}, {other}", *counts, test.p_value])
    columns = [Column("lines"), Column("only the first wrong", digits=0)]
    columns += [Column("only the second wrong", digits=0), Column("p")]
    return Table(
        "differences",
        "McNemar's test",
        columns,
        entries,
        "Images that one line mistakes and the other does not, and how often as large "
        "a difference comes by chance; exact and two-sided. Of random splits the first "
        "is looked at, as others test the same images again.",
    )


def _first_split(rows: Sequence[Row]) -> dict[str, Row]:
    first = select(rows, split=min(int(row.params["split"]) for row in rows))
    return {str(line): own[0] for line, own in group_by(first, "line").items()}


def _mcnemar(one: Row, other: Row) -> McNemarTest:
    wrong = [_wrong(row) for row in (one, other)]
    return mcnemar_test(np.zeros(len(wrong[0]), bool), *wrong)


def _wrong(row: Row) -> NDArray[np.bool_]:
    """Whether each tested image is mistaken."""
    mistaken = [sample for sample, *_ in row.values["wrong"]]
    return np.isin(unpack(row.values["tested"]), mistaken)


def _tried_table(lines: Mapping[str, Sequence[Row]]) -> Table:
    columns = [Column(name) for name in ("line", "images", "maps")]
    columns += [Column("C"), Column("γ / scale"), Column("classes")]
    columns += [Column("validation error", "%", 2, best="low"), Column("chosen")]
    entries: list[list[Field]] = []
    for line, rows in lines.items():
        for names, errors in _errors_of_settings(rows).items():
            chosen = sum(_point(row.values["setting"]) == names for row in rows)
            error = _shown(_scaled(errors))
            times = f"{chosen} of {len(rows)}" if chosen else ""
            entries.append([_NAMES[line], *names, error, times])
    row = next(iter(lines.values()))[0]
    return Table(
        "tried",
        "Every setting that was tried",
        columns,
        entries,
        f"Learned from {row.values['n_tuned']} and validated with "
        f"{row.values['n_validated']} training images of each split. Chosen: the "
        "smallest error in a split, the first of equal ones.",
    )


def _errors_of_settings(rows: Sequence[Row]) -> dict[_Point, list[float]]:
    found: dict[_Point, list[float]] = {}
    for row in rows:
        for one in row.values["tried"]:
            found.setdefault(_point(one), []).append(float(one["error"]))
    return found


def _point(setting: Mapping[str, Plain]) -> _Point:
    images, maps = str(setting["images"]), str(setting["maps"])
    C, gamma = float(setting["C"]), float(setting["gamma"])
    return images, maps, C, gamma, str(setting["multiclass"])


def _scaled(errors: Sequence[float]) -> Spread | None:
    spread = Spread.of(errors)
    return None if spread is None else spread.scaled(100.0)


def _mistakes(lines: Mapping[str, Sequence[Row]], facts: Mapping[str, Plain]) -> Images:
    line, rows = list(lines.items())[-1]
    hard = hardest(rows, _SHOWN, rank="count")
    names = class_names(facts)
    return Images(
        f"Images that are mistaken: {_NAMES[line].lower()}",
        rows[0].data,
        [as_shown(sample, names) for sample in hard],
        "The label, and what it was taken for.",
    )
