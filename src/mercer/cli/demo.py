"""``mercer demo``: a first look, on data that comes with the dependencies."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.live import Live
from rich.table import Table

import mercer
from mercer.cli._console import out

if TYPE_CHECKING:
    from mercer.studies.first_look import Row


def demo(
    data: Annotated[
        str, typer.Option(help="A data set's name, or a file's path.")
    ] = "mnist5k",
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the report.")
    ] = Path("out/demo.html"),
    seed: Annotated[
        int, typer.Option(help="Seed of the split and of the learners.")
    ] = 0,
) -> None:
    """Take a first look at a data set: every learner once; ends with a report.

    [dim]Examples[/]

      mercer demo

      mercer demo --data digits -o out/digits.html
    """
    from mercer.report.first_look import write_first_look
    from mercer.studies import first_look as study

    dataset = mercer.load_dataset(data)
    out.print(
        f"[bold]{dataset.name}[/]: {dataset.n_samples} samples, "
        f"{dataset.n_features} features, {len(dataset.classes)} classes"
    )
    rows: list[Row] = []
    with Live(_table(rows, None), console=out, refresh_per_second=8) as live:
        names = list(study.learners(seed))
        live.update(_table(rows, names[0]))
        for row in study.first_look(dataset, seed):
            rows.append(row)
            following = names[len(rows)] if len(rows) < len(names) else None
            live.update(_table(rows, following))
    command = f"mercer demo --data {data} --seed {seed} -o {output}"
    train, test = study.split(dataset, seed)
    path = write_first_look(dataset, train, test, rows, command, output)
    out.print(f"\nReport: [bold]{path.resolve()}[/]", soft_wrap=True)
    out.print("Next: [bold]mercer data list[/], [bold]mercer fit --help[/]")


def _table(rows: "list[Row]", running: str | None) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("learner")
    for title in ("test error", "wrong", "support vectors", "fit", "predict"):
        table.add_column(title, justify="right")
    best = min((row.n_wrong for row in rows), default=None)
    for row in rows:
        style = "bold green" if row.n_wrong == best else None
        support = "" if row.support_vectors is None else str(row.support_vectors)
        table.add_row(
            row.name,
            f"{row.test_error:.2%}",
            str(row.n_wrong),
            support,
            f"{row.fit_seconds:.2f} s",
            f"{row.predict_seconds:.2f} s",
            style=style,
        )
    if running:
        table.add_row(f"[dim]{running} …[/]")
    return table
