"""An SVM over partitions: α and the support vectors here, gradients with the samples.

A round is one call to every partition, which applies the last change of α and offers
candidates. Here they are put together, the samples among them that are not known yet
are asked for, and the working sets of all binary problems are solved. A partition that
was lost starts from α = 0 and is given all support vectors at once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._dask import share
from mercer._memory import format_bytes
from mercer._thread_memory import ThreadMemory
from mercer._threads import parallel_map
from mercer.cluster.certify import (
    Recall,
    RecalledProblem,
    Stated,
    Verified,
    doubtful_problems,
    evaluate,
    state,
)
from mercer.cluster.crew import Crew
from mercer.cluster.messages import Answer, Changes, Move, Packet, Question, Task
from mercer.cluster.partition import look, send_samples, take_part
from mercer.cluster.samples import SamplesByNumber, n_bytes
from mercer.cluster.working_matrix import WorkingMatrix
from mercer.solvers.svm import Certificate, Limits, Snapshot
from mercer.solvers.svm.joint import JointProblem
from mercer.solvers.svm.shares import Totals

logger = logging.getLogger("mercer")
_REBUILT_AT_ONCE = 2**26  # bytes of support vectors that a partition is given at a time
_MOST_MATRICES = 2**30  # bytes of kernel values kept from one working set to the next


@dataclass
class Effort:
    """What a fit on a cluster took."""

    rounds: int = 0
    movers: int = 0  # samples that moved in any round
    moves: int = 0  # and in how many rounds, summed
    bytes_moved: int = 0
    partitions_rebuilt: int = 0
    kernel_values: int = 0
    worker_seconds: float = 0.0  # of processors, at the partitions


@dataclass(frozen=True, eq=False)
class SolvedProblems:
    """Coefficients αz of each problem by the samples' numbers, biases, certificates."""

    coefficients: list[dict[int, float]]
    biases: list[float]
    certificates: list[Certificate]


