"""Arguments and options that several commands have."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from mercer.cli._models import MODELS
from mercer.exceptions import ParameterError

model_option = partial(typer.Option, rich_help_panel="The model")
data_option = partial(typer.Option, rich_help_panel="The data")
output_option = partial(typer.Option, rich_help_panel="Output")

_NAMES = "A name from [bold]mercer data list[/], or the path of a file."
DataArgument = Annotated[str, typer.Argument(metavar="DATA", help=_NAMES)]
DataNameArgument = Annotated[str, typer.Argument(metavar="NAME", help=_NAMES)]
LabelOption = Annotated[
    str,
    data_option(
        help="The label column of a text table: first, last, a name or a number."
    ),
]
ImageShapeOption = Annotated[
    str | None, typer.Option(help="Height and width of images in a file, as 16x16.")
]
RowsOption = Annotated[
    str,
    data_option(
        help="all, train or test; by default test where the data set has an official "
        "split, else all."
    ),
]
TestSizeOption = Annotated[
    float | None,
    data_option(
        min=0.0,
        max=1.0,
        help="Share of the samples to set aside at random and test on; without it the "
        "official split, or 0.2 where there is none; 0 for none.",
    ),
]
LimitOption = Annotated[
    int | None,
    data_option(
        min=2, help="Use so many of the training samples only, drawn at random."
    ),
]
MemoryBudgetOption = Annotated[
    str | None, data_option(help="Memory for kernel values, as 2GB.")
]

ModelOption = Annotated[
    str, typer.Option("--model", "-m", help=f"One of {', '.join(MODELS)}.")
]
SettingsOption = Annotated[
    list[str] | None,
    model_option(
        "--set",
        metavar="NAME=VALUE",
        help="Any other parameter of the model; may be repeated.",
    ),
]
SeedOption = Annotated[
    int | None,
    model_option(min=0, help="Of everything that is drawn at random; else 0."),
]

DarkOption = Annotated[bool, output_option("--dark", help="Draw for a dark page.")]
JsonOption = Annotated[
    bool, output_option("--json", help="Print JSON and nothing else.")
]

STORE = Path("out/mercer-store.sqlite")
StoreOption = Annotated[
    Path, typer.Option("--store", help="The file with the results; it is made once.")
]
StudySeedOption = Annotated[
    int, typer.Option(help="Everything random follows from it.")
]
ReportOption = Annotated[
    Path, typer.Option("--output", "-o", help="Where to write the report.")
]


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
