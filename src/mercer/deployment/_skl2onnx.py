"""Mercer's classifiers among the converters of skl2onnx, for pipelines."""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer._extras import import_extra
from mercer._storable import storable_classes
from mercer.deployment._graph import OPSET, Graph, as_tensor, tensor_type
from mercer.deployment._onnx_models import write_classifier
from mercer.preparation import feature_names, words_of


class _ContainerGraph(Graph):
    """A part of the graph that skl2onnx is writing."""

    def __init__(self, scope: Any, container: Any, dtype: Any) -> None:
        super().__init__(dtype)
        self._scope, self._container = scope, container

    def write(self, operator: str, inputs: Any, n: int, attributes: Any) -> list[str]:
        outputs = [self._scope.get_unique_variable_name(operator) for _ in range(n)]
        self._container.add_node(
            operator,
            list(inputs),
            outputs,
            op_version=OPSET,
            name=self._scope.get_unique_operator_name(operator),
            **attributes,
        )
        return outputs

    def constant(self, values: Any) -> str:
        array = as_tensor(values)
        name: str = self._scope.get_unique_variable_name("constant")
        content = array.ravel().tolist()
        if array.dtype == object:
            content = [text.encode() for text in content]
        self._container.add_initializer(name, tensor_type(array), array.shape, content)
        return name


def register_with_skl2onnx() -> None:
    """Let skl2onnx convert Mercer's classifiers, as the last step of pipelines too.

    `mercer.to_onnx` does so itself, and says what the outputs are.

    Examples
    --------
    >>> import numpy as np
    >>> from skl2onnx import to_onnx
    >>> from mercer import KernelSVC, load_dataset
    >>> from mercer.deployment import register_with_skl2onnx
    >>> iris = load_dataset("iris")
    >>> register_with_skl2onnx()
    >>> made = to_onnx(KernelSVC().fit(iris.X, iris.y), np.float32(iris.X[:1]))
    >>> [output.name for output in made.graph.output]
    ['label', 'scores']
    """
    skl2onnx = import_extra("skl2onnx", "onnx", "Converting pipelines")
    for cls in storable_classes():
        if hasattr(cls, "predict") and cls.__module__.startswith("mercer."):
            skl2onnx.update_registered_converter(
                *(cls, f"Mercer{cls.__name__}", _shapes, _convert),
                parser=_parse,
                options={"zipmap": [True, False, "columns"]},  # pipelines set it
            )


def convert_pipeline(pipeline: Any, dtype: np.dtype) -> Any:
    """The ONNX model of a pipeline that ends in a classifier of Mercer."""
    register_with_skl2onnx()
    import skl2onnx
    from skl2onnx.common import data_types as types

    kind = types.DoubleTensorType if dtype == np.float64 else types.FloatTensorType
    samples = [("X", kind([None, pipeline.n_features_in_]))]
    if words := words_of(pipeline):
        samples = [
            (name, (types.StringTensorType if place in words else kind)([None, 1]))
            for place, name in enumerate(_column_names(pipeline))
        ]
    return skl2onnx.convert_sklearn(pipeline, "mercer", samples, target_opset=OPSET)


def _column_names(model: Any) -> list[str]:
    """The names of a model's features, else their numbers."""
    return feature_names(model) or [f"x{j + 1}" for j in range(model.n_features_in_)]


def _parse(scope: Any, model: Any, inputs: Any, custom_parsers: Any = None) -> Any:
    from skl2onnx.common.data_types import Int64TensorType, StringTensorType

    operator = scope.declare_local_operator(f"Mercer{type(model).__name__}", model)
    operator.inputs.append(inputs[0])
    words = model.classes_.dtype.kind in "UO"
    kind = StringTensorType() if words else Int64TensorType()
    declared = {"label": kind}
    if hasattr(model, "decision_function"):
        declared["scores"] = type(inputs[0].type)()
    if hasattr(model, "predict_proba"):
        declared["probabilities"] = type(inputs[0].type)()
    for name, of_kind in declared.items():
        operator.outputs.append(scope.declare_local_variable(name, of_kind))
    return operator.outputs


def _shapes(operator: Any) -> None:
    operator.outputs[0].type.shape = [None]


def _convert(scope: Any, operator: Any, container: Any) -> None:
    from skl2onnx.common.data_types import DoubleTensorType

    model, given = operator.raw_operator, operator.inputs[0]
    double = isinstance(given.type, DoubleTensorType)
    graph = _ContainerGraph(scope, container, np.float64 if double else np.float32)
    answers = write_classifier(model, graph, given.full_name)
    classes = model.classes_
    classes = classes.astype(np.int64) if classes.dtype.kind == "b" else classes
    labels = graph.node("Gather", graph.constant(classes), answers.decided)
    values = [labels, answers.scores, answers.probabilities]
    said = [value for value in values if value is not None]
    for value, output in zip(said, operator.outputs, strict=True):
        name = scope.get_unique_operator_name("Identity")
        container.add_node("Identity", [value], [output.full_name], name=name)
