"""Classifiers as ONNX operators: scores, votes and their ties, decisions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from mercer._storable import full_name
from mercer.calibration import CalibratedClassifier
from mercer.deployment._graph import Graph
from mercer.deployment._onnx_calibration import write_calibration
from mercer.deployment._onnx_kernels import (
    dense,
    write_kernel,
    write_squared_distances,
)
from mercer.estimators import (
    KernelEstimator,
    KernelKNN,
    KernelMachine,
    MachinesPerClass,
    OnlineKernelMachine,
    Reduction,
    Winnow,
)
from mercer.estimators.neighbour_search import ranks_by_distance
from mercer.exceptions import ParameterError
from mercer.kernels import Cosine
from mercer.solvers.ties import ROUNDING


@dataclass(frozen=True)
class OutputNames:
    """Names of what a graph says about samples."""

    decided: str  # the index of the class
    scores: str | None  # as decision_function: one per sample for two classes
    probabilities: str | None = None


@singledispatch
def write_classifier(model: Any, graph: Graph, X: str) -> OutputNames:
    """Write a fitted classifier."""
    raise ParameterError(
        f"A {full_name(type(model))} cannot be written as ONNX; Mercer writes its own "
        "classifiers, and pipelines that end in one."
    )


@write_classifier.register
def _(model: KernelMachine, graph: Graph, X: str) -> OutputNames:
    scores = _machine_scores(model, graph, X)
    shape = model.decision_function_shape
    return _decide(model.reduction_, graph, scores, shape, model.break_ties)


@write_classifier.register
def _(model: MachinesPerClass, graph: Graph, X: str) -> OutputNames:
    columns = []
    for machine, scale, rows in zip(model.machines_, model.scales_, model.problem_rows):
        given = X
        if machine.is_precomputed:
            given = graph.node("Gather", X, graph.constant(rows), axis=1)
        scores = _machine_scores(machine, graph, given)
        columns.append(graph.node("Div", scores, graph.number(scale)))
    scores = graph.node("Concat", *columns, axis=1)
    inner = model.estimator
    shape, break_ties = inner.decision_function_shape, inner.break_ties
    return _decide(model.reduction_, graph, scores, shape, break_ties)


@write_classifier.register
def _(model: Winnow, graph: Graph, X: str) -> OutputNames:
    if not model.balanced:
        X = graph.node("Max", X, graph.number(0))
    weights, offsets = graph.number(model.coef_.T), graph.number(model.intercept_)
    scores = graph.node("Gemm", X, weights, offsets)
    answers = _decide(model.reduction_, graph, scores, "ovr", False)
    if model.reduction_.kind != "binary":
        return answers
    # a score of zero is positive
    positive = graph.node("GreaterOrEqual", graph.flat(scores), graph.number(0))
    return OutputNames(_as_index(graph, positive), answers.scores)


@write_classifier.register
def _(model: KernelKNN, graph: Graph, X: str) -> OutputNames:
    k, n_classes = model.n_neighbors, len(model.classes_)
    keys = _neighbour_keys(model, graph, X)
    # of equals the first is the nearer
    count = graph.constant(np.array([k]))
    nearest = graph.second_output("TopK", keys, count, axis=1, largest=0)
    labels = graph.node("Gather", graph.constant(model.labels_), nearest)
    # runtimes know OneHot of few types: truth values are counted instead
    names = graph.constant(np.arange(n_classes)[None, :, None])
    rows = graph.node("Reshape", labels, graph.constant(np.array([-1, 1, k])))
    marks = graph.as_number(graph.node("Equal", rows, names))
    votes = graph.node("ReduceSum", marks, graph.constant(np.array([2])), keepdims=0)
    shares = graph.node("Div", votes, graph.number(k))
    return OutputNames(graph.first_largest(votes), None, shares)


def _neighbour_keys(model: KernelKNN, graph: Graph, X: str) -> str:
    """What is the smaller the nearer a training sample is."""
    kernel = model.kernel_
    _refuse_functions(model)
    if kernel is None:
        values, diagonal = X, model.diagonal
    else:
        samples = dense(model.X_fit_)
        if ranks_by_distance(kernel) and type(kernel) is not Cosine:
            return write_squared_distances(graph, X, samples)
        values = write_kernel(graph, kernel, X, samples)
        diagonal = kernel.diag(samples)
    # ‖φ(x) − φ(y)‖² without k(x, x)
    twice = graph.node("Mul", values, graph.number(-2))
    return graph.node("Add", twice, graph.number(diagonal))


@write_classifier.register
def _(model: CalibratedClassifier, graph: Graph, X: str) -> OutputNames:
    inner = write_classifier(model.estimator_, graph, X)
    decided, scores, probabilities = write_calibration(
        model, graph, inner.scores, inner.probabilities
    )
    return OutputNames(decided, scores, probabilities)


def _machine_scores(model: KernelMachine, graph: Graph, X: str) -> str:
    """Scores of the binary problems, one column each."""
    n_problems = model.reduction_.n_problems
    coefficients = model.binary_coefficients()
    _refuse_functions(model)
    if model.is_precomputed:
        values = graph.node("Gather", X, graph.constant(model.support_), axis=1)
    else:
        assert model.kernel_ is not None
        vectors = dense(model.support_vectors_)
        if not len(vectors):  # nothing was learned: the intercept alone
            vectors = np.zeros((1, model.n_features_in_))
            coefficients = np.zeros((1, n_problems))
        values = write_kernel(graph, model.kernel_, X, vectors)
    weights, offsets = graph.number(coefficients), graph.number(model.intercept_)
    scores = graph.node("Gemm", values, weights, offsets)
    if isinstance(model, OnlineKernelMachine):
        sizes = graph.number(np.abs(coefficients))
        sums = graph.node("MatMul", graph.node("Abs", values), sizes)
        return _settle_ties(model.reduction_, graph, scores, sums)
    return scores


def _refuse_functions(model: KernelEstimator) -> None:
    if model.is_function:
        raise ParameterError(
            "The kernel is a function of Python, which has no formula in ONNX; the "
            "kernels of mercer.kernels do."
        )


def _settle_ties(reduction: Reduction, graph: Graph, scores: str, sums: str) -> str:
    """Scores that are equal but for rounding are equal (`mercer.solvers.ties`)."""
    unit = ROUNDING * float(np.finfo(graph.dtype).eps)
    errors = graph.node("Mul", sums, graph.number(unit))
    small = graph.node("LessOrEqual", graph.node("Abs", scores), errors)
    scores = graph.node("Where", small, graph.number(0), scores)
    if reduction.kind != "ovr":
        return scores
    largest = graph.rows("ReduceMax", scores)
    top = graph.node("ArgMax", scores, axis=1, keepdims=1)
    of_top = graph.node("GatherElements", errors, top, axis=1)
    gaps = graph.node("Sub", largest, scores)
    near = graph.node("LessOrEqual", gaps, graph.node("Add", errors, of_top))
    return graph.node("Where", near, largest, scores)


def _decide(
    reduction: Reduction, graph: Graph, scores: str, shape: str, break_ties: bool
) -> OutputNames:
    """As `Reduction.decide` and `Reduction.decision` do."""
    if reduction.kind == "binary":
        flat = graph.flat(scores)
        positive = graph.node("Greater", flat, graph.number(0))
        return OutputNames(_as_index(graph, positive), flat)
    if reduction.kind == "ovr":
        return OutputNames(graph.first_largest(scores), scores)
    # a vote is for the first of the pair where the score is positive, else the second
    for_first = graph.as_number(graph.node("Greater", scores, graph.number(0)))
    codes = graph.number(reduction.codes)
    to_second = graph.number(np.maximum(-reduction.codes, 0).sum(axis=0))
    votes = graph.node("Gemm", for_first, codes, to_second)
    confidence = graph.node("MatMul", scores, codes)
    size = graph.node("Add", graph.node("Abs", confidence), graph.number(1))
    part = graph.node("Div", confidence, graph.node("Mul", size, graph.number(3)))
    decision = graph.node("Add", votes, part)
    decided = graph.first_largest(decision if break_ties else votes)
    return OutputNames(decided, scores if shape == "ovo" else decision)


def _as_index(graph: Graph, positive: str) -> str:
    from onnx import TensorProto

    return graph.node("Cast", positive, to=int(TensorProto.INT64))
