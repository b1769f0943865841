"""A bar for fits that take a while, driven by scikit-learn's callbacks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)

from mercer.cli._console import err


@contextmanager
def watched(model: Any, wanted: bool) -> Iterator[None]:
    """Show a bar while the model is fitted, on a terminal and where it can be."""
    can = hasattr(model, "set_callbacks")
    if can and wanted and err.is_terminal:
        model.set_callbacks(FitBar())
    yield
    if can:
        model.set_callbacks()


class FitBar:
    """Counts the tasks of a fit, and says how long the rest may take."""

    def __init__(self) -> None:
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def setup(self, estimator: Any, context: Any) -> None:
        """The fit begins."""
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=err,
            transient=True,
        )
        self._bar.start()

    def on_fit_task_begin(self, estimator: Any, context: Any, **data: Any) -> None:
        """A task begins; the outermost one is the fit itself."""
        if self._bar is not None and context.parent is None:
            name = type(estimator).__name__
            self._task = self._bar.add_task(name, total=context.max_subtasks or None)

    def on_fit_task_end(self, estimator: Any, context: Any, **data: Any) -> None:
        """A task is over."""
        if self._bar is not None and self._task is not None and context.parent:
            self._bar.advance(self._task)

    def teardown(self, estimator: Any, context: Any) -> None:
        """The fit is over, or was interrupted."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
