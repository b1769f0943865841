"""Where output goes: results to stdout, everything else to stderr."""

import os
import sys

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


def say_error(message: str) -> None:
    """Print one sentence that says what is wrong."""
    err.print(f"[bold red]mercer:[/] {escape(message)}", soft_wrap=True)
