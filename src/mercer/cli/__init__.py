"""The command line: a file a command, each a thin parser over a plain function."""

import sys

from mercer.exceptions import MissingExtraError


def main() -> None:
    """Run ``mercer``; what is wrong ends in a sentence and exit code 2."""
    try:
        from mercer.cli._app import app
    except ModuleNotFoundError as error:
        if error.name not in {"typer", "rich", "click"}:
            raise
        message = MissingExtraError(
            f"The command line needs {error.name}, which is not installed; "
            "get it with: pip install 'mercer[cli]'"
        )
        sys.exit(f"mercer: {message}")
    app(prog_name="mercer")
