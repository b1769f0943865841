"""Report 000: the pieces against slow ones, and a line of it for real."""

from collections import Counter

import numpy as np
from typer.testing import CliRunner

from mercer import load_dataset
from mercer.cli._app import app
from mercer.kernels import Gaussian, Gram
from mercer.model_selection import RotationFolds, SplitProblems, walk_pegasos
from mercer.studies import get_study
from mercer.studies.published.pegasos_grid.cells import (
    CHOICES,
    VARIANTS,
    evaluations,
    run_combination,
    run_variant,
    show_examples,
)
from mercer.studies.row import Row
from mercer.studies.verdicts import Verdict, judge

LAM = 1e-3
generator = np.random.default_rng


def test_evaluations_count_what_the_published_program_computes(small):
    split = next(RotationFolds(5, seed=generator(1)).split(small.y))
    problems = SplitProblems.of(small.y, [split])
    gram, draws = Gram(Gaussian(0.001), small.X), problems.draw(300, generator(2))
    (run,) = walk_pegasos(gram, problems.signs, LAM, draws, [300])
    n_test = len(problems.splits[0][1])
    slow = sum(
        sum((u.steps < t).sum() for t in range(1, 301)) + n_test * len(u.samples)
        for u in run.updates
    )
    assert evaluations(problems, run) == slow


def test_variants_change_one_thing(small):
    gram = Gram(Gaussian(0.001), small.X)
    errors = {
        name: run_variant(gram, small.y, 1e-8, name, 0).values for name in VARIANTS
    }
    assert errors["printed"] == errors["not-strict"]
    assert errors["printed"] != errors["shared-draws"]


def test_the_grid_asks_for_every_combination(small):
    cells = list(get_study("pegasos-grid").cells(small, 0, False))
    asked = [c for c in cells if c.params["part"] == "grid"]
    grid = {(c.params["kernel"], c.params["lam"]) for c in asked}
    assert len([kernel for kernel, _ in grid if kernel.startswith("poly")]) == 12
    assert {"optimum", "variant", "degree", "examples"} < {
        c.params["part"] for c in cells
    }


def test_other_readings_of_the_gaussian_are_judged_beside_the_first():
    study = get_study("pegasos-grid")
    others = [other for number in study.published() for other in number.others]
    readings = Counter(other.where["kernel"] for other in others)
    assert readings == {"gauss-width": 16, "gauss-unsquared": 16, "gauss-gamma": 16}
    assert {other.table for other in others} == {"Figure 6, Gauss"}
    assert {other.rule for other in others} == {"single"}


def test_the_first_gaussian_has_gamma_for_its_standard_deviation():
    assert CHOICES["gauss"].kernel == Gaussian(1 / (2 * 2.0**2))


def test_examples_are_one_of_each_digit(small):
    outcome = show_examples(small.y, 0)
    assert small.y[outcome.samples].tolist() == list(range(10))


def test_without_the_data_other_data_are_offered(monkeypatch, tmp_path):
    monkeypatch.setenv("MERCER_DATA", str(tmp_path))
    arguments = ["study", "run", "pegasos-grid", "--store", str(tmp_path / "s.sqlite")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code != 0
    said = result.output + str(result.exception)
    assert "mnist5k" in said


def test_a_line_of_report_000_for_real(data_folder):
    usps = load_dataset("usps")
    gram = Gram(CHOICES["poly3"].kernel, usps.X)
    outcomes = [run_combination(gram, usps.y, 1e-6, s, False) for s in range(5)]
    params = {"part": "grid", "kernel": "poly3", "lam": 1e-6}
    rows = [Row("", "", "", params, 0, o.values, o.seconds) for o in outcomes]
    asked = [
        number
        for number in get_study("pegasos-grid").published()
        if number.where.get("kernel") == "poly3" and number.where["lam"] == 1e-6
    ]
    verdicts = Counter(judge(number, number.ours(rows)).verdict for number in asked)
    assert verdicts[Verdict.AGREES] == 4
    assert min(row.get("absolute at 2T") for row in rows) > 0.7
