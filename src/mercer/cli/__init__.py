"""The command line: one file per command, each a thin parser over a plain function."""

import io
import sys

from mercer._extras import missing_extra


def main() -> None:
    """Run ``mercer``; what is wrong ends in a sentence and exit code 2."""
    try:
        from mercer.cli._app import app
    except ModuleNotFoundError as error:
        if error.name not in {"typer", "rich", "click"}:
            raise
        sys.exit(f"mercer: {missing_extra('The command line', error.name, 'cli')}")
    if isinstance(sys.stdout, io.TextIOWrapper):
        # names of files may hold bytes that are no text
        sys.stdout.reconfigure(errors="backslashreplace")
    app(prog_name="mercer")
