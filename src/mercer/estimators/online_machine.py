"""What the online learners share: the list of updates, partial_fit."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from mercer._storable import is_count, is_indices, is_samples, need
from mercer.estimators._objects import count, kernel_values, stack, take
from mercer.estimators.checks import check_known
from mercer.estimators.kernel_machine import KernelMachine
from mercer.estimators.learner import TrainingSet
from mercer.estimators.reduction import Reduction
from mercer.exceptions import ParameterError
from mercer.kernels import Gram, kernel_product, visit_tiles
from mercer.solvers.online import Rule, Updates, walk
from mercer.solvers.predictors import predictors_of
from mercer.solvers.ties import settle_ties


class Reading(NamedTuple):
    """After how many steps to read which predictor of a run."""

    n_steps: int
    predictor: str  # of mercer.solvers.predictors


class Course(NamedTuple):
    """The rows of a Gram that a run walks through, in pieces.

    `stops` counts the steps that have been taken at the end of each piece; predictors
    are read there.
    """

    pieces: Sequence[NDArray[np.int64]]
    stops: Sequence[int]


class OnlineKernelMachine(KernelMachine):
    """A kernel machine that learns one sample at a time.

    What it keeps is the list of its updates, one list per problem, and the samples
    that they are about (`_kept`); every predictor follows from these.
    """

    verbose: int
    random_state: Any
    _kept: Any  # the samples that updates are about
    _kept_y: NDArray[np.integer]  # the classes of these, encoded
    _kept_at: NDArray[np.integer]  # where they stand among all samples that were seen
    classes_declared_: bool  # whether partial_fit was told all classes
    _updates: list[Updates]  # their samples count the rows of `_kept`

    def __mercer_check__(self) -> None:
        super().__mercer_check__()
        n, updates = len(self._kept_y), self._updates
        need(
            isinstance(updates, list)
            and len(updates) == self.reduction_.n_problems
            and all(type(u) is Updates for u in updates)
            and all(is_indices(u.samples, len(u.samples), n) for u in updates)
            and is_indices(self._kept_y, n, len(self.classes_))
            and is_indices(self._kept_at, n)
            and (self.is_precomputed or is_samples(self._kept, n, self.n_features_in_))
            and is_count(self.n_samples_seen_),
            "the samples that it learned from do not fit its updates",
        )

    @abstractmethod
    def rules(self, sizes: NDArray[np.integer]) -> Sequence[Rule]:
        """When to update, for binary problems of so many samples."""

    @abstractmethod
    def reading(self, size: int) -> Reading:
        """What is read of the run of a binary problem of so many samples."""

    @abstractmethod
    def courses(
        self,
        training: TrainingSet,
        signs: NDArray[np.float64],
        stops: Sequence[Sequence[int]],
    ) -> list[Course]:
        """What each binary problem walks through.

        Parameters
        ----------
        training : TrainingSet
            The samples.
        signs : array of shape (n_problems, n_samples)
            +1, -1, or 0 for a sample that the problem does not have, and passes over.
        stops : sequence of n_problems ascending sequences
            After how many steps predictors are read; fewer steps are the beginning of
            more.
        """

    def check_parameters(self, training: TrainingSet) -> None:
        """Complain as `fit` would on this training set."""
        self.reading(1)
        self.rules(np.array([1]))
        Reduction.make(self.multiclass, len(training.classes))

    def _begin(self, X: Any, classes: NDArray) -> None:
        """Forget everything."""
        self.classes_ = classes
        self.reduction_ = Reduction.make(self.multiclass, max(2, len(classes)))
        self._updates = [Updates.none() for _ in range(self.reduction_.n_problems)]
        self._kept = X[:0]
        self._kept_y = np.empty(0, np.intp)
        self._kept_at = np.empty(0, np.intp)
        self.n_samples_seen_ = 0
        self.classes_declared_ = True

    def _choose(self, gram: Gram | None) -> None:
        """Look for the best predictor, where a learner has a choice.

        `gram` is that of the kept samples, or None where it is not at hand.
        """

    def _learned(
        self,
        X: Any,
        y_encoded: NDArray[np.integer],
        rules: Sequence[Rule],
        new: list[Updates],
        gram: Gram | None = None,
    ) -> None:
        """Take in updates about the rows of X, and work out the predictor."""
        keep = self._worth_keeping(len(y_encoded), new)
        place = np.cumsum(keep) - 1 + len(self._kept_y)
        for p, updates in enumerate(new):
            moved = Updates(place[updates.samples], updates.steps, updates.n_steps)
            self._updates[p] = self._updates[p] + moved
        if not self.is_precomputed:
            self._kept = stack(self._kept, take(X, np.flatnonzero(keep)))
        self._kept_y = np.concatenate([self._kept_y, y_encoded[keep]])
        at = np.flatnonzero(keep) + self.n_samples_seen_
        self._kept_at = np.concatenate([self._kept_at, at])
        self.n_samples_seen_ += len(y_encoded)
        self._choose(gram)
        coefficients = np.zeros((len(self._updates), len(self._kept_y)))
        for p, updates in enumerate(self._updates):
            weights = self._update_weights(p, rules[p], updates)
            weights = weights * self._update_signs(p, updates)
            np.add.at(coefficients[p], updates.samples, weights)
        self._store(self._kept, self._kept_at, coefficients)
        self.dual_coef_ = np.ascontiguousarray(self._coefficients.T)

    def _update_weights(
        self, p: int, rule: Rule, updates: Updates
    ) -> NDArray[np.float64]:
        """How much each update of a problem counts in the predictor, its sign aside."""
        predictors = predictors_of(rule, updates.n_steps)
        return predictors.weights(self.reading(1).predictor, updates)

    def _worth_keeping(self, n: int, new: list[Updates]) -> NDArray[np.bool_]:
        keep = np.zeros(n, bool)
        for updates in new:
            keep[updates.samples] = True
        return keep

    def _update_signs(self, p: int, updates: Updates) -> NDArray[np.float64]:
        return self.reduction_.code(p)[self._kept_y[updates.samples]]

    def binary_scores(self, X: Any) -> NDArray:
        """Scores of the binary problems, one column each, of X from `validate_new`."""
        if not len(self.support_):
            return super().binary_scores(X)
        kind, sizes = self.reduction_.kind, np.abs(self._coefficients)
        if self.kernel_ is None:
            # it need not be positive semidefinite: its diagonal bounds nothing
            K = self._values(X)
            scores = K @ self._coefficients + self.intercept_
            epsilon = float(np.finfo(K.dtype).eps)
            reach = np.maximum(K.max(axis=1), -K.min(axis=1)).astype(np.float64)
            return settle_ties(
                kind,
                scores,
                epsilon,
                reach,
                sizes.sum(axis=0),
                lambda rows, _: np.abs(K[rows]) @ sizes,
            )
        scores = super().binary_scores(X)
        kernel, Y = self.kernel_, self.support_vectors_

        def sums(rows: NDArray[np.intp], _: NDArray[np.bool_]) -> NDArray[np.float64]:
            total = np.zeros((len(rows), sizes.shape[1]))

            def add(i: slice, j: slice, values: NDArray) -> None:
                total[i] += np.abs(values) @ sizes[j]

            visit_tiles(kernel, X[rows], Y, add)
            return total

        # |k(x, y)| ≤ √(m(x, x)·m(y, y)) tells nearly all scores from zero
        bound = kernel.majorant
        reach, lengths = (np.sqrt(bound.diag(Z).astype(np.float64)) for Z in (X, Y))
        epsilon = np.finfo(np.result_type(X.dtype, Y.dtype)).eps
        return settle_ties(kind, scores, epsilon, reach, lengths @ sizes, sums)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Go on learning from more samples, each taken once, in the order given.

        Parameters
        ----------
        X, y : arrays
            The next samples and their classes.
        classes : array, optional
            All classes there will be; a label outside them is then an error. Without it
            classes are taken as they come, and the binary problems of a new class begin
            when the class does.
        """
        if self.is_precomputed:
            raise ParameterError(
                "partial_fit needs the samples themselves: with kernel='precomputed' "
                "the kernel values to earlier samples are not known; use fit."
            )
        first = not hasattr(self, "_updates")
        X, y = self._validate(X, y, reset=first)
        known = check_known(y, classes, None if first else self)
        if first:
            kernel = None if self.is_function else self.make_kernel(X)
            self._begin(X, known)
            self.kernel_, self.classes_declared_ = kernel, classes is not None
        elif len(known) > len(self.classes_):
            self._take_classes(known)
        y_encoded = np.searchsorted(self.classes_, y)
        gram = self._gram_of(X)
        before = np.array([updates.n_steps for updates in self._updates])
        order = np.arange(len(y_encoded))[None]
        signs, scores = self.reduction_.signs(y_encoded), self._scores_so_far(X)
        rules = self.rules(np.count_nonzero(signs, axis=1))
        found = walk(gram, rules, signs, order, scores, before)
        self._learned(X, y_encoded, rules, found)
        return self

    def _take_classes(self, classes: NDArray) -> None:
        """Take new classes in; the updates of binary problems that go on are kept."""
        known, before, updates = self.classes_, self.reduction_, self._updates
        self.classes_ = classes
        self.reduction_ = Reduction.make(self.multiclass, len(classes))
        so_far = {
            topic: updates[p]
            for p in range(before.n_problems)
            for topic in _topics(known, before, p)
        }
        self._updates = [
            so_far.get(_topics(classes, self.reduction_, p)[0], Updates.none())
            for p in range(self.reduction_.n_problems)
        ]
        self._kept_y = np.searchsorted(classes, known[self._kept_y])

    def _scores_so_far(self, X: Any) -> NDArray[np.float64]:
        n_problems, n_kept = len(self._updates), len(self._kept_y)
        if not n_kept:
            return np.zeros((n_problems, count(X)))
        counts = np.zeros((n_kept, n_problems))
        for p, updates in enumerate(self._updates):
            np.add.at(counts[:, p], updates.samples, self._update_signs(p, updates))
        if self.kernel_ is None:
            scores = kernel_values(self.kernel, X, self._kept) @ counts
        else:
            scores = kernel_product(self.kernel_, X, self._kept, counts)
        return np.ascontiguousarray(scores.T)


def _topics(
    classes: NDArray, reduction: Reduction, p: int
) -> list[tuple[str, frozenset[Any]]]:
    """What a binary problem is about, whichever other classes there are.

    Two classes are one problem, which is about each of them and about the pair.
    """
    code = reduction.code(p)
    pair = [("pair", frozenset(classes[code != 0].tolist()))]
    singles = [("one", frozenset([c])) for c in classes[code != 0].tolist()]
    if reduction.kind == "ovr":
        return [("one", frozenset(classes[code > 0].tolist()))]
    return pair if reduction.kind == "ovo" else pair + singles
