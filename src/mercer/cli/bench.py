"""``mercer bench``: speed side by side with peers, as ratios."""

from typing import Annotated

import typer

import mercer
from mercer.cli._console import out


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
    as_json: Annotated[bool, typer.Option("--json", help="Results as JSON.")] = False,
) -> None:
    """Measure speed side by side with peers, in one run, as ratios.

    Contestants take turns and are warmed up first; the median time of each and the
    ratio to the first are shown. Peers that are not installed are left out.

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
    suite.run(names or [], repeats, as_json, out)
