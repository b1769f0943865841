"""What the rows of `pegasos-gaussian` say."""

from collections import Counter
from collections.abc import Mapping, Sequence

from mercer.studies import Row, Spread, numbers, select, spread_of
from mercer.studies.plain import Plain
from mercer.studies.published.pegasos_gaussian.cells import LAMBDAS, STEPS, lambda_name
from mercer.studies.published.pegasos_gaussian.data import count_bars, fold_strips
from mercer.studies.published.pegasos_gaussian.widths import say_width, width_sections
from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.shared.beside import Beside
from mercer.studies.shared.pegasos_optimum import (
    optimum_sections,
    step_near,
    times_optimum,
)
from mercer.studies.story import (
    Block,
    Column,
    Field,
    Images,
    Lines,
    Section,
    Series,
    Story,
    Table,
)

_KINDS = {"train": "training", "validation": "validation"}
_MEASURES = {
    "test accuracy": "best pair for all, last hyperplane",
    "averaged accuracy": "best pair for all, averaged hyperplane",
    "own accuracy, scores as they are": "a pair for each digit, scores as they are",
    "own accuracy, unit length": "a pair for each digit, hyperplanes of unit length",
}


def tell_story(
    rows: Sequence[Row],
    facts: Mapping[str, Plain],
    published: Sequence[PublishedNumber],
) -> Story:
    """A summary, and the sections below it."""
    optima, tests = select(rows, part="optimum"), select(rows, part="test")
    validated = Beside(select(rows, part="validation"), published)
    sections = _accuracy_sections(validated) if validated.rows else []
    sections += [*width_sections(rows), *_final_sections(tests, validated)]
    sections += optimum_sections(optima, lambda_name)
    summary = [*_steps(validated), *_lambda(validated), *_test(tests)]
    # the report's own λ at which an optimum is something to reach
    summary += map(_optimum, select(optima, lam=min(LAMBDAS)))
    told = summary or [f"{len(rows)} cells are there."]
    conclusion = [*_steps(validated), *_lambda(validated), *say_width(rows)]
    return Story(told, [*sections, _time(rows, facts)], conclusion)


def _optimum(row: Row) -> str:
    first, last = step_near(row, max(STEPS)), row.values["steps"][-1]
    return (
        f"At {lambda_name(row.params['lam'])} Pegasos is at "
        f"{times_optimum(row, first):.3g} times the optimum after "
        f"{first['step']:,} steps and at {times_optimum(row, last):.3g} times "
        f"after {last['step']:,}; {100 * (1 - first['error']):.2f} and "
        f"{100 * (1 - last['error']):.2f} % of the test images are right, "
        f"{100 * (1 - row.values['svm error']):.2f} % by the exact SVM."
    )


def _steps(validated: Beside) -> list[str]:
    found = []
    for step in STEPS:
        spreads = [validated.ours(f"validation at {step}", 100, lam=x) for x in LAMBDAS]
        means = [spread.mean for spread in spreads if spread is not None]
        if means:
            found.append(f"{min(means):.1f} to {max(means):.1f} % at T = {step}")
    if not found:
        return []
    return [f"Validation accuracy is {', '.join(found)}, over all λ."]


def _lambda(validated: Beside) -> list[str]:
    cells = validated.rows
    shares = [u for step in STEPS for u in numbers(cells, f"updates at {step}")]
    if not shares:
        return []
    return [
        f"λ has no effect because at least {100 * min(shares):.0f} % of all steps "
        "update: the classifier is a sum over the images drawn, and λ only its scale."
        + validated.remark(
            " What differs between the published lines of one T is the luck of their "
            "draws."
        )
    ]


def _test(tests: Sequence[Row]) -> list[str]:
    found = spread_of(tests, "test accuracy", 100)
    if found is None:
        return []
    lines = [f"The test accuracy of the best pair is {found} %."]
    plain = _gain(tests, "own accuracy, scores as they are")
    unit = _gain(tests, "own accuracy, unit length")
    if plain is not None and unit is not None:
        lines.append(
            "Tuning each digit's classifier by itself "
            f"changes that by {plain.mean:+.2f} points with scores as they are and by "
            f"{unit.mean:+.2f} at unit length."
        )
    return lines


def _time(rows: Sequence[Row], facts: Mapping[str, Plain]) -> Section:
    matrix = sum(numbers(rows, "kernel matrix"))
    n = int(facts.get("n_samples", 0) or 0)
    return Section(
        "Time and memory",
        [
            f"All {len(rows)} cells took {sum(row.seconds for row in rows):.1f} s of "
            f"work, {matrix:.2g} s of it for kernel matrices, one for each γ, which "
            f"take {8 * n * n / 1e6:.0f} MB."
        ],
    )


