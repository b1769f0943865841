"""Kernels as ONNX operators: base matrices, and the formulas over them."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._validation import is_sparse
from mercer.deployment._graph import Graph
from mercer.exceptions import ParameterError
from mercer.kernels import (
    Constant,
    Cosine,
    Exponential,
    Gaussian,
    Kernel,
    Linear,
    Polynomial,
    Product,
    Sigmoid,
    Sum,
)


def write_kernel(graph: Graph, kernel: Kernel, X: str, Y: NDArray) -> str:
    """k(X, Y) between the samples and rows that the graph keeps."""
    value = _Writer(graph, X, Y).write(kernel)
    if not kernel.bases:  # a constant knows of no samples
        zeros = graph.number(np.zeros((Y.shape[1], len(Y))))
        value = graph.node("Add", graph.node("MatMul", X, zeros), value)
    return value


def write_squared_distances(graph: Graph, X: str, Y: NDArray) -> str:
    """‖x − y‖² between the samples and rows that the graph keeps."""
    return _Writer(graph, X, Y).base("squared_distances")


def dense(Y: Any) -> NDArray[np.float64]:
    """Samples as constants are made of them."""
    return np.asarray(Y.toarray() if is_sparse(Y) else Y, np.float64)


class _Writer:
    """Writes the base matrices of one pair of sample sets once, for all kernels."""

    def __init__(self, graph: Graph, X: str, Y: NDArray) -> None:
        self.graph, self.X, self.Y = graph, X, Y
        self._known: dict[str, str] = {}

    def write(self, kernel: Kernel) -> str:
        # a subclass may have changed the values
        if (write := _FORMULAS.get(type(kernel))) is None:
            raise ParameterError(
                f"{kernel} has no formula in ONNX; the kernels of mercer.kernels do, "
                "and sums and products of them."
            )
        return write(self, kernel)

    def base(self, name: str) -> str:
        if name not in self._known:
            self._known[name] = getattr(self, f"_{name}")()
        return self._known[name]

    def _dots(self) -> str:
        return self.graph.node("MatMul", self.X, self.graph.number(self.Y.T))

    def _squared_distances(self) -> str:
        """‖x‖² + ‖y‖² − 2x·y of centred samples, which cancels the least."""
        graph = self.graph
        # rounded, so that whole numbers stay whole and equal distances equal
        reach = float(np.ptp(self.Y, axis=0).max()) or 1.0
        step = 2.0 ** (np.floor(np.log2(reach)) - 4)
        centre = np.rint(self.Y.mean(axis=0) / step) * step
        Y = self.Y - centre
        X = graph.node("Sub", self.X, graph.number(centre))
        own = graph.rows("ReduceSumSquare", X)
        dots = graph.node("MatMul", X, graph.number(-2 * Y.T))
        both = graph.node("Add", own, graph.number((Y**2).sum(axis=1)))
        squares = graph.node("Add", both, dots)
        return graph.node("Max", squares, graph.number(0))

    def _cosines(self) -> str:
        """Of rows divided by their largest value first: squares may overflow."""
        graph = self.graph
        largest = graph.rows("ReduceMax", graph.node("Abs", self.X))
        tiny = graph.number(np.finfo(graph.dtype).tiny)
        X = graph.node("Div", self.X, graph.node("Max", largest, tiny))
        length = graph.node("Sqrt", graph.rows("ReduceSumSquare", X))
        X = graph.node("Div", X, graph.node("Max", length, tiny))
        sizes = np.abs(self.Y).max(axis=1, keepdims=True)
        Y = self.Y / np.where(sizes > 0, sizes, 1)
        lengths = np.linalg.norm(Y, axis=1, keepdims=True)
        Y = Y / np.where(lengths > 0, lengths, 1)
        cosines = graph.node("MatMul", X, graph.number(Y.T))
        return graph.node("Clip", cosines, graph.number(-1), graph.number(1))


def _write_affine(writer: _Writer, kernel: Any) -> str:
    """scale·x·y + offset."""
    graph = writer.graph
    # a node that multiplies the product would be fused with it, in float32
    scaled = graph.number(kernel.scale * writer.Y.T)
    value = graph.node("MatMul", writer.X, scaled)
    return graph.node("Add", value, graph.number(kernel.offset))


def _write_polynomial(writer: _Writer, kernel: Any) -> str:
    degree = writer.graph.number(kernel.degree)
    return writer.graph.node("Pow", _write_affine(writer, kernel), degree)


def _write_sigmoid(writer: _Writer, kernel: Any) -> str:
    return writer.graph.node("Tanh", _write_affine(writer, kernel))


def _write_exp(writer: _Writer, kernel: Any, distance: str) -> str:
    graph = writer.graph
    scaled = graph.node("Mul", distance, graph.number(-kernel.gamma))
    return graph.node("Exp", scaled)


def _write_gaussian(writer: _Writer, kernel: Any) -> str:
    return _write_exp(writer, kernel, writer.base("squared_distances"))


def _write_exponential(writer: _Writer, kernel: Any) -> str:
    squares = writer.base("squared_distances")
    return _write_exp(writer, kernel, writer.graph.node("Sqrt", squares))


def _write_joined(operator: str) -> Callable[[_Writer, Any], str]:
    def write(writer: _Writer, kernel: Any) -> str:
        parts = map(writer.write, kernel.parts)
        return reduce(lambda a, b: writer.graph.node(operator, a, b), parts)

    return write


_FORMULAS: dict[type[Kernel], Callable[[_Writer, Any], str]] = {
    Linear: lambda writer, kernel: writer.base("dots"),
    Polynomial: _write_polynomial,
    Sigmoid: _write_sigmoid,
    Cosine: lambda writer, kernel: writer.base("cosines"),
    Gaussian: _write_gaussian,
    Exponential: _write_exponential,
    Constant: lambda writer, kernel: writer.graph.number(kernel.xi),
    Sum: _write_joined("Add"),
    Product: _write_joined("Mul"),
}
