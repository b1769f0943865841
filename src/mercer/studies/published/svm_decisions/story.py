"""What the rows of `svm-decisions` say."""

from collections.abc import Mapping, Sequence

from mercer.studies.published.svm_decisions.iris_story import (
    iris_sections,
    say_iterations,
    say_marked,
    say_tables,
)
from mercer.studies.published.svm_decisions.other_models import MODELS
from mercer.studies.published.svm_decisions.spoofing import FAMILIES, PRIOR
from mercer.studies.row import Row, select
from mercer.studies.story import Cloud, Column, Lines, Section, Series, Story, Table

_COST_COLUMNS = [
    *(
        Column(f"{word}{where}", digits=3, best="low")
        for where in ("", ", evalData")
        for word in ("smallest", "as scored", "calibrated")
    ),
    Column("error, evalData", "%", 2, best="low"),
]


def tell_story(rows: Sequence[Row]) -> Story:
    """A summary, the report's tables, and its project."""
    project = sorted(
        select(rows, part="spoofing"),
        key=lambda row: list(FAMILIES).index(str(row.params["family"])),
    )
    others = select(rows, part="other")
    summary, sections = say_tables(rows), iris_sections(rows)
    conclusion = [
        *say_marked(select(rows, part="iris")),
        *say_iterations(select(rows, part="iterations")),
    ]
    if project:
        said = _project_sentences(project, others)
        summary += said
        sections += _project_sections(project, others, select(rows, part="features"))
        conclusion = [*said, *_why_degree_four(rows), *conclusion]
    return Story(summary, sections, conclusion)


def _project_sentences(rows: Sequence[Row], others: Sequence[Row]) -> list[str]:
    best = min(rows, key=lambda row: row.values["best_min_dcf"])
    final = min(rows, key=lambda row: row.values["best_eval_min_dcf"])
    values, last = best.values, final.values
    lines = [
        f"{_name(best)}, C = {values['best_C']:.2g}, has the smallest cost on the "
        f"validation samples at a prior of {PRIOR:g}: {values['best_min_dcf']:.3f}; on "
        f"evalData {values['best_eval_min_dcf']:.3f}.",
        f"On evalData {_name(final)} wins: {last['best_eval_min_dcf']:.3f}, and "
        f"{last['best_eval_cal_dcf']:.3f} after calibration.",
        "Scores are no log-likelihood ratios: decisions that take those of "
        f"{_name(best)} for such cost {values['best_eval_act_dcf']:.3f} on evalData. "
        f"After calibration they cost {values['best_eval_cal_dcf']:.3f}.",
    ]
    lines += _say_linear(rows, others)
    return lines + _say_folds(rows)


def _say_linear(rows: Sequence[Row], others: Sequence[Row]) -> list[str]:
    linear = select(rows, family="linear")
    if not linear:
        return []
    cost = linear[0].values["best_eval_min_dcf"]
    said = f"The linear SVM does not get below {cost:.3f} on evalData"
    named = {row.params["model"]: row.values["best_eval_min_dcf"] for row in others}
    if not named:
        return [f"{said}: the classes are not separated by a plane."]
    listed = ", ".join(f"{name} {named[name]:.3f}" for name in MODELS if name in named)
    return [
        f"{said}: the classes are not separated by a plane. Other models on the same "
        f"samples: {listed}."
    ]


def _say_folds(rows: Sequence[Row]) -> list[str]:
    found = [row for row in rows if row.get("fold_dcf")]
    if not found:
        return []
    chosen = min(found, key=lambda row: min(row.values["fold_dcf"]))
    return [
        "Cross-validation on the 4000 training samples alone chooses "
        f"{_name(chosen)}, C = {chosen.values['fold_C']:.2g}, which costs "
        f"{chosen.values['fold_eval_min_dcf']:.3f} on evalData."
    ]


def _why_degree_four(rows: Sequence[Row]) -> list[str]:
    return [
        "Degree 4 is what the last two features ask for: a threshold on their product "
        f"gets {100 * row.values['error by a threshold']:.1f} % of the training "
        "samples wrong, an interval, which is a quadratic rule of the product and of "
        f"degree 4 in all, {100 * row.values['error by an interval']:.1f} %."
        for row in select(rows, part="features")
    ]


