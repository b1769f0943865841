"""Random options and files on the command line: exit code 0 or 2, never a traceback."""

import gzip
import json
import os
import random
import tempfile
import traceback
import warnings
from contextlib import chdir
from pathlib import Path

import numpy as np
import typer.main
from typer.testing import CliRunner

import mercer
from mercer.cli._app import app

#: commands that work for minutes, or until Ctrl-C, or that need a network
LEFT_OUT = {("bench",), ("demo",), ("serve",), ("data", "fetch"), ("study", "run")}
NUMBERS = ["0", "1", "2", "3", "-1", "0.5", "1e-3", "100", "nan", "inf", "1e400"]
JUNK = [
    "",
    " ",
    "x",
    "²",
    "٣",
    "9" * 25,
    "True",
    "None",
    "[]",
    "(1,2)",
    "'",
    "ü",
    "a=b",
]
JUNK += ["[bold]x[/]", "{}", "/", "..", "-", "--json", "=", "1,2", "\n", "a" * 300]
MODELS = ["svc", "knn", "perceptron", "pegasos", "winnow"]
PARAMETERS = ["tol=1e-2", "shuffle=False", "average=True", "max_iter=5", "bias=none"]
PARAMETERS += ["kernel=rbf", "memory_budget=1", "n_neighbors=2", "random_state=x"]
SENSIBLE = {
    "--model": MODELS,
    "--kernel": ["linear", "poly", "rbf", "exponential", "cosine", "precomputed"],
    "--gamma": ["scale", "auto", "0.1"],
    "--variant": ["last", "averaged", "best"],
    "--multiclass": ["ovr", "ovo"],
    "--set": PARAMETERS,
    "--grid": [
        "C=1,10",
        "gamma=0.1,1",
        "n_neighbors=1,3",
        "epochs=1,2",
        "C=",
        "kernel=x",
    ],
    "--train-on": ["train", "all"],
    "--label": ["auto", "first", "last", "0", "2", "name", "none"],
    "--scale": ["auto", "standard", "minmax", "none", "much"],
    "--missing": ["error", "mean", "median", "most-frequent", "drop-rows"],
    "--rows": ["auto", "all", "train", "test"],
    "--calibrate-rows": ["auto", "all", "train", "test"],
    "--memory-budget": ["1GB", "1MB", "1", "2GB ", "much"],
    "--method": ["logistic", "pav"],
    "--positive": ["1", "b", "yes"],
    "--scoring": ["accuracy", "f1_macro", "balanced_accuracy", "nothing"],
    "--format": ["png", "svg", "pdf", "csv", "json"],
    "--image-shape": ["1x2", "2x1", "0x0", "2x", "x", "-1x2"],
}
#: a number that is too large for these would be waited for
SMALL = {"--epochs", "--limit", "--cv", "--folds", "--n", "--m", "--degree"}
FILES = {"--output", "--picture", "--costs", "--store", "--tables", "file"}
DATA = {"data", "name", "--calibrate-on"}


def run(seed, n):
    """Try n commands; returns those that did not end as they should."""
    rng = random.Random(seed)
    failures = []
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        data, models = write_files(rng)
        before = snapshot()
        for _ in range(n):
            arguments = make_arguments(rng, data, models)
            if wrong := try_command(arguments, before):
                failures.append(f"seed {seed}: mercer {arguments}: {wrong}")
            before = snapshot()
    return failures


