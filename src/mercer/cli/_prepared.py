"""Steps before a learner, chosen by a data set and the options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mercer.exceptions import ParameterError

if TYPE_CHECKING:
    from mercer.datasets import Dataset
    from mercer.preparation import Preparation


def prepare_for(dataset: Dataset, train: Any, scale: str) -> Preparation:
    """What goes before a learner, by the training samples of a data set."""
    from mercer.preparation import prepare

    if dataset.missing == "keep":
        raise ParameterError(
            "`missing` keep is for looking at data; learners take no gaps, so use "
            "mean, median, most-frequent or drop-rows."
        )
    return prepare(
        dataset.X[train],
        scale,
        missing=dataset.missing,
        categorical=dataset.categorical,
        is_image=dataset.image_shape is not None,
    )
