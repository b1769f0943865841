"""``mercer evaluate``: what the decisions of a model in a file cost."""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import mercer
from mercer._atomic_write import write_atomically
from mercer.cli._console import err
from mercer.cli._evaluation.options import Application, Options, make_calibration
from mercer.cli._evaluation.printing import print_evaluation
from mercer.cli._options import (
    OUTPUT_PANEL,
    Dark,
    Data,
    Label,
    MemoryBudget,
    Rows,
)
from mercer.cli._sentences import in_sentences, within_memory
from mercer.exceptions import MissingExtraError, ParameterError

if TYPE_CHECKING:
    from mercer.cli._evaluation.run import Draw

_TWO, _SEVERAL, _CALIBRATION = "Two classes", "Several classes", "Calibration"
_FORMATS = ("png", "svg", "pdf")


def evaluate(
    file: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A model that mercer fit kept.")
    ],
    data: Data,
    prior: Annotated[
        float | None,
        typer.Option(
            help="Probability of the positive class where the model is used; else 0.5.",
            rich_help_panel=_TWO,
        ),
    ] = None,
    cost_miss: Annotated[
        float | None,
        typer.Option(
            help="What a positive taken for negative costs; else 1.",
            rich_help_panel=_TWO,
        ),
    ] = None,
    cost_false_alarm: Annotated[
        float | None,
        typer.Option(
            help="What a negative taken for positive costs; else 1.",
            rich_help_panel=_TWO,
        ),
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL",
            help="The positive class; else the second.",
            rich_help_panel=_TWO,
        ),
    ] = None,
    costs: Annotated[
        Path | None,
        typer.Option(
            metavar="CSV",
            help="A matrix of costs, the true class in rows, the decision in columns, "
            "with or without their names.",
            rich_help_panel=_SEVERAL,
        ),
    ] = None,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate",
            help="Show the same after calibration, each score by those of other folds.",
            rich_help_panel=_CALIBRATION,
        ),
    ] = False,
    calibrate_on: Annotated[
        str | None,
        typer.Option(
            metavar="DATA",
            help="Calibrate on these data, which the model was not trained on.",
            rich_help_panel=_CALIBRATION,
        ),
    ] = None,
    calibrate_rows: Annotated[
        str | None,
        typer.Option(
            help="Rows of these, as --rows.",
            rich_help_panel=_CALIBRATION,
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="logistic, or pav for two classes; else logistic.",
            rich_help_panel=_CALIBRATION,
        ),
    ] = None,
    folds: Annotated[
        int | None, typer.Option(help="Else 5.", rich_help_panel=_CALIBRATION)
    ] = None,
    rows: Rows = "auto",
    label: Label = "auto",
    memory_budget: MemoryBudget = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Where to write the figures; else out/evaluate-MODEL-DATA.",
            rich_help_panel=OUTPUT_PANEL,
        ),
    ] = None,
    file_format: Annotated[
        str,
        typer.Option("--format", help="png, svg or pdf.", rich_help_panel=OUTPUT_PANEL),
    ] = "png",
    dark: Dark = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print JSON and nothing else; figures only with --output.",
            rich_help_panel=OUTPUT_PANEL,
        ),
    ] = False,
) -> None:
    """Say what the decisions of a model cost, and draw it.

    Two classes: the detection cost at your prior and costs, at the best threshold
    (minDCF) and at the one that the scores stand for (actDCF), and over all priors
    (cllr); Bayes error plot, ROC and DET. Several classes: the error of each class and
    who is taken for whom. Images: those that the model is most sure about, and wrong.

    [dim]Examples[/]

      mercer evaluate usps.mercer usps

      mercer evaluate spoof.mercer spoofing --prior 0.1 --calibrate

      mercer evaluate m.mercer new.csv --prior 0.01 --cost-miss 10 --positive sick

      mercer evaluate m.mercer test.csv --calibrate-on valid.csv --method pav --json

      mercer evaluate digits.mercer digits --costs costs.csv -o figures --dark
    """
    costs_given = {
        "prior": prior,
        "cost_miss": cost_miss,
        "cost_false_alarm": cost_false_alarm,
    }
    given = {name: cost for name, cost in costs_given.items() if cost is not None}
    two = [f"--{name.replace('_', '-')}" for name in given]
    options = Options(
        Application(**given),
        tuple(two + ["--positive"] * (positive is not None)),
        positive,
        costs,
        make_calibration(calibrate, calibrate_on, calibrate_rows, method, folds),
    )
    if file_format not in _FORMATS:
        raise ParameterError(f"--format is {file_format!r}; use png, svg or pdf.")
    drawing = output is not None or not as_json
    if drawing:
        _check_folder(output or Path("out"))
    with within_memory(memory_budget), in_sentences():
        from mercer.cli._evaluation.run import run

        result, draw = run(mercer.load(file), data, rows, label, options)
        result = {"file": str(file), **result, "folder": None, "figures": []}
        if drawing:
            folder = output or _default_folder(file, result["data"])
            names = _draw(draw, dark, folder, file_format, output is not None)
            result |= {"folder": str(folder) if names else None, "figures": names}
    if as_json:
        typer.echo(json.dumps(result, indent=2, ensure_ascii=False))
    else:
        print_evaluation(result)


def _check_folder(folder: Path) -> None:
    """Complain before the work, not after it."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise ParameterError(
            f"The figures cannot be written to {folder}; give a folder with --output."
        )


def _default_folder(file: Path, data: str) -> Path:
    name = re.sub(r"[^\w.-]+", "_", f"evaluate-{file.stem}-{data}")
    return Path("out") / name


def _draw(
    draw: Draw, dark: bool, folder: Path, file_format: str, required: bool
) -> list[str]:
    """Write the figures; without Matplotlib say so, unless they were asked for."""
    try:
        figures = draw(dark)
    except MissingExtraError as error:
        if required:
            raise
        err.print(f"No figures: {error}", soft_wrap=True, markup=False)
        return []
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for name, figure in figures.items():
        buffer = io.BytesIO()
        figure.savefig(buffer, format=file_format, facecolor=figure.get_facecolor())
        names.append(f"{name}.{file_format}")
        write_atomically(folder / names[-1], buffer.getvalue())
    return names
