"""What an exact fit on a cluster costs: the model of docs/scaling.md.

A fit is counted in rounds, in samples that ever move and in moves (a sample that moves
in a round); how many there are is a matter of the data. The rest is arithmetic.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

_FOR_ROWS = 0.75  # of the budget
_NUMBER = 4  # bytes of a float32
_OFFER = 32  # bytes of a candidate: number, gradient, v, bound
_MOVE = 32  # bytes of a move: number, place, change, v
_KEPT = 32  # bytes a sample and problem: z, bound, v, gradient
_COPIES = 3  # of the samples: as loaded, ordered, prepared for products
_VIOLATORS = 512  # candidates of a problem and partition, beside what moved last


class Constants(NamedTuple):
    """Seconds of one processor, and of waiting where it says so."""

    value: float  # a kernel value, without its features
    feature: float  # each of its features
    update: float  # a kernel value that is taken from a gradient
    scan: float  # a sample that is looked through for candidates, in a round
    driver: float  # a move, where fit is called
    messages: float  # a round, where fit is called
    answers: float  # a round, on each worker
    latency: float  # waiting, a round
    byte: float  # waiting, a byte that is moved


class Counts(NamedTuple):
    """What a fit does, whatever it costs."""

    rounds: float
    movers: float  # samples that ever move
    moves: float

    def at(self, other: Counts, ratio: float) -> Counts:
        """Growth from these to others went by powers of n: go on to n times `ratio`.

        `ratio` is in units of the growth: 1 is at the others.
        """
        return Counts(*(a * (b / a) ** ratio for a, b in zip(self, other)))


@dataclass(frozen=True)
class Shape:
    """Samples, features, binary problems, and workers of one thread with a budget."""

    n: float
    d: int
    problems: int = 1
    workers: int = 4
    partitions: int = 4
    budget: float = 2**30  # bytes for kernel values on each worker


@dataclass(frozen=True)
class Cost:
    """Of a fit."""

    values: float  # kernel values
    workers: float  # processor seconds of all of them
    driver: float  # processor seconds
    memory: float  # bytes on each worker
    network: float  # bytes
    wall: float  # seconds, if every worker has a processor of its own


def predict(shape: Shape, counts: Counts, constants: Constants) -> Cost:
    """By the model."""
    n, d, c = shape.n, shape.d, constants
    own = n / shape.workers
    room = _FOR_ROWS * shape.budget / (_NUMBER * own)
    kept = min(1.0, room / counts.movers)
    rows = kept * counts.movers + (1 - kept) * counts.moves
    workers = n * (
        rows * (c.value + d * c.feature)
        + counts.moves * c.update
        + counts.rounds * shape.problems * c.scan
    )
    workers += counts.rounds * shape.workers * c.answers
    driver = counts.moves * c.driver + counts.rounds * c.messages
    per_sample = _COPIES * d * _NUMBER + shape.problems * _KEPT
    memory = own * (per_sample + _NUMBER * min(room, counts.movers))
    violators = min(n, shape.partitions * _VIOLATORS) * shape.problems
    network = (
        counts.movers * d * _NUMBER * (1 + shape.workers)
        + counts.moves * (_MOVE * shape.workers + _OFFER)
        + counts.rounds * violators * _OFFER
    )
    waiting = counts.rounds * c.latency + network * c.byte
    wall = workers / shape.workers + driver + waiting
    return Cost(n * rows, workers, driver, memory, network, wall)


def growth(n: float, first: float, second: float) -> float:
    """How far n is from the first, in units of the way to the second, by powers."""
    return math.log(n / first) / math.log(second / first)
