"""Kernelized Pegasos: the SVM's objective by stochastic subgradient steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from mercer._compat import with_callbacks
from mercer._storable import storable
from mercer.estimators.checks import check_count, check_positive
from mercer.estimators.learner import TrainingSet
from mercer.estimators.online_machine import Course, OnlineKernelMachine, Reading
from mercer.estimators.progress import FitProgress
from mercer.exceptions import ParameterError
from mercer.kernels import Gram, Kernel
from mercer.solvers.online import PegasosRule, Updates, walk
from mercer.solvers.predictors import AVERAGED, LAST

_TASKS = 20


@storable
class KernelPegasos(OnlineKernelMachine):
    r"""Kernelized Pegasos, which approaches the SVM without a bias.

    .. math:: \min_w \tfrac{\lambda}{2}\|w\|^2
              + \tfrac1n \sum_i \max(0, 1 - y_i \langle w, \varphi(x_i) \rangle)

    Step t draws a sample i and adds it to the predictor when
    :math:`y_i \tfrac{1}{\lambda t} \sum_j \alpha_j y_j k(x_j, x_i) < 1`. Each binary
    problem has its own draws. :math:`C = 1/(\lambda n)` turns λ into the SVM's C.

    Parameters
    ----------
    kernel, gamma, degree, coef0, multiclass, decision_function_shape
        As in `KernelPerceptron`.
    break_ties, memory_budget, random_state, verbose
        As there.
    lam : float
        λ, the strength of regularisation.
    C : float or None
        Given instead of λ: λ = 1/(C·n), n being the samples of the binary problem.
    n_steps : int or None
        Steps of each binary problem.
    epochs : float
        When `n_steps` is None: steps as a multiple of the problem's samples.
    average : bool
        Whether to predict with the average of the hyperplanes after each step, which is
        what the theory speaks of, or with the last, which often does better.
    record : int
        At how many moments to record the objective, evenly spaced: see `objective_`.

    Attributes
    ----------
    classes_, support_, support_vectors_, dual_coef_, intercept_
        As in `KernelPerceptron`.
    objective_ : array of shape (n_problems, record)
        The objective of the last hyperplane on the training samples.
    recorded_steps_ : array of shape (n_problems, record)
        The steps after which it was recorded.
    n_iter_ : int
        Steps of the longest run.

    Examples
    --------
    >>> from mercer import KernelPegasos, load_dataset
    >>> digits = load_dataset("digits")
    >>> model = KernelPegasos(lam=1e-4, epochs=2, random_state=0)
    >>> model = model.fit(digits.X[:1200], digits.y[:1200])
    >>> round(model.score(digits.X[1200:], digits.y[1200:]), 3)
    0.925
    """

    path_parameters = frozenset({"n_steps", "epochs", "average"})

    def __init__(
        self,
        kernel: str | Kernel = "rbf",
        gamma: str | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        lam: float = 1e-4,
        C: float | None = None,
        n_steps: int | None = None,
        epochs: float = 5,
        average: bool = False,
        multiclass: str = "ovr",
        record: int = 0,
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
        self.lam = lam
        self.C = C
        self.n_steps = n_steps
        self.epochs = epochs
        self.average = average
        self.multiclass = multiclass
        self.record = record
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.memory_budget = memory_budget
        self.random_state = random_state
        self.verbose = verbose

    @with_callbacks
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from samples X of classes y, from the beginning."""
        X, y = self._validate(X, y)
        y_encoded = self._encode(y)
        self._begin(X, self.classes_)
        gram = self._make_gram(X)
        signs = self.reduction_.signs(y_encoded)
        sizes = np.count_nonzero(signs, axis=1)
        rules = self.rules(sizes)
        training = TrainingSet(np.arange(len(y_encoded)), y_encoded, self.classes_)
        n_steps = [self.reading(int(size)).n_steps for size in sizes]
        draws = self._draws(training, signs, n_steps)
        updates = self._walk_draws(gram, rules, signs, draws)
        self._learned(X, y_encoded, rules, updates)
        return self

    def check_parameters(self, training: TrainingSet) -> None:
        """Complain as `fit` would on this training set."""
        super().check_parameters(training)
        check_count("record", self.record, least=0)

    def reading(self, size: int) -> Reading:
        """The last or the averaged hyperplane, after all steps."""
        predictor = AVERAGED if self.average else LAST
        if self.n_steps is not None:
            return Reading(check_count("n_steps", self.n_steps), predictor)
        steps = round(check_positive("epochs", self.epochs) * size)
        return Reading(max(1, steps), predictor)

    def courses(
        self,
        training: TrainingSet,
        signs: NDArray[np.float64],
        stops: Sequence[Sequence[int]],
    ) -> list[Course]:
        """What each problem draws by itself."""
        draws = self._draws(training, signs, [own[-1] for own in stops])
        return [
            Course(np.split(drawn[: own[-1]], own[:-1]), own)
            for drawn, own in zip(draws, stops)
        ]

    def _draws(
        self, training: TrainingSet, signs: NDArray[np.float64], n_steps: Sequence[int]
    ) -> NDArray[np.int64]:
        """The rows that each problem draws; -1 after its last step."""
        random = check_random_state(self.random_state)
        seeds = random.randint(0, 2**32, size=len(signs), dtype=np.uint64)
        draws = np.full((len(signs), max(n_steps)), -1, np.int64)
        for p, (seed, n) in enumerate(zip(seeds, n_steps)):
            members = training.rows[np.flatnonzero(signs[p])]
            chosen = np.random.default_rng(seed).integers(len(members), size=n)
            draws[p, :n] = members[chosen]
        return draws

    def _walk_draws(
        self,
        gram: Gram,
        rules: Sequence[PegasosRule],
        signs: NDArray[np.float64],
        draws: NDArray[np.int64],
    ) -> list[Updates]:
        record = check_count("record", self.record, least=0)
        updates, scores = list(self._updates), np.zeros(signs.shape)
        tasks = min(record or _TASKS, draws.shape[1])
        bounds = np.linspace(0, draws.shape[1], tasks + 1).astype(int)
        objective, steps = np.zeros((2, len(signs), tasks))
        progress = FitProgress(self, tasks)
        for task in range(tasks):
            with progress.task("part", task) as said:
                before = np.array([u.n_steps for u in updates])
                piece = draws[:, bounds[task] : bounds[task + 1]]
                found = walk(gram, rules, signs, piece, scores, before)
                updates = [u + new for u, new in zip(updates, found)]
                said["support vectors"] = str(len(_touched(updates)))
                if record:
                    objective[:, task] = _objectives(rules, signs, scores, updates)
                    steps[:, task] = [u.n_steps for u in updates]
        progress.end()
        if record:
            self.objective_, self.recorded_steps_ = objective, steps.astype(np.int64)
        self.n_iter_ = draws.shape[1]
        return updates

    def rules(self, sizes: NDArray[np.integer]) -> list[PegasosRule]:
        """Update when the margin is too small for λ."""
        if self.C is None:
            return [PegasosRule(check_positive("lam", self.lam))] * len(sizes)
        if hasattr(self, "n_samples_seen_") and self.n_samples_seen_:
            raise ParameterError(
                "C = 1/(lam·n) means another lam with every new sample; "
                "give lam instead of C to use partial_fit."
            )
        lams = 1 / (check_positive("C", self.C) * sizes)
        return [PegasosRule(float(lam)) for lam in lams]


def _touched(updates: list[Updates]) -> NDArray[np.int64]:
    return np.unique(np.concatenate([u.samples for u in updates]))


def _objectives(
    rules: Sequence[PegasosRule],
    signs: NDArray[np.float64],
    scores: NDArray[np.float64],
    updates: list[Updates],
) -> list[float]:
    values = []
    for rule, y, s, u in zip(rules, signs, scores, updates):
        scale = 1 / (rule.lam * u.n_steps)
        norm = scale**2 * (y[u.samples] @ s[u.samples])
        losses = np.maximum(0, 1 - y * scale * s)[y != 0]
        values.append(float(rule.lam / 2 * norm + losses.mean()))
    return values
