"""The images that the model is most sure about, and wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.cli._evaluation.judged import Judged, raw_scores
from mercer.exceptions import DataError
from mercer.metrics import hardest_samples


def hardest(judged: Judged, most: int = 10) -> list[Any]:
    """Of the mistaken samples those that lie deepest in the wrong class."""
    rows = np.flatnonzero(judged.wrong)
    rows = rows[np.argsort(-_depth(judged)[rows], kind="stable")][:most]
    images = judged.X[rows]
    return hardest_samples(
        judged.classes[judged.labels[rows]],
        [judged.classes[judged.predicted[rows]]],
        most,
        images=images if isinstance(images, np.ndarray) else images.toarray(),
        image_shape=judged.dataset.image_shape,
    )


def figures(judged: Judged, dark: bool) -> dict[str, Any]:
    """A strip of them, where the data are images and some are mistaken."""
    if judged.dataset.image_shape is None or not judged.wrong.any():
        return {}
    from mercer.report.hardest_figure import draw_hardest

    return {"hardest": draw_hardest(hardest(judged), dark=dark)}


def _depth(judged: Judged) -> NDArray[np.float64]:
    """By how much the decided class wins against the true one."""
    try:
        scores = raw_scores(judged)
    except DataError:  # one score a pair of classes: the order of rows will do
        return np.zeros(len(judged.rows))
    if scores.ndim == 1:
        return np.abs(scores)
    every = np.arange(len(scores))
    return np.asarray(scores[every, judged.predicted] - scores[every, judged.labels])
