"""`svm-decisions`: report 004."""

from collections.abc import Iterable, Mapping, Sequence

from mercer.datasets import Dataset
from mercer.studies import Cell, Context, Outcome, Row, Study, grid
from mercer.studies.plain import Plain
from mercer.studies.published.svm_decisions.iris import (
    BIASES,
    SETTINGS,
    SOLVERS,
    choose_penalty,
    count_iterations,
    solve_row,
)
from mercer.studies.published.svm_decisions.other_models import (
    MODELS,
    look_at_features,
    run_other,
)
from mercer.studies.published.svm_decisions.spoofing import FAMILIES, run_family
from mercer.studies.published.svm_decisions.story import tell_story
from mercer.studies.story import Story

#: Each kernel and K once, whatever C the report printed it with.
_KERNEL_SETTINGS = [name for name, row in SETTINGS.items() if row.C == 1]


class SvmDecisions(Study):
    """Dual SVMs with certificates, and what their decisions cost."""

    name = "svm-decisions"
    title = "SVMs with certificates, and the cost of their decisions"
    version = 2
    data = ("spoofing", "iris")
    default_data = ("spoofing",)
    fallback_data = "iris"
    question = (
        "Can an SVM prove that it is optimal, and what do its decisions cost, before "
        "and after its scores are calibrated?"
    )
    protocol = (
        "Report 004. Iris, versicolor against virginica, 66 samples to train and 34 to "
        "test: all fourteen rows of its two tables, by SMO and by L-BFGS-B. Then its "
        "project: trainData split 2 : 1 by the same recipe (4000 and 2000), an SVM for "
        "every kernel and C, normalised detection costs at a prior of 0.1 on the 2000: "
        "the smallest over all thresholds, and with scores taken for log-likelihood "
        "ratios. Calibration is a prior-weighted logistic regression, by 5 folds on "
        "the 2000; for evalData it is learned on all of them. There is no chance in "
        "it: the split is the report's."
    )

    def cells(self, dataset: Dataset | None, seed: int, quick: bool) -> Iterable[Cell]:
        """A cell for each row and solver, and for each kernel of the project."""
        points = [
            *grid(part=["iris"], setting=list(SETTINGS), solver=list(SOLVERS)),
            *grid(
                part=["iterations"],
                K=BIASES,
                C=[0.1, 1.0, 10.0],
                solver=list(SOLVERS),
            ),
            *grid(part=["penalty"], setting=_KERNEL_SETTINGS),
        ]
        if dataset is not None and dataset.name == "spoofing":
            points += [
                *grid(part=["spoofing"], family=list(FAMILIES), quick=[quick]),
                *grid(part=["other"], model=MODELS),
                *grid(part=["features"]),
            ]
        return [
            Cell(point, 0, str(point.get("family", point["part"]))) for point in points
        ]

    def warm_up(self, context: Context) -> None:
        """Solve a row, so that compiling is not timed."""
        solve_row(next(iter(SETTINGS)), "smo")

    def run(self, cell: Cell, context: Context) -> Outcome:
        """A row of a table, a path over C, or one of the report's questions."""
        asked = cell.params
        match asked["part"]:
            case "iris":
                return solve_row(str(asked["setting"]), str(asked["solver"]))
            case "iterations":
                K, C = float(asked["K"]), float(asked["C"])
                return count_iterations(K, C, str(asked["solver"]))
            case "penalty":
                return choose_penalty(str(asked["setting"]))
            case "other":
                return run_other(context.dataset, str(asked["model"]))
            case "features":
                return look_at_features(context.dataset)
        return run_family(context.dataset, str(asked["family"]), bool(asked["quick"]))

    def describe(self, row: Row) -> str:
        """Which SVM, and its smallest cost."""
        named = ("setting", "family", "model", "part")
        words = next(row.params[name] for name in named if name in row.params)
        cost = row.get("best_min_dcf") or row.get("min_dcf")
        return words if cost is None else f"{words}: smallest cost {cost:.4f}"

    def story(self, rows: Sequence[Row], facts: Mapping[str, Plain]) -> Story:
        """Both tables, and the project with its costs."""
        return tell_story(rows)
