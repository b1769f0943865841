"""Pegasos in all splits and classes at once, looked at on its way.

Reports 000 and 001 (the studies `pegasos-grid` and `pegasos-gaussian`) compare numbers
of steps. One run over one Gram shows them all: scores of all samples are maintained, so
that those to be tested come along for nothing.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._threads import parallel_map
from mercer.kernels import Gram
from mercer.model_selection.protocols.errors_on_splits import Split
from mercer.solvers.online import PegasosRule, Updates, walk

Name = TypeVar("Name")


@dataclass(frozen=True, eq=False)
class SplitProblems:
    """One binary problem per class in each of some splits: one class against the rest.

    Attributes
    ----------
    y_encoded : ndarray of shape (n_samples,)
        The class of each sample, counted from 0.
    n_classes : int
        How many there are.
    splits : sequence of (train, test)
        The samples of each split.
    signs : ndarray of shape (n_splits · n_classes, n_samples)
        Split by split and class by class: +1 for the class, -1 for the rest, 0 for
        samples outside of training. Solvers leave these alone, and keep their scores
        all the same.

    Examples
    --------
    >>> split = np.array([0, 2]), np.array([1])
    >>> problems = SplitProblems.of(np.array([5, 6, 6]), [split])
    >>> problems.signs.tolist()
    [[1.0, 0.0, -1.0], [-1.0, 0.0, 1.0]]
    """

    y_encoded: NDArray[np.integer]
    n_classes: int
    splits: Sequence[Split]
    signs: NDArray[np.float64]

    @classmethod
    def of(cls, y: NDArray, splits: Sequence[Split]) -> SplitProblems:
        """The problems of the classes in `y`."""
        classes, y_encoded = np.unique(y, return_inverse=True)
        is_class = y_encoded == np.arange(len(classes))[:, None]
        signs = np.zeros((len(splits), *is_class.shape))
        for place, (train, _) in enumerate(splits):
            signs[place][:, train] = np.where(is_class[:, train], 1.0, -1.0)
        return cls(y_encoded, len(classes), splits, signs.reshape(-1, len(y)))

    def of_split(self, scores: NDArray, place: int) -> NDArray:
        """The rows of one split, one per class."""
        return scores[place * self.n_classes : (place + 1) * self.n_classes]

    def test_errors(self, scores: NDArray) -> list[float]:
        """The share of each split's test samples whose highest score is wrong."""
        return [self._error(scores, s, test) for s, (_, test) in enumerate(self.splits)]

    def train_errors(self, scores: NDArray) -> list[float]:
        """The same for the training samples."""
        return [self._error(scores, s, part) for s, (part, _) in enumerate(self.splits)]

    def binary_errors(self, scores: NDArray) -> NDArray[np.float64]:
        """Test errors of each class's own classifier, mean over the splits.

        Its prediction is the sign of the score, and zero is negative.
        """
        errors = np.zeros((len(self.splits), self.n_classes))
        for place, (_, test) in enumerate(self.splits):
            said = self.of_split(scores, place)[:, test] > 0
            true = self.y_encoded[test] == np.arange(self.n_classes)[:, None]
            errors[place] = (said != true).mean(axis=1)
        return errors.mean(axis=0)

    def draw(self, n_steps: int, random: np.random.Generator) -> NDArray[np.int64]:
        """Training samples drawn uniformly, for each problem its own."""
        draws = np.empty((len(self.signs), n_steps), np.int64)
        for problem, signs in enumerate(self.signs):
            members = np.flatnonzero(signs)
            draws[problem] = members[random.integers(len(members), size=n_steps)]
        return draws

    def _error(self, scores: NDArray, place: int, rows: NDArray[np.intp]) -> float:
        decided = self.of_split(scores, place)[:, rows].argmax(axis=0)
        return float(np.mean(decided != self.y_encoded[rows]))


