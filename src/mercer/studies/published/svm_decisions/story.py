"""What the rows of `svm-decisions` say."""

from collections.abc import Mapping, Sequence

from mercer.studies.published.svm_decisions.iris import SETTINGS
from mercer.studies.published.svm_decisions.spoofing import FAMILIES, PRIOR
from mercer.studies.row import Row, group_by, numbers, select
from mercer.studies.story import Column, Lines, Section, Series, Story, Table


def tell_story(rows: Sequence[Row]) -> Story:
    """A summary, the report's tables, and its project."""
    iris = select(rows, part="iris")
    project = sorted(
        select(rows, part="spoofing"),
        key=lambda row: list(FAMILIES).index(str(row.params["family"])),
    )
    summary, sections = [], []
    if iris:
        summary.append(_iris_sentence(iris))
        sections.append(Section("The report's tables: Iris", [_iris_table(iris)]))
    if project:
        summary += _project_sentences(project)
        sections += _project_sections(project)
    return Story(summary, sections)


def _iris_sentence(rows: Sequence[Row]) -> str:
    settings = group_by(rows, "setting")
    duals = [numbers(part, "dual") for part in settings.values()]
    widest = max((max(part) - min(part)) / min(map(abs, part)) for part in duals)
    return (
        f"{len(settings)} of the {len(SETTINGS)} rows of the report's Iris tables were "
        f"solved; the solvers' dual objectives differ by {widest:.0e} at most, and the "
        f"largest duality gap is {max(row.values['gap'] for row in rows):.0e}."
    )


def _project_sentences(rows: Sequence[Row]) -> list[str]:
    best = min(rows, key=lambda row: row.values["best_min_dcf"])
    linear = select(rows, family="linear")
    values = best.values
    lines = [
        f"{_name(best)}, C = {values['best_C']:.2g}, has the smallest cost on the "
        f"validation samples at a prior of {PRIOR:g}: {values['best_min_dcf']:.3f}; on "
        f"evalData {values['best_eval_min_dcf']:.3f}.",
        "Its scores are no log-likelihood ratios: decisions that take them for such "
        f"cost {values['best_eval_act_dcf']:.3f} on evalData. After calibration they "
        f"cost {values['best_eval_cal_dcf']:.3f}.",
    ]
    if linear:
        cost = linear[0].values["best_eval_min_dcf"]
        lines.append(
            f"The linear SVM does not get below {cost:.3f} on evalData: the classes "
            "are not separated by a plane."
        )
    return lines


def _iris_table(rows: Sequence[Row]) -> Table:
    columns = [
        *(Column(name) for name in ("table", "row", "solver")),
        *(Column(name, digits=6) for name in ("primal", "dual")),
        Column("gap"),
        Column("error", "%", 1),
        *(Column(name, digits=4) for name in ("minDCF", "actDCF")),
    ]
    shown = ("setting", "solver", "primal", "dual", "gap")
    entries = [
        [
            SETTINGS[str(row.params["setting"])].table,
            *(row.get(name) for name in shown),
            100 * row.values["error"],
            row.values["min_dcf"],
            row.values["act_dcf"],
        ]
        for row in rows
        if row.params["setting"] in SETTINGS
    ]
    return Table(
        "iris",
        "Iris, versicolor against virginica",
        columns,
        entries,
        "The best possible objective lies between dual and primal. Costs at a prior of "
        "0.5: minDCF at the best threshold, actDCF with scores taken for "
        "log-likelihood ratios.",
    )


def _project_sections(rows: Sequence[Row]) -> list[Section]:
    radial = [row for row in rows if str(row.params["family"]).startswith("rbf")]
    others = [row for row in rows if row not in radial]
    costs = {"min_dcf": ", smallest", "act_dcf": ", as scored"}
    axis = f"normalised cost, prior {PRIOR:g}"
    caption = (
        "On the 2000 validation samples. Small C regularises strongly; then scores "
        "stay near zero, all are decided alike, and the cost is 1."
    )
    figures = [
        Lines(title, "C", axis, _against_C(part, costs), caption, log_x=True)
        for title, part in (
            ("Linear and polynomial kernels", others),
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
    return [
        Section("The project: cost against C", [f for f in figures if f.series]),
        Section("The best C of each kernel", [_best_table(rows)]),
        Section("Every prior", [_bayes_lines(best)]),
    ]


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
        *(
            Column(f"{word}{where}", digits=3, best="low")
            for where in ("", ", evalData")
            for word in ("smallest", "as scored", "calibrated")
        ),
        Column("error, evalData", "%", 2, best="low"),
        Column("gap, relative"),
        Column("all C", "s"),
    ]
    entries = [
        [
            _name(row),
            row.values["best_C"],
            *(row.values[kind] for kind in kinds),
            100 * row.values["best_eval_error"],
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
        "C is chosen by the smallest cost on the validation samples. Calibrated: 5 "
        "folds there; for evalData learned on all validation samples. Gap: the largest "
        "over all C, as a share of the objective.",
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
