"""``mercer study``: list, run, status, report and export."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mercer._atomic_write import write_atomically
from mercer.cli import _options as opt
from mercer.cli._console import print_json, say, say_error
from mercer.cli._options import flag
from mercer.cli._run_studies import Request, report_on, run_studies, summarise
from mercer.cli._tables import print_table, yes_or_no
from mercer.exceptions import ParameterError

if TYPE_CHECKING:
    from mercer.studies import Store
    from mercer.studies.store import PlanRecord

REPORT = Path("out/report.html")

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Run whole comparisons that anyone can run again, and report on them.",
    epilog="Start with: [bold]mercer study run compare --data digits --quick[/]",
)

_StudyNames = Annotated[
    list[str] | None,
    typer.Argument(metavar="NAME…", help="Names from [bold]mercer study list[/]."),
]


@app.command("list", epilog="Example: [bold]mercer study list --json[/]")
def list_command(as_json: opt.Json = False) -> None:
    """List the studies and the data that they run on."""
    from mercer.datasets import catalogue
    from mercer.studies import get_study, study_names

    here = {entry.name for entry in catalogue() if entry.available}
    studies = []
    for name in study_names():
        try:
            studies.append(get_study(name))
        except Exception as error:  # of other packages, so anything
            say_error(f"The study {name} cannot be loaded: {error}")
    if as_json:
        rows = [
            {
                "name": study.name,
                "title": study.title,
                "data": list(study.data) or "any",
                "default_data": list(study.default_data),
                "available": set(study.default_data) <= here,
            }
            for study in studies
        ]
        print_json(rows)
        return
    print_table(
        ("name", "what it is", "runs on", "unless told", "here"),
        [
            (
                study.name,
                study.title,
                ", ".join(study.data) or ("any data" if study.default_data else ""),
                ", ".join(study.default_data),
                yes_or_no(set(study.default_data) <= here),
            )
            for study in studies
        ],
    )


@app.command(
    epilog="Examples:\n\n[bold]mercer study run compare --data digits --quick[/]\n\n"
    "[bold]mercer study run compare --data flowers.csv --label last[/]\n\n"
    "[bold]mercer study run compare --data wine.csv --learner "
    "'sklearn.ensemble.RandomForestClassifier(max_depth=\\[None, 8])'[/]\n\n"
    "[bold]mercer study run ./my_study --json[/]\n\n"
    "[bold]mercer study run --all --jobs 2[/]",
)
def run(
    names: _StudyNames = None,
    every: Annotated[bool, flag("--all", "Every study whose data are here.")] = False,
    quick: Annotated[bool, flag("--quick", "A smaller set, for a first look.")] = False,
    data: Annotated[
        list[str] | None,
        typer.Option(help="A data set's name or a file's path; may be repeated."),
    ] = None,
    label: opt.Label = "auto",
    header: opt.Header = None,
    drop: opt.Drop = None,
    categorical: opt.Categorical = None,
    missing: opt.Missing = "error",
    image_shape: opt.ImageShape = None,
    learner: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CLASS(NAME=VALUE, …)",
            help="For compare: another classifier of scikit-learn's kind, by its "
            "import path; a list of values is searched over; may be repeated.",
        ),
    ] = None,
    seed: opt.StudySeed = 0,
    force: Annotated[
        bool, flag("--force", "Run again what is stored already.")
    ] = False,
    jobs: Annotated[
        int, typer.Option(min=1, help="Processes; threads are divided among them.")
    ] = 1,
    scheduler: Annotated[
        str | None,
        typer.Option(help="Run on the Dask cluster whose scheduler has this address."),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Run on so many Dask workers, started here."),
    ] = None,
    store: opt.StorePath = opt.STORE,
    output: opt.ReportPath = REPORT,
    no_report: Annotated[bool, flag("--no-report", "Write no report.")] = False,
    as_json: opt.Json = False,
) -> None:
    """Run studies: what the store does not have yet. Ends with a report.

    A run may be stopped at any moment, with Ctrl-C or by force: the same command goes
    on from there, to the same results. A name with a slash, as ./my_study, is a folder
    with a study of your own: the code in its study.py is run.
    """
    from mercer.studies import Store, get_study, study_names

    if not names and not every:
        raise ParameterError(
            f"Name a study ({', '.join(study_names())}), or say --all."
        )
    opt.check_not_read(output, store, *(data or ()))
    studies = [get_study(name) for name in (names or study_names())]
    shape = opt.parse_image_shape(image_shape)
    if label == "none":
        raise ParameterError("--label none is for predict; studies need labels.")
    reading = {
        "label": label,
        "image_shape": shape,
        "header": header,
        "drop": tuple(drop or ()),
        "categorical": tuple(categorical or ()),
        "missing": missing,
    }
    request = Request(
        tuple(data or ()),
        reading,
        seed,
        quick,
        force,
        jobs,
        tuple(learner or ()),
        quiet=as_json,
        scheduler=scheduler,
        workers=workers,
    )
    if not no_report:
        # better told now than after hours of work
        output.parent.mkdir(parents=True, exist_ok=True)
    with Store(store) as opened:
        failed = run_studies(studies, request, opened, skip=not names)
        written = None if no_report else report_on(opened, output, quiet=as_json)
        if as_json:
            found = [plan for plan in opened.plans() if plan.id in failed]
            print_json(
                {
                    "runs": _describe_runs(opened, found),
                    "report": written and str(written),
                }
            )
    if any(failed.values()):
        raise typer.Exit(1)


def _describe_runs(
    store: Store, plans: list[PlanRecord], with_summary: bool = True
) -> list[dict[str, Any]]:
    """Runs as plain data."""
    from mercer.studies import get_study

    copied = ("done", "failed", "running", "seconds", "memory", "command")
    rows = []
    for plan in plans:
        row = {
            "run": plan.id,
            "study": plan.study,
            "data": plan.data_name,
            "seed": plan.seed,
            "quick": plan.quick,
            "cells": plan.total,
            **{name: getattr(plan, name) for name in copied},
        }
        if with_summary:
            study = get_study(plan.study)
            row["summary"] = summarise(study, store, plan.id, plan.facts)
        rows.append(row)
    return rows


@app.command(epilog="Example: [bold]mercer study status --json[/]")
def status(store: opt.StorePath = opt.STORE, as_json: opt.Json = False) -> None:
    """Show what was asked for so far, and how far it is."""
    from mercer.studies import Store

    with Store(store, readonly=True) as opened:
        plans = opened.plans()
    if as_json:
        print_json(_describe_runs(opened, plans, with_summary=False))
        return
    print_table(
        ("run", "study", "data", "cells", "stored", "failed", "running", "work"),
        [
            (
                plan.id,
                f"{plan.study}{' (quick)' if plan.quick else ''}",
                plan.data_name,
                *map(str, (plan.total, plan.done, plan.failed, plan.running)),
                f"{plan.seconds:,.0f} s",
            )
            for plan in plans
        ],
        right=range(3, 8),
        whole=range(3),
    )
    for plan in plans:
        if plan.done < plan.total:
            say(f"To go on with {plan.id}: {plan.command}")


@app.command(
    epilog="Examples:\n\n[bold]mercer study report --open[/]\n\n"
    "[bold]mercer study report compare --tables out/tables[/]",
)
def report(
    names: _StudyNames = None,
    run_id: Annotated[
        str | None,
        typer.Option("--run", help="One run of [bold]mercer study status[/]."),
    ] = None,
    output: opt.ReportPath = REPORT,
    tables: Annotated[
        Path | None,
        typer.Option(help="A folder for the tables as Markdown, LaTeX and CSV."),
    ] = None,
    open_it: Annotated[bool, flag("--open", "Show it in the browser.")] = False,
    store: opt.StorePath = opt.STORE,
) -> None:
    """Write the report: the latest run of every study on every data set."""
    from mercer.report.page import latest_plans
    from mercer.studies import Store, get_study

    with Store(store, readonly=True) as opened:
        plans = opened.plans()
        if run_id is not None:
            plans = [plan for plan in plans if plan.id == run_id]
            if not plans:
                raise ParameterError(
                    f"There is no run {run_id!r} in {store}; `mercer study status` "
                    "lists them."
                )
        wanted = [get_study(name).name for name in names or ()]
        chosen = [
            plan for plan in latest_plans(plans) if not wanted or plan.study in wanted
        ]
        path = report_on(opened, output, chosen, tables)
    if open_it:
        webbrowser.open(path.as_uri())


@app.command(
    epilog="Examples:\n\n[bold]mercer study export --format csv -o rows.csv[/]\n\n"
    "[bold]mercer study export compare --format json[/]",
)
def export(
    names: _StudyNames = None,
    form: Annotated[str, typer.Option("--format", help="csv or json.")] = "csv",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A file; else to the screen."),
    ] = None,
    store: opt.StorePath = opt.STORE,
) -> None:
    """Write all stored rows as CSV or JSON, a row for each cell."""
    from mercer.studies import Store, get_study
    from mercer.studies.export import FORMATS, export_rows

    if form not in FORMATS:
        raise ParameterError(f"--format is {form!r}; it must be csv or json.")
    wanted = [get_study(name).name for name in names or ()]
    with Store(store, readonly=True) as opened:
        rows = [r for r in opened.rows() if not wanted or r.study in wanted]
        data = {plan.data: plan.data_name for plan in opened.plans()}
    text = export_rows(rows, data, form)
    if output is None:
        typer.echo(text, nl=False)
        return
    output.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(output, text.encode())
    say(f"{len(rows)} rows: {output}")
