"""What the rows of `pegasos-gaussian` say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mercer.studies.plain import Plain
from mercer.studies.published.pegasos_gaussian.accuracies import (
    Published,
    accuracy_sections,
    spread_of,
)
from mercer.studies.published.pegasos_gaussian.final_story import final_sections, gain
from mercer.studies.published.pegasos_gaussian.settings import (
    LAMBDAS,
    STEPS,
    lambda_name,
)
from mercer.studies.published.pegasos_grid.optimum_story import (
    optimum_section,
    times_optimum,
)
from mercer.studies.row import Row, Spread, numbers, select
from mercer.studies.story import Section, Story


def tell_story(
    rows: Sequence[Row], facts: Mapping[str, Plain], published: Published
) -> Story:
    """A summary, and the sections below it."""
    optima, tests = select(rows, part="optimum"), select(rows, part="test")
    names = {row.key: lambda_name(row.params["lam"]) for row in optima}
    sections: list[Section] = []
    if select(rows, part="validation"):
        sections += accuracy_sections(rows, published)
    sections += [*final_sections(tests), *optimum_section(optima, names)]
    sections.append(_time(rows, facts))
    return Story(_summary(rows, tests, optima), sections)


def _summary(
    rows: Sequence[Row], tests: Sequence[Row], optima: Sequence[Row]
) -> list[str]:
    lines = [*_steps(rows), *_lambda(rows), *_test(tests)]
    # the report's own λ at which an optimum is something to reach
    for row in select(optima, lam=min(LAMBDAS)):
        first, last = _at(row, max(STEPS)), row.values["steps"][-1]
        lines.append(
            f"At {lambda_name(row.params['lam'])} Pegasos is at "
            f"{times_optimum(row, first):.3g} times the optimum after "
            f"{first['step']:,} steps and at {times_optimum(row, last):.3g} times "
            f"after {last['step']:,}; {100 * (1 - first['error']):.2f} and "
            f"{100 * (1 - last['error']):.2f} % of the test images are right, "
            f"{100 * (1 - row.values['svm error']):.2f} % by the exact SVM."
        )
    return lines or [f"{len(rows)} cells are there."]


def _at(row: Row, step: int) -> Mapping[str, Plain]:
    return min(row.values["steps"], key=lambda s: abs(int(s["step"]) - step))


def _steps(rows: Sequence[Row]) -> list[str]:
    found = []
    for step in STEPS:
        spreads = [spread_of(rows, "validation", lam, step) for lam in LAMBDAS]
        means = [spread.mean for spread in spreads if spread is not None]
        if means:
            found.append(f"{min(means):.1f} to {max(means):.1f} % at T = {step}")
    if not found:
        return []
    return [f"Validation accuracy is {', '.join(found)}, over all λ."]


def _lambda(rows: Sequence[Row]) -> list[str]:
    cells = select(rows, part="validation")
    shares = [u for step in STEPS for u in numbers(cells, f"updates at {step}")]
    if not shares:
        return []
    return [
        f"λ has no effect because at least {100 * min(shares):.0f} % of all steps "
        "update: the classifier is a sum over the images drawn, and λ only its scale. "
        "What differs between the published lines of one T is the luck of their draws."
    ]


def _test(tests: Sequence[Row]) -> list[str]:
    accuracy = Spread.of(numbers(tests, "test accuracy"))
    if accuracy is None:
        return []
    std = "" if accuracy.std is None else f" ± {100 * accuracy.std:.2f}"
    lines = [
        f"The test accuracy that the report leaves out is {100 * accuracy.mean:.2f}"
        f"{std} %."
    ]
    plain = gain(tests, "own accuracy, scores as they are")
    unit = gain(tests, "own accuracy, unit length")
    if plain is not None and unit is not None:
        lines.append(
            "Tuning each digit's classifier by itself, which its discussion asks for, "
            f"changes that by {plain.mean:+.2f} points with scores as they are and by "
            f"{unit.mean:+.2f} at unit length."
        )
    return lines


def _time(rows: Sequence[Row], facts: Mapping[str, Plain]) -> Section:
    matrix = max(numbers(rows, "kernel matrix"), default=0.0)
    n = int(facts.get("n_samples", 0) or 0)
    return Section(
        "Time and memory",
        [
            f"All {len(rows)} cells took {sum(row.seconds for row in rows):.1f} s of "
            f"work, {matrix:.2g} s of it for the one kernel matrix that serves them "
            f"all, which takes {4 * n * n / 1e6:.0f} MB. The report prints no times; "
            "it ends at T = 1000 for want of resources."
        ],
    )