def _project_sections(
    rows: Sequence[Row], others: Sequence[Row], features: Sequence[Row]
) -> list[Section]:
    radial = [row for row in rows if str(row.params["family"]).startswith("rbf")]
    products = [row for row in rows if row not in radial]
    costs = {"min_dcf": ", smallest", "act_dcf": ", as scored"}
    axis = f"normalised cost, prior {PRIOR:g}"
    caption = (
        "On the 2000 validation samples. Small C regularises strongly; then scores "
        "stay near zero, all are decided alike, and the cost is 1."
    )
    figures = [
        Lines(title, "C", axis, _against_C(part, costs), caption, log_x=True)
        for title, part in (
            ("Linear and polynomial kernels", products),
            ("RBF kernel, a line for each γ", radial),
        )
    ]
    figures.append(
        Lines(
            "After calibration",
            "C",
            "actual cost, calibrated",
            _against_C(rows, {"cal_dcf": ""}),
            "On the 2000 validation samples, calibrated in 5 folds.",
            log_x=True,
        )
    )
    best = min(rows, key=lambda row: row.values["best_min_dcf"])
    sections = [
        Section("The project: cost against C", [f for f in figures if f.series]),
        Section("The best C of each kernel", [_best_table(rows)]),
        Section("Other models", [_other_table(others)] if others else []),
        Section(
            "The last two features",
            [block for row in features for block in (_cloud(row), _product_text(row))],
        ),
        Section("Every prior", [_bayes_lines(best)]),
    ]
    return [section for section in sections if section.blocks]


def _other_table(rows: Sequence[Row]) -> Table:
    kinds = [
        f"best_{on}{cost}_dcf" for on in ("", "eval_") for cost in ("min", "act", "cal")
    ]
    entries = [
        [
            row.params["model"],
            row.values["best_C"] or None,
            *(row.values[kind] for kind in kinds),
            100 * row.values["best_eval_error"],
        ]
        for row in rows
    ]
    return Table(
        "others",
        "Models of scikit-learn on the same samples",
        [Column("model"), Column("λ"), *_COST_COLUMNS],
        entries,
        "Scores are log-likelihood ratios: posterior odds less those of the training "
        "samples. λ, of λ/2·‖w‖² plus the mean loss, is chosen by the smallest cost on "
        "the validation samples, as C is for the SVMs.",
    )


def _cloud(row: Row) -> Cloud:
    first, second, labels = (row.values[n] for n in ("first", "second", "labels"))
    points = list(zip(first, second, labels))
    classes = [
        (
            f"class {c}",
            [x for x, _, label in points if label == c],
            [y for _, y, label in points if label == c],
        )
        for c in sorted(set(labels))
    ]
    return Cloud(
        "The last two features",
        "feature 5",
        "feature 6",
        classes,
        f"{len(points)} of the training samples. Class 0 lies in four clusters on the "
        "axes, where the product of the two is near zero, class 1 in four clusters in "
        "the corners, where it is near 1 or near -1.",
    )


def _product_text(row: Row) -> str:
    return _why_degree_four([row])[0]


def _against_C(rows: Sequence[Row], kinds: Mapping[str, str]) -> list[Series]:
    return [
        Series(f"{_name(row)}{words}", row.values["C"], row.values[kind])
        for kind, words in kinds.items()
        for row in rows
    ]


def _best_table(rows: Sequence[Row]) -> Table:
    kinds = [
        f"best_{on}{cost}_dcf" for on in ("", "eval_") for cost in ("min", "act", "cal")
    ]
    columns = [
        Column("kernel"),
        Column("C"),
        *_COST_COLUMNS,
        Column("C by folds"),
        Column("its smallest, evalData", digits=3, best="low"),
        Column("gap, relative"),
        Column("all C", "s"),
    ]
    entries = [
        [
            _name(row),
            row.values["best_C"],
            *(row.values[kind] for kind in kinds),
            100 * row.values["best_eval_error"],
            row.get("fold_C"),
            row.get("fold_eval_min_dcf"),
            max(row.values["gap"]),
            row.timing.get("path"),
        ]
        for row in rows
    ]
    return Table(
        "kernels",
        "The best C of each kernel",
        columns,
        entries,
        "C is chosen by the smallest cost on the validation samples; by folds: by that "
        "in 3 folds of the training samples. Calibrated: 5 folds on the validation "
        "samples; for evalData learned on all of them. Gap: the largest over all C, as "
        "a share of the objective.",
    )


def _bayes_lines(row: Row) -> Lines:
    curves = row.values["curves"]
    series = [
        Series(name, curves["log_odds"], [min(cost, 1.5) for cost in curves[name]])
        for name in ("smallest", "calibrated", "as scored")
    ]
    return Lines(
        f"Bayes error plot, {_name(row)}, C = {row.values['best_C']:.2g}",
        "prior log-odds, log(π / (1 − π))",
        "normalised cost, at most 1.5",
        series,
        "On evalData. A prior of 0.1 is at -2.2. Calibration was made for that prior, "
        "and holds for the others as well where its line is near the smallest cost.",
    )


def _name(row: Row) -> str:
    key = str(row.params["family"])
    return FAMILIES[key].name if key in FAMILIES else key
