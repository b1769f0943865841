"""An evaluation from beginning to end: a model and data in, numbers out."""

import os
import warnings
from collections.abc import Collection, Iterable
from functools import partial
from typing import Any

from numpy.typing import ArrayLike

from mercer.datasets import Dataset
from mercer.evaluation._costs import cost_matrix
from mercer.evaluation._judged import judge
from mercer.evaluation._options import Application, Calibration, make_calibration
from mercer.evaluation.evaluation import Evaluation
from mercer.evaluation.samples import LabelledSamples, load_classifier, load_samples
from mercer.evaluation.several_classes import evaluate_several_classes
from mercer.evaluation.two_classes import evaluate_two_classes
from mercer.exceptions import ParameterError

Data = Dataset | str | os.PathLike[str] | tuple[Any, ArrayLike]


def evaluate(
    model: Any,
    data: Data,
    *,
    prior: float | None = None,
    cost_miss: float | None = None,
    cost_false_alarm: float | None = None,
    positive: object = None,
    costs: str | os.PathLike[str] | ArrayLike | None = None,
    calibrate: bool = False,
    calibrate_on: Data | None = None,
    calibrate_rows: str | None = None,
    method: str | None = None,
    folds: int | None = None,
    rows: str = "auto",
    label: str | int = "auto",
    header: bool | str = "auto",
    drop: str | int | Collection[str | int] = (),
    missing: str = "error",
) -> Evaluation:
    """Say what the decisions of a model cost, as ``mercer evaluate`` does.

    Two classes: the detection cost at a prior and costs, at the best threshold (minDCF)
    and at the one that the scores stand for (actDCF), and over all priors (cllr).
    Several classes: the error of each class, and who is taken for whom.

    Parameters
    ----------
    model : classifier, str or path
        Fitted, of Mercer's or of scikit-learn's kind; or the path of a model file.
    data : Dataset, str, path or (X, y)
        A data set, a name or path as `load_dataset` takes it, or samples with labels.
        The model should not have been trained on them; one that ``mercer fit`` kept
        remembers on which it was.
    prior, cost_miss, cost_false_alarm : float, optional
        Two classes: the probability of the positive class where the model is used, and
        what the two mistakes cost there; else 0.5, 1 and 1.
    positive : label, optional
        Two classes: the positive one; else the second.
    costs : array-like of shape (n_classes, n_classes), str or path, optional
        Several classes: the costs of decisions (columns) for true classes (rows), or
        a CSV file of these, with or without the names of the classes.
    calibrate : bool
        Show the same after calibration, each score by those of other folds.
    calibrate_on : Dataset, str, path or (X, y), optional
        Calibrate on these data instead, which the model was not trained on.
    calibrate_rows : {"auto", "all", "train", "test"}, optional
        Which part of these.
    method : {"logistic", "pav"}, optional
        Of the calibration; "pav" is for two classes.
    folds : int, optional
        Of the calibration; else 5.
    rows : {"auto", "all", "train", "test"}
        Which part of the data; "auto" is the test part of an official split, else all,
        without samples that the model remembers to be trained on. If any of these are
        judged all the same, a warning says how many.
    label, header, drop
        The label column of a text table, whether it begins with names, and columns to
        leave out, as in `load_dataset`.
    missing : {"error", "drop-rows"}
        What shall become of samples that lack a value, unless the model fills it in.

    Returns
    -------
    TwoClassesEvaluation or SeveralClassesEvaluation
        Print it for a summary; ``to_dict()`` is ready for JSON.

    Examples
    --------
    >>> import mercer
    >>> digits = mercer.load_dataset("digits")
    >>> model = mercer.KernelSVC().fit(digits.X[:900], digits.y[:900])
    >>> evaluation = mercer.evaluate(model, (digits.X[900:], digits.y[900:]))
    >>> evaluation.wrong, evaluation.confusions[0]
    (35, ('3', '8', 5))
    """
    given = {
        "prior": prior,
        "cost_miss": cost_miss,
        "cost_false_alarm": cost_false_alarm,
    }
    given = {name: value for name, value in given.items() if value is not None}
    application = Application(**given)  # type: ignore[arg-type]
    calibration = make_calibration(
        calibrate, calibrate_on, calibrate_rows, method, folds
    )
    machine = load_classifier(model)
    two = [*given, *(["positive"] if positive is not None else [])]
    _check_classes(len(machine.classes_), two, costs is not None, calibration)
    load = partial(
        _unseen_samples,
        machine,
        label=label,
        header=header,
        drop=drop,
        missing=missing,
    )
    judged, other = judge(machine, load(data, rows)), None
    if calibration is not None and calibration.data is not None:
        held_out = load(calibration.data, calibration.rows)
        _check_apart(judged.samples, held_out)
        other = judge(machine, held_out)
    if len(judged.classes) == 2:
        return evaluate_two_classes(judged, other, application, calibration, positive)
    matrix = None if costs is None else cost_matrix(costs, judged.classes)
    return evaluate_several_classes(judged, other, matrix, calibration)


def _unseen_samples(
    machine: Any, data: Data, rows: str, **table: Any
) -> LabelledSamples:
    """Load samples; unless others are asked for, those it was not trained on."""
    samples = load_samples(machine, data, rows, **table)
    if not len(samples.y):
        raise ParameterError("`label` none leaves nothing to judge a model by.")
    if rows == "auto":
        samples = samples.held_out()
    if n_seen := int(samples.trained_on.sum()):
        warnings.warn(
            f"The model was trained on {n_seen:,} of the {len(samples.y):,} samples of "
            f"{samples.dataset.name} that it is judged by; on others it is likely to "
            "be wrong more often.",
            stacklevel=3,
        )
    return samples


def _check_classes(
    n_classes: int, two: Iterable[str], costs: bool, calibration: Calibration | None
) -> None:
    """Raise where a parameter does not go with so many classes."""
    if n_classes == 2 and costs:
        raise ParameterError(
            "`costs` is for several classes; the model knows two: use `cost_miss` "
            "and `cost_false_alarm`."
        )
    if n_classes > 2:
        for name in two:
            raise ParameterError(
                f"`{name}` is for two classes, but the model knows {n_classes}; "
                "give a matrix of costs with `costs`."
            )
        if calibration is not None and calibration.method == "pav":
            raise ParameterError(
                f"`method` pav is for two classes, but the model knows {n_classes}."
            )


def _check_apart(judged: LabelledSamples, held_out: LabelledSamples) -> None:
    """Scores that were calibrated on themselves would look too good."""
    if judged.overlap(held_out):
        name = held_out.dataset.name
        raise ParameterError(
            f"`calibrate_on` {name} would calibrate on samples that are evaluated; "
            "choose others with `calibrate_rows`, or let `calibrate` take folds."
        )
