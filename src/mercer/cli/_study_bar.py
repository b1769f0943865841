"""The progress of studies: a bar each on a terminal, else a line now and then."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.text import Text

from mercer.cli._console import err, say_aside

if TYPE_CHECKING:
    from mercer.studies import Plan, RunProgress

#: Seconds between two lines of a log.
_INTERVAL = 5.0


class StudyBar:
    """Shows how far one plan is; use it as a context and as a listener."""

    def __init__(self, plan: Plan) -> None:
        self._study = plan.study
        name = plan.dataset.name if plan.dataset is not None else ""
        self._name = f"{plan.study.name} on {name}" if name else plan.study.name
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeRemainingColumn(compact=True),
            TextColumn("{task.fields[latest]}", style="dim"),
            console=err,
            disable=not err.is_terminal,
        )
        self._task = self._bars.add_task(
            _plain(self._name), total=len(plan.cells), latest=""
        )
        self._begun = time.monotonic()
        self._before: int | None = None
        self._said, self._ended = 0.0, False

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def __call__(self, progress: RunProgress) -> None:
        """Hear of the progress."""
        latest = ""
        if progress.latest is not None:
            latest = self._study.describe(progress.latest)
        ended = progress.done + progress.failed
        if self._before is None:
            self._before = ended
        if err.is_terminal:
            self._bars.update(self._task, completed=ended, latest=_plain(latest))
        else:
            self._log(progress, ended, latest)

    def _log(self, progress: RunProgress, ended: int, latest: str) -> None:
        now = time.monotonic()
        soon = self._said and now - self._said < _INTERVAL
        if self._ended or (soon and ended < progress.total):
            return
        self._said, self._ended = now, ended == progress.total
        words = [f"{self._name}: {ended} of {progress.total} cells"]
        if progress.failed:
            words.append(f"{progress.failed} failed")
        if left := self._time_left(progress, ended):
            words.append(left)
        if latest:
            words.append(latest)
        say_aside(", ".join(words))

    def _time_left(self, progress: RunProgress, ended: int) -> str:
        here = ended - (self._before or 0)
        rest = progress.total - ended
        if not here or not rest:
            return ""
        seconds = rest * (time.monotonic() - self._begun) / here
        minutes, seconds = divmod(round(seconds), 60)
        return f"{minutes}:{seconds:02d} left"


def _plain(text: str) -> str:
    """Keep rich from reading a file's name as markup."""
    return Text(text).markup
