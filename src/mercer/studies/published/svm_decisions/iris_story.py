"""What the rows about Iris say."""

from collections.abc import Sequence

from mercer.studies.published.svm_decisions.iris import (
    BIASES,
    FOLDS,
    PENALTIES,
    PRIOR,
    SETTINGS,
)
from mercer.studies.row import Row, group_by, numbers, select
from mercer.studies.story import Block, Column, Field, Lines, Section, Series, Table

#: The row that the report marks: a perfect order of scores, and the worst decisions.
_MARKED = "K = 10, C = 0.1"


def iris_sections(rows: Sequence[Row]) -> list[Section]:
    """The tables, and the questions that the report asks on the way."""
    tables, iterations, penalties = (
        select(rows, part=part) for part in ("iris", "iterations", "penalty")
    )
    sections: dict[str, list[Block]] = {
        "The report's tables: Iris": [_table(tables)] if tables else [],
        "The marked row, calibrated": [*say_marked(tables), *_calibrated(tables)],
        "Iterations against K": [*say_iterations(iterations), *_against_K(iterations)],
        "C by cross-validation: Iris": _penalties(penalties),
    }
    return [Section(title, blocks) for title, blocks in sections.items() if blocks]


def say_tables(rows: Sequence[Row]) -> list[str]:
    """How far the solvers are from each other and from the optimum."""
    found = select(rows, part="iris")
    if not found:
        return []
    settings = group_by(found, "setting")
    duals = [numbers(part, "dual") for part in settings.values()]
    widest = max((max(part) - min(part)) / min(map(abs, part)) for part in duals)
    return [
        f"{len(settings)} of the {len(SETTINGS)} rows of the report's Iris tables were "
        f"solved; the solvers' dual objectives differ by {widest:.0e} at most, and the "
        f"largest duality gap is {max(row.values['gap'] for row in found):.0e}."
    ]


def _table(rows: Sequence[Row]) -> Table:
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


def say_marked(rows: Sequence[Row]) -> list[str]:
    """What calibration makes of the row with the perfect order of scores."""
    found = select(rows, setting=_MARKED, solver="smo")
    if not found:
        return []
    values = found[0].values
    return [
        f"The row that the report marks with a dagger, {_MARKED}, orders the test "
        f"samples perfectly (minDCF {values['min_dcf']:.4f}) and decides worst "
        f"(actDCF {values['act_dcf']:.4f}, error {100 * values['error']:.1f} %). "
        f"Calibrated on the scores of {FOLDS} folds of the training samples it costs "
        f"{values['cal_dcf']:.4f}, error {100 * values['cal_error']:.1f} %: most of "
        "what was lost comes back, without a look at the test samples."
    ]


def _calibrated(rows: Sequence[Row]) -> list[Block]:
    found = select(rows, solver="smo")
    if not found:
        return []
    entries: list[list[Field]] = [
        [
            row.params["setting"] + (" †" if row.params["setting"] == _MARKED else ""),
            *(row.values[f"{cost}_dcf"] for cost in ("min", "act", "cal")),
            *(100 * row.values[error] for error in ("error", "cal_error")),
        ]
        for row in found
    ]
    columns = [
        Column("row"),
        *(Column(name, digits=4) for name in ("minDCF", "actDCF", "calibrated")),
        *(Column(name, "%", 1) for name in ("error", "error, calibrated")),
    ]
    caption = (
        f"Costs at a prior of {PRIOR:g} on the 34 test samples. The calibration is a "
        "logistic regression on the scores that each training sample gets from an SVM "
        "that has not seen it."
    )
    return [Table("calibrated", "Iris, calibrated", columns, entries, caption)]


def say_iterations(rows: Sequence[Row]) -> list[str]:
    """Whether a larger K needs more iterations."""
    ends = {
        solver: [
            numbers(select(part, K=K), "iterations") for K in (BIASES[0], BIASES[-1])
        ]
        for solver, part in group_by(rows, "solver").items()
    }
    if not all(counts for pair in ends.values() for counts in pair) or not ends:
        return []
    said = "; ".join(
        f"{_SOLVER_NAMES[solver]} takes {min(first):.0f} to {max(first):.0f} at "
        f"K = {BIASES[0]:g} and {min(last):.0f} to {max(last):.0f} at "
        f"K = {BIASES[-1]:g}"
        for solver, (first, last) in ends.items()
    )
    return [
        f"Does a larger K take more iterations? {said}. A large K makes "
        "one direction of the quadratic form much longer than the others, which hurts "
        "a method that goes along gradients, and not one that solves for two "
        "coefficients at a time."
    ]


_SOLVER_NAMES = {"lbfgs": "L-BFGS-B", "smo": "SMO"}


def _against_K(rows: Sequence[Row]) -> list[Block]:
    if not rows:
        return []
    series = [
        Series(
            f"{_SOLVER_NAMES[solver]}, C = {C:g}",
            [float(row.params["K"]) for row in part],
            numbers(part, "iterations"),
        )
        for (solver, C), part in sorted(group_by(rows, "solver", "C").items())
    ]
    caption = "Linear SVM on Iris; a step of SMO changes two coefficients."
    title = "Iterations against K"
    return [Lines(title, "K", "iterations", series, caption, log_x=True, log_y=True)]


def _penalties(rows: Sequence[Row]) -> list[Block]:
    if not rows:
        return []
    entries: list[list[Field]] = [
        [
            str(row.params["setting"]).replace(", C = 1", ""),
            row.values["best_C"],
            min(row.values["cost"]),
            row.values["min_dcf"],
            100 * row.values["error"],
        ]
        for row in rows
    ]
    columns = [
        Column("kernel"),
        Column("C"),
        Column("minDCF over the folds", digits=4, best="low"),
        Column("minDCF, test", digits=4),
        Column("error, test", "%", 1),
    ]
    caption = (
        f"C is the one of {', '.join(f'{C:g}' for C in PENALTIES)} with the smallest "
        f"cost in {FOLDS} folds of the 66 training samples; of equals the one that "
        "errs least. A test sample is 3 % of all."
    )
    return [Table("penalties", "C by cross-validation", columns, entries, caption)]
