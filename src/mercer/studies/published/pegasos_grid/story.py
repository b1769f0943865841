"""What the rows of `pegasos-grid` say: a summary, and the further questions."""

from collections.abc import Sequence

from mercer.studies import Row, numbers, select, spread_of
from mercer.studies.published.pegasos_grid.cells import (
    CHOICES,
    KERNELS,
    LAMBDAS,
    READINGS,
    STOPS,
    VARIANTS,
    lambda_name,
)
from mercer.studies.published.pegasos_grid.errors import (
    MEASURES,
    count_agreeing,
    error_section,
    reading_section,
)
from mercer.studies.published.pegasos_grid.questions import (
    question_sections,
    say_degree,
    say_time,
)
from mercer.studies.published.pegasos_grid.times import (
    published_cells,
    say_seconds,
    time_section,
)
from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.shared.beside import Beside
from mercer.studies.shared.pegasos_optimum import (
    optimum_sections,
    step_near,
    times_optimum,
)
from mercer.studies.story import Column, Field, Images, Section, Story, Table

_STOP_COLUMNS = [Column(stop, "%", 2) for stop in STOPS]


def tell_story(rows: Sequence[Row], published: Sequence[PublishedNumber]) -> Story:
    """A summary, the sections below it, and what the report's questions come to."""
    grid = Beside(select(rows, part="grid"), published)
    tables = {
        "What was tried at λ = 1e-8": _tried(rows, grid),
        "The greatest absolute value": _absolute(grid),
        "The average of all hyperplanes": _averaged(grid),
    }
    sections: list[Section] = []
    if grid.rows:
        sections += [error_section(grid), reading_section(grid)]
    sections += question_sections(rows, grid)
    sections += [Section(title, [t]) for title, t in tables.items() if t.rows]
    sections += optimum_sections(select(rows, part="optimum"), lambda_name)
    if grid.rows:
        sections.append(time_section(rows, grid))
    sections = [*_example_sections(rows, grid), *sections]
    return Story(_summary(rows, grid), sections, _conclusion(rows, grid))


def _conclusion(rows: Sequence[Row], grid: Beside) -> list[str]:
    if not grid.rows:
        return []
    steps = [grid.ours(m, 100, kernel="gauss") for m in MEASURES.values()]
    if None in steps:
        return []
    first, last = steps[0], steps[-1]
    return [
        f"More steps lower the error with every kernel, the Gaussian's from {first} to "
        f"{last} % over all λ; a larger λ helps the Gaussian alone.",
        *say_time(grid),
        *say_degree(rows, grid),
    ]


def _example_sections(rows: Sequence[Row], grid: Beside) -> list[Section]:
    """The report's figure 1."""
    caption = "One image of each class, drawn by chance."
    caption += grid.remark(" Figure 1 of the report.")
    return [
        Section("The images", [Images.of_examples("Examples", row, caption)])
        for row in select(rows, part="examples")
    ]


def _summary(rows: Sequence[Row], grid: Beside) -> list[str]:
    if not grid.rows:
        return [f"{len(rows)} cells are there, none of the grid yet."]
    return [
        _best(grid),
        *_say_lambda(grid),
        *_say_readings(grid),
        *_say_absolute(grid),
        *map(_say_optimum, select(rows, part="optimum")),
        say_seconds(rows, grid),
    ]


def _best(grid: Beside) -> str:
    errors = {
        (kernel, lam, stop): spread
        for kernel in KERNELS
        for lam in LAMBDAS
        for stop, measure in MEASURES.items()
        if (spread := grid.ours(measure, 100, kernel=kernel, lam=lam)) is not None
    }
    if not errors:
        return "No cell of the grid is there yet."
    (kernel, lam, stop), least = min(errors.items(), key=lambda item: item[1].mean)
    return (
        f"Fewest mistakes: {CHOICES[kernel].title}, {lambda_name(lam)}, {stop} steps, "
        f"{least} % of the test images wrong."
    )


