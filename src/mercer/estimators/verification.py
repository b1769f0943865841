"""Certificates of the model as it is returned, whatever its kernel values were.

A solver certifies the kernel values that it was given. Where a bound of their rounding
(`mercer.kernels.rounding`) shows that the objectives cannot be off by more than the gap
that is stated anyway, that bound is added to the gap. Where it does not, scores are
computed once more in float64, from the coefficients and samples that the model keeps.

The gap is a sum over samples, of C·max(0, slack) − α·slack. A sample at C that has a
loss adds nothing, and neither does one at zero that has none, whatever their scores
are. So those of free samples are needed, and where the bound cannot tell whether there
is a loss. Scores of the others move both objectives alike; by how much is measured on
some of them, and part of `rounding`, but of no gap.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._memory import fits_in_memory
from mercer._threads import parallel_map
from mercer._validation import Matrix, is_sparse
from mercer.estimators.certificate import as_hard_margin
from mercer.estimators.float64_scores import (
    Asked,
    FindScores,
    scores_one_by_one,
    scores_together,
)
from mercer.estimators.rounding import (
    MATTERS,
    NEGLIGIBLE,
    UNIT,
    are_lost,
    certify_again,
    doubtful,
    errors_of_updates,
    rounding_of,
    rounding_of_stacked,
)
from mercer.kernels import (
    Bound,
    Gram,
    GramPart,
    Kernel,
    MostOf,
    Rest,
    kernel_product,
)
from mercer.solvers.svm import (
    BinaryProblem,
    BinaryProblems,
    Solutions,
    StackedSolutions,
    SVMSolution,
)

# of the gap, or where that is hardly any of the primal, too: what is so little need not
# be known closer
_UNSEEN, _NOTHING = 1e-3, 1e-9
_CLEARLY = 0.05  # of the primal: bounds of rounding are far above what it is
_LOOKED_AT = 64  # scores that may be off by most, and as many others
# of support vectors, some of which show rounding, too: so many, or features of all
_SOME, _MANY_FEATURES = 128, 2**17
_MANY_VALUES = 2**25  # of the kernel in float64, which may be left out
_MEASURED = 32  # of samples at C that may be off by most, and as many others
_CLOSE = 1e-5  # of the primal: or as the gap, objectives should not be farther off
_MOST_TOGETHER = 2**24  # values of a matrix in float64 that serves all problems
# products of features that take as long as what is done to a value besides, as writing
# one or reading one among others, and as the certificate of a problem alone
_BESIDES, _READ, _ALONE = 30, 20, 3_000_000
_TINY = float(np.finfo(np.float64).tiny)

_Pair = tuple[BinaryProblem, SVMSolution]
BoundSums = Callable[
    [NDArray[np.intp], NDArray[np.float64]], NDArray[np.float64] | None
]


@dataclass(frozen=True, eq=False)
class Verification:
    """What is known about the samples of a fit.

    Row r of the Gram was sample ``order[r]`` of X; without a kernel, X is the Gram, in
    its order. `xi` is that of a regularized bias, else 0.
    """

    kernel: Kernel | None
    X: Matrix
    order: NDArray[np.intp]
    most: MostOf | None  # at least what these bounds are, where that is known at once
    bound_coarse: Callable[[], Bound]  # of rows of kernel values as they were computed
    bound_fine: Callable[[], Bound]  # of these in float64
    bound_sums: BoundSums  # of sums of them, where more is known of these
    free_bias: bool
    xi: float
    tol: float
    rest: Rest | None = None  # what the solver's values lack of those in float64
    budget: Any = None  # bytes for a matrix

    @classmethod
    def of(
        cls,
        gram: Gram | GramPart,
        kernel: Kernel | None,
        X: Matrix,
        order: NDArray[np.intp],
        *,
        free_bias: bool,
        xi: float,
        tol: float,
        budget: Any = None,
    ) -> Verification:
        """Bound the rounding of these kernel values; given ones are exact."""
        if kernel is None:
            assert isinstance(gram, Gram)
            bound = Bound(gram.magnitudes, np.zeros(gram.n_samples))
            given = None, gram.matrix, order, None
            bounds = (lambda: bound), (lambda: bound), _of_no_sums
            return cls(*given, *bounds, free_bias, xi, tol)
        known = kernel, X, order, gram.bound_most(), gram.bound_rounding
        fine = partial(_bound_fine, gram)
        how = free_bias, xi, tol, gram.rest, budget
        return cls(*known, fine, gram.bound_sums, *how)

    @property
    def _samples(self) -> tuple[Kernel | None, Matrix, NDArray[np.intp]]:
        return self.kernel, self.X, self.order

    @cached_property
    def coarse(self) -> Bound:
        """Of rows of kernel values as they were computed."""
        return self.bound_coarse()

    @cached_property
    def fine(self) -> Bound:
        """Of rows of kernel values in float64."""
        return self.bound_fine()

    def verify_all(
        self, problems: Sequence[BinaryProblem], solutions: Solutions
    ) -> Solutions:
        """The solutions with certificates that hold for the kernel itself."""
        if isinstance(solutions, StackedSolutions):
            off = self._most_rounding_of_stacked(solutions)
            if _is_unseen(off, solutions.quality.gap, solutions.quality.primal):
                return solutions.with_rounding(off)
            if len(solutions) > 1:  # one alone is looked at closer at once
                off = self._rounding_of_stacked(solutions)
                values = self._doubtful_values(solutions, off)
                if not len(values):
                    return solutions.with_rounding(off)
                finer = self._scored_together(solutions, values)
                if finer is not None:
                    return finer
        begun = solutions.begun
        moved, pairs = _moved(problems, begun)
        stated = [solution.certificate for _, solution in pairs]
        gaps = np.array([certificate.gap for certificate in stated])
        rounding = self._most_rounding_of_each(moved, solutions)
        scored: dict[int, NDArray[np.bool_]] = {}
        primals = np.array([abs(certificate.primal) for certificate in stated])
        if not _is_unseen(rounding, gaps, primals):
            known = self._known(pairs)
            rounding = _roundings(known)
            sizes = np.array([np.count_nonzero(s.alpha) ** 2 for _, s in pairs])
            in_doubt = doubtful(rounding, gaps, primals, sizes)
            if self.rest is not None:  # then it takes no new values
                in_doubt = np.arange(len(pairs))
            scored = {k: _decisive(*known[k]) for k in in_doubt.tolist()}
        asked = [(pairs[k][0], pairs[k][1].coef, at) for k, at in scored.items()]
        find = None
        if asked and self.rest is None:
            tolerated = _tolerated(float(gaps.sum()), asked)
            find = scores_one_by_one(*self._samples, asked, tolerated)

        def verify(k: int) -> SVMSolution:
            if self.rest is not None and k in scored:
                return self._complete(*pairs[k], self.rest)
            if find is not None and k in scored:
                own = *pairs[k], self._slack(*pairs[k])
                return self._evaluate(*own, scored[k], find)
            solution, off = pairs[k][1], float(rounding[k])
            gap = solution.certificate.gap + off
            certificate = replace(solution.certificate, gap=gap, rounding=off)
            return replace(solution, certificate=certificate)

        verified = dict(zip(moved, parallel_map(verify, range(len(moved)))))
        return solutions.with_begun({**begun, **verified})

    def _doubtful_values(
        self, found: StackedSolutions, rounding: NDArray[np.float64]
    ) -> NDArray[np.intp]:
        """About how many kernel values each problem that is in doubt asks for."""
        gaps, primals = found.quality.gap, np.abs(found.quality.primal)
        values = found.n_support**2
        return values[doubtful(rounding, gaps, primals, values)]

    def _scored_together(
        self, found: StackedSolutions, values: NDArray[np.intp]
    ) -> StackedSolutions | None:
        """All certificates from one matrix in float64, where that takes less time than
        problems one by one; None where it does not, or they are no longer optimal.
        """
        n, all_values = len(self.order), int((found.n_support**2).sum())
        if self.kernel is None or self.rest is not None or n * n > _MOST_TOGETHER:
            return None
        own = self.X.shape[1] + _BESIDES  # of a value, which is that of two samples
        apart = values.sum() / 2 * own + len(values) * _ALONE
        together = n * n / 2 * own + (n * n + all_values) * _READ
        if together > apart or not fits_in_memory(8 * n * n, self.budget):
            return None
        gram = Gram.of_rows(self.kernel, self.X, self.order, self.budget)
        finer = found.scored_by(gram.matrix, self.xi, self.free_bias)
        # a sum over support vectors rounds as often as there are some, not each step
        terms = np.where(found.quality.iterations > 0, found.n_support + 1, 0)
        finer = finer.with_rounding(
            self._rounding_of_stacked(finer, _bound_fine(gram), terms)
        )
        gaps = finer.quality.gap, found.quality.gap
        lost = are_lost(finer.quality.violation, *gaps, self.tol)
        return None if lost.any() else finer

    def _most_rounding_of_stacked(self, found: StackedSolutions) -> NDArray[np.float64]:
        known = found.alphas, found.losses, found.quality.iterations
        return self._most_rounding(*known)

    def _most_rounding_of_each(
        self, numbers: list[int], found: Solutions
    ) -> NDArray[np.float64]:
        own = [found.begun[p] for p in numbers]
        alphas = np.array([solution.alpha.sum() for solution in own])
        steps = np.array([solution.certificate.iterations for solution in own])
        return self._most_rounding(alphas, found.losses[numbers], steps)

    def _most_rounding(
        self,
        alphas: NDArray[np.float64],
        losses: NDArray[np.float64],
        steps: NDArray[np.integer],
        most: MostOf | None = None,
    ) -> NDArray[np.float64]:
        """At least the rounding of each problem, at once: as if all samples were off
        by as much as any of them, and lost. Of an unknown kernel it may be no number.

        `alphas` and `losses` are the sums of all α and all C of each problem.
        """
        size, error = (
            most or self.most or (self.coarse.size.max(), self.coarse.error.max())
        )
        with np.errstate(over="ignore", invalid="ignore"):
            own = UNIT * (steps + 1) * (1 + (size + self.xi) * losses)
            found: NDArray = (error * alphas + own) * (losses + alphas)
        return found

    def _rounding_of_stacked(
        self,
        found: StackedSolutions,
        bound: Bound | None = None,
        steps: NDArray[np.int64] | None = None,
    ) -> NDArray[np.float64]:
        """`rounding_of` each problem, by errors as `_maintained` has them."""
        bound = self.coarse if bound is None else bound
        steps = found.quality.iterations if steps is None else steps
        own, bias = found.stacked, found.bias if self.free_bias else 0 * found.bias
        off: NDArray = rounding_of_stacked(
            *(own.rows, own.signs, own.upper, own.bounds),
            *(found.v, found.gradient, bias, steps, found.losses),
            *(bound.error, bound.size + self.xi),
        )
        return off

    def is_carried_in(
        self,
        dtype: Any,
        gram: Gram | GramPart,
        problems: Sequence[BinaryProblem],
        solutions: Solutions,
    ) -> bool:
        """Whether what was solved in float64 can be told in a coarser type.

        As in `finds_lost`, the problem that is most in doubt is looked at: some of its
        scores, as the model will compute them.
        """
        if (most := gram.bound_most(dtype)) and self._is_clear(most, solutions):
            return True
        bound = partial(gram.bound_rounding, dtype)
        coarser = replace(self, most=most, bound_coarse=bound, bound_sums=_of_no_sums)
        worst = coarser._most_in_doubt(problems, solutions, _CLEARLY)
        if worst is None or self.kernel is None:
            return True
        problem, v = problems[worst], solutions[worst].coef
        if not v.any():
            return True
        known = problem.signs - solutions[worst].gradient - self.xi * v.sum()
        # those whose values may be off by most, and some of all others
        at = np.argsort(-coarser.coarse.error[problem.rows], kind="stable")
        at = np.concatenate([at[:_LOOKED_AT], at[_LOOKED_AT :: _part(len(at))]])

        def take(some: NDArray) -> Matrix:
            own = self.X[self.order[problem.rows[some]]]
            return own.astype(dtype, copy=False)

        (support,) = v.nonzero()
        n_features = len(support) * self.X.shape[1]
        step = min(len(support) // _SOME, n_features // _MANY_FEATURES)
        some = support[:: max(1, step)]
        if gram.in_memory and len(some) < len(support) and not is_sparse(self.X):
            # errors without their signs are at least what they are of a sum
            exact = gram.matrix[np.ix_(problem.rows[at], problem.rows[some])]
            errors = np.abs(self.kernel(take(at), take(some)) - exact)
            off = errors @ np.abs(v[some]) * (len(support) / len(some))
            if off.max() <= self.tol:
                return True
        scores = kernel_product(self.kernel, take(at), take(support), v[support, None])
        return bool(np.abs(known[at] - scores[:, 0]).max() <= self.tol)

    def _is_clear(self, most: MostOf, found: Solutions) -> bool:
        """Whether kernel values that are off by this would matter to no problem."""
        if not isinstance(found, StackedSolutions):
            return False
        known = found.alphas, found.losses, found.quality.iterations
        off = self._most_rounding(*known, most)
        return bool((off <= _CLEARLY * np.abs(found.quality.primal)).all())

    def _most_in_doubt(
        self,
        problems: Sequence[BinaryProblem],
        solutions: Solutions,
        part: float = NEGLIGIBLE,
    ) -> int | None:
        """The problem of which rounding may be the largest part, if above this one."""
        if isinstance(solutions, StackedSolutions):
            numbers = list(range(len(solutions)))
            primals = solutions.quality.primal
            off = self._most_rounding_of_stacked(solutions)
            if not (off <= part * np.abs(primals)).all():
                off = self._rounding_of_stacked(solutions)
        else:
            numbers, pairs = _moved(problems, solutions.begun)
            primals = np.array([own.certificate.primal for _, own in pairs])
            off = self._most_rounding_of_each(numbers, solutions)
            if not (off <= part * np.abs(primals)).all():
                off = _roundings(self._known(pairs))
        primals = np.abs(primals)
        if (off <= part * primals).all():
            return None
        return numbers[int(np.argmax(off / np.maximum(primals, _TINY)))]

    def _known(self, pairs: Sequence[_Pair]) -> list[tuple[Any, ...]]:
        """Problems and their solutions, with slack and rounding."""
        return [(*pair, self._slack(*pair), self._maintained(*pair)) for pair in pairs]

    def finds_lost(
        self, solved: Sequence[tuple[Sequence[BinaryProblem], Sequence[SVMSolution]]]
    ) -> bool:
        """Whether kernel values were too coarse, of several sets of problems.

        In each the problem that is most in doubt is looked at: that costs little, and
        values that are too coarse show there.
        """
        looked_at = []
        for problems, solutions in solved:
            begun = dict(enumerate(solutions))
            every = Solutions(BinaryProblems.of(problems), begun)
            worst = self._most_in_doubt(problems, every)
            if worst is not None:
                own = problems[worst], begun[worst]
                slack = self._slack(*own)
                at = _decisive(*own, slack, self._maintained(*own))
                looked_at.append((*own, slack, at))
        asked = [(problem, own.coef, at) for problem, own, _, at in looked_at]
        find = scores_together(*self._samples, asked)
        found = (self._evaluate(*one, find) for one in looked_at)
        return any(one.certificate.status == "precision" for one in found)

    def hard_margin(
        self, problem: BinaryProblem, solution: SVMSolution
    ) -> SVMSolution | None:
        """The solution with the certificate of C = ∞; None without a margin."""
        slack = self._slack(problem, solution)
        known = _scored(solution, slack, self._maintained(problem, solution))
        asked = [(problem, solution.coef, known)]
        find = scores_one_by_one(*self._samples, asked)
        found = self._evaluate(problem, solution, slack, known, find)
        # the margin of a sample whose slack is below 0 for certain is above 1
        errors = np.where(known, self._summed(problem, solution, find), 0.0)
        return as_hard_margin(problem, found, self.free_bias, errors)

    def _maintained(
        self, problem: BinaryProblem, solution: SVMSolution
    ) -> NDArray[np.float64]:
        """How far scores can be off that a solver kept up to date, step by step."""
        rows, alpha = problem.rows, solution.alpha
        size, error = self.coarse.size[rows], self.coarse.error[rows]
        total, closer = float(alpha.sum()), self.bound_sums(rows, alpha)
        if closer is not None and total > 0:
            error = np.minimum(error, closer / total)
        known = self.xi, total, problem.upper.sum(), solution.certificate.iterations
        return errors_of_updates(Bound(size, error), *known)

    def _summed(
        self, problem: BinaryProblem, solution: SVMSolution, find: FindScores
    ) -> NDArray[np.float64]:
        """How far scores can be off that are summed over the support vectors once."""
        terms = np.count_nonzero(solution.alpha) + 1
        errors = (
            self.fine.error + find.error + terms * UNIT * (self.fine.size + self.xi)
        )
        return errors[problem.rows] * solution.alpha.sum()

    def _slack(
        self, problem: BinaryProblem, solution: SVMSolution
    ) -> NDArray[np.float64]:
        return problem.signs * (solution.gradient - self._free_bias(solution))

    def _free_bias(self, solution: SVMSolution) -> float:
        return solution.bias if self.free_bias else 0.0

    def _evaluate(
        self,
        problem: BinaryProblem,
        solution: SVMSolution,
        slack: NDArray[np.float64],
        known: NDArray[np.bool_],
        find: FindScores,
    ) -> SVMSolution:
        """The certificate from scores in float64, for samples where that is needed."""
        v, z = solution.coef, problem.signs
        support = v != 0
        gradient, bias = solution.gradient.copy(), self._free_bias(solution)
        gradient[known] = z[known] - find(problem, v, known) - self.xi * v.sum()
        others = np.where(support, slack, np.minimum(slack, 0.0))
        slack = np.where(known, z * (gradient - bias), others)
        errors = np.where(known, self._summed(problem, solution, find), 0.0)
        found = self._certify(problem, solution, gradient, slack, errors)
        unknown = support & ~known
        if not unknown.any():
            return found
        stated, at_bound = found.certificate, solution.alpha == problem.upper
        change = np.abs(gradient - solution.gradient)[known & at_bound]
        off = float(change.max() * problem.upper[unknown].sum())
        if not off <= max(stated.gap, _CLOSE * abs(stated.primal)):
            return self._evaluate(problem, solution, slack, known | support, find)
        certificate = replace(stated, rounding=stated.rounding + off)
        return replace(found, certificate=certificate)

    def _complete(
        self, problem: BinaryProblem, solution: SVMSolution, rest: Rest
    ) -> SVMSolution:
        """The certificate from scores to which is added what they lack of float64."""
        gradient = solution.gradient - rest.sums(problem.rows, solution.coef)
        slack = problem.signs * (gradient - self._free_bias(solution))
        at = problem.rows
        own = rest.bound_completed(Bound(self.fine.size[at], self.fine.error[at]))
        sums = solution.alpha.sum(), problem.upper.sum()
        taken = solution.certificate.iterations + len(slack)
        errors = errors_of_updates(own, self.xi, *sums, taken)
        return self._certify(problem, solution, gradient, slack, errors)

    def _certify(
        self,
        problem: BinaryProblem,
        solution: SVMSolution,
        gradient: NDArray[np.float64],
        slack: NDArray[np.float64],
        errors: NDArray[np.float64],
    ) -> SVMSolution:
        v, z = solution.coef, problem.signs
        rounding = rounding_of(problem.upper, solution.alpha, slack, errors)
        loss = float(problem.upper @ np.maximum(slack, 0.0))
        quadratic = float(v @ (z - gradient))
        primal, dual = quadratic / 2 + loss, float(v @ z) - quadratic / 2
        violation = max(0.0, _violation(problem, v, gradient, self.free_bias))
        certificate = certify_again(
            solution.certificate, primal, dual, violation, rounding, self.tol
        )
        return replace(solution, gradient=gradient, certificate=certificate)


def _of_no_sums(rows: NDArray, weights: NDArray) -> None:
    """No more is known of a sum than of its terms."""


def _is_unseen(
    rounding: NDArray[np.float64],
    gaps: NDArray[np.float64],
    primals: NDArray[np.float64],
) -> bool:
    """Whether it is little beside each gap, or each problem is solved but for it."""
    little = np.maximum(_UNSEEN * gaps, _NOTHING * np.abs(primals))
    return bool((rounding <= little).all())


def _part(n: int) -> int:
    """One of so many samples is looked at."""
    return max(1, n // _LOOKED_AT)


def _tolerated(gap: float, asked: Sequence[Asked]) -> float:
    """By how much all kernel values may be off, and hardly matter beside the gap."""
    weight = 0.0
    for problem, v, known in asked:
        alphas = np.abs(v)
        weight += alphas.sum() * (problem.upper[known].sum() + alphas[known].sum())
    return MATTERS * gap / weight if weight > 0 else 0.0


def _moved(
    problems: Any, solutions: Mapping[int, SVMSolution]
) -> tuple[list[int], list[_Pair]]:
    """Problems that have taken a step, and their solutions.

    Before the first step there are no kernel values that could be off.
    """
    begun = sorted(solutions)
    moved = [p for p in begun if solutions[p].certificate.iterations > 0]
    return moved, [(problems[p], solutions[p]) for p in moved]


def _bound_fine(gram: Gram | GramPart) -> Bound:
    # blocks on demand may come from differences, which round less than products
    fine = gram.bound_rounding(np.float64)
    if np.isfinite(fine.error).all():
        return fine
    # a kernel of which nothing is known is what it computes in float64
    lengths = np.sqrt(np.abs(gram.diagonal.astype(np.float64)))
    size = lengths * lengths.max()
    return Bound(size, UNIT * size)


def _decisive(
    problem: BinaryProblem,
    solution: SVMSolution,
    slack: NDArray[np.float64],
    errors: NDArray[np.float64],
) -> NDArray[np.bool_]:
    """Samples whose scores matter to the gap, and some or all other support vectors.

    At C and with a loss for certain, a sample adds nothing to it.
    """
    known = _scored(solution, slack, errors)
    at_bound = (slack - errors > 0) & (solution.alpha == problem.upper)
    (at,) = (known & at_bound).nonzero()
    values = len(at) * np.count_nonzero(solution.alpha)
    if values > _MANY_VALUES and len(at) > 2 * _MEASURED:
        at = at[np.argsort(-errors[at], kind="stable")]
        known[at[_MEASURED:]] = False
        known[at[_MEASURED :: len(at) // _MEASURED]] = True
    return known


def _scored(
    solution: SVMSolution, slack: NDArray[np.float64], errors: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Samples whose scores matter: of support vectors, and of what may have a loss."""
    return ~((slack + errors < 0) & (solution.coef == 0))  # NaN is looked at


def _violation(
    problem: BinaryProblem,
    v: NDArray[np.float64],
    gradient: NDArray[np.float64],
    free_bias: bool,
) -> float:
    """m(α) − M(α), as the solver has it."""
    z, upper = problem.signs, problem.upper
    up = gradient[v < np.where(z > 0, upper, 0.0)]
    low = gradient[v > np.where(z > 0, 0.0, -upper)]
    if not free_bias:  # both are measured against zero
        return float(up.max(initial=0.0) - low.min(initial=0.0))
    return float(up.max() - low.min()) if len(up) and len(low) else 0.0


def _roundings(known: Sequence[tuple]) -> NDArray[np.float64]:
    """Of problems with their solutions, slacks and errors."""
    return np.array([rounding_of(p.upper, s.alpha, *own) for p, s, *own in known])
