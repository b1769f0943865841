"""Running studies, for ``mercer study run`` and ``mercer demo``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.markup import escape

from mercer._extras import import_extra
from mercer.cli._console import out, say_aside, say_error
from mercer.cli._study_bar import StudyBar
from mercer.exceptions import DataError, MissingExtraError, ParameterError

if TYPE_CHECKING:
    from mercer.studies import DataSpec, Plan, Store, Study
    from mercer.studies.store import PlanRecord


@dataclass(frozen=True)
class Request:
    """What was asked for on the command line."""

    data: tuple[str, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    quick: bool = False
    force: bool = False
    jobs: int = 1
    learners: tuple[str, ...] = ()
    quiet: bool = False
    scheduler: str | None = None
    workers: int | None = None

    def specs(self, study: Study) -> list[DataSpec | None]:
        """The data sets to run a study on."""
        from mercer.datasets import catalogue
        from mercer.studies import DataSpec

        here = {entry.name for entry in catalogue() if entry.available}
        also = [name for name in study.optional_data if name in here]
        names = self.data or (*study.default_data, *also)
        if not names:
            return [None]
        for name in names:
            if study.data and name not in study.data:
                raise ParameterError(
                    f"The study {study.name} runs on {', '.join(study.data)}, not on "
                    f"{name}."
                )
        if not self.data:
            return [DataSpec(name) for name in names]
        return [DataSpec(name, **self.reading) for name in names]

    def command(self, study: Study, spec: DataSpec | None) -> str:
        """The command that asks for the same again."""
        from mercer.studies import study_place

        words = ["mercer", "study", "run", study_place(study)]
        words += [word for name in study.options for word in ("--learner", name)]
        words += spec.arguments() if spec is not None else []
        words += ["--quick"] if self.quick else []
        words += ["--seed", str(self.seed)] if self.seed else []
        return shlex.join(words)


def run_studies(
    studies: list[Study], request: Request, store: Store, skip: bool = False
) -> dict[str, int]:
    """Run studies one after the other; for each run the number of cells that failed.

    With `skip`, a study whose data are not here is left out, with a note.
    """
    if request.scheduler is None and request.workers is None:
        return _run_all(studies, request, store, skip, None)
    import_extra("distributed", "cluster", "A study on a cluster")
    from mercer._dask import open_client

    with open_client(request.scheduler, request.workers) as client:
        return _run_all(studies, request, store, skip, client)


def _run_all(
    studies: list[Study], request: Request, store: Store, skip: bool, client: Any
) -> dict[str, int]:
    from mercer.studies import make_plan

    n_failed: dict[str, int] = {}
    for study in studies:
        if request.learners:
            study.add_learners(request.learners)
        for spec in request.specs(study):
            try:
                dataset = spec.load() if spec is not None else None
            except (DataError, MissingExtraError) as error:
                if not skip:
                    raise type(error)(_with_offer(str(error), study, request)) from None
                say_aside(f"{study.name} is left out: {error}")
                continue
            plan = make_plan(
                study,
                dataset,
                seed=request.seed,
                quick=request.quick,
                command=request.command(study, spec),
            )
            n_failed[plan.id] = _run_one(plan, request, store, client)
    return n_failed


def _run_one(plan: Plan, request: Request, store: Store, client: Any) -> int:
    from mercer.studies import run_plan

    name = plan.study.name
    try:
        with StudyBar(plan) as bar:
            failures = run_plan(
                *(plan, store),
                jobs=request.jobs,
                client=client,
                force=request.force,
                listen=bar,
            )
    except KeyboardInterrupt:
        _say_stopped(plan, store)
        raise typer.Exit(130) from None
    for failure in failures[:3]:
        say_error(f"A cell of {name} failed: {failure.message}")
    if len(failures) > 3:
        say_error(f"{len(failures) - 3} more cells of {name} failed.")
    if not request.quiet:
        for line in summarise(plan.study, store, plan.id, _facts(plan)):
            out.print(f"• {line}", markup=False)
    return len(failures)


def _facts(plan: Plan) -> dict[str, Any]:
    return plan.dataset.summary() if plan.dataset is not None else {}


def summarise(
    study: Study, store: Store, plan: str, facts: Mapping[str, Any]
) -> list[str]:
    """What the rows of a run say in a few sentences; none where there are no rows."""
    rows = store.rows(plan=plan)
    if not rows:
        return []
    try:
        return list(study.tell(rows, facts).summary)
    except Exception as error:  # of other packages too, so anything
        say_error(
            f"The study {study.name} could not tell its story "
            f"({type(error).__name__}: {error}); its rows are stored."
        )
        return []


def _say_stopped(plan: Plan, store: Store) -> None:
    done = len(store.done(plan.id))
    say_aside(
        f"\nStopped. {done} of {len(plan.cells)} cells of {plan.study.name} are stored "
        f"in {store.path}; the same command goes on from there."
    )


def _with_offer(message: str, study: Study, request: Request) -> str:
    if request.data or not study.fallback_data:
        return message
    offer = f"mercer study run {study.name} --data {study.fallback_data}"
    return f"{message} Or run it on data that are here: {offer}"


def report_on(
    store: Store,
    path: Path,
    plans: Sequence[PlanRecord] | None = None,
    tables: Path | None = None,
    quiet: bool = False,
) -> Path:
    """Write the report, on all runs or on some, and say where it is."""
    from mercer.report.page import write_report

    written = write_report(store, path, plans, tables).resolve()
    if not quiet:
        out.print(f"Report: [bold]{escape(str(written))}[/]", soft_wrap=True)
    return written
