"""Binary machines in all folds: along the path each solution starts the next.

Scores are made of a product per class, of just its support vectors: with one-vs-one a
class takes part in few of the problems, and one product for all models of the path does
no work for the others.
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer._numba import compiled
from mercer._threads import parallel_map
from mercer.estimators import BinaryMachine, Reduction
from mercer.kernels import Gram
from mercer.model_selection.paths.answers import BinaryScores, Learned, Tell
from mercer.model_selection.paths.folds import Fold
from mercer.solvers.svm import BinaryProblem


def solve_path(
    gram: Gram,
    models: Sequence[BinaryMachine],
    folds: Sequence[Fold],
    with_train: bool,
    tell: Tell,
) -> Iterator[Learned]:
    """Solve and answer for all models in all folds.

    After Ctrl-C the models that are complete are still answered for.
    """
    order = sorted(range(len(models)), key=lambda m: models[m].path_position())
    concave = None if gram.kernel is None else gram.kernel.is_semidefinite
    parts = [_FoldPath(fold, models[0], concave) for fold in folds]
    stop, n_complete = threading.Event(), 0
    for m in order:
        _solve(gram, models[m], parts, stop)
        if stop.is_set():
            break
        n_complete += 1
        tell(len(parts))
    complete = order[:n_complete]
    if n_complete == len(order) and not _is_carried(gram, models[order[-1]], parts):
        again = gram.in_float64()
        yield from solve_path(again, models, folds, with_train, lambda n_fits: None)
        return
    for part in parts:
        yield from part.answers(gram, models, complete, with_train)
    if stop.is_set():
        raise KeyboardInterrupt


def _solve(
    gram: Gram, model: BinaryMachine, parts: Sequence[_FoldPath], stop: threading.Event
) -> None:
    """Take the next step of the path in all folds together."""
    todo = [(part, p) for part in parts for p in part.begin(model)]
    solutions = model.solve(
        gram,
        [part.problems[p] for part, p in todo],
        starts=[part.start(model, p) for part, p in todo],
        stop=stop,
    )
    if not stop.is_set():
        _warn(model, solutions)
        for (part, p), solution in zip(todo, solutions):
            part.solutions[-1][p] = solution


def _is_carried(gram: Gram, model: BinaryMachine, parts: Sequence[_FoldPath]) -> bool:
    """Whether the Gram was fine enough, judged by the end of the path.

    There coefficients are largest, and so is what rounding makes of them.
    """
    if gram.kernel is None or gram.dtype == np.float64:
        return True
    return model.is_carried(
        gram, [(part.problems, part.solutions[-1]) for part in parts]
    )


class _FoldPath:
    """The binary problems of a fold, and their solutions along the path.

    A dual that is not `concave` has many stationary points, and the order of the
    samples and the start decide which is found: then both are those of a single fit.
    None: nobody knows yet.
    """

    def __init__(self, fold: Fold, model: BinaryMachine, concave: bool | None) -> None:
        training = fold.training
        self.fold = fold
        self.reduction = Reduction.make(model.multiclass, len(training.classes))
        self._codes = self.reduction.codes
        self._concave = concave
        # in the order of the Gram a class is a few runs
        key = training.rows if concave else training.y_encoded
        order = np.argsort(key, kind="stable")
        self._training = replace(
            training, rows=training.rows[order], y_encoded=training.y_encoded[order]
        )
        self.problems: list[BinaryProblem] = []
        self.solutions: list[list[Any]] = []
        self._before: list[list[BinaryProblem]] = []

    def begin(self, model: BinaryMachine) -> range:
        """Go on to the problems of this model."""
        warm = np.isfinite(model.path_position()) and self._is_on_path()
        self._before = [*self._before[-1:], self.problems] if warm else []
        self.problems = list(model.binary_problems(self._training))
        self.solutions.append([None] * len(self.problems))
        return range(len(self.problems))

    def _is_on_path(self) -> bool:
        """Whether the last solution may start the next."""
        if not self.solutions or self._concave is not None:
            return bool(self.solutions and self._concave)
        return not _met_indefinite(self.solutions[-1])

    def start(self, model: BinaryMachine, p: int) -> Any:
        """What the last two problems on the path lead to, or None where it starts."""
        solutions = self.solutions[-1 - len(self._before) : -1]
        solved = [(own[p], one[p]) for own, one in zip(self._before, solutions)]
        return model.start_after(solved) if solved else None

    def answers(
        self,
        gram: Gram,
        models: Sequence[BinaryMachine],
        complete: Sequence[int],
        with_train: bool,
    ) -> Iterator[Learned]:
        if not complete:
            return
        n, n_classes = len(complete), len(self._training.classes)
        parts = [self._class_part(c, n) for c in range(n_classes)]
        bias = np.array([[s.bias for s in step] for step in self.solutions[:n]])
        scores = [
            _score_by_class(gram, parts, rows, bias)
            for rows in self.fold.rows_to_score(with_train)
        ]
        for k, m in enumerate(complete):
            test, *train = (
                BinaryScores.of(models[m], self.reduction, own[k].T) for own in scores
            )
            gap = _relative_gap(self.solutions[k])
            yield Learned(m, self.fold, test, train[0] if train else None, gap)

    def _class_part(self, c: int, n_models: int) -> _ClassPart:
        """The coefficients of the samples of one class."""
        mine = np.flatnonzero(self._training.y_encoded == c)
        codes = self._codes
        sizes = np.bincount(self._training.y_encoded, minlength=codes.shape[1])
        problems = np.flatnonzero(codes[:, c])
        coefficients = np.empty((n_models, len(problems), len(mine)))
        for k, p in enumerate(problems):
            # a problem has its samples class by class
            first = int(sizes[:c][codes[p, :c] != 0].sum())
            for m in range(n_models):
                coef = self.solutions[m][p].coef
                coefficients[m, k] = coef[first : first + len(mine)]
        return _ClassPart(self._training.rows[mine], problems, coefficients)


@dataclass(frozen=True, eq=False)
class _ClassPart:
    """The samples of a class, the problems that it takes part in, the coefficients.

    `coefficients` has the shape (models, problems, samples).
    """

    rows: NDArray[np.intp]
    problems: NDArray[np.intp]
    coefficients: NDArray[np.float64]


def _score_by_class(
    gram: Gram,
    parts: Sequence[_ClassPart],
    rows: NDArray[np.intp],
    bias: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Scores of the samples in these rows, of shape (models, problems, samples)."""

    def of_class(part: _ClassPart) -> NDArray | None:
        support = np.flatnonzero(part.coefficients.any(axis=(0, 1)))
        if not len(support):
            return None
        own = part.coefficients[:, :, support].astype(gram.dtype)
        K = _values(gram, part.rows[support], rows)
        scores = own.reshape(-1, len(support)) @ K
        return scores.reshape(*own.shape[:2], len(rows))

    total = np.empty((*bias.shape, len(rows)))
    total[:] = bias[:, :, None]
    for part, scores in zip(parts, parallel_map(of_class, parts)):
        if scores is not None:
            total[:, part.problems] += scores
    return total


