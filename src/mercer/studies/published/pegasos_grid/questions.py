"""What report 000 leaves open or contradicts: λ and time, the slowest, the degree."""

from collections.abc import Sequence

from mercer.studies import Row, Spread, select, spread_of
from mercer.studies.published.pegasos_grid.cells import (
    CHOICES,
    DEGREES,
    KERNELS,
    LAMBDAS,
    STOPS,
    lambda_name,
)
from mercer.studies.shared.beside import Beside
from mercer.studies.story import Column, Field, Section, Table

_FIRST, _LAST = LAMBDAS[0], LAMBDAS[-1]
_END = list(STOPS)[-1]
_ERROR = f"error at {_END}"
_MILLION = 1e-6
_BY_DEGREE = ("poly1", "poly2", "poly3", "poly4", "poly5", "poly7")
_BY_LENGTH = ("unit3", "unit7", "unit15")


def question_sections(rows: Sequence[Row], grid: Beside) -> list[Section]:
    """A table for each question that the rows can answer."""
    sections = []
    if grid.rows:
        sections.append(Section("λ and time", [*say_time(grid), _work_table(grid)]))
    if select(rows, part="degree"):
        said = say_degree(rows, grid)
        sections.append(Section("The degree", [*said, _degree_table(rows, grid)]))
    return sections


def _work(grid: Beside, kernel: str, lam: float) -> Spread | None:
    """Millions of kernel values that the report's program computes in a fold."""
    return grid.ours(f"evaluations at {_END}", _MILLION, kernel=kernel, lam=lam)


def _seconds(grid: Beside, kernel: str, lam: float) -> float | None:
    return grid.theirs(f"{_END}, one fold", kernel=kernel, lam=lam)


def say_time(grid: Beside) -> list[str]:
    """Whether a small λ takes time, and which kernel takes most."""
    ends = [_work(grid, "gauss", lam) for lam in (_FIRST, _LAST)]
    linear = _work(grid, "poly1", _FIRST)
    if None in ends or linear is None:
        return []
    first, last = (end.mean for end in ends if end is not None)
    said = [
        f"A small λ takes less time, not more: the Gaussian adds fewer images, and "
        f"{_END} steps and the test take {first:.0f} million kernel values a fold at "
        f"{lambda_name(_FIRST)} and {last:.0f} million at {lambda_name(_LAST)}."
        + _published_pair(grid, ("gauss", _FIRST), ("gauss", _LAST))
    ]
    slower = "degree 1" if linear.mean > first else "the Gaussian"
    said.append(
        f"Which kernel is slowest depends on λ: at {lambda_name(_FIRST)} it is "
        f"{slower} ({linear.mean:.0f} million values with degree 1, {first:.0f} with "
        f"the Gaussian), at {lambda_name(_LAST)} the Gaussian."
        + _published_pair(grid, ("poly1", _FIRST), ("gauss", _FIRST))
        + _published_each(grid)
    )
    return said


def _published_each(grid: Beside) -> str:
    """What one kernel value of the slowest two took as published."""
    each = []
    for kernel in ("gauss", "poly1"):
        work, seconds = _work(grid, kernel, _FIRST), _seconds(grid, kernel, _FIRST)
        if work is None or seconds is None:
            return ""
        each.append(seconds / work.mean)
    return (
        f" One value of the Gaussian took {each[0]:.1f} µs there, one of degree 1 "
        f"{each[1]:.1f}."
    )


def _published_pair(
    grid: Beside, one: tuple[str, float], other: tuple[str, float]
) -> str:
    """The published seconds of two cells, as a sentence; nothing without them."""
    first, second = (_seconds(grid, *cell) for cell in (one, other))
    if first is None or second is None:
        return ""
    return f" The published seconds are {first:.0f} and {second:.0f}."


def _work_table(grid: Beside) -> Table:
    lines: list[list[Field]] = []
    for kernel in KERNELS:
        for lam in (_FIRST, _LAST):
            work, seconds = _work(grid, kernel, lam), _seconds(grid, kernel, lam)
            each = None if work is None or seconds is None else seconds / work.mean
            name = CHOICES[kernel].title
            lines.append([name, lambda_name(lam), work, seconds, each])
    return Table(
        "work",
        f"Work of one fold, {_END} steps",
        [
            Column("kernel"),
            Column("λ"),
            Column("kernel values, millions", digits=1),
            Column("published", "s", 0, published=True),
            Column("published, of one kernel value", "µs", 1, published=True),
        ],
        lines,
        "Kernel values that a program without a kernel matrix computes: at each step "
        "one for every image added so far, and for each test image one for every image "
        "added at all, ten digits together.",
    )


def say_degree(rows: Sequence[Row], grid: Beside) -> list[str]:
    """Whether a high degree is better, and why not."""
    cells = [(f"error at {stop}", lam) for stop in STOPS for lam in LAMBDAS]
    ours = [
        (seven.mean, three.mean)
        for measure, lam in cells
        if (seven := grid.ours(measure, kernel="poly7", lam=lam))
        and (three := grid.ours(measure, kernel="poly3", lam=lam))
    ]
    theirs = [
        (high, low)
        for measure, lam in cells
        if (high := grid.theirs(measure, kernel="poly7", lam=lam))
        and (low := grid.theirs(measure, kernel="poly3", lam=lam))
    ]
    if not ours:
        return []
    worse = sum(seven > three for seven, three in ours)
    said = f"Degree 7 makes more mistakes than degree 3 in {worse} of {len(ours)} cells"
    if theirs:
        count = sum(high > low for high, low in theirs)
        said += f" here and in {count} of {len(theirs)} as published"
    plain, unit = _error(rows, grid, "poly7"), _error(rows, grid, "unit7")
    if plain is None or unit is None:
        return [f"{said}."]
    return [
        f"{said}. It is the length of the images: with all of them scaled to ‖x‖ = 1 "
        f"degree 7 has {unit} % after {_END} steps instead of {plain} %. A high power "
        "of x·x' listens to the few images with most ink."
    ]


def _error(rows: Sequence[Row], grid: Beside, kernel: str) -> Spread | None:
    own = rows if kernel in DEGREES else grid.rows
    return spread_of(own, _ERROR, 100, kernel=kernel, lam=_LAST)


def _degree_table(rows: Sequence[Row], grid: Beside) -> Table:
    lines: list[list[Field]] = [
        [
            CHOICES[kernel].title,
            _error(rows, grid, kernel),
            grid.theirs(_ERROR, 100, kernel=kernel, lam=_LAST),
        ]
        for kernel in (*_BY_DEGREE, *_BY_LENGTH)
    ]
    return Table(
        "degrees",
        f"Test error by the degree, {lambda_name(_LAST)}, {_END} steps",
        [
            Column("kernel"),
            Column("test error", "%", 2, best="low"),
            Column("published", "%", 2, published=True),
        ],
        lines,
        grid.remark(
            "Degrees 2, 4 and 5, and images of unit length, are not in the report."
        ),
    )
