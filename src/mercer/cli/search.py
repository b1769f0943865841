"""``mercer search``: try a grid of parameters by cross-validation."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Annotated, Any

import typer

import mercer
from mercer._memory import within_memory
from mercer.cli import _options as opt
from mercer.cli._console import out, print_json
from mercer.cli._fit_bar import watched
from mercer.cli._models import (
    build_model,
    check_can_be_written,
    check_model_file,
    parse_value,
    seed_model,
)
from mercer.cli._prepared import prepare_for
from mercer.cli._search_result import find, print_found
from mercer.cli._sentences import in_sentences
from mercer.cli._split import choose_split
from mercer.exceptions import ParameterError

#: What is tried where no grid is given.
_USUAL = {
    "svc": ["C=0.1,1,10,100"],
    "perceptron": ["epochs=1,5,20"],
    "pegasos": ["lam=1e-4,1e-3,1e-2"],
    "knn": ["n_neighbors=1,3,5,9,15"],
}


def search(
    data: opt.Data,
    model: opt.ModelName = "svc",
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid",
            "-g",
            metavar="NAME=VALUES",
            help="A parameter and its values, as C=0.5,1,10, or so many by equal "
            "factors, as C=1e-2..1e3:6; may be repeated. Without one, a few values of "
            "the parameter that matters most.",
        ),
    ] = None,
    cv: Annotated[int, typer.Option(min=2, help="Folds of the cross-validation.")] = 5,
    scoring: Annotated[
        str, typer.Option(help="A score of scikit-learn's.")
    ] = "accuracy",
    per_class: Annotated[
        bool,
        typer.Option(
            "--per-class", help="Choose for each binary problem by itself, too."
        ),
    ] = False,
    settings: opt.Settings = None,
    seed: opt.Seed = None,
    test_size: opt.TestSize = None,
    limit: opt.Limit = None,
    label: opt.Label = "auto",
    header: opt.Header = None,
    drop: opt.Drop = None,
    categorical: opt.Categorical = None,
    missing: opt.Missing = "error",
    scale: opt.Scale = "auto",
    memory_budget: opt.MemoryBudget = None,
    picture: Annotated[
        Path | None,
        opt.of_output(
            metavar="FILE", help="Draw the scores into a .png, .svg or .pdf file."
        ),
    ] = None,
    dark: opt.Dark = False,
    output: Annotated[
        Path | None,
        opt.of_output(
            "--output",
            "-o",
            metavar="FILE",
            help="Keep the best model, fitted on all training samples.",
        ),
    ] = None,
    estimate: Annotated[
        bool,
        opt.of_output(
            "--estimate", help="Only say what the search would cost in memory and time."
        ),
    ] = False,
    as_json: opt.Json = False,
) -> None:
    """Try every combination of values by cross-validation, and show the scores.

    All combinations and folds share one base matrix. Ctrl-C keeps the combinations that
    are complete.

    [dim]Examples[/]

      mercer search iris

      mercer search digits -m svc -g C=1,10,100 -g gamma=0.0005,0.001,0.002

      mercer search wine.csv -m svc -g C=1e-2..1e3:6 -g gamma=1e-3..1:4

      mercer search usps -m svc -g C=0.5,1,10 -g gamma=0.005,0.01 --picture usps.png

      mercer search zipcombo -m perceptron -g epochs=1,5,20 -g degree=1,2,3 \
