"""A worker: takes cells that nobody has, runs them, and stores each at once."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass

from mercer._peak_memory import forget_peak_memory, peak_memory
from mercer._version import __version__
from mercer.exceptions import MercerError
from mercer.studies.cell import Cell
from mercer.studies.context import Context
from mercer.studies.data import keep_images
from mercer.studies.interrupts import Interrupts, remember_interrupts
from mercer.studies.machine import machine_facts
from mercer.studies.plain import to_plain
from mercer.studies.plan import Plan
from mercer.studies.row import Row
from mercer.studies.store import Claimed, Claims, Store, StoreError

#: Seconds between looks at cells that others are working on.
_PAUSE = 0.1


@dataclass
class Worker:
    """Runs a plan's cells until all are stored or have failed, by whomever.

    Attributes
    ----------
    plan, store
        What to run, and where the rows go.
    begun : float
        When the run began; cells that failed since then are not tried again.
    since : float
        Rows from before then are made again.
    tell : callable
        Called after each cell.
    go_on : callable
        Asked before each cell.
    """

    plan: Plan
    store: Store
    begun: float
    since: float = 0.0
    tell: Callable[[], None] = lambda: None
    go_on: Callable[[], bool] = lambda: True

    def run(self) -> None:
        """Work until nothing is left."""
        self._pending = dict(self.plan.cells)
        self._context = Context(self.plan.dataset)
        self._group = ""
        with remember_interrupts() as interrupts, Claims(self.store) as claims:
            self._forget_finished()
            if self._pending:
                self.plan.study.warm_up(self._context)
            while self._pending and self.go_on():
                key = self._take_one(claims)
                if key is None:
                    time.sleep(_PAUSE)
                    self._forget_finished()
                else:
                    self._run_cell(key, self._pending.pop(key), interrupts)
                self.tell()

    def _forget_finished(self) -> None:
        plan = self.plan.id
        failed = {failure.key for failure in self.store.failures(plan, self.begun)}
        for key in self.store.done(plan, self.since) | failed:
            self._pending.pop(key, None)

    def _take_one(self, claims: Claims) -> str | None:
        """Claim the next cell: of this group, else of one that nobody is at."""
        keys = [key for key, cell in self._pending.items() if cell.group == self._group]
        if not keys:
            taken = claims.groups_of_others(self.plan.id)
            # stable: the plan's order within both parts
            keys = sorted(self._pending, key=lambda k: self._pending[k].group in taken)
        for key in keys:
            state = claims.take(key, self.since)
            if state is Claimed.MINE:
                return key
            if state is Claimed.DONE:
                self._forget_finished()
                return self._take_one(claims) if self._pending else None
        self._group = ""  # all of it is in other hands
        return None

    def _run_cell(self, key: str, cell: Cell, interrupts: Interrupts) -> None:
        self._group = cell.group
        self._context.enter(cell.group)
        forget_peak_memory()
        start = time.perf_counter()
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("default")
                outcome = self.plan.study.run(cell, self._context)
                values, timing = to_plain(outcome.values), to_plain(outcome.seconds)
            images = keep_images(self.plan.dataset, outcome.samples)
        except StoreError:
            raise
        except Exception as error:
            self.store.add_failure(key, _describe(error))
            return
        if interrupts.pressed:
            # a fit may have ended early for it; half a result is none
            raise KeyboardInterrupt
        row = Row(
            key=key,
            study=self.plan.study.name,
            data=self.plan.data,
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
        self.store.add_row(row, self.plan.study.version, images)


def _describe(error: Exception) -> str:
    if isinstance(error, MercerError):
        return str(error)
    where = traceback.extract_tb(error.__traceback__)[-1]
    text = str(error).strip().splitlines() or [""]
    place = f"{where.filename.rsplit('/', 1)[-1]}, line {where.lineno}"
    return f"{type(error).__name__}: {text[0]} ({place})"
