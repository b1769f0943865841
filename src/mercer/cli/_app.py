"""The commands, put together. Importing this imports neither Numba nor scikit-learn."""

import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from mercer._extras import extra_of, missing_extra
from mercer._version import __version__
from mercer.cli import (
    bench,
    data,
    demo,
    doctor,
    evaluate,
    explain,
    export,
    fit,
    predict,
    search,
    serve,
    study,
)
from mercer.cli._command import Command
from mercer.cli._console import print_any_name, say_error
from mercer.exceptions import MercerError


class SentenceGroup(TyperGroup):
    """Turns Mercer's errors into a sentence on stderr and exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        print_any_name()
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # `mercer data list | head`: the reader left, which is no error
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(0) from None
        except (MercerError, ModuleNotFoundError, OSError) as error:
            if (sentence := _sentence_of(error)) is None:
                raise
            say_error(sentence)
            raise typer.Exit(2) from None


def _sentence_of(error: Exception) -> str | None:
    if isinstance(error, MercerError):
        return str(error)
    if isinstance(error, ModuleNotFoundError):
        module = (error.name or "").split(".")[0]
        extra = extra_of(module)
        return extra and str(missing_extra("This", module, extra))
    if isinstance(error, OSError):
        where = f" ({error.filename})" if error.filename else ""
        return f"{error.strerror or error}{where}."
    return None


app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Fast, exact kernel classifiers, and studies that anyone can run again.",
    epilog="Start with: [bold]mercer doctor[/], [bold]mercer data list[/], "
    "[bold]mercer data show digits[/]",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"mercer {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Show the version.",
        ),
    ] = False,
) -> None:
    pass


app.add_typer(data.app, name="data")
app.add_typer(study.app, name="study")
app.command()(fit.fit)
app.command()(predict.predict)
app.command()(search.search)
app.command()(evaluate.evaluate)
app.command()(explain.explain)
app.command()(export.export)
app.command()(serve.serve)
app.command()(doctor.doctor)
app.command()(bench.bench)
app.command()(demo.demo)
for part in (app, data.app, study.app):
    for command in part.registered_commands:
        command.cls = Command
