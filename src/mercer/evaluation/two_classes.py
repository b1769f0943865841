"""Two classes: what decisions from the scores cost, before and after calibration."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

import numpy as np
from numpy.typing import NDArray

from mercer.calibration import ScoreCalibrator
from mercer.evaluation._judged import Judged
from mercer.evaluation._options import Application, Calibration
from mercer.evaluation._text import TextTable, percent
from mercer.evaluation.evaluation import Evaluation, basics
from mercer.exceptions import DataError, ParameterError
from mercer.metrics import actual_dcf, bayes_threshold, cllr, min_cllr, min_dcf

#: which samples are positive, and their scores
LabelledScores = tuple[NDArray[np.bool_], NDArray[np.float64]]
_number = "{:.4f}".format
#: lines of the table: group, name, attribute, and how to write it
_AT_COSTS = (
    ("minDCF", "min_dcf", _number),
    ("actDCF", "actual_dcf", _number),
    ("misses", "miss_rate", percent),
    ("false alarms", "false_alarm_rate", percent),
)
_OVER_ALL = (
    ("threshold 0", "error", "error_at_0", percent),
    ("all priors", "min cllr", "min_cllr", _number),
    ("", "cllr", "cllr", _number),
)


@dataclass(frozen=True, kw_only=True)
class ApplicationCosts(Application):
    """What decisions cost at a prior and costs, normalised: 1 is worth nothing.

    Attributes
    ----------
    min_dcf, actual_dcf : float
        At the best threshold, and at the one that the scores stand for.
    threshold, miss_rate, false_alarm_rate : float
        The latter, and the two kinds of mistakes there.
    """

    min_dcf: float
    actual_dcf: float
    threshold: float
    miss_rate: float
    false_alarm_rate: float


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoreCosts:
    """What decisions from scores of one kind cost.

    Attributes
    ----------
    name : str
        "raw", or how they were calibrated.
    error_at_0 : float
        Share of mistakes when what is above 0 is taken for positive.
    cllr, min_cllr : float
        The cost over all priors, and what is left of it after the best calibration.
    applications : tuple of ApplicationCosts
        At the prior and costs asked for, then at equal ones.
    positive, values : ndarray
        Which samples are positive, and the scores themselves.
    """

    name: str = field(metadata={"key": "scores"})
    error_at_0: float
    cllr: float
    min_cllr: float
    applications: tuple[ApplicationCosts, ...]
    positive: NDArray[np.bool_] = field(repr=False)
    values: NDArray[np.float64] = field(repr=False)


@dataclass(frozen=True, kw_only=True, eq=False)
class TwoClassesEvaluation(Evaluation):
    """What the decisions between two classes cost.

    Attributes
    ----------
    positive, n_positive : str, int
        The positive class, and how many samples are of it.
    scores_from : str
        Which method of the model the scores come from.
    applications : tuple of str
        The priors and costs in words.
    scores : tuple of ScoreCosts
        Of the scores as they are and, where asked for, of the calibrated ones.
    """

    positive: str
    n_positive: int
    scores_from: str
    applications: tuple[str, ...]
    scores: tuple[ScoreCosts, ...]

    @property
    def min_dcf(self) -> float:
        """Of the scores as they are, at the prior and costs asked for."""
        return self.scores[0].applications[0].min_dcf

    @property
    def actual_dcf(self) -> float:
        """Of the scores as they are, at the prior and costs asked for."""
        return self.scores[0].applications[0].actual_dcf

    @property
    def calibrated(self) -> ScoreCosts | None:
        """Of the calibrated scores, where asked for."""
        return self.scores[1] if len(self.scores) > 1 else None

    def _more_facts(self, error: str) -> dict[str, str]:
        share = f"{self.n_positive:,} of {self.n_samples:,} samples"
        return {
            "positive": f"{self.positive} ({share})",
            "scores": f"from {self.scores_from}",
            "error": error,
        }

    def table(self) -> TextTable:
        """The costs of each kind of scores in a column."""
        rows = []
        for k, application in enumerate(self.applications):
            costs = [kind.applications[k] for kind in self.scores]
            for name, attribute, form in _AT_COSTS:
                numbers = (form(getattr(cost, attribute)) for cost in costs)
                rows.append([application, name, *numbers])
                application = ""
        for group, name, attribute, form in _OVER_ALL:
            numbers = (form(getattr(kind, attribute)) for kind in self.scores)
            rows.append([group, name, *numbers])
        header = ["", "", *(kind.name for kind in self.scores)]
        return TextTable(header, rows, range(2, len(header)))

    def advice(self) -> str | None:
        """What calibration saves, or would save."""
        name, costs = self.applications[0], self.scores[0].applications[0]
        if self.calibrated is not None:
            after = self.calibrated.applications[0].actual_dcf
            return (
                f"Calibration takes the cost at {name} from {costs.actual_dcf:.4f} to "
                f"{after:.4f}; 0 is perfect, 1 is worth nothing."
            )
        lost = costs.actual_dcf - costs.min_dcf
        if lost <= 0.1 * costs.min_dcf + 1e-3:
            return None
        return (
            f"Of the cost of {costs.actual_dcf:.4f} at {name}, {lost:.4f} comes from "
            "scores that are no log-likelihood ratios: try `calibrate`."
        )


def evaluate_two_classes(
    judged: Judged,
    other: Judged | None,
    application: Application,
    calibration: Calibration | None,
    positive: object = None,
) -> TwoClassesEvaluation:
    """Evaluate decisions between two classes."""
    place = _find_positive(judged.classes, positive)
    truth, raw = _labelled_scores(judged, place)
    kinds = {"raw": raw}
    if calibration is not None:
        held_out = None if other is None else _labelled_scores(other, place)
        prior = application.effective_prior
        name, llr = _calibrate((truth, raw), held_out, calibration, prior)
        kinds[name] = llr
    applications = list(dict.fromkeys((application, Application())))
    return TwoClassesEvaluation(
        **basics(judged),
        positive=str(judged.classes[place]),
        n_positive=int(truth.sum()),
        scores_from=judged.scores_from,
        applications=tuple(map(str, applications)),
        scores=tuple(
            _measure(name, (truth, scores), applications)
            for name, scores in kinds.items()
        ),
    )


def _find_positive(classes: NDArray[np.str_], label: object) -> int:
    """The position of the positive class: the second, unless one is named."""
    if label is None:
        return 1
    if str(label) not in classes:
        raise ParameterError(
            f"`positive` is {label!r}, but the classes are {' and '.join(classes)}."
        )
    return int(np.flatnonzero(classes == str(label))[0])


def _labelled_scores(judged: Judged, positive: int) -> LabelledScores:
    """Which samples are positive, and scores that are greater for these."""
    present = np.unique(judged.labels)
    if len(present) < 2:
        name, only = judged.samples.dataset.name, judged.classes[present[0]]
        raise DataError(
            f"{name} holds only the class {only} here; the cost of decisions needs "
            "samples of both classes."
        )
    scores = judged.scores if positive == 1 else -judged.scores
    return judged.labels == positive, scores


def _calibrate(
    raw: LabelledScores,
    held_out: LabelledScores | None,
    calibration: Calibration,
    prior: float,
) -> tuple[str, NDArray[np.float64]]:
    """Calibrate by other samples, or each score by those of the other folds."""
    (positive, scores), method, folds = raw, calibration.method, calibration.folds
    if held_out is not None:
        truth, others = held_out
        calibrator = ScoreCalibrator(method, prior=prior).fit(others, truth)
        return "calibrated", calibrator.transform(scores)
    calibration.check_folds(min(positive.sum(), (~positive).sum()), "smaller")
    calibrator = ScoreCalibrator(method, prior=prior, cv=folds, random_state=0)
    return f"calibrated, {folds} folds", calibrator.fit_transform(scores, positive)


def _measure(
    name: str, pair: LabelledScores, applications: Sequence[Application]
) -> ScoreCosts:
    positive, scores = pair
    return ScoreCosts(
        name=name,
        error_at_0=float(((scores > 0.0) != positive).mean()),
        cllr=cllr(*pair),
        min_cllr=min_cllr(*pair),
        applications=tuple(_costs(pair, one) for one in applications),
        positive=positive,
        values=scores,
    )


def _costs(pair: LabelledScores, application: Application) -> ApplicationCosts:
    (positive, scores), given = pair, asdict(application)
    threshold = bayes_threshold(**given)
    accepted = scores > threshold
    return ApplicationCosts(
        **given,
        min_dcf=min_dcf(*pair, **given),
        actual_dcf=actual_dcf(*pair, **given),
        threshold=threshold,
        miss_rate=float((~accepted)[positive].mean()),
        false_alarm_rate=float(accepted[~positive].mean()),
    )