class Training:
    """Binary problems with so many samples each, and bounds that sum to `uppers`."""

    def __init__(
        self,
        crew: Crew,
        task: Task,
        firsts: Sequence[int],
        sizes: Sequence[int],
        uppers: Sequence[float],
        limits: Limits,
        *,
        verbose: bool = False,
    ) -> None:
        self._crew, self._task, self._limits = crew, task, limits
        self._firsts = np.asarray(firsts)  # number of the first sample of a partition
        self._uppers, self._verbose = uppers, verbose
        self.problems = [
            JointProblem(p, n, task.free_bias, task.xi, limits)
            for p, n in enumerate(sizes)
        ]
        self._v: list[dict[int, float]] = [{} for _ in sizes]
        scratch = ThreadMemory()
        self._matrices = [
            WorkingMatrix(task.kernel, task.dtype, scratch) for _ in sizes
        ]
        self.samples = SamplesByNumber()
        self._classes: dict[int, int] = {}
        self._movers: set[int] = set()
        self._version = 0
        self._held = [set[int]() for _ in firsts]  # samples that partitions have
        self.effort = Effort()

    def run(self) -> SolvedProblems:
        """Solve all problems."""
        answers = self._exchange(None)
        while active := [p for p in self.problems if p.status is None]:
            working_sets = self._choose(active, answers)
            self._report(active)
            active = [p for p in active if p.status is None]
            if not active:
                break
            self._fetch(np.unique(np.concatenate(working_sets)))
            changes = self._solve(active, working_sets)
            self.effort.rounds += 1
            answers = self._exchange(changes)
        return self._certified()

    def _choose(
        self, active: list[JointProblem], answers: list[Answer]
    ) -> list[NDArray[np.int64]]:
        """The working sets of those problems that are not over."""
        ends = [np.cumsum(answer.counts) for answer in answers]

        def choose(k: int) -> NDArray[np.int64]:
            numbers, states, totals = [], [], Totals()
            for answer, end in zip(answers, ends):
                own = slice(end[k] - answer.counts[k], end[k])
                numbers.append(answer.numbers[own])
                states.append(answer.state[:, own])
                totals = totals.plus(answer.totals[k])
            found, (g, v, signed) = (
                np.concatenate(numbers),
                np.concatenate(states, axis=1),
            )
            order = np.argsort(found)
            full = np.stack([g, v, np.minimum(signed, 0), np.maximum(signed, 0)])
            return active[k].choose(found[order], full[:, order], totals)

        chosen = parallel_map(choose, range(len(active)))
        return [own for own, p in zip(chosen, active) if p.status is None]

    def _report(self, active: list[JointProblem]) -> None:
        if self._limits.progress is not None:
            for p in active:
                steps = Snapshot(p.number, p.steps, p.violation, p.gap)
                self._limits.progress(steps)
        if self._verbose:
            left = sum(p.status is None for p in active)
            logger.info(
                "round %d: %d of %d problems to go, violation %.2g, gap %.3g, %s moved",
                self.effort.rounds,
                left,
                len(self.problems),
                max(p.violation for p in active),
                sum(p.gap for p in self.problems),
                format_bytes(self.effort.bytes_moved),
            )

    def _fetch(self, numbers: NDArray[np.int64]) -> None:
        """Ask for samples that are not known yet."""
        new = numbers[~self.samples.has(numbers)]
        while len(new):
            owners = np.searchsorted(self._firsts, new, side="right") - 1
            wanted = {int(k): new[owners == k] for k in np.unique(owners)}
            found = self._crew.ask("samples", send_samples, wanted, None)
            for k, answer in found.items():
                if answer is not None:
                    X, classes = answer
                    self.samples.add(wanted[k], X)
                    self._classes.update(zip(wanted[k].tolist(), classes.tolist()))
                    self.effort.bytes_moved += n_bytes(X)
            new = new[~self.samples.has(new)]

    def _solve(
        self, active: list[JointProblem], working_sets: list[NDArray[np.int64]]
    ) -> Changes:
        def solve(k: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
            problem, numbers = active[k], working_sets[k]
            matrix = self._matrices[problem.number]
            return problem.solve(matrix.values(numbers, self.samples))

        moved = parallel_map(solve, range(len(active)))
        if sum(m.n_bytes for m in self._matrices) > _MOST_MATRICES:
            for matrix in self._matrices:
                matrix.forget()
        numbers = np.unique(np.concatenate([who for who, _ in moved]))
        moves = []
        for problem, (who, change) in zip(active, moved):
            own, v = self._v[problem.number], problem.v_of(who)
            own.update(zip(who.tolist(), v.tolist()))
            for number in who[v == 0].tolist():
                del own[number]
            if len(who):
                at = np.searchsorted(numbers, who)
                moves.append(Move(problem.number, at, change, v))
        self._movers.update(numbers.tolist())
        self.effort.movers = len(self._movers)
        self.effort.moves += len(numbers)
        before, self._version = self._version, self._version + 1
        return Changes(before, self._version, numbers, moves)

    def _exchange(self, changes: Changes | None) -> list[Answer]:
        """Tell the partitions what changed, and ask for candidates."""
        active = [p for p in self.problems if p.status is None]
        question = Question(
            [p.number for p in active],
            [p.sizes for p in active],
            [p.bias for p in active],
        )
        answers = self._tell(range(len(self._crew)), changes, question)
        while lost := [k for k, answer in answers.items() if answer is None]:
            self._rebuild(lost)
            answers |= self._tell(lost, None, question)
        self.effort.bytes_moved += sum(a.n_bytes for a in answers.values())
        return [answers[k] for k in range(len(self._crew))]

    def _tell(
        self, partitions: Any, changes: Changes | None, question: Question
    ) -> dict[int, Any]:
        numbers = np.empty(0, np.int64) if changes is None else changes.numbers
        packets = self._packets(partitions, numbers)
        message = self._version, changes, packets, question
        shared, size = share(self._crew.client, "changes", message)
        self.effort.bytes_moved += size * max(1, self._crew.n_workers)
        questions = dict.fromkeys(partitions)
        answers = self._crew.ask("round", take_part, questions, shared)
        for k, answer in answers.items():
            if answer is not None:
                self._held[k].update(answer.kept.tolist())
        return answers

    def _packets(self, partitions: Any, numbers: NDArray[np.int64]) -> list[Packet]:
        """The samples with these numbers that some of these partitions lack."""
        held = set.intersection(*(self._held[k] for k in partitions))
        lacking = [number for number in numbers.tolist() if number not in held]
        chosen = np.array(lacking, np.int64)
        return [(chosen, self.samples.take(chosen))] if lacking else []

    def _rebuild(self, partitions: list[int]) -> None:
        """One pass over the support vectors, from α = 0 to where all others are."""
        logger.info("partitions %s were lost and are built again", partitions)
        self.effort.partitions_rebuilt += len(partitions)
        for k in partitions:
            self._held[k] = set()
        numbers = self.support_vectors()
        if not len(numbers) or self._version == 0:
            # Dask has made them as they are in the beginning
            changes = Changes(0, self._version, numbers, [])
            self._tell(partitions, changes, Question())
            return
        width = n_bytes(self.samples.take(numbers[:1]))
        step = max(1, _REBUILT_AT_ONCE // max(1, width))
        starts = range(0, len(numbers), step)
        for first in starts:
            some = numbers[first : first + step]
            last = first == starts[-1]
            # versions in between are no others
            before = -first if first else 0
            after = self._version if last else -(first + step)
            changes = Changes(before, after, some, self._moves_from_zero(some))
            self._tell(partitions, changes, Question())

    def _moves_from_zero(self, numbers: NDArray[np.int64]) -> list[Move]:
        moves = []
        for problem, own in enumerate(self._v):
            v = np.array([own.get(number, 0.0) for number in numbers.tolist()])
            (who,) = v.nonzero()
            if len(who):
                moves.append(Move(problem, who, v[who], v[who]))
        return moves

    def support_vectors(self) -> NDArray[np.int64]:
        """Numbers of the samples with a coefficient in any problem."""
        return np.array(sorted(set().union(*self._v)), np.int64)

    def classes_of(self, numbers: NDArray[np.int64]) -> NDArray[np.intp]:
        """Classes of samples that are known."""
        return np.array([self._classes[i] for i in numbers.tolist()], np.intp)

    def _certified(self) -> SolvedProblems:
        """Certificates over all data, for the kernel itself."""
        stated = [
            Stated(p.number, p.bias, sum(map(abs, own.values())), p.steps, upper)
            for p, own, upper in zip(self.problems, self._v, self._uppers)
        ]
        parts = self._everywhere("certificate", state, lambda _: stated)
        self.effort.kernel_values = sum(part.values_computed for part in parts)
        certificates = []
        for p in self.problems:
            verified = Verified.of([part.problems[p.number] for part in parts])
            certificates.append(verified.certificate(p))
        doubtful = np.sort(doubtful_problems(certificates))
        if len(doubtful):
            numbers, terms = self._terms(doubtful, stated)
            parts = self._everywhere(
                "float64_scores",
                evaluate,
                lambda asked: Recall(numbers, self._packets(asked, numbers), terms),
            )
            for k, p in enumerate(doubtful):
                verified = Verified.of([part[k] for part in parts])
                certificates[p] = verified.evaluated(certificates[p], self._limits.tol)
        self.effort.worker_seconds = self._crew.seconds
        biases = [
            p.bias if p.free_bias else p.xi * sum(own.values())
            for p, own in zip(self.problems, self._v)
        ]
        return SolvedProblems(self._v, biases, certificates)

    def _terms(
        self, problems: NDArray[np.intp], stated: list[Stated]
    ) -> tuple[NDArray[np.int64], list[RecalledProblem]]:
        """The support vectors of some problems, and their coefficients."""
        own = [self._v[p] for p in problems]
        numbers = np.array(sorted(set().union(*own)), np.int64)
        terms = []
        for p, v_by_number in zip(problems, own):
            who = np.array(sorted(v_by_number), np.int64)
            v = np.array([v_by_number[number] for number in who.tolist()])
            terms.append(RecalledProblem(stated[p], np.searchsorted(numbers, who), v))
        return numbers, terms

    def _everywhere(
        self, name: str, function: Any, question: Callable[[list[int]], Any]
    ) -> list[Any]:
        """What a function says of every partition, asked what these may need."""
        answers: dict[int, Any] = {}
        asked = list(range(len(self._crew)))
        while asked:
            message = self._version, question(asked)
            shared, size = share(self._crew.client, name, message)
            self.effort.bytes_moved += size * max(1, self._crew.n_workers)
            functions = dict.fromkeys(asked, function)
            answers |= self._crew.ask(name, look, functions, shared)
            asked = [k for k, answer in answers.items() if answer is None]
            if asked:
                self._rebuild(asked)
        return [answers[k] for k in range(len(self._crew))]
