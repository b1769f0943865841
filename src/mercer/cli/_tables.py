"""Facts and tables on the terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from rich.table import Table
from rich.text import Text

from mercer.cli._console import out


def print_facts(facts: Mapping[str, str | None]) -> None:
    """Print names and values below each other; those that are None are left out."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in facts.items():
        if value is not None:
            table.add_row(name, Text(value))
    out.print(table)


def print_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str | Text]],
    right: Collection[int] = (),
    whole: Collection[int] = (),
    caption: str | None = None,
) -> None:
    """Print columns, some aligned to the right, some never broken into lines.

    A first column without a name holds the names of groups.
    """
    table = Table(box=None, pad_edge=False, header_style="bold", caption=caption)
    for place, name in enumerate(header):
        table.add_column(
            name,
            style="bold" if not name and not place else "",
            justify="right" if place in right else "left",
            no_wrap=place in whole,
        )
    for row in rows:
        table.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    out.print(table)


def yes_or_no(flag: bool) -> Text:
    """Whether something is here, in colour."""
    return Text("yes", "green") if flag else Text("no", "yellow")