def try_command(arguments, before):
    """What is wrong with the end of a command, if anything."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = CliRunner().invoke(app, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return "".join(traceback.format_exception(result.exception)[-3:])
    if result.exit_code not in (0, 2) or "Traceback" in result.output:
        return f"exit code {result.exit_code}: {result.output[-500:]}"
    if result.exit_code == 2 and snapshot() != before:
        return f"it was refused, but wrote {snapshot() - before}"
    if result.exit_code == 0 and "--json" in arguments and "--help" not in arguments:
        try:
            json.loads(result.stdout)
        except ValueError:
            return f"no JSON: {result.stdout[:200]!r}"
    return None


def snapshot():
    return {path for path in Path().rglob("*") if not path.is_dir()}


def make_arguments(rng, data, models):
    path, command = rng.choice(COMMANDS)
    words, share = list(path), rng.choice([0.05, 0.1, 0.3])
    for parameter in command.params:
        name = parameter.opts[0]
        if not name.startswith("-"):
            for _ in range(rng.choice([1, 1, 1, 1, 1, 1, 1, 1, 0, 2])):
                words.append(choose_value(rng, name, data, models))
        elif name not in ("--help", "--open") and rng.random() < share:
            words.append(rng.choice([name, name, *parameter.opts]))
            if not getattr(parameter, "is_flag", False):
                words.append(choose_value(rng, name, data, models))
    if rng.random() < 0.05:
        words.insert(rng.randrange(len(words) + 1), rng.choice(JUNK))
    return words


def choose_value(rng, name, data, models):
    if name in DATA and rng.random() < 0.9:
        return rng.choice(data)
    if name == "file" and rng.random() < 0.9:
        return rng.choice(models)
    if name in FILES:
        return rng.choice(["new", "new.png", "sub/new", *data, *models, *JUNK])
    if name in SENSIBLE and rng.random() < 0.8:
        return rng.choice(SENSIBLE[name])
    small = name in SMALL
    return rng.choice(NUMBERS if small or rng.random() < 0.7 else JUNK)


def write_files(rng):
    """Data and models, sound and not; returns their names."""
    draw = np.random.default_rng(rng.randrange(2**32))
    y = draw.integers(0, 2, 30)
    X = (draw.normal(size=(30, 2)) + y[:, None]).round(2)
    words = np.array(["a", "b", "yes"])[draw.integers(0, 3, 30)]
    good = {
        "two.csv": table(X, y),
        "three.csv": "first,second,name\n" + table(X, words),
        "whole.csv": table(draw.integers(0, 2, (30, 2)), y),
        "text.svm": "".join(f"{a} 1:{b} 2:{c}\n" for a, (b, c) in zip(y, X)),
        "few.csv": table(X[:3], [0, 1, 1]),
        "one-class.csv": table(X, np.zeros(30, int)),
        "other-width.csv": table(np.c_[X, X], y),
        "ragged.csv": "1,2,0\n1,2\n",
        "hole.csv": "1,2,0\n1,,1\n" + table(X, y),
        "markup.csv": table(X, ["[red]x[/red]", "[/]"] * 15),
        "empty": "",
    }
    for name, text in good.items():
        Path(name).write_text(text)
    packed = gzip.compress(table(X, y).encode())
    Path("packed.csv.gz").write_bytes(packed)
    Path("cut.csv.gz").write_bytes(packed[: len(packed) // 2])
    Path("noise").write_bytes(draw.bytes(200))
    os.mkdir("folder")
    return [
        *good,
        *("packed.csv.gz", "cut.csv.gz", "noise", "folder", "missing.csv", "iris"),
    ], [*write_models(X, y, words), "two.csv", "noise", "folder", "missing"]


def write_models(X, y, words):
    kinds = {
        "svc.mercer": mercer.KernelSVC(),
        "knn.mercer": mercer.KernelKNN(3),
        "perceptron.mercer": mercer.KernelPerceptron(random_state=0),
    }
    for name, model in kinds.items():
        mercer.save(model.fit(X, y), name)
    mercer.save(mercer.KernelKNN().fit(X, words), "words.mercer")
    content = Path("svc.mercer").read_bytes()
    Path("cut.mercer").write_bytes(content[:-40])
    return [*kinds, "words.mercer", "cut.mercer"]


def table(X, y):
    return "".join(f"{','.join(map(str, x))},{label}\n" for x, label in zip(X, y))


def _commands(group, path=()):
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, (*path, name))
        elif (*path, name) not in LEFT_OUT:
            yield (*path, name), command


COMMANDS = list(_commands(typer.main.get_command(app)))
# those that compute are tried more often
COMMANDS += [one for one in COMMANDS if len(one[0]) == 1] * 4
