"""``mercer demo``: every learner on data that comes with the dependencies."""

import importlib
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from mercer.cli import _options as opt
from mercer.cli._console import out
from mercer.cli._run_studies import Request, report_on, run_studies


def demo(
    data: Annotated[
        str, typer.Option(help="A data set's name, or a file's path.")
    ] = "mnist5k",
    output: opt.ReportPath = Path("out/demo.html"),
    seed: opt.StudySeed = 0,
    store: opt.StorePath = opt.STORE,
) -> None:
    """Compare every learner on a data set, in about a minute; ends with a report.

    The same as [bold]mercer study run compare --quick[/].

    [dim]Examples[/]

      mercer demo

      mercer demo --data digits -o out/digits.html
    """
    out.print(f"Every learner on [bold]{escape(data)}[/], tuned and tested:")
    # better told now than after a minute of work
    importlib.import_module("matplotlib")
    output.parent.mkdir(parents=True, exist_ok=True)
    from mercer.studies import Store, get_study

    request = Request((data,), seed=seed, quick=True)
    with Store(store) as opened:
        runs = run_studies([get_study("compare")], request, opened)
        report_on(opened, output, [p for p in opened.plans() if p.id in runs])
    out.print(
        "Next: [bold]mercer serve[/] (draw digits, see why, browse these results), "
        "[bold]mercer study --help[/], [bold]mercer data list[/]"
    )
