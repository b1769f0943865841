"""Progress of long fits: scikit-learn's callbacks, and a line of log when verbose."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

logger = logging.getLogger("mercer")
_SECONDS_BETWEEN_LINES = 1.0


def has_listeners(estimator: Any) -> bool:
    """Whether callbacks of its own or of an estimator above want to hear of a fit."""
    known = hasattr(estimator, "_skl_callbacks")
    return known or hasattr(estimator, "_parent_callback_ctx")


class FitProgress:
    """Tells callbacks and, when verbose, the log how far a fit has come."""

    def __init__(self, estimator: Any, n_tasks: int) -> None:
        self._estimator = estimator
        self._n_tasks = n_tasks
        self._start = time.perf_counter()
        self._context = None
        if has_listeners(estimator):
            self._context = estimator._init_callback_context(max_subtasks=n_tasks)
            self._context.call_on_fit_task_begin(estimator=estimator)
        if estimator.verbose and not logging.root.handlers and not logger.handlers:
            logger.addHandler(logging.StreamHandler())
        if estimator.verbose:
            logger.setLevel(logging.INFO)

    @contextmanager
    def task(self, name: str, number: int) -> Iterator[dict[str, str]]:
        """One task of the fit; what is put into the dictionary reaches the log."""
        context, said = None, dict[str, str]()
        if self._context is not None:
            context = self._context.subcontext(task_name=name)
            context.call_on_fit_task_begin(estimator=self._estimator)
        yield said
        if context is not None:
            context.call_on_fit_task_end(estimator=self._estimator)
        if self._estimator.verbose:
            self._log(name, number, said)

    def tick(self, name: str) -> None:
        """A task that has ended, of which nobody heard before."""
        if self._context is not None:
            context = self._context.subcontext(task_name=name)
            context.call_on_fit_task_begin(estimator=self._estimator)
            context.call_on_fit_task_end(estimator=self._estimator)

    def end(self) -> None:
        """The fit is over."""
        if self._context is not None:
            self._context.call_on_fit_task_end(estimator=self._estimator)

    def _log(self, name: str, number: int, said: dict[str, str]) -> None:
        passed = time.perf_counter() - self._start
        left = passed / (number + 1) * (self._n_tasks - number - 1)
        words = "".join(f", {value} {key}" for key, value in said.items())
        logger.info(
            "%s: %s %d of %d%s, %.1f s, about %.1f s left",
            type(self._estimator).__name__,
            name,
            number + 1,
            self._n_tasks,
            words,
            passed,
            left,
        )


class SolverProgress:
    """Tells callbacks and the log about binary problems that solvers work on.

    Solvers report from several threads; each problem is a task of the fit, and ends
    when it is within the tolerance.
    """

    def __init__(self, estimator: Any, n_problems: int) -> None:
        self._estimator = estimator
        self._progress = FitProgress(estimator, n_problems)
        self._open = set(range(n_problems))
        self._lock = threading.Lock()
        self._spoken = time.perf_counter()
        watched = estimator.verbose or hasattr(estimator, "_skl_callbacks")
        self.callback = self._tell if watched else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self.callback is not None:
            for problem in list(self._open):
                self._end(problem)
        self._progress.end()

    def _tell(self, state: Any) -> None:
        with self._lock:
            if state.problem in self._open and state.violation <= self._estimator.tol:
                self._end(state.problem)
            now = time.perf_counter()
            if self._estimator.verbose and now - self._spoken > _SECONDS_BETWEEN_LINES:
                self._spoken = now
                logger.info(
                    "%s: problem %d after %d steps: violation %.2g, gap %.3g; "
                    "%d problems to go",
                    type(self._estimator).__name__,
                    state.problem + 1,
                    state.iterations,
                    state.violation,
                    state.gap,
                    len(self._open),
                )

    def _end(self, problem: int) -> None:
        self._open.discard(problem)
        self._progress.tick("binary problem")