def _accuracy_sections(validated: Beside) -> list[Section]:
    """The report's Table 1 and its Figures 4 and 5."""
    fixed_lambda: list[Block] = [
        _figure(validated, f"T, {lambda_name(lam)}", "steps T", STEPS, [lam])
        for lam in LAMBDAS
    ]
    fixed_steps: list[Block] = [
        _figure(validated, f"λ, T = {step}", "λ", [step], LAMBDAS) for step in STEPS
    ]
    return [
        Section("Training and validation accuracy", [_table(validated)]),
        Section("Fixed λ: what the number of steps does", fixed_lambda),
        Section("Fixed T: what λ does", fixed_steps),
    ]


def _table(validated: Beside) -> Table:
    lines: list[list[Field]] = [
        [
            lambda_name(lam),
            step,
            *validated.both(f"train at {step}", 100, lam=lam),
            *validated.both(f"validation at {step}", 100, lam=lam),
            validated.ours(f"averaged at {step}", 100, lam=lam),
            validated.ours(f"updates at {step}", 100, lam=lam),
        ]
        for lam in LAMBDAS
        for step in STEPS
    ]
    return Table(
        "accuracies",
        "Accuracy in cross-validation",
        [
            Column("λ"),
            Column("T"),
            Column("training", "%", 2),
            Column("training, published", "%", 2, published=True),
            Column("validation", "%", 2, best="high"),
            Column("validation, published", "%", 2, published=True),
            Column("validation, averaged hyperplane", "%", 2),
            Column("steps that update", "%", 1),
        ],
        lines,
        "Mean over five folds; ± is the standard deviation of that mean between "
        "repeats. Where nearly every step updates, λ is without effect: it is a common "
        "factor of all scores.",
    )


def _figure(
    validated: Beside,
    against: str,
    axis: str,
    steps: Sequence[int],
    lams: Sequence[float],
) -> Lines:
    """Accuracies along the one of `steps` and `lams` that has several values."""
    x = [float(value) for value in (steps if len(steps) > 1 else lams)]
    ours, theirs = [], []
    for kind, name in _KINDS.items():
        both = [
            validated.both(f"{kind} at {step}", 100, lam=lam)
            for lam in lams
            for step in steps
        ]
        ours.append(Series.of_spreads(name, x, [own for own, _ in both]))
        theirs.append(Series.of_printed(name, x, [value for _, value in both]))
    title = f"Accuracy against {against}"
    caption = validated.remark("Dotted: as published.")
    return Lines(title, axis, "accuracy, %", [*ours, *theirs], caption, log_x=True)


def _final_sections(rows: Sequence[Row], both: Beside) -> list[Section]:
    """What the report never printed, and what it asked for in its discussion."""
    if not rows:
        return []
    images = Images.of_answers(
        "Ten test images",
        rows[0],
        "The first ten test images of the first repeat, and what they were taken for "
        "by the best pair.",
    )
    return [
        Section("The test", [_accuracies(rows), _chosen(rows)]),
        Section("The images", [count_bars(rows[0], both), images]),
        Section("How it is cross-validated", [fold_strips(rows[0], both)]),
    ]


def _gain(rows: Sequence[Row], measure: str) -> Spread | None:
    """Points gained by tuning each digit's classifier by itself, repeat by repeat."""
    return Spread.of(
        [100 * (row.values[measure] - row.values["test accuracy"]) for row in rows]
    )


def _accuracies(rows: Sequence[Row]) -> Table:
    lines: list[list[Field]] = []
    for measure, name in _MEASURES.items():
        more = None if measure == "test accuracy" else _gain(rows, measure)
        lines.append([name, spread_of(rows, measure, 100), more])
    return Table(
        "test",
        "Accuracy on the test images",
        [
            Column("what was retrained"),
            Column("test accuracy", "%", 2, best="high"),
            Column("gain", "points", 2),
        ],
        lines,
        "Tuned by cross-validation on the training images, retrained on all of them, "
        "tested once in each repeat. A digit's own pair is the one with which its own "
        "classifier errs least; different λ and T give scores of different scales, so "
        "the greatest of them is also taken at unit length ‖w‖ = 1.",
    )


def _chosen(rows: Sequence[Row]) -> Table:
    best = [(row.values["best lam"], row.values["best steps"]) for row in rows]
    lines: list[list[Field]] = [["all", _counted(best)]]
    for digit in range(len(rows[0].values["own pairs"])):
        pairs = [tuple(row.values["own pairs"][digit]) for row in rows]
        lines.append([str(digit), _counted(pairs)])
    return Table(
        "pairs",
        "Pairs of λ and T that were chosen",
        [Column("digit"), Column("pairs, and how many repeats chose them")],
        lines,
    )


def _counted(pairs: Sequence[tuple[float, int]]) -> str:
    return "; ".join(
        f"{lambda_name(lam)}, T = {step:.0f} ({count})"
        for (lam, step), count in Counter(pairs).most_common()
    )
