"""The page of a first look: one self-contained HTML file."""

from __future__ import annotations

import io
import os
import platform
import re
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment
from numpy.typing import NDArray

from mercer._threads import n_threads
from mercer._version import __version__
from mercer.datasets import Dataset
from mercer.metrics import confusion_over_runs, hardest_samples
from mercer.report.data_figures import draw_dataset
from mercer.report.decision_figures import draw_confusion, draw_hardest
from mercer.studies.first_look import Row


def write_first_look(
    data: Dataset,
    train: NDArray,
    test: NDArray,
    rows: Sequence[Row],
    command: str,
    path: Path,
) -> Path:
    """Write the page; an older one is replaced only when the new one is complete."""
    best = min(rows, key=lambda row: row.n_wrong)
    certificate = next((row.certificate for row in rows if row.certificate), "")
    template = Environment(autoescape=True).from_string(
        files("mercer.report").joinpath("first_look.html").read_text("utf-8")
    )
    page = template.render(
        data=data,
        n_train=len(train),
        rows=rows,
        best=best,
        certificate=certificate,
        figures=_figures(data, test, rows, best),
        command=command,
        version=__version__,
        python=platform.python_version(),
        threads=n_threads(),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_text(page, "utf-8")
    os.replace(unfinished, path)
    return path


def _figures(
    data: Dataset, test: NDArray, rows: Sequence[Row], best: Row
) -> list[dict[str, str]]:
    truth = data.y[test]
    table = confusion_over_runs(truth, [best.predictions])
    figures = [
        _figure(
            "The data",
            "Samples of every class, and how many there are.",
            lambda dark: draw_dataset(data, dark=dark),
        ),
        _figure(
            "What is taken for what",
            f"{best.name} on the test samples: a row is the true class, a cell the "
            "share of it that was taken for the class of the column.",
            lambda dark: draw_confusion(table, dark=dark),
        ),
    ]
    if data.image_shape:
        hardest = hardest_samples(
            truth,
            [row.predictions for row in rows],
            n_samples=8,
            images=data.X[test],
            image_shape=data.image_shape,
        )
        figures.append(
            _figure(
                "The hardest images",
                "Those that most of the learners got wrong, and what they took them "
                "for.",
                lambda dark: draw_hardest(hardest, dark=dark),
            )
        )
    return figures


def _figure(title: str, caption: str, draw: Callable[[bool], Any]) -> dict[str, str]:
    return {
        "title": title,
        "caption": caption,
        "light": _svg(draw(False), "light"),
        "dark": _svg(draw(True), "dark"),
    }


def _svg(figure: Any, name: str) -> str:
    """The figure as an SVG element to stand within a page."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", bbox_inches="tight")
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    # identifiers must be unique within the page, where several figures stand
    mark = f"{name}-{id(figure):x}-"
    return re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{mark}", text)
