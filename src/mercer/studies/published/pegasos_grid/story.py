"""What the rows of `pegasos-grid` say."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.studies.published.pegasos_grid.errors import (
    count_agreeing,
    error_section,
    reading_section,
)
from mercer.studies.published.pegasos_grid.questions import (
    published_seconds,
    question_sections,
    time_section,
    whole_seconds,
)
from mercer.studies.published.pegasos_grid.settings import (
    CHOICES,
    KERNELS,
    LAMBDAS,
    READINGS,
    STOPS,
    Published,
    lambda_name,
    ours,
)
from mercer.studies.row import Row, numbers, select
from mercer.studies.shared.pegasos_optimum import optimum_sections, times_optimum
from mercer.studies.story import Section, Story


def tell_story(rows: Sequence[Row], published: Published) -> Story:
    """A summary, and the sections below it."""
    sections: list[Section] = []
    if select(rows, part="grid"):
        sections += [error_section(rows, published), reading_section(rows, published)]
    sections += question_sections(rows, published)
    sections += optimum_sections(select(rows, part="optimum"), lambda_name)
    if select(rows, part="grid"):
        sections.append(time_section(rows, published))
    return Story(_summary(rows, published), sections)


def _summary(rows: Sequence[Row], published: Published) -> list[str]:
    if not select(rows, part="grid"):
        return [f"{len(rows)} cells are there, none of the published grid yet."]
    lines = [_best(rows), *_lambda(rows), *_readings(rows, published)]
    lines += [*_absolute(rows), *_optimum(rows)]
    lines.append(
        f"The published grid takes {whole_seconds(rows):.1f} s here; the published "
        f"times add up to {published_seconds(published) / 3600:.1f} hours."
    )
    return lines


def _best(rows: Sequence[Row]) -> str:
    errors = {
        (kernel, lam, stop): spread
        for kernel in KERNELS
        for lam in LAMBDAS
        for stop in STOPS
        if (spread := ours(rows, kernel, lam, f"error at {stop}", 100)) is not None
    }
    if not errors:
        return "No cell of the published grid is there yet."
    (kernel, lam, stop), least = min(errors.items(), key=lambda item: item[1].mean)
    return (
        f"Fewest mistakes: {CHOICES[kernel].title}, {lambda_name(lam)}, {stop} steps, "
        f"{least} % of the test images wrong."
    )


def _lambda(rows: Sequence[Row]) -> list[str]:
    """Whether the polynomial kernels can feel λ at all."""
    updates = [
        ours(rows, "poly3", lam, "updates at 2T") for lam in (LAMBDAS[0], LAMBDAS[-1])
    ]
    if None in updates:
        return []
    return [
        "λ has no effect on the polynomial kernels: 1 + x·x' is at least 1, and λt "
        "stays below 0.15, so that the rule is the perceptron's for every λ; what "
        "differs between the published lines is the luck of their draws."
    ]


def _readings(rows: Sequence[Row], published: Published) -> list[str]:
    agree = {reading: count_agreeing(published, rows, reading) for reading in READINGS}
    best = max(agree, key=lambda reading: agree[reading])
    if not any(agree.values()):
        return []
    return [
        f"The Gaussian of the published table was {READINGS[best].title}: "
        f"{agree[best]} of its 16 errors agree, and the published seconds grow with λ "
        f"as its work does. With the printed γ and a square it is {agree['gauss']}, "
        f"with the formula as printed {agree['gauss-unsquared']}."
    ]


def _absolute(rows: Sequence[Row]) -> list[str]:
    grid = [row for row in rows if row.params["kernel"] in KERNELS]
    found = [e for stop in STOPS for e in numbers(grid, f"absolute at {stop}")]
    if not found:
        return []
    return [
        "The printed rule of decision, greatest absolute value, gets "
        f"{100 * min(found):.0f} to {100 * max(found):.0f} % wrong: it cannot have "
        "made the tables."
    ]


def _optimum(rows: Sequence[Row]) -> list[str]:
    lines = []
    for row in select(rows, part="optimum"):
        near = min(row.values["steps"], key=lambda s: abs(s["step"] - 2 * _n(row)))
        last = row.values["steps"][-1]
        errors = [f"{100 * step['error']:.2f} %" for step in (near, last)]
        lines.append(
            f"At {lambda_name(row.params['lam'])} Pegasos ends at "
            f"{times_optimum(row, near):.2g} times the optimum after 2T steps and at "
            f"{times_optimum(row, last):.3g} times after "
            f"{last['step'] / _n(row):.0f}T; its error is {' and '.join(errors)}, the "
            f"exact SVM's {100 * row.values['svm error']:.2f} %."
        )
    return lines


def _n(row: Row) -> int:
    return int(row.values["n_train"])
