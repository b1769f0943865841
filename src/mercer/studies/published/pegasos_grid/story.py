"""What the rows of `pegasos-grid` say: a summary, and the further questions."""

from collections.abc import Sequence

from mercer.studies import Row, numbers, select, spread_of
from mercer.studies.published.pegasos_grid.cells import (
    CHOICES,
    KERNELS,
    LAMBDAS,
    N_FOLDS,
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
from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.shared.beside import Beside
from mercer.studies.shared.pegasos_optimum import (
    optimum_sections,
    step_near,
    times_optimum,
)
from mercer.studies.story import Column, Entry, Section, Story, Table

_STOP_COLUMNS = [Column(stop, "%", 2) for stop in STOPS]


def tell_story(rows: Sequence[Row], published: Sequence[PublishedNumber]) -> Story:
    """A summary, and the sections below it."""
    grid = Beside(select(rows, part="grid"), published)
    tables = {
        "What was tried at λ = 1e-8": _tried(rows, grid),
        "The greatest absolute value": _absolute(grid),
        "The average of all hyperplanes": _averaged(grid),
    }
    sections: list[Section] = []
    if grid.rows:
        sections += [error_section(grid), reading_section(grid)]
    sections += [Section(title, [t]) for title, t in tables.items() if t.rows]
    sections += optimum_sections(select(rows, part="optimum"), lambda_name)
    if grid.rows:
        sections.append(_time_section(rows, grid))
    return Story(_summary(rows, grid), sections)


def _summary(rows: Sequence[Row], grid: Beside) -> list[str]:
    if not grid.rows:
        return [f"{len(rows)} cells are there, none of the published grid yet."]
    return [
        _best(grid),
        *_say_lambda(grid),
        *_say_readings(grid),
        *_say_absolute(grid),
        *map(_say_optimum, select(rows, part="optimum")),
        f"The published grid takes {_whole_seconds(rows, grid):.1f} s here; the "
        f"published times add up to {_published_seconds(grid) / 3600:.1f} hours.",
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
        return "No cell of the published grid is there yet."
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
        "stays below 0.15, so that the rule is the perceptron's for every λ; what "
        "differs between the published lines is the luck of their draws."
    ]


def _say_readings(grid: Beside) -> list[str]:
    agree = {reading: count_agreeing(grid, reading) for reading in READINGS}
    best = max(agree, key=lambda reading: agree[reading])
    if not any(agree.values()):
        return []
    return [
        f"The Gaussian of the published table was {READINGS[best].title}: "
        f"{agree[best]} of its 16 errors agree, and the published seconds grow with λ "
        f"as its work does. With the printed γ and a square it is {agree['gauss']}, "
        f"with the formula as printed {agree['gauss-unsquared']}."
    ]


def _say_absolute(grid: Beside) -> list[str]:
    cells = _published_cells(grid)
    found = [e for stop in STOPS for e in numbers(cells, f"absolute at {stop}")]
    if not found:
        return []
    return [
        "The printed rule of decision, greatest absolute value, gets "
        f"{100 * min(found):.0f} to {100 * max(found):.0f} % wrong: it cannot have "
        "made the tables."
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
    lines: list[list[Entry]] = []
    for name, variant in VARIANTS.items():
        if found := select(rows, part="variant", variant=name):
            lines.append([variant.title, *(spread_of(found, m, 100) for m in measures)])
    if lines:
        lam = LAMBDAS[0]
        other = [grid.ours(m, 100, kernel="GS", lam=lam) for m in measures]
        lines.append(["exp(−‖x−x'‖²/(2γ²)) instead", *other])
        values = [grid.theirs(m, 100, kernel="gauss", lam=lam) for m in measures]
        lines.append(["published", *values])
    return Table(
        "tried",
        "Gaussian at λ = 1e-8, one change at a time",
        [Column("what was changed"), *_STOP_COLUMNS],
        lines,
        "Folds and, where they are not what was changed, draws are the same in all "
        "lines but the last two. Only the width of the kernel explains the difference.",
    )


def _absolute(grid: Beside) -> Table:
    return Table(
        "absolute",
        "Error by the rule of decision",
        [Column("kernel"), Column("score"), *_STOP_COLUMNS],
        _pooled(grid, {"greatest": "error", "greatest absolute": "absolute"}),
        "The report says that the prediction with the greatest absolute value wins. A "
        "digit that is surely not a 3 would then be called a 3. All λ together.",
    )


def _averaged(grid: Beside) -> Table:
    return Table(
        "averaged",
        "Error of the last hyperplane and of the average",
        [Column("kernel"), Column("hyperplane"), *_STOP_COLUMNS],
        _pooled(grid, {"last": "error", "average": "averaged"}),
        "All λ together. The theory speaks of the average over all steps.",
    )


def _pooled(grid: Beside, measures: dict[str, str]) -> list[list[Entry]]:
    """A line for each kernel and measure, over all λ."""
    lines: list[list[Entry]] = []
    for kernel in (*KERNELS, "GS"):
        for name, measure in measures.items():
            found = [grid.ours(f"{measure} at {s}", 100, kernel=kernel) for s in STOPS]
            if any(found):
                lines.append([CHOICES[kernel].title, name, *found])
    return lines


def _time_section(rows: Sequence[Row], grid: Beside) -> Section:
    """Seconds and memory, a line for each combination of kernel and λ."""
    columns = [Column("kernel"), Column("λ")]
    for stop in STOPS:
        columns += [Column(stop, "s"), Column(f"{stop}, published", "s", 0)]
    lines: list[list[Entry]] = []
    for kernel in KERNELS:
        for lam in LAMBDAS:
            line: list[Entry] = [CHOICES[kernel].title, lambda_name(lam)]
            for stop in STOPS:
                own, value = grid.both(f"{stop}, one fold", kernel=kernel, lam=lam)
                line += [None if own is None else own.mean, value]
            lines.append(line)
    matrices = ", ".join(
        f"{CHOICES[kernel].title} {_matrix_seconds(rows, kernel):.2g} s"
        for kernel in KERNELS
    )
    table = Table(
        "seconds",
        "Seconds of one fold, training and test of ten digits",
        columns,
        lines,
        "Ours: walking alone; scores of test images are kept up to date on the way. "
        "The kernel matrix is computed once for all λ, steps, folds and repeats: "
        f"{matrices}.",
    )
    return Section("Time and memory", [_whole(rows, grid), table])


def _published_cells(grid: Beside) -> list[Row]:
    return [row for row in grid.rows if row.params["kernel"] in KERNELS]


def _whole_seconds(rows: Sequence[Row], grid: Beside) -> float:
    """Seconds of the published grid: kernel matrices, and one repeat of all cells."""
    cells = _published_cells(grid)
    repeats = {row.params["repeat"] for row in cells}
    walking = sum(numbers(cells, f"{list(STOPS)[-1]}, one fold")) * N_FOLDS
    matrices = [_matrix_seconds(rows, kernel) for kernel in KERNELS]
    return sum(matrices) + walking / max(1, len(repeats))


def _published_seconds(grid: Beside) -> float:
    """What the published times add up to: all combinations, five folds each."""
    times = [
        grid.theirs(f"{stop}, one fold", kernel=kernel, lam=lam) or 0.0
        for kernel in KERNELS
        for lam in LAMBDAS
        for stop in STOPS
    ]
    return N_FOLDS * sum(times)


def _whole(rows: Sequence[Row], grid: Beside) -> str:
    memory = max(numbers(rows, "array MB"), default=0.0)
    repeats = {row.params["repeat"] for row in grid.rows}
    return (
        f"The published grid, 64 combinations in five folds, took "
        f"{_published_seconds(grid) / 3600:.1f} hours there and "
        f"{_whole_seconds(rows, grid):.1f} s here, kernel matrices included; "
        f"{len(repeats)} repeats, further readings of the Gaussian, and all further "
        f"questions took {sum(row.seconds for row in rows):.0f} s. The large arrays, "
        f"the kernel matrix first among them, take {memory:.0f} MB."
    )


def _matrix_seconds(rows: Sequence[Row], kernel: str) -> float:
    return max(numbers(select(rows, kernel=kernel), "kernel matrix"), default=0.0)
