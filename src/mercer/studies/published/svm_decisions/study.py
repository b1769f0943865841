"""`svm-decisions`: report 004."""

from collections.abc import Iterable, Mapping, Sequence

from mercer.datasets import Dataset
from mercer.studies import Cell, Context, Outcome, Row, Study, grid
from mercer.studies.plain import Plain
from mercer.studies.published.svm_decisions.iris import SETTINGS, SOLVERS, solve_row
from mercer.studies.published.svm_decisions.spoofing import FAMILIES, run_family
from mercer.studies.published.svm_decisions.story import tell_story
from mercer.studies.story import Story


class SvmDecisions(Study):
    """Dual SVMs with certificates, and what their decisions cost."""

    name = "svm-decisions"
    title = "SVMs with certificates, and the cost of their decisions"
    data = ("spoofing", "iris")
    default_data = ("spoofing",)
    fallback_data = "iris"
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
        cells = [
            Cell({"part": "iris", **point}, 0, "iris")
            for point in grid(setting=list(SETTINGS), solver=list(SOLVERS))
        ]
        if dataset is not None and dataset.name == "spoofing":
            cells += [
                Cell({"part": "spoofing", **point}, 0, str(point["family"]))
                for point in grid(family=list(FAMILIES), quick=[quick])
            ]
        return cells

    def warm_up(self, context: Context) -> None:
        """Solve a row, so that compiling is not timed."""
        solve_row(next(iter(SETTINGS)), "smo")

    def run(self, cell: Cell, context: Context) -> Outcome:
        """A row of a table, or a path over C."""
        if cell.params["part"] == "iris":
            return solve_row(str(cell.params["setting"]), str(cell.params["solver"]))
        quick = bool(cell.params["quick"])
        return run_family(context.dataset, str(cell.params["family"]), quick)

    def describe(self, row: Row) -> str:
        """Which SVM, and its smallest cost."""
        if row.params["part"] == "iris":
            words, cost = row.params["setting"], row.values["min_dcf"]
        else:
            words, cost = row.params["family"], row.values["best_min_dcf"]
        return f"{words}: smallest cost {cost:.4f}"

    def story(self, rows: Sequence[Row], facts: Mapping[str, Plain]) -> Story:
        """Both tables, and the project with its costs."""
        return tell_story(rows)
