"""Arguments and options that several commands have."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from mercer.cli._models import MODELS
from mercer.exceptions import ParameterError

of_model = partial(typer.Option, rich_help_panel="The model")
of_data = partial(typer.Option, rich_help_panel="The data")
of_output = partial(typer.Option, rich_help_panel="Output")


output_file = partial(typer.Option, "--output", "-o")


def flag(name: str, help: str, panel: str | None = None) -> Any:
    """A switch, without the ``--no-`` that typer would add."""
    return typer.Option(name, help=help, rich_help_panel=panel)


ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model that mercer fit kept.")
]
_NAMES = "A name from [bold]mercer data list[/], or the path of a file."
Data = Annotated[str, typer.Argument(metavar="DATA", help=_NAMES)]
DataName = Annotated[str, typer.Argument(metavar="NAME", help=_NAMES)]
Label = Annotated[
    str,
    of_data(help="The label column of a text table: first, last, a name or a number."),
]
LabelOrNone = Annotated[
    str,
    of_data(
        help="The label column of a text table: first, last, a name or a number; none "
        "where there are no labels."
    ),
]
Header = Annotated[
    bool | None,
    of_data(
        "--header/--no-header",
        help="Whether a text table begins with names of columns; else found out.",
    ),
]
Drop = Annotated[
    list[str] | None,
    of_data(
        "--drop",
        metavar="COLUMN",
        help="A column of a text table to leave out, by name or by number from 0; may "
        "be repeated.",
    ),
]
Categorical = Annotated[
    list[str] | None,
    of_data(
        "--categorical",
        metavar="COLUMN",
        help="A column of a text table whose numbers are categories, by name or by "
        "number from 0; may be repeated. Columns of words are categories anyway.",
    ),
]
Missing = Annotated[
    str,
    of_data(
        help="What becomes of missing values: error, drop-rows, or filled in by the "
        "mean, median or most-frequent value of the training samples, as a step of the "
        "model; for words by the most frequent."
    ),
]
MissingShown = Annotated[
    str | None,
    of_data(
        help="What becomes of missing values: shown as gaps unless it is error, "
        "drop-rows, mean, median or most-frequent."
    ),
]
MissingNow = Annotated[
    str,
    of_data(
        help="What becomes of samples that lack a value, where the model does not fill "
        "it in: error or drop-rows."
    ),
]
Scale = Annotated[
    str,
    of_data(
        help="standard, minmax, none, or auto: standard where the ranges of the "
        "features differ by more than a factor of 10, none for images. A step of the "
        "model, fitted on training samples."
    ),
]
ImageShape = Annotated[
    str | None, typer.Option(help="Height and width of images in a file, as 16x16.")
]
WhichRows = Annotated[
    str,
    of_data(
        help="all, train or test; by default test where the data set has an official "
        "split, else all, and of these evaluate takes those that the model was not "
        "trained on."
    ),
]
TestSize = Annotated[
    float | None,
    of_data(
        min=0.0,
        max=1.0,
        help="Share of the samples to set aside at random and test on; without it the "
        "official split, or 0.2 where there is none; 0 for none.",
    ),
]
Limit = Annotated[
    int | None,
    of_data(min=2, help="Use so many of the training samples only, drawn at random."),
]
MemoryBudget = Annotated[str | None, of_data(help="Memory for kernel values, as 2GB.")]

ModelName = Annotated[
    str, typer.Option("--model", "-m", help=f"One of {', '.join(MODELS)}.")
]
Settings = Annotated[
    list[str] | None,
    of_model(
        "--set",
        metavar="NAME=VALUE",
        help="Any other parameter of the model; may be repeated.",
    ),
]
Seed = Annotated[
    int | None,
    of_model(min=0, help="Of everything that is drawn at random; else 0."),
]

Dark = Annotated[bool, of_output("--dark", help="Draw for a dark page.")]
Json = Annotated[bool, of_output("--json", help="Print JSON and nothing else.")]

STORE = Path("out/mercer-store.sqlite")
StorePath = Annotated[
    Path, typer.Option("--store", help="The file with the results; it is made once.")
]
StudySeed = Annotated[int, typer.Option(help="Everything random follows from it.")]
ReportPath = Annotated[Path, output_file(help="Where to write the report.")]


def reading(
    label: str,
    header: bool | None,
    drop: list[str] | None,
    missing: str = "error",
    categorical: list[str] | None = None,
) -> dict[str, Any]:
    """What `load_dataset` is told about a text table to learn from."""
    if label == "none":
        raise ParameterError("--label none is for predict; here labels are needed.")
    words = ("auto", *(categorical or ()))
    table = reading_new(label, header, drop, missing)
    return {**table, "categorical": words}


def reading_new(
    label: str, header: bool | None, drop: list[str] | None, missing: str
) -> dict[str, Any]:
    """What it is told about one to predict; the model knows its categories."""
    header_or_auto = "auto" if header is None else header
    words = {"label": label, "header": header_or_auto, "drop": drop or ()}
    return {**words, "missing": missing}


def check_not_read(output: Path | None, *read: str | Path | None) -> None:
    """Refuse to write over what a command reads."""
    if output is None or not output.is_file():
        return
    for given in read:
        if given is not None and Path(given).is_file() and output.samefile(given):
            raise ParameterError(
                f"--output {output} would be written over {given}, which is read here; "
                "give another name."
            )


def parse_image_shape(text: str | None) -> tuple[int, int] | None:
    """Height and width.

    >>> parse_image_shape("16x8")
    (16, 8)
    """
    if text is None:
        return None
    height, _, width = text.lower().partition("x")
    if not (height.isdecimal() and width.isdecimal()):
        raise ParameterError(f"The image shape is {text!r}; write it as 16x16.")
    return int(height), int(width)
