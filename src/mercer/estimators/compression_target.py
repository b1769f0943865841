"""What a machine with fewer support vectors shall say, and how it learns that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.estimators.kernel_machine import KernelMachine
from mercer.kernels import Gaussian, GramPart, Kernel, kernel_product
from mercer.solvers.neighbours import nearest
from mercer.solvers.reduced_set import (
    choose_points,
    learn_points,
    solve_weights,
)

_ROWS = 4096  # of samples whose kernel values are kept at a time
_BATCHES, _SMALLEST, _LARGEST = 100, 32, 250  # in a pass, and samples in one of them
_PACE = 0.1  # of the kernel's width, by which points move at first
_RIDGE = 0.01
_ELSEWHERE = 0.02  # the weight of a pair at samples that are of neither of its classes
_NEAR = 8  # neighbours of each support vector, to go part of the way to
_BETWEEN = 0.25, 0.75
_MOST_BETWEEN = 120_000
_MOST_CLASSES = 20  # for which normal equations are kept class by class


class CompressionTarget:
    """The binary scores without their intercepts, and where they shall be met."""

    def __init__(
        self, model: KernelMachine, kernel: Kernel, vectors: NDArray, samples: NDArray
    ) -> None:
        self.kernel, self.vectors, self.samples = kernel, vectors, samples
        self.coefficients, reduction = model.binary_coefficients(), model.reduction_
        self.bias, self._decide = model.intercept_, reduction.decide
        exact = vectors.astype(np.float64)
        self.values = kernel_product(kernel, exact, exact, self.coefficients)
        # a pair matters where one of its classes is decided for
        self._pairs = reduction.kind == "ovo" and reduction.n_classes <= _MOST_CLASSES
        codes = reduction.codes if self._pairs else np.ones((reduction.n_problems, 1))
        self.counts = np.where(codes != 0, 1.0, _ELSEWHERE).astype(samples.dtype)
        self.scores, self.group = self._score(samples)

    def _score(self, samples: NDArray) -> tuple[NDArray, NDArray[np.intp]]:
        """Scores, and by the class that is decided for which of them count."""
        scores = kernel_product(self.kernel, samples, self.vectors, self.coefficients)
        group = np.zeros(len(samples), np.intp)
        if self._pairs:
            group = self._decide(scores + self.bias).astype(np.intp)
        return scores.astype(samples.dtype), group

    def fit_weights(self, points: NDArray) -> NDArray[np.float64]:
        """The best coefficients of these points."""
        n_points, n_problems = len(points), self.scores.shape[1]
        normals = np.zeros((self.counts.shape[1], n_points, n_points))
        right = np.zeros((n_points, n_problems))
        for start in range(0, len(self.samples), _ROWS):
            rows = slice(start, start + _ROWS)
            K, group = self.kernel(self.samples[rows], points), self.group[rows]
            right += K.T @ (self.counts.T[group] * self.scores[rows])
            for c in np.unique(group):
                normals[c] += K[group == c].T @ K[group == c]
        gram = self.kernel(points).astype(np.float64)
        values = kernel_product(self.kernel, points, self.vectors, self.coefficients)
        weights = np.empty((n_points, n_problems))
        patterns, kind = np.unique(self.counts, axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            own = kind.ravel() == number
            normal = np.tensordot(pattern.astype(np.float64), normals, 1)
            solved = solve_weights(normal, right[:, own], gram, values[:, own], _RIDGE)
            weights[:, own] = solved
        return weights

    def choose(self, n_vectors: int) -> NDArray[np.intp]:
        """Support vectors on which projections are near in the kernel's norm."""
        part = GramPart.prepare(self.kernel, self.vectors)
        everything = slice(0, len(self.vectors))

        def column(number: int) -> NDArray:
            return part.block(np.array([number]), everything)[0]

        diagonal = self.kernel.diag(self.vectors)
        return choose_points(column, diagonal, self.values, n_vectors)

    def learn(
        self, points: NDArray, weights: NDArray, random: Any, passes: int
    ) -> tuple[NDArray, NDArray[np.float64]]:
        """Move points, together with their coefficients, by steps over the samples."""
        assert isinstance(self.kernel, Gaussian)
        gamma, width = float(self.kernel.gamma), points.shape[1]
        self._add_between(random)
        batches = _Batches(self.samples, self.scores, self.counts, self.group)
        middle = batches.middle
        moved = learn_points(
            (points - middle).astype(np.float32),
            weights,
            gamma,
            batches.draw(random, passes),
            pace=_PACE / np.sqrt(gamma * width),
            n_batches=passes * batches.in_a_pass,
        )[0]
        points = (moved + middle).astype(points.dtype)
        return points, self.fit_weights(points)

    def _add_between(self, random: Any) -> None:
        """Beside the samples, some between support vectors that are near each other.

        There the scores are small, as they are for new samples and never for those that
        an SVM was trained on, which it keeps out of its margin.
        """
        near = nearest(self.vectors, self.vectors, min(_NEAR + 1, len(self.vectors)))[1]
        first = np.repeat(np.arange(len(near)), near.shape[1] - 1)
        second = near[:, 1:].ravel()
        if len(first) > _MOST_BETWEEN:
            some = random.choice(len(first), _MOST_BETWEEN, replace=False)
            first, second = first[some], second[some]
        share = random.uniform(*_BETWEEN, (len(first), 1)).astype(self.samples.dtype)
        between = self.vectors[second] - self.vectors[first]
        between *= share
        between += self.vectors[first]
        scores, group = self._score(between)
        self.samples = np.vstack([self.samples, between])
        self.scores = np.vstack([self.scores, scores])
        self.group = np.concatenate([self.group, group])


class _Batches:
    """Samples in random order, their scores, and how much each of these counts."""

    def __init__(
        self, samples: NDArray, scores: NDArray, counts: NDArray, group: NDArray
    ) -> None:
        self.middle = samples.mean(axis=0)  # around which float32 is enough
        self.samples, self.scores = samples, scores
        self.counts, self.group = counts.T, group
        size = np.clip(len(samples) // _BATCHES, _SMALLEST, _LARGEST)
        self.size, self.in_a_pass = int(size), -(-len(samples) // int(size))

    def draw(
        self, random: Any, passes: int
    ) -> Iterator[tuple[NDArray, NDArray, NDArray]]:
        """Go through all samples so many times."""
        for _ in range(passes):
            order = random.permutation(len(self.samples))
            for start in range(0, len(order), self.size):
                rows = order[start : start + self.size]
                samples = (self.samples[rows] - self.middle).astype(np.float32)
                scores = self.scores[rows].astype(np.float32)
                yield samples, scores, self.counts[self.group[rows]].astype(np.float32)
