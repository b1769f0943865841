"""An evaluation from beginning to end: a model, data and options in, numbers out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mercer.cli._evaluation import hardest_images, many_classes, two_classes
from mercer.cli._evaluation.cost_file import read_costs
from mercer.cli._evaluation.judged import Judged, judge, source_of_scores
from mercer.cli._evaluation.options import Application, Options
from mercer.exceptions import ParameterError

#: draws the figures by name, on dark paper or not
Draw = Callable[[bool], dict[str, Any]]


def run(
    machine: Any, data: str, rows: str, label: str, options: Options
) -> tuple[dict[str, Any], Draw]:
    """Evaluate a model; returns what can be said, and how to draw it."""
    classes = getattr(machine, "classes_", np.empty(0))
    options.check_classes(len(classes))
    judged = judge(machine, data, label, rows)
    calibration = options.calibration
    other = None
    if calibration is not None and calibration.data is not None:
        other = judge(machine, calibration.data, label, calibration.rows)
        _check_apart(judged, other)
    result = {
        "model": type(machine).__name__,
        "data": judged.dataset.name,
        "rows": judged.part,
        "n_samples": len(judged.rows),
        "n_classes": len(classes),
        "wrong": int(judged.wrong.sum()),
        "error": float(judged.wrong.mean()),
        "predict_seconds": judged.seconds,
    }
    evaluate = _two_classes if len(classes) == 2 else _many_classes
    more, draw = evaluate(judged, other, options)
    return result | more, draw


def _two_classes(
    judged: Judged, other: Judged | None, options: Options
) -> tuple[dict[str, Any], Draw]:
    application, calibration = options.application, options.calibration
    positive = two_classes.find_positive(judged.classes, options.positive)
    raw = two_classes.scored(judged, positive)
    kinds = [raw]
    if calibration is not None:
        effective = application.effective_prior
        if other is None:
            kinds.append(two_classes.calibrated_by_folds(raw, calibration, effective))
        else:
            held_out = two_classes.scored(other, positive)
            kinds.append(
                two_classes.calibrated_on(raw, held_out, calibration, effective)
            )
    applications = list(dict.fromkeys((application, Application())))
    result = {
        "positive": str(judged.classes[positive]),
        "n_positive": int(raw.positive.sum()),
        "scores_from": source_of_scores(judged.machine),
        "applications": list(map(str, applications)),
        "scores": [kind.measure(applications) for kind in kinds],
    }

    def draw(dark: bool) -> dict[str, Any]:
        return two_classes.figures(kinds, dark) | hardest_images.figures(judged, dark)

    return result, draw


def _many_classes(
    judged: Judged, other: Judged | None, options: Options
) -> tuple[dict[str, Any], Draw]:
    calibration, costs = options.calibration, None
    if options.costs is not None:
        costs = read_costs(Path(options.costs), judged.classes)
    calibrated = None
    if calibration is not None and other is None:
        calibrated = many_classes.calibrated_by_folds(judged, costs, calibration.folds)
    elif other is not None:
        calibrated = many_classes.calibrated_on(judged, other, costs)
    result = many_classes.measure(judged, costs) | {"calibrated": calibrated}

    def draw(dark: bool) -> dict[str, Any]:
        return many_classes.figures(judged, dark) | hardest_images.figures(judged, dark)

    return result, draw


def _check_apart(judged: Judged, other: Judged) -> None:
    """Scores that were calibrated on themselves would look too good."""
    if judged.dataset.sha256 != other.dataset.sha256:
        return
    if np.intersect1d(judged.rows, other.rows).size:
        raise ParameterError(
            f"--calibrate-on {other.dataset.name} would calibrate on samples that are "
            "evaluated; choose others with --calibrate-rows, or let --calibrate take "
            "folds."
        )
