"""Why a model decides as it does, as plain data: what its own samples add."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._validation import is_sparse
from mercer.estimators import KernelKNN
from mercer.exceptions import MercerError
from mercer.explain import shapley_values, support_vectors
from mercer.explain.machine import class_index, split_model

_BACKGROUND = 20  # support vectors that samples are compared with


def explain(model: Any, sample: Any, label: str | None, top: int) -> dict[str, Any]:
    """Samples that speak for a class and against it, and Shapley values if any."""
    last, before = split_model(model)
    if isinstance(last, KernelKNN):
        return _by_neighbours(last, before, sample, label, top)
    return _by_support_vectors(model, before, sample, label, top)


def kept_samples(model: Any) -> Any:
    """The samples that a model keeps, in the features that it is asked in."""
    last, before = split_model(model)
    for name in ("support_vectors_", "X_fit_"):
        if getattr(last, name, None) is not None and len(getattr(last, name).shape) > 1:
            return as_given(before, getattr(last, name))
    return None


def as_given(before: list[Any], X: Any) -> Any:
    """Undo the steps of a pipeline; None where one of them cannot be undone."""
    for step in reversed(before):
        if not hasattr(step, "inverse_transform"):
            return None
        X = step.inverse_transform(X)
    return X


def as_rows(X: Any) -> NDArray[np.float64]:
    """A dense array."""
    return np.asarray(X.toarray() if is_sparse(X) else X, np.float64)


def _by_support_vectors(
    model: Any, before: list[Any], sample: Any, label: str | None, top: int
) -> dict[str, Any]:
    why = support_vectors(model, sample)
    chosen = str(why.predicted[0]) if label is None else label
    pulls = why.strongest(0, chosen, top)
    names = [str(name) for name in why.classes]
    shares = why.for_class(0, chosen)
    votes = None
    if why.votes is not None:
        votes = dict(zip(names, why.votes[0].astype(int).tolist()))
    place = class_index(why.classes, chosen)
    return {
        "by": "support vectors",
        "label": str(why.predicted[0]),
        "class": chosen,
        "scores": dict(zip(names, why.class_scores()[0].tolist())),
        "votes": votes,
        "totals": {
            "for": float(shares[shares > 0].sum()),
            "against": float(shares[shares < 0].sum()),
            "start": float(why.intercept @ why.class_weights[:, place]),
        },
        **{
            side: [
                {**pull._asdict(), "vector": _row(before, why.vectors, pull.vector)}
                for pull in own
            ]
            for side, own in zip(("for", "against"), pulls)
        },
        **_shapley(model, sample, chosen, before, why.vectors),
    }


def _by_neighbours(
    model: KernelKNN, before: list[Any], sample: Any, label: str | None, top: int
) -> dict[str, Any]:
    for step in before:
        sample = step.transform(sample)
    distances, indices = model.kneighbors(sample)
    votes = model.votes(indices, model.labels_, len(model.classes_))[0]
    winner = str(model.classes_[votes.argmax()])
    chosen = winner if label is None else label
    place = class_index(model.classes_, chosen)
    names, share = [str(name) for name in model.classes_], 1 / model.n_neighbors
    sides: dict[str, list[dict[str, Any]]] = {"for": [], "against": []}
    for distance, index in zip(distances[0].tolist(), indices[0].tolist()):
        own = model.labels_[index] == place
        neighbour = {
            "sample": index,
            "distance": distance,
            "share": share if own else -share,
            "label": names[model.labels_[index]],
            "vector": _row(before, model.X_fit_, index),
        }
        sides["for" if own else "against"].append(neighbour)
    return {
        "by": "neighbours",
        "label": winner,
        "class": chosen,
        "scores": dict(zip(names, (votes * share).tolist())),
        "votes": dict(zip(names, votes.tolist())),
        "totals": None,
        **{side: own[:top] for side, own in sides.items()},
        "shapley": None,
        "note": "Neighbours vote; they have no Shapley values.",
    }


def _shapley(
    model: Any, sample: Any, label: str, before: list[Any], vectors: Any
) -> dict[str, Any]:
    if vectors is None:
        return {"shapley": None, "note": "There are no features to explain."}
    step = max(1, vectors.shape[0] // _BACKGROUND)
    rows = np.arange(0, vectors.shape[0], step)[:_BACKGROUND]
    background = as_given(before, vectors[rows])
    if background is None:
        note = "A step of the pipeline cannot be undone, so there is no background."
        return {"shapley": None, "note": note}
    try:
        values = shapley_values(model, sample, _like(sample, as_rows(background)))
    except MercerError as error:
        return {"shapley": None, "note": str(error)}
    return {"shapley": values.for_class(label)[0].tolist(), "note": None}


def _like(sample: Any, rows: NDArray) -> Any:
    """Rows as a data frame, if a sample is one."""
    columns = getattr(sample, "columns", None)
    return rows if columns is None else type(sample)(rows, columns=columns)


def _row(before: list[Any], vectors: Any, number: int) -> list[float] | None:
    given = None if vectors is None else as_given(before, vectors[[number]])
    return None if given is None else as_rows(given)[0].tolist()
