"""`digit-classifiers`: report 003, part I."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from mercer.datasets import Dataset
from mercer.exceptions import ParameterError
from mercer.studies import Cell, Context, Outcome, Row, Study, grid
from mercer.studies.plain import Plain
from mercer.studies.published.digit_classifiers import open_questions, procedures
from mercer.studies.published.digit_classifiers.procedures import ProcedureRun
from mercer.studies.published.digit_classifiers.settings import (
    CHOSEN_EPOCH_RUNS,
    COARSE_RUNS,
    CONFIGURATIONS,
    DEGREES,
    EPOCH_RUNS,
    QUICK_RUNS,
    RUNS,
    TENTHS,
)
from mercer.studies.published.digit_classifiers.story import tell_story
from mercer.studies.story import Story

_TINY = 200


class DigitClassifiers(Study):
    """Perceptron, nearest neighbours and SVM on one Gram each."""

    name = "digit-classifiers"
    title = "Perceptron, nearest neighbours and SVM on digits"
    version = 2
    data = ("zipcombo", "mnist5k", "digits")
    default_data = ("zipcombo",)
    fallback_data = "mnist5k"
    question = (
        "Perceptron, nearest neighbours or SVM: which one reads digits best, with "
        "which hyper-parameter, and at what cost?"
    )
    protocol = (
        "Report 003, part I, at its size. Basic procedure: 20 random splits into 80 % "
        "for training and 20 % for testing, and for every value of the "
        "hyper-parameter the training and test error. Cross-validating procedure: 20 "
        "other splits; 5-fold cross-validation on the 80 % chooses the value, the "
        "model is trained again on all of the 80 % and tested once. All "
        "configurations get the same splits. Perceptrons walk through the samples 20 "
        "times in the same order; a prediction is +1 for s > 0 and -1 otherwise. All "
        "folds, values and classes of five runs share one Gram."
    )

    def cells(self, dataset: Dataset | None, seed: int, quick: bool) -> Iterable[Cell]:
        """A cell for each procedure, configuration and run.

        All have the same seed, so that a cell knows the splits of the runs beside it.
        """
        if dataset is None:
            raise ParameterError("The study digit-classifiers needs data; name --data.")
        runs = list(range(QUICK_RUNS if quick else RUNS))
        points = [
            *grid(
                procedure=["coarse"],
                tenth=list(TENTHS),
                run=range(QUICK_RUNS if quick else COARSE_RUNS),
            ),
            *grid(
                procedure=["basic", "cross-validating", "not trained again"],
                configuration=list(CONFIGURATIONS),
                run=runs,
            ),
            *grid(
                procedure=["epochs"],
                degree=list(DEGREES),
                run=runs[: 1 if quick else EPOCH_RUNS],
            ),
            *grid(procedure=["one-vs-one, d = 1"], run=runs),
            *grid(procedure=["chosen epochs"], run=runs[:CHOSEN_EPOCH_RUNS]),
            *grid(procedure=["learning rates", "growth"], run=[0]),
        ]
        return [
            Cell(point, seed, str(point.get("configuration", point["procedure"])))
            for point in points
        ]

    def warm_up(self, context: Context) -> None:
        """Let every configuration see a few samples, so that compiling is not timed."""
        data = context.dataset
        rows = np.random.default_rng(0).permutation(data.n_samples)[:_TINY]
        if len(np.unique(data.y[rows])) == len(data.classes):
            few = Context(replace(data, X=data.X[rows], y=data.y[rows]))
            for name in CONFIGURATIONS:
                procedures.basic(few, name, ProcedureRun("basic", 0, 0))

    def run(self, cell: Cell, context: Context) -> Outcome:
        """One run of one procedure."""
        name = str(cell.params.get("configuration", ""))
        run = ProcedureRun(
            str(cell.params["procedure"]), int(cell.params["run"]), cell.seed
        )
        match run.procedure:
            case "basic":
                return procedures.basic(context, name, run)
            case "cross-validating":
                return procedures.cross_validating(context, name, run)
            case "not trained again":
                return procedures.not_trained_again(context, name, run)
            case "coarse":
                return procedures.coarse(context, str(cell.params["tenth"]), run)
            case "chosen epochs":
                return open_questions.chosen_epochs(context, run)
            case "learning rates":
                return open_questions.learning_rates(context, run)
            case "growth":
                return open_questions.growth(context, run)
            case "epochs":
                return procedures.epochs(context, int(cell.params["degree"]), run)
        return procedures.linear_pairs(context, run)

    def learner_of(self, row: Row) -> str:
        """The configuration's name, of rows that keep mistakes."""
        name = str(row.params.get("configuration", ""))
        return CONFIGURATIONS[name].name if "wrong" in row.values else ""

    def describe(self, row: Row) -> str:
        """The procedure, and an error where there is one."""
        name = row.params.get("configuration", "")
        words = f"{row.params['procedure']} {name}".strip()
        error = row.get("test")
        return words if error is None else f"{words}: {100 * error:.2f} % wrong"

    def story(self, rows: Sequence[Row], facts: Mapping[str, Plain]) -> Story:
        """The report's tables and figures."""
        return tell_story(rows, facts, self.published_on(facts))