def _values(gram: Gram, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray:
    if not gram.in_memory:
        return gram.block(rows, columns)
    values = np.empty((len(rows), len(columns)), gram.dtype)
    _gather(gram.matrix, rows, columns, values)
    return values


@compiled
def _gather(K: NDArray, rows: NDArray, columns: NDArray, out: NDArray) -> None:
    at = columns.astype(np.uint64)  # an unsigned index needs no check of its sign
    for i in range(len(rows)):
        row, into = K[rows[i]], out[i]
        for j in range(len(at)):
            into[j] = row[at[j]]


def _relative_gap(solutions: Sequence[Any]) -> float:
    """Of all binary problems together; NaN where a solution certifies nothing."""
    known = [s.certificate for s in solutions if s.certificate is not None]
    if not known or _met_indefinite(solutions):
        return np.nan
    primal = sum(certificate.primal for certificate in known)
    return float(sum(certificate.gap for certificate in known) / max(primal, 1e-300))


def _met_indefinite(solutions: Sequence[Any]) -> bool:
    known = (s.certificate for s in solutions if s.certificate is not None)
    return any(certificate.indefinite for certificate in known)


def _warn(model: BinaryMachine, solutions: Sequence[Any]) -> None:
    known = [s.certificate for s in solutions if s.certificate is not None]
    left = [certificate for certificate in known if not certificate.converged]
    if left:
        warnings.warn(
            f"{len(left)} of {len(solutions)} binary problems ended before the "
            f"tolerance ({left[0].status}); the scores are of the best models so far.",
            ConvergenceWarning,
            stacklevel=2,
        )
    met = _met_indefinite(solutions)
    if met and not (model.has_kernel and not model.make_kernel(None).is_semidefinite):
        warnings.warn(
            "The kernel is not positive semidefinite on these samples; the solutions "
            "are stationary points.",
            ConvergenceWarning,
            stacklevel=2,
        )
