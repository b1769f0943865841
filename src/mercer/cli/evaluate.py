"""``mercer evaluate``: what the decisions of a model in a file cost."""

from __future__ import annotations

import io
import os
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import mercer
from mercer._atomic_write import write_atomically
from mercer._memory import within_memory
from mercer.cli import _options as opt
from mercer.cli._console import out, print_json, say, say_aside
from mercer.cli._sentences import as_options, in_sentences
from mercer.cli._tables import print_facts, print_table
from mercer.exceptions import MissingExtraError, ParameterError

if TYPE_CHECKING:
    from mercer.evaluation import Evaluation

_two = partial(typer.Option, rich_help_panel="Two classes")
_several = partial(typer.Option, rich_help_panel="Several classes")
_calibration = partial(typer.Option, rich_help_panel="Calibration")
_FORMATS = ("png", "svg", "pdf")


def evaluate(
    file: opt.ModelFile,
    data: opt.Data,
    prior: Annotated[
        float | None,
        _two(
            help="Probability of the positive class where the model is used; else 0.5."
        ),
    ] = None,
    cost_miss: Annotated[
        float | None, _two(help="What a positive taken for negative costs; else 1.")
    ] = None,
    cost_false_alarm: Annotated[
        float | None, _two(help="What a negative taken for positive costs; else 1.")
    ] = None,
    positive: Annotated[
        str | None, _two(metavar="LABEL", help="The positive class; else the second.")
    ] = None,
    costs: Annotated[
        Path | None,
        _several(
            metavar="CSV",
            help="A matrix of costs, the true class in rows, the decision in columns, "
            "with or without their names.",
        ),
    ] = None,
    calibrate: Annotated[
        bool,
        _calibration(
            "--calibrate",
            help="Show the same after calibration, each score by those of other folds.",
        ),
    ] = False,
    calibrate_on: Annotated[
        str | None,
        _calibration(
            metavar="DATA",
            help="Calibrate on these data, which the model was not trained on.",
        ),
    ] = None,
    calibrate_rows: Annotated[
        str | None, _calibration(help="Rows of these, as --rows.")
    ] = None,
    method: Annotated[
        str | None,
        _calibration(help="logistic, or pav for two classes; else logistic."),
    ] = None,
    folds: Annotated[int | None, _calibration(help="Else 5.")] = None,
    rows: opt.WhichRows = "auto",
    label: opt.Label = "auto",
    header: opt.Header = None,
    drop: opt.Drop = None,
    missing: opt.MissingNow = "error",
    memory_budget: opt.MemoryBudget = None,
    output: Annotated[
        Path | None,
        opt.output_file(
            metavar="DIR",
            help="Where to write the figures; else out/evaluate-MODEL-DATA.",
            rich_help_panel="Output",
        ),
    ] = None,
    file_format: Annotated[
        str, opt.of_output("--format", help="png, svg or pdf.")
    ] = "png",
    dark: opt.Dark = False,
    as_json: Annotated[
        bool,
        opt.of_output(
            "--json", help="Print JSON and nothing else; figures only with --output."
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
    if file_format not in _FORMATS:
        raise ParameterError(f"--format is {file_format!r}; use png, svg or pdf.")
    drawing = output is not None or not as_json
    if drawing:
        _check_folder(output or Path("out"))
    folder, names = None, []
    with in_sentences(), within_memory(memory_budget):
        evaluation = mercer.evaluate(
            file,
            data,
            prior=prior,
            cost_miss=cost_miss,
            cost_false_alarm=cost_false_alarm,
            positive=positive,
            costs=costs,
            calibrate=calibrate,
            calibrate_on=calibrate_on,
            calibrate_rows=calibrate_rows,
            method=method,
            folds=folds,
            rows=rows,
            **opt.reading_new(label, header, drop, missing),
        )
        if drawing:
            folder = output or _default_folder(file, evaluation.data)
            names = _draw(evaluation, dark, folder, file_format, output is not None)
    if as_json:
        where = {"folder": str(folder) if names else None, "figures": names}
        print_json({"file": str(file), **evaluation.to_dict(), **where})
    else:
        _print(evaluation, file)
        if names:
            say(f"\nFigures in {folder}: {', '.join(names)}")


def _check_folder(folder: Path) -> None:
    """Complain before the work, not after it."""
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise ParameterError(
            f"The figures cannot be written to {folder}; give a folder with --output."
        )


def _default_folder(file: Path, data: str) -> Path:
    return Path("out") / re.sub(r"[^\w.-]+", "_", f"evaluate-{file.stem}-{data}")


def _draw(
    evaluation: Evaluation, dark: bool, folder: Path, file_format: str, required: bool
) -> list[str]:
    """Write the figures; without Matplotlib say so, unless they were asked for."""
    try:
        figures = _figures(evaluation, dark)
    except MissingExtraError as error:
        if required:
            raise
        say_aside(f"No figures: {error}")
        return []
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for name, figure in figures.items():
        buffer = io.BytesIO()
        figure.savefig(buffer, format=file_format, facecolor=figure.get_facecolor())
        names.append(f"{name}.{file_format}")
        write_atomically(folder / names[-1], buffer.getvalue())
    return names


def _figures(evaluation: Evaluation, dark: bool) -> dict[str, Any]:
    """Costs over all thresholds, or who is taken for whom; and the hardest images."""
    from mercer import metrics
    from mercer.evaluation import TwoClassesEvaluation
    from mercer.report import decision_figures as draw

    judged = evaluation.judged
    if isinstance(evaluation, TwoClassesEvaluation):
        pairs = {kind.name: (kind.positive, kind.values) for kind in evaluation.scores}
        figures = {}
        for name, points_of, draw_lines in (
            ("bayes_error", metrics.bayes_error_curve, draw.draw_bayes_error),
            ("roc", metrics.roc_points, draw.draw_roc),
            ("det", metrics.det_points, draw.draw_det),
        ):
            lines: dict[str, Any] = {kind: points_of(*pairs[kind]) for kind in pairs}
            figures[name] = draw_lines(lines, dark=dark)
    else:
        names = evaluation.classes
        taken_for = [names[judged.predicted]]
        shares = metrics.confusion_over_runs(
            names[judged.labels], taken_for, labels=names
        )
        figures = {"confusion": draw.draw_confusion(shares, dark=dark)}
    if judged.samples.dataset.image_shape is not None and evaluation.wrong:
        figures["hardest"] = draw.draw_hardest(evaluation.hardest(), dark=dark)
    return figures


def _print(evaluation: Evaluation, file: Path) -> None:
    print_facts(evaluation.facts() | {"model": f"{evaluation.model} from {file}"})
    out.print()
    table = evaluation.table()
    print_table(table.header, table.rows, table.right, caption=table.caption)
    if (advice := evaluation.advice()) is not None:
        say(f"\n{as_options(advice)}")
