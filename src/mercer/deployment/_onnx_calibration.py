"""Calibration as ONNX operators."""

from __future__ import annotations

import numpy as np

from mercer.calibration import CalibratedClassifier, ScoreCalibrator
from mercer.deployment._graph import Graph

_SMALLEST = 1e-12  # of probabilities whose logarithm is a score, as in calibration


def write_calibration(
    model: CalibratedClassifier,
    graph: Graph,
    scores: str | None,
    probabilities: str | None,
) -> tuple[str, str, str]:
    """What is decided, by which scores, and the posterior probabilities."""
    two, costs = len(model.classes_) == 2, model.cost_matrix
    if scores is None:
        assert probabilities is not None
        scores = _scores_of_probabilities(graph, probabilities, two)
    return (_write_two if two else _write_several)(
        model, graph, scores, None if costs is None else np.asarray(costs, np.float64)
    )


def _scores_of_probabilities(graph: Graph, probabilities: str, two: bool) -> str:
    bounded = graph.node("Max", probabilities, graph.number(_SMALLEST))
    scores = graph.node("Log", bounded)
    if two:
        scores = graph.flat(graph.node("MatMul", scores, graph.number([[-1], [1]])))
    return scores


def _write_two(
    model: CalibratedClassifier, graph: Graph, scores: str, costs: np.ndarray | None
) -> tuple[str, str, str]:
    from onnx import TensorProto

    llr = _write_calibrator(model.calibrator_, graph, scores)
    prior = graph.number(np.log(model.priors_[1] / model.priors_[0]))
    odds = graph.node("Add", llr, prior)
    second = graph.node("Sigmoid", odds)
    first = graph.node("Sigmoid", graph.node("Neg", odds))
    # differences too small to show in the probabilities are ties
    tied = graph.node("Equal", first, second)
    odds = graph.node("Where", tied, graph.number(0), odds)
    first, second = _probabilities(graph, odds)
    if costs is not None:
        miss, false_alarm = costs[1, 0] - costs[1, 1], costs[0, 1] - costs[0, 0]
        odds = graph.node("Add", odds, graph.number(np.log(miss / false_alarm)))
    positive = graph.node("Greater", odds, graph.number(0))
    decided = graph.node("Cast", positive, to=int(TensorProto.INT64))
    return decided, odds, graph.node("Concat", first, second, axis=1)


def _probabilities(graph: Graph, odds: str) -> tuple[str, str]:
    column = graph.node("Reshape", odds, graph.constant(np.array([-1, 1])))
    return (
        graph.node("Sigmoid", graph.node("Neg", column)),
        graph.node("Sigmoid", column),
    )


def _write_calibrator(calibrator: ScoreCalibrator, graph: Graph, scores: str) -> str:
    if calibrator.method == "logistic":
        slope, offset = calibrator.coef_[0], calibrator.intercept_
        scaled = graph.node("Mul", scores, graph.number(slope))
        return graph.node("Add", scaled, graph.number(offset))
    # linear between knots: the sum of ramps, each as long as its piece
    knots, llr = calibrator.knots_, calibrator.llr_
    widths = np.diff(knots)
    column = graph.node("Reshape", scores, graph.constant(np.array([-1, 1])))
    ramps = graph.node("Sub", column, graph.number(knots[:-1]))
    ramps = graph.node("Min", ramps, graph.number(widths))
    ramps = graph.node("Max", ramps, graph.number(0))
    shares = graph.node("Div", ramps, graph.number(widths))
    sums = graph.node("MatMul", shares, graph.number(np.diff(llr)[:, None]))
    return graph.node("Add", graph.flat(sums), graph.number(llr[0]))


def _write_several(
    model: CalibratedClassifier, graph: Graph, scores: str, costs: np.ndarray | None
) -> tuple[str, str, str]:
    llr = graph.node("Mul", scores, graph.number(model.slope_))
    shifts = model.offsets_ + np.log(model.priors_)
    log_p = graph.node(
        "LogSoftmax", graph.node("Add", llr, graph.number(shifts)), axis=1
    )
    p = graph.node("Exp", log_p)
    # differences too small to show in the probabilities are ties
    tied = graph.node("Equal", p, graph.rows("ReduceMax", p))
    log_p = graph.node("Where", tied, graph.rows("ReduceMax", log_p), log_p)
    probabilities = decision = graph.node("Exp", log_p)
    if costs is None:
        decision = log_p
    else:
        decision = graph.node("MatMul", decision, graph.number(-costs))
    return graph.first_largest(decision), decision, probabilities
