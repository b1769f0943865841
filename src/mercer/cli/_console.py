"""Where output goes: results to stdout, everything else to stderr."""

import io
import json
import os
import sys
from typing import Any

import typer
from rich.console import Console
from rich.markup import escape


class _Output(Console):
    def on_broken_pipe(self) -> None:
        # `mercer data list | head`: the reader left, which is no error
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0)


out = _Output(highlight=False)
err = Console(stderr=True, highlight=False)


def print_any_name() -> None:
    r"""Let file names be printed that are not UTF-8, with \udc.. for such a byte."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def say(sentence: str) -> None:
    """Print a result as it is, however long."""
    out.print(sentence, soft_wrap=True, markup=False)


def say_aside(sentence: str) -> None:
    """Print on stderr what is not the result."""
    err.print(sentence, soft_wrap=True, markup=False)


def say_error(message: str) -> None:
    """Print one sentence that says what is wrong."""
    err.print(f"[bold red]mercer:[/] {escape(message)}", soft_wrap=True)


def print_json(value: Any) -> None:
    """Print JSON; what it does not know as Python writes it."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, default=repr))
