"""The kernel perceptron, with three ways to end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from mercer._compat import with_callbacks
from mercer._storable import need, storable
from mercer._threads import parallel_map
from mercer.estimators.checks import check_choice, check_count
from mercer.estimators.learner import TrainingSet
from mercer.estimators.online_machine import Course, OnlineKernelMachine, Reading
from mercer.estimators.progress import FitProgress
from mercer.kernels import Gram, Kernel
from mercer.solvers.online import PerceptronRule, Rule, Updates, fewest_mistakes, walk
from mercer.solvers.predictors import BEST, PREDICTORS

MISTAKES = ("margin", "sign")


@storable
class KernelPerceptron(OnlineKernelMachine):
    r"""Kernel perceptron: a sample that is predicted wrong is added to the predictor.

    .. math:: s(x) = \sum_i \alpha_i y_i k(x_i, x), \qquad
              \alpha_i \leftarrow \alpha_i + 1 \text{ when } y_i s(x_i) \le 0.

    Parameters
    ----------
    kernel : str, Kernel or function
        ``"linear"``, ``"poly"``, ``"rbf"``, ``"sigmoid"``, ``"exponential"``,
        ``"cosine"``, ``"precomputed"``, a kernel of `mercer.kernels`, or a function
        k(X, Y) that returns the matrix between two sets of samples of any kind.
    gamma, degree, coef0
        Parameters of a kernel given by name, as in scikit-learn.
    variant : {"last", "averaged", "best"}
        Which predictor of the run to use: the last one; the average over all steps, in
        which a predictor counts as long as it survives; or, among those after an update
        of the last epoch, the one with the fewest mistakes on the training set.
    epochs : int
        How often to walk through the samples. A binary problem stops when an epoch
        makes no mistake; the result is the same as if it had gone on.
    multiclass : {"ovr", "ovo"}
        One problem per class, or one per pair of classes.
    mistake : {"margin", "sign"}
        What a mistake is. ``"margin"``: y·s ≤ 0 (report 002). ``"sign"``: y differs
        from the prediction, which is +1 for s > 0 and -1 otherwise (report 003).
    shuffle : bool
        Whether each epoch takes the samples in a new random order.
    decision_function_shape : {"ovr", "ovo"}
        With one-vs-one: one column per class, or one per pair.
    break_ties : bool
        With one-vs-one: whether the sum of scores decides between classes with equally
        many votes; if not, the first class wins.
    memory_budget : int, str or None
        Bytes for the Gram; when it is over budget, samples are taken in chunks.
    random_state : int, RandomState or None
        Seed of the orders.
    verbose : int
        Whether to log each epoch.

    Attributes
    ----------
    classes_ : array
        The classes.
    support_, support_vectors_ : arrays
        The training samples that take part in the predictor.
    dual_coef_ : array of shape (n_problems, n_support)
        Their coefficients, signs included.
    intercept_ : array of shape (n_problems,)
        Zeros; add a `Constant` to the kernel for a bias.
    mistakes_ : array of shape (n_problems, epochs)
        Mistakes of each problem in each epoch of `fit`.
    n_iter_ : int
        Epochs that were needed.

    Examples
    --------
    >>> from mercer import KernelPerceptron, load_dataset
    >>> digits = load_dataset("digits")
    >>> model = KernelPerceptron("poly", degree=3, epochs=5, random_state=0)
    >>> model = model.fit(digits.X[:1200], digits.y[:1200])
    >>> round(model.score(digits.X[1200:], digits.y[1200:]), 3)
    0.93
    """

    path_parameters = frozenset({"epochs", "variant"})

    def __init__(
        self,
        kernel: str | Kernel = "rbf",
        gamma: str | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        variant: str = "last",
        epochs: int = 5,
        multiclass: str = "ovr",
        mistake: str = "margin",
        shuffle: bool = True,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        memory_budget: int | str | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.variant = variant
        self.epochs = epochs
        self.multiclass = multiclass
        self.mistake = mistake
        self.shuffle = shuffle
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.memory_budget = memory_budget
        self.random_state = random_state
        self.verbose = verbose

    def __mercer_check__(self) -> None:
        super().__mercer_check__()
        starts, ends = self._epoch_starts, [len(u.samples) for u in self._updates]
        good = isinstance(starts, list) and len(starts) == len(ends)
        good = good and all(type(start) is int for start in starts)
        good = good and all(0 <= start <= end for start, end in zip(starts, ends))
        need(good, "its last epoch begins nowhere")

    @with_callbacks
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from samples X of classes y, from the beginning."""
        self.reading(1)
        X, y = self._validate(X, y)
        y_encoded = self._encode(y)
        self._begin(X, self.classes_)
        gram = self._make_gram(X)
        training = TrainingSet(np.arange(len(y_encoded)), y_encoded, self.classes_)
        signs = self.reduction_.signs(y_encoded)
        rules = self.rules(np.count_nonzero(signs, axis=1))
        updates = self._walk_epochs(gram, rules, training, signs)
        self._learned(X, y_encoded, rules, updates, gram)
        return self

    def _walk_epochs(
        self,
        gram: Gram,
        rules: Sequence[Rule],
        training: TrainingSet,
        signs: NDArray[np.float64],
    ) -> list[Updates]:
        sizes, epochs = np.count_nonzero(signs, axis=1), self.epochs
        self.mistakes_ = np.zeros((len(signs), epochs), np.int64)
        updates, active = list(self._updates), np.arange(len(signs))
        scores, progress = np.zeros(signs.shape), FitProgress(self, epochs)
        for epoch, order in enumerate(self._orders(training, epochs)):
            with progress.task("epoch", epoch) as said:
                mine = scores[active]
                before = np.array([updates[p].n_steps for p in active])
                found = walk(gram, rules, signs[active], order[None], mine, before)
                scores[active] = mine
                for p, new in zip(active, found):
                    updates[p] = updates[p] + new
                    self.mistakes_[p, epoch] = len(new.samples)
                said["mistakes"] = str(self.mistakes_[:, epoch].sum())
            active = active[self.mistakes_[active, epoch] > 0]
            self.n_iter_ = epoch + 1
            if not len(active):
                break
        progress.end()
        # a problem that stopped early would have gone on without a mistake
        updates = [
            Updates(u.samples, u.steps, int(epochs * n)) for u, n in zip(updates, sizes)
        ]
        self._epoch_starts = [
            len(u.until(u.n_steps - n).samples) for u, n in zip(updates, sizes)
        ]
        return updates

    def _orders(
        self, training: TrainingSet, epochs: int
    ) -> Iterator[NDArray[np.int64]]:
        """The order of each epoch, which all binary problems walk through."""
        random = check_random_state(self.random_state)
        for _ in range(epochs):
            order = np.arange(len(training))
            if self.shuffle:
                random.shuffle(order)
            yield training.rows[order]

    def rules(self, sizes: NDArray[np.integer]) -> list[PerceptronRule]:
        """Update on a mistake."""
        check_choice("mistake", self.mistake, MISTAKES)
        return [PerceptronRule(zero_is_negative=self.mistake == "sign")] * len(sizes)

    def reading(self, size: int) -> Reading:
        """The predictor of this variant, after all epochs."""
        epochs = check_count("epochs", self.epochs)
        check_choice("variant", self.variant, PREDICTORS)
        return Reading(epochs * size, self.variant)

    def courses(
        self,
        training: TrainingSet,
        signs: NDArray[np.float64],
        stops: Sequence[Sequence[int]],
    ) -> list[Course]:
        """The order of each epoch, the same for all problems."""
        sizes = [int(size) for size in np.count_nonzero(signs, axis=1)]
        epochs = max(own[-1] // size for own, size in zip(stops, sizes))
        orders = list(self._orders(training, epochs))
        return [Course(orders, range(n, n * epochs + 1, n)) for n in sizes]

    def _begin(self, X: Any, classes: NDArray) -> None:
        super()._begin(X, classes)
        self._epoch_starts = [0] * self.reduction_.n_problems

    def _take_classes(self, classes: NDArray) -> None:
        super()._take_classes(classes)
        self._epoch_starts = [0] * self.reduction_.n_problems

    def _worth_keeping(self, n: int, new: list[Updates]) -> NDArray[np.bool_]:
        if self.variant == BEST:
            return np.ones(n, bool)
        return super()._worth_keeping(n, new)

    def _choose(self, gram: Gram | None) -> None:
        if self.variant != BEST:
            return
        if gram is None:
            gram = self._gram_of(self._kept)
        signs = self.reduction_.signs(self._kept_y)
        rules = self.rules(np.count_nonzero(signs, axis=1))

        def choose(p: int) -> int:
            updates, start = self._updates[p], self._epoch_starts[p]
            return fewest_mistakes(gram, rules[p], signs[p], updates, start)

        self._chosen = parallel_map(choose, range(len(signs)))

    def _update_weights(
        self, p: int, rule: Rule, updates: Updates
    ) -> NDArray[np.float64]:
        weights = super()._update_weights(p, rule, updates)
        if self.variant == BEST:
            weights[self._chosen[p] :] = 0
        return weights
