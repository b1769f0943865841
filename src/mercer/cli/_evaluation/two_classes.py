"""Two classes: what decisions from the scores cost, before and after calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.calibration import ScoreCalibrator
from mercer.cli._evaluation.judged import Judged, raw_scores
from mercer.cli._evaluation.options import Application, Calibration
from mercer.exceptions import DataError, ParameterError
from mercer.metrics import (
    actual_dcf,
    bayes_error_curve,
    bayes_threshold,
    cllr,
    det_points,
    min_cllr,
    min_dcf,
    roc_points,
)


@dataclass(frozen=True)
class Scored:
    """Scores of some kind, and which samples are positive."""

    name: str
    positive: NDArray[np.bool_]
    scores: NDArray[np.float64]

    def measure(self, applications: Sequence[Application]) -> dict[str, Any]:
        """All measures of these scores, ready for JSON."""
        pair = (self.positive, self.scores)
        return {
            "scores": self.name,
            "error_at_0": float(((self.scores > 0.0) != self.positive).mean()),
            "cllr": cllr(*pair),
            "min_cllr": min_cllr(*pair),
            "applications": [self._costs(a) for a in applications],
        }

    def _costs(self, application: Application) -> dict[str, Any]:
        given = asdict(application)
        threshold = bayes_threshold(**given)
        accepted = self.scores > threshold
        return {
            **given,
            "min_dcf": min_dcf(self.positive, self.scores, **given),
            "actual_dcf": actual_dcf(self.positive, self.scores, **given),
            "threshold": threshold,
            "miss_rate": float((~accepted)[self.positive].mean()),
            "false_alarm_rate": float(accepted[~self.positive].mean()),
        }


def find_positive(classes: NDArray[np.str_], label: str | None) -> int:
    """The position of the positive class: the second, unless one is named."""
    if label is None:
        return 1
    if label not in classes:
        raise ParameterError(
            f"--positive is {label!r}, but the classes are {' and '.join(classes)}."
        )
    return int(np.flatnonzero(classes == label)[0])


def scored(judged: Judged, positive: int, name: str = "raw") -> Scored:
    """The scores of the model, turned so that greater means more positive."""
    scores = raw_scores(judged)
    present = np.unique(judged.labels)
    if len(present) < 2:
        raise DataError(
            f"{judged.dataset.name} holds only the class {judged.classes[present[0]]} "
            "here; the cost of decisions needs samples of both classes."
        )
    turned = scores if positive == 1 else -scores
    return Scored(name, judged.labels == positive, turned)


def calibrated_by_folds(raw: Scored, calibration: Calibration, prior: float) -> Scored:
    """Calibrate each score by the scores of the other folds."""
    fewest, folds = min(raw.positive.sum(), (~raw.positive).sum()), calibration.folds
    if folds > fewest:
        raise ParameterError(
            f"--folds is {folds}, but the smaller class has {fewest} samples; "
            "use fewer folds."
        )
    calibrator = ScoreCalibrator(
        calibration.method, prior=prior, cv=folds, random_state=0
    )
    llr = calibrator.fit_transform(raw.scores, raw.positive)
    return Scored(f"calibrated, {folds} folds", raw.positive, llr)


def calibrated_on(
    raw: Scored, other: Scored, calibration: Calibration, prior: float
) -> Scored:
    """Calibrate the scores by those of other samples."""
    calibrator = ScoreCalibrator(calibration.method, prior=prior)
    calibrator.fit(other.scores, other.positive)
    return Scored("calibrated", raw.positive, calibrator.transform(raw.scores))


def figures(kinds: Sequence[Scored], dark: bool) -> dict[str, Any]:
    """The Bayes error plot, ROC and DET, a line for each kind of scores."""
    from mercer.report import decision_figures as draw

    pairs = {kind.name: (kind.positive, kind.scores) for kind in kinds}
    curves = {name: bayes_error_curve(*pair) for name, pair in pairs.items()}
    roc = {name: roc_points(*pair) for name, pair in pairs.items()}
    det = {name: det_points(*pair) for name, pair in pairs.items()}
    return {
        "bayes_error": draw.draw_bayes_error(curves, dark=dark),
        "roc": draw.draw_roc(roc, dark=dark),
        "det": draw.draw_det(det, dark=dark),
    }
