"""A worker: takes cells that nobody has, runs them, and stores each at once."""

import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from mercer._interrupts import Interrupts, remember_interrupts
from mercer._peak_memory import forget_peak_memory, peak_memory
from mercer._version import __version__
from mercer.exceptions import MercerError
from mercer.studies.cell import Cell
from mercer.studies.context import Context
from mercer.studies.data import keep_images
from mercer.studies.machine import machine_facts
from mercer.studies.plain import to_plain
from mercer.studies.plan import Plan
from mercer.studies.row import Row
from mercer.studies.store import Claimed, Claims, Failure, Store, StoreError

#: Seconds between looks at cells that others are working on.
_PAUSE = 0.1


@dataclass(frozen=True)
class Attempt:
    """One go at a plan, by one worker or several.

    Cells that failed since it has `begun` are not tried again; rows from before `since`
    are made again.
    """

    plan: Plan
    begun: float
    since: float

    def done(self, store: Store) -> set[str]:
        """Keys of the cells that are stored."""
        return store.done(self.plan.id, self.since)

    def failures(self, store: Store) -> list[Failure]:
        """The cells that failed."""
        return store.failures(self.plan.id, self.begun)


@dataclass
class Worker:
    """Runs a plan's cells until all are stored or have failed, by whomever.

    `tell` is called after each cell, and `go_on` is asked before each.
    """

    attempt: Attempt
    store: Store
    tell: Callable[[], None] = lambda: None
    go_on: Callable[[], bool] = lambda: True

    def __post_init__(self) -> None:
        self._study, self._dataset = self.attempt.plan.study, self.attempt.plan.dataset
        self._pending = dict(self.attempt.plan.cells)
        self._context = Context(self._dataset)
        self._group = ""

    def run(self) -> None:
        """Work until nothing is left."""
        with remember_interrupts() as interrupts, Claims(self.store) as claims:
            self._forget_finished()
            if self._pending:
                self._study.warm_up(self._context)
            while self._pending and self.go_on():
                key = self._take_one(claims)
                if key is None:
                    time.sleep(_PAUSE)
                    self._forget_finished()
                else:
                    self._run_cell(key, self._pending.pop(key), interrupts)
                interrupts.check()
                self.tell()

    def _forget_finished(self) -> None:
        failed = {failure.key for failure in self.attempt.failures(self.store)}
        for key in self.attempt.done(self.store) | failed:
            self._pending.pop(key, None)

    def _take_one(self, claims: Claims) -> str | None:
        """Claim the next cell: of this group, else of one that nobody is at."""
        keys = [key for key, cell in self._pending.items() if cell.group == self._group]
        if not keys:
            taken = claims.groups_of_others(self.attempt.plan.id)
            # stable: the plan's order within both parts
            keys = sorted(self._pending, key=lambda k: self._pending[k].group in taken)
        for key in keys:
            state = claims.take(key, self.attempt.since)
            if state is Claimed.MINE:
                return key
            if state is Claimed.DONE:
                self._forget_finished()
                return self._take_one(claims) if self._pending else None
        self._group = ""  # all of it is in other hands
        return None

    def _run_cell(self, key: str, cell: Cell, interrupts: Interrupts) -> None:
        self._group = cell.group
        found = run_cell(self.attempt.plan, key, cell, self._context)
        if isinstance(found, str):
            self.store.add_failure(key, found)
            return
        interrupts.check()  # a fit may have ended early for it; half a result is none
        self.store.add_row(found.row, self._study.version, found.images)


class Finished(NamedTuple):
    """What a cell leaves behind."""

    row: Row
    images: Any


def run_cell(plan: Plan, key: str, cell: Cell, context: Context) -> Finished | str:
    """Run one cell; a sentence if it fails."""
    context.enter(cell.group)
    forget_peak_memory()
    start = time.perf_counter()
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            outcome = plan.study.run(cell, context)
            values, timing = to_plain(outcome.values), to_plain(outcome.seconds)
        images = keep_images(plan.dataset, outcome.samples)
    except StoreError:
        raise
    except Exception as error:
        return _describe(error)
    row = Row(
        key=key,
        study=plan.study.name,
        data=plan.run.data,
        params=cell.params,
        seed=cell.seed,
        values=values,
        timing=timing,
        seconds=time.perf_counter() - start,
        notes=tuple(dict.fromkeys(str(note.message) for note in caught)),
        version=__version__,
        machine=machine_facts(),
        created=time.time(),
        memory=peak_memory(),
    )
    return Finished(row, images)


def _describe(error: Exception) -> str:
    if isinstance(error, MercerError):
        return str(error)
    where = traceback.extract_tb(error.__traceback__)[-1]
    text = str(error).strip().splitlines() or [""]
    place = f"{where.filename.rsplit('/', 1)[-1]}, line {where.lineno}"
    return f"{type(error).__name__}: {text[0]} ({place})"
