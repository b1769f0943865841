"""Nodes and constants of an ONNX graph, written one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mercer._version import __version__

#: The operators that are written exist since this version.
OPSET = 13


class Graph:
    """A graph that grows by nodes; values are known by their names.

    Parameters
    ----------
    dtype : numpy type
        That of the samples and scores, float32 or float64.
    """

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype = np.dtype(dtype)

    def write(
        self, operator: str, inputs: Sequence[str], n: int, attributes: dict[str, Any]
    ) -> list[str]:
        """Write a node with n outputs, and return their names."""
        raise NotImplementedError

    def constant(self, values: Any) -> str:
        """Write a constant as it is, and return its name."""
        raise NotImplementedError

    def node(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Write a node, and return the name of its output."""
        return self.write(operator, inputs, 1, attributes)[0]

    def second_output(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Write a node of which only the second output is used."""
        return self.write(operator, inputs, 2, attributes)[1]

    def number(self, values: Any) -> str:
        """Write a constant of the type of the samples."""
        return self.constant(np.asarray(values).astype(self.dtype))

    def rows(self, operator: str, matrix: str, keep: bool = True) -> str:
        """Reduce each row of a matrix by an operator such as ReduceMax."""
        if operator == "ReduceSum":  # takes the axes as an input
            axes = self.constant(np.array([1]))
            return self.node(operator, matrix, axes, keepdims=int(keep))
        return self.node(operator, matrix, axes=[1], keepdims=int(keep))

    def as_number(self, flags: str) -> str:
        """0 and 1 where there are truth values."""
        return self.node("Cast", flags, to=_onnx_type(self.dtype))

    def first_largest(self, matrix: str) -> str:
        """Where each row is largest, the first of equals."""
        return self.node("ArgMax", matrix, axis=1, keepdims=0)

    def flat(self, column: str) -> str:
        """A matrix of one column as a vector."""
        return self.node("Reshape", column, self.constant(np.array([-1])))


class ModelGraph(Graph):
    """A graph of its own, from ``X`` to named outputs."""

    def __init__(self, dtype: DTypeLike) -> None:
        super().__init__(dtype)
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._names = 0

    def write(
        self, operator: str, inputs: Sequence[str], n: int, attributes: dict[str, Any]
    ) -> list[str]:
        from onnx import helper

        outputs = [self._new_name(operator) for _ in range(n)]
        made = helper.make_node(operator, inputs, outputs, outputs[0], **attributes)
        self._nodes.append(made)
        return outputs

    def constant(self, values: Any) -> str:
        from onnx import numpy_helper

        name = self._new_name("constant")
        self._constants.append(numpy_helper.from_array(as_tensor(values), name))
        return name

    def _new_name(self, operator: str) -> str:
        self._names += 1
        return f"{operator.lower()}_{self._names}"

    def to_model(
        self, n_features: int, outputs: Mapping[str, tuple[str, int, list[Any]]]
    ) -> Any:
        """A model with these outputs: of each the value, type and shape."""
        from onnx import helper

        declared = []
        for name, (value, kind, shape) in outputs.items():
            self._nodes.append(helper.make_node("Identity", [value], [name]))
            declared.append(helper.make_tensor_value_info(name, kind, shape))
        kind, shape = _onnx_type(self.dtype), ["n_samples", n_features]
        samples = helper.make_tensor_value_info("X", kind, shape)
        graph = helper.make_graph(
            self._nodes, "mercer", [samples], declared, self._constants
        )
        return helper.make_model(
            graph,
            producer_name="mercer",
            producer_version=__version__,
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=8,  # which older runtimes read as well
        )


def as_tensor(values: Any) -> NDArray:
    """An array of a type that ONNX has."""
    array = np.ascontiguousarray(values)
    if array.dtype.kind in "UO":
        return array.astype(object)
    if array.dtype.kind in "iu":
        return array.astype(np.int64)
    return array


def _onnx_type(dtype: DTypeLike) -> int:
    from onnx import helper

    return int(helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))


def tensor_type(array: NDArray) -> int:
    """What ONNX calls the type of an array."""
    from onnx import TensorProto

    kind = as_tensor(array).dtype
    return int(TensorProto.STRING) if kind.kind == "O" else _onnx_type(kind)