@dataclass(frozen=True, eq=False)
class PegasosRun:
    """A run of all problems after some steps.

    Attributes
    ----------
    signs : ndarray of shape (n_problems, n_samples)
        The problems.
    step : int
        How many steps each has taken.
    sums : ndarray of shape (n_problems, n_samples)
        Σ α_j y_j k(x_j, ·): scores before the factor 1/(λt). The run goes on to change
        them.
    updates : list of Updates
        What each problem has added so far.
    seconds : float
        Spent on walking so far.
    """

    signs: NDArray[np.float64]
    step: int
    sums: NDArray[np.float64]
    updates: Sequence[Updates]
    seconds: float

    @property
    def n_updates(self) -> float:
        """Steps that changed something, mean over the problems."""
        return float(np.mean([len(u.samples) for u in self.updates]))

    def coefficients(self) -> NDArray[np.float64]:
        """Coefficients α·y of the last hyperplanes, before the factor 1/(λt)."""
        coefficients = np.zeros(self.signs.shape)
        for row, sign, u in zip(coefficients, self.signs, self.updates):
            np.add.at(row, u.samples, sign[u.samples])
        return coefficients

    def averaged_coefficients(self) -> NDArray[np.float32]:
        """Coefficients, times λ, of the average of the hyperplanes after every step.

        The hyperplane after step t is 1/(λt) times the sum so far: an update at step τ
        counts 1/τ + … + 1/T in the sum of all T of them.
        """
        coefficients = np.zeros(self.signs.shape, np.float32)
        for row, sign, u in zip(coefficients, self.signs, self.updates):
            harmonic = np.cumsum(1 / np.arange(1, u.n_steps + 1))
            before = np.concatenate([[0.0], harmonic])[u.steps - 1]
            weights = (harmonic[-1] - before) / u.n_steps
            np.add.at(row, u.samples, weights * sign[u.samples])
        return coefficients


def walk_pegasos(
    gram: Gram,
    signs: NDArray[np.float64],
    lam: ArrayLike,
    draws: NDArray[np.int64],
    stops: Sequence[int],
    steps_before: int = 0,
) -> Iterator[PegasosRun]:
    """Walk every problem through its draws, and stop after these numbers of steps.

    Parameters
    ----------
    gram : Gram
        Of all samples.
    signs : ndarray of shape (n_problems, n_samples)
        The problems, as `SplitProblems.signs`.
    lam : float or array of n_problems
        λ of λ/2·‖w‖² plus the mean hinge loss.
    draws : ndarray of shape (n_problems, n_steps)
        The samples that come, as `SplitProblems.draw`; -1 for none.
    stops : sequence of int
        When to stop, in ascending order.
    steps_before : int
        Where t begins to count.

    Examples
    --------
    >>> from mercer import load_dataset
    >>> from mercer.kernels import Gaussian
    >>> from mercer.model_selection import RotationFolds
    >>> iris = load_dataset("iris")
    >>> random = np.random.default_rng(0)
    >>> splits = list(RotationFolds(5, seed=random).split(iris.X))
    >>> problems = SplitProblems.of(iris.y, splits)
    >>> draws = problems.draw(200, random)
    >>> gram = Gram(Gaussian(0.5), iris.X)
    >>> for run in walk_pegasos(gram, problems.signs, 1e-3, draws, [10, 200]):
    ...     print(run.step, round(float(np.mean(problems.test_errors(run.sums))), 3))
    10 0.107
    200 0.053
    """
    rules = [PegasosRule(float(own)) for own in np.broadcast_to(lam, len(signs))]
    sums, seconds = np.zeros(signs.shape), 0.0
    updates = [Updates.none(steps_before) for _ in rules]
    for start, stop in zip([0, *stops], stops):
        begin = time.perf_counter()
        before = np.array([u.n_steps for u in updates])
        found = walk(gram, rules, signs, draws[:, start:stop], sums, before)
        updates = [u + new for u, new in zip(updates, found)]
        seconds += time.perf_counter() - begin
        yield PegasosRun(signs, stop, sums, updates, seconds)


def averaged_errors(
    gram: Gram, problems: SplitProblems, averages: Mapping[Name, NDArray[np.floating]]
) -> dict[Name, NDArray[np.float64]]:
    """Test errors in each split of hyperplanes given by their coefficients.

    Kernel values of a split are taken once for all of them.
    """

    def look(place: int) -> NDArray[np.float64]:
        _, test = problems.splits[place]
        mine = [problems.of_split(c, place) for c in averages.values()]
        # whole rows: picking columns as well would take longer than the product
        scores = gram.block(test, slice(0, gram.n_samples)) @ np.concatenate(mine).T
        decided = scores.reshape(len(test), len(mine), -1).argmax(axis=2)
        return (problems.y_encoded[test] != decided.T).mean(axis=1)

    errors = np.stack(parallel_map(look, range(len(problems.splits))), axis=1)
    return dict(zip(averages, errors))
