"""What a classifier needs of its classes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.exceptions import DataError


def check_classes(classes: NDArray) -> NDArray:
    """Complain when there is nothing to tell apart."""
    if len(classes) < 2:
        raise DataError(
            f"y holds one class only ({classes.tolist()[0]!r}); a classifier needs "
            "samples of at least two classes. With partial_fit, name all of them in "
            "the first call: partial_fit(X, y, classes=[...])."
        )
    return classes


def check_known(y: NDArray, declared: Any, model: Any = None) -> NDArray:
    """All classes after a call of partial_fit: the known ones, and those of y.

    Complain about a label outside of what the first call declared; `model` is None in
    that call.
    """
    if model is None:
        known = np.unique(y if declared is None else declared)
        open_to_more = declared is None
    else:
        known, open_to_more = model.classes_, not model.classes_declared_
    unknown = np.setdiff1d(y, known)
    if len(unknown) and not open_to_more:
        raise DataError(
            f"y holds {unknown.tolist()[0]!r}, a class that partial_fit has not been "
            f"told of; the classes it knows are {known.tolist()}."
        )
    return check_classes(np.union1d(known, unknown))
