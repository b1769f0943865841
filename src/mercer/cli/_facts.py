"""A few facts, a line each."""

from __future__ import annotations

from collections.abc import Mapping

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


def describe_error(wrong: int, samples: int) -> str:
    """How many are wrong.

    >>> describe_error(7, 360)
    '1.94 % wrong (7 of 360)'
    """
    return f"{100 * wrong / samples:.2f} % wrong ({wrong:,} of {samples:,})"


def describe_seconds(seconds: float) -> str:
    """Seconds with three digits.

    >>> describe_seconds(0.0123), describe_seconds(75.04), describe_seconds(1234.5)
    ('0.0123 s', '75 s', '1,234 s')
    """
    return f"{seconds:,.0f} s" if seconds >= 100 else f"{seconds:.3g} s"
