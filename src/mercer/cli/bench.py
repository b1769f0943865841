"""``mercer bench``: speed side by side with peers, as ratios."""

from pathlib import Path
from typing import Annotated

import typer

import mercer
from mercer.cli import _options as opt
from mercer.cli._console import err, out


def bench(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Which benchmarks; all quick ones when none is named."),
    ] = None,
    listing: Annotated[
        bool, typer.Option("--list", help="List the benchmarks and stop.")
    ] = False,
    repeats: Annotated[
        int, typer.Option(min=1, help="Interleaved repetitions of each.")
    ] = 5,
    picture: Annotated[
        Path | None,
        typer.Option(help="Where to draw a benchmark that has a figure (PNG, SVG)."),
    ] = None,
    as_json: opt.Json = False,
) -> None:
    """Measure speed side by side with peers, in one run, as ratios.

    Contestants take turns and are warmed up first; the median time of each is shown,
    and the ratio to the first that does the same work. Peers that are not installed are
    left out.

    [dim]Examples[/]

      mercer bench --list

      mercer bench gram --repeats 11
    """
    suite = mercer.bench
    if listing:
        for name, benchmark in suite.BENCHMARKS.items():
            slow = " [dim](slow: only when named)[/]" if benchmark.slow else ""
            out.print(f"[bold]{name}[/]  {benchmark.title}{slow}")
        return
    results = suite.run(names or [], repeats, as_json, out)
    if picture is not None:
        from mercer.report.bench_figure import save_bench_figure

        for result in results:
            if result.points or result.fields:
                err.print(f"Picture: {save_bench_figure(result, picture)}")