--set kernel=poly --limit 4000

      mercer search iris -m pegasos -g lam=1e-4,1e-2 -g epochs=1,5 --per-class --json
    """
    with in_sentences(), within_memory(memory_budget):
        values = parse_grid(grid or _usual_grid(model))
        machine = build_model(model, {}, settings or ())
        seed_model(machine, seed)
        opt.check_not_read(output, data)
        _check_files(output, picture, per_class)
        table = opt.reading(label, header, drop, missing, categorical)
        dataset = mercer.load_dataset(data, **table)
        split = choose_split(dataset, "train", test_size, limit, seed or 0)
        prepared = prepare_for(dataset, split.train, scale)
        whole = prepared.before(machine)
        if whole is not machine:
            _check_per_class(per_class, prepared.description)
            values = {f"model__{name}": tried for name, tried in values.items()}
        finder = mercer.model_selection.GramSearchCV(
            whole, values, cv=cv, scoring=scoring, per_class=per_class
        )
        if estimate:
            cost = finder.estimate_cost(dataset.X[split.train], dataset.y[split.train])
            if as_json:
                print_json(vars(cost))
            else:
                out.print(str(cost), soft_wrap=True)
            return
        with watched(finder, not as_json):
            result = find(finder, dataset, split)
        result["preparation"] = prepared.description or None
        if picture is not None:
            result["picture"] = str(_draw(result, picture, dark))
        if output is not None:
            best = finder.best_estimator_
            names = dataset.feature_names
            mercer.evaluation.remember_training(best, dataset.X, split.train, names)
            mercer.save(best, output)
            result["file"] = str(output)
    if as_json:
        print_json(result)
    else:
        print_found(result, machine)


def parse_grid(texts: list[str]) -> dict[str, list[Any]]:
    """Names and lists of values.

    >>> parse_grid(["C=0.5,1,10", "kernel=rbf,linear"])
    {'C': [0.5, 1, 10], 'kernel': ['rbf', 'linear']}
    >>> parse_grid(["C=1e-2..1e3:6", "n_neighbors=1..9:3"])
    {'C': [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0], 'n_neighbors': [1, 3, 9]}
    """
    grid: dict[str, list[Any]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        words = [word.strip() for word in values.split(",") if word.strip()]
        if not equals or not name or not words:
            raise ParameterError(
                f"--grid takes NAME=VALUE,VALUE,…, as in C=0.5,1,10; got {text!r}."
            )
        tried = grid.setdefault(name.strip(), [])
        for word in words:
            tried += _parse_range(word) if ".." in word else [parse_value(word)]
    return grid


def _parse_range(text: str) -> list[Any]:
    """Values from one number to another, by equal factors; whole if both are."""
    match = re.fullmatch(r"(\S+)\.\.(\S+):(\d{1,4})", text)
    ends = [parse_value(end) for end in match.groups()[:2]] if match else []
    if match is None or not all(
        isinstance(end, int | float) and 0 < end < math.inf for end in ends
    ):
        raise ParameterError(
            f"A range is LOW..HIGH:COUNT with numbers above 0, as in C=1e-2..1e3:6; "
            f"got {text!r}."
        )
    low, high = ends
    steps = max(int(match[3]) - 1, 1)
    values = [low * (high / low) ** (k / steps) for k in range(int(match[3]))]
    if all(isinstance(end, int) for end in ends):
        return list(dict.fromkeys(map(round, values)))
    return [float(f"{value:.12g}") for value in values]


def _check_per_class(per_class: bool, preparation: str) -> None:
    if per_class:
        raise ParameterError(
            f"--per-class takes samples as they are, and these would be prepared "
            f"({preparation}); leave it out, or say --scale none."
        )


def _usual_grid(model: str) -> list[str]:
    if model not in _USUAL:
        raise ParameterError(
            f"Say what to try of {model}, as --grid NAME=VALUES; only "
            f"{', '.join(_USUAL)} have a usual grid."
        )
    return _USUAL[model]


def _check_files(output: Path | None, picture: Path | None, per_class: bool) -> None:
    """Complain before the work, not after it."""
    check_model_file(output)
    if output is not None and per_class:
        raise ParameterError(
            "A model file holds one machine with one setting; drop --output or "
            "--per-class."
        )
    if picture is not None:
        from mercer.report.search_figures import check_picture

        check_picture(picture)
        check_can_be_written(picture)


def _draw(result: dict[str, Any], picture: Path, dark: bool) -> Path:
    from mercer.report.search_figures import save_search

    return save_search(
        result["rows"],
        picture,
        score=f"mean {result['scoring'].replace('_', ' ')}",
        title=f"{result['model']} on {result['data']}, {result['cv']} folds",
        dark=dark,
    )
