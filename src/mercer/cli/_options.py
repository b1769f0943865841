"""Arguments and options that several commands have."""

from typing import Annotated

import typer

from mercer.cli._models import MODELS

MODEL_PANEL, DATA_PANEL, OUTPUT_PANEL = "The model", "The data", "Output"
NAMES = "A name from [bold]mercer data list[/], or the path of a file."

Data = Annotated[str, typer.Argument(metavar="DATA", help=NAMES)]
ModelName = Annotated[
    str, typer.Option("--model", "-m", help=f"One of {', '.join(MODELS)}.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any other parameter of the model; may be repeated.",
        rich_help_panel=MODEL_PANEL,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        min=0,
        help="Of everything that is drawn at random; else 0.",
        rich_help_panel=MODEL_PANEL,
    ),
]
Rows = Annotated[
    str,
    typer.Option(
        help="all, train or test; by default test where the data set has an official "
        "split, else all.",
        rich_help_panel=DATA_PANEL,
    ),
]
Label = Annotated[
    str,
    typer.Option(
        help="The label column of a text table: first, last, a name or a number.",
        rich_help_panel=DATA_PANEL,
    ),
]
MemoryBudget = Annotated[
    str | None,
    typer.Option(help="Memory for kernel values, as 2GB.", rich_help_panel=DATA_PANEL),
]
Dark = Annotated[
    bool,
    typer.Option("--dark", help="Draw for a dark page.", rich_help_panel=OUTPUT_PANEL),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json", help="Print JSON and nothing else.", rich_help_panel=OUTPUT_PANEL
    ),
]
