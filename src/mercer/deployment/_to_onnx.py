"""Models as ONNX, of plain operators that every runtime has."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from mercer._extras import import_extra
from mercer.calibration import CalibratedClassifier
from mercer.deployment._graph import ModelGraph, tensor_type
from mercer.deployment._onnx_models import write_classifier
from mercer.deployment._skl2onnx import convert_pipeline
from mercer.estimators import MachinesPerClass
from mercer.exceptions import ParameterError
from mercer.preparation import check_fills_no_words

_MOST_BYTES = 1 << 31  # that a protocol buffer can hold


def to_onnx(model: Any, dtype: DTypeLike | None = None) -> Any:
    """Write a fitted classifier as an ONNX model.

    Its input is ``X``, of shape (n_samples, n_features); that of a model which takes
    words is a column for each feature, by its name. Its outputs are ``label``, as
    `predict` gives it, ``scores`` as `decision_function` does, and ``probabilities`` as
    `predict_proba` does, as far as the classifier has these methods.

    Parameters
    ----------
    model : estimator
        A fitted classifier of Mercer, or a pipeline that ends in one, whose other steps
        skl2onnx converts.
    dtype : float32 or float64, optional
        Of the samples and of all arithmetic; by default that of the samples that the
        model was trained on. In the other type decisions may differ where scores are
        nearly equal.

    Returns
    -------
    onnx.ModelProto
        Its ``SerializeToString()`` is what a file holds.

    Examples
    --------
    >>> from mercer import KernelSVC, load_dataset, to_onnx
    >>> iris = load_dataset("iris")
    >>> model = to_onnx(KernelSVC().fit(iris.X, iris.y))
    >>> [output.name for output in model.graph.output]
    ['label', 'scores']
    """
    import_extra("onnx", "onnx", "Writing ONNX")
    check_is_fitted(model)
    check_fills_no_words(model, "ONNX")
    kind = _own_type(model) if dtype is None else np.dtype(dtype)
    if kind not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ParameterError(f"dtype is {kind}; ONNX is written in float32 or float64.")
    if isinstance(model, Pipeline):
        return convert_pipeline(model, kind)
    graph = ModelGraph(kind)
    answers = write_classifier(model, graph, "X")
    labels = graph.node("Gather", graph.constant(model.classes_), answers.decided)
    n, n_classes = "n_samples", len(model.classes_)
    outputs: dict[str, tuple[str, int, list[Any]]] = {
        "label": (labels, tensor_type(model.classes_), [n])
    }
    of_numbers = tensor_type(np.empty(0, kind))
    if answers.scores is not None:
        shape = [n] if n_classes == 2 else [n, "n_scores"]
        outputs["scores"] = answers.scores, of_numbers, shape
    if answers.probabilities is not None:
        outputs["probabilities"] = answers.probabilities, of_numbers, [n, n_classes]
    made = graph.to_model(model.n_features_in_, outputs)
    if made.ByteSize() >= _MOST_BYTES:
        raise ParameterError(
            "The model takes more than 2 GB, which an ONNX file cannot hold; use "
            "float32, or fewer support vectors (mercer.compress)."
        )
    return made


def _own_type(model: Any) -> np.dtype:
    if isinstance(model, Pipeline):
        return _own_type(model.steps[-1][1])
    if isinstance(model, CalibratedClassifier):
        return _own_type(model.estimator_)
    if isinstance(model, MachinesPerClass):
        return _own_type(model.machines_[0])
    for name in ("support_vectors_", "X_fit_"):
        if hasattr(model, name):
            return np.dtype(getattr(model, name).dtype)
    return np.dtype(np.float64)