def _say_lambda(grid: Beside) -> list[str]:
    """Whether the polynomial kernels can feel λ at all."""
    ends = LAMBDAS[0], LAMBDAS[-1]
    if None in [grid.ours("updates at 2T", kernel="poly3", lam=lam) for lam in ends]:
        return []
    return [
        "λ has no effect on the polynomial kernels: 1 + x·x' is at least 1, and λt "
        "stays far below it, so that the rule is the perceptron's for every λ"
        + grid.remark("; what differs between the published lines is luck of the draw")
        + "."
    ]


def _say_readings(grid: Beside) -> list[str]:
    if not grid.published:
        return []
    agree = {reading: count_agreeing(grid, reading) for reading in READINGS}
    best = max(agree, key=lambda reading: agree[reading])
    others = ", ".join(
        f"{count} as {READINGS[reading].title}"
        for reading, count in agree.items()
        if reading != best
    )
    return [
        f"The Gaussian of the published table was {READINGS[best].title}: "
        f"{agree[best]} of its 16 errors agree, and the published seconds grow with λ "
        f"as its work does. Read otherwise fewer agree: {others}."
    ]


def _say_absolute(grid: Beside) -> list[str]:
    cells = published_cells(grid)
    found = [e for stop in STOPS for e in numbers(cells, f"absolute at {stop}")]
    if not found:
        return []
    return [
        "To decide by the greatest absolute value of the scores gets "
        f"{100 * min(found):.0f} to {100 * max(found):.0f} % wrong"
        + grid.remark(": the rule that the report prints cannot have made its tables")
        + "."
    ]


def _say_optimum(row: Row) -> str:
    n_train, last = int(row.values["n_train"]), row.values["steps"][-1]
    near = step_near(row, 2 * n_train)
    errors = [f"{100 * step['error']:.2f} %" for step in (near, last)]
    return (
        f"At {lambda_name(row.params['lam'])} Pegasos ends at "
        f"{times_optimum(row, near):.2g} times the optimum after 2T steps and at "
        f"{times_optimum(row, last):.3g} times after {last['step'] / n_train:.0f}T; "
        f"its error is {' and '.join(errors)}, the exact SVM's "
        f"{100 * row.values['svm error']:.2f} %."
    )


def _tried(rows: Sequence[Row], grid: Beside) -> Table:
    measures = MEASURES.values()
    lines: list[list[Field]] = []
    for name, variant in VARIANTS.items():
        if found := select(rows, part="variant", variant=name):
            lines.append([variant.title, *(spread_of(found, m, 100) for m in measures)])
    if lines:
        lam = LAMBDAS[0]
        other = [grid.ours(m, 100, kernel="gauss", lam=lam) for m in measures]
        lines.append(["exp(−‖x−x'‖²/(2γ²)) instead", *other])
        values = [grid.theirs(m, 100, kernel="gauss", lam=lam) for m in measures]
        if any(values):
            lines.append(["published", *values])
    return Table(
        "tried",
        "Gaussian at λ = 1e-8, one change at a time",
        [Column("what was changed"), *_STOP_COLUMNS],
        lines,
        "Folds and, where they are not what was changed, draws are the same in all "
        "lines but the last two."
        + grid.remark(" Only the width of the kernel explains the difference."),
    )


def _absolute(grid: Beside) -> Table:
    return Table(
        "absolute",
        "Error by the rule of decision",
        [Column("kernel"), Column("score"), *_STOP_COLUMNS],
        _pooled(grid, {"greatest": "error", "greatest absolute": "absolute"}),
        "By the greatest absolute value a digit that is surely not a 3 would be called "
        "a 3. All λ together.",
    )


def _averaged(grid: Beside) -> Table:
    return Table(
        "averaged",
        "Error of the last hyperplane and of the average",
        [Column("kernel"), Column("hyperplane"), *_STOP_COLUMNS],
        _pooled(grid, {"last": "error", "average": "averaged"}),
        "All λ together. The theory speaks of the average over all steps.",
    )


def _pooled(grid: Beside, measures: dict[str, str]) -> list[list[Field]]:
    """A line for each kernel and measure, over all λ."""
    lines: list[list[Field]] = []
    for kernel in (*KERNELS, "gauss-width"):
        for name, measure in measures.items():
            found = [grid.ours(f"{measure} at {s}", 100, kernel=kernel) for s in STOPS]
            if any(found):
                lines.append([CHOICES[kernel].title, name, *found])
    return lines
