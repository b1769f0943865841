"""Reports 000 and 001: the pieces against slow ones, the studies tiny, and for real."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from mercer import load_dataset
from mercer.cli._app import app
from mercer.estimators import KernelPegasos
from mercer.kernels import Gaussian, Gram
from mercer.model_selection import RotationFolds, SplitProblems, walk_pegasos
from mercer.studies import Cell, Context, Store, get_study, make_plan, run_plan
from mercer.studies.published.pegasos_gaussian.cells import (
    LAMBDAS,
    STEPS,
    WIDTH,
    make_split,
    run_test,
    validate,
)
from mercer.studies.published.pegasos_grid.cells import (
    CHOICES,
    VARIANTS,
    evaluations,
    run_combination,
    run_variant,
    show_examples,
)
from mercer.studies.row import Row
from mercer.studies.shared.pegasos_optimum import objectives, run_optimum
from mercer.studies.story import Lines, Table
from mercer.studies.verdicts import Verdict, judge

LAM = 1e-3
generator = np.random.default_rng


@pytest.fixture(scope="module")
def small():
    digits = load_dataset("digits")
    rows = np.random.default_rng(0).permutation(digits.n_samples)[:250]
    return replace(digits, X=digits.X[rows], y=digits.y[rows])


@pytest.fixture(scope="module")
def problems(small):
    return SplitProblems.of(small.y, [first_fold(small.y, 1)])


def first_fold(y, seed):
    return next(RotationFolds(5, seed=generator(seed)).split(y))


def test_the_objective_is_that_of_the_estimator(small):
    y = small.y % 2
    model = KernelPegasos(Gaussian(0.001), lam=LAM, n_steps=200, record=1)
    model.set_params(random_state=0).fit(small.X, y)
    coefficients = np.zeros((1, 250))
    coefficients[0, model.support_] = model.dual_coef_[0]
    signs = np.where(y == 1, 1.0, -1.0)[None]
    scores = coefficients @ Gram(Gaussian(0.001), small.X).matrix
    found = objectives(LAM, signs, coefficients, scores)
    np.testing.assert_allclose(found, model.objective_[:, -1], rtol=1e-5)


def test_evaluations_count_what_the_published_program_computes(small, problems):
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


def test_the_optimum_is_below_every_objective(small):
    gram = Gram(Gaussian(0.001), small.X)
    split = first_fold(small.y, 0)
    values = run_optimum(gram, small.y, split, 1e-2, [50, 500, 5000], 0).values
    found = [step["objective"] for step in values["steps"]]
    assert values["optimum at least"] <= values["optimum"] <= min(found) + 1e-6
    assert found[-1] < 1.1 * values["optimum"]
    assert values["converged"]


def test_own_pairs_are_the_best_of_each_class(small):
    gram, y, split = (
        Gram(Gaussian.from_width(WIDTH), small.X),
        small.y,
        make_split(250, 0),
    )
    lams = LAMBDAS[:2]
    validated = {lam: validate(gram, y, split, lam, 0, True) for lam in lams}
    values = run_test(gram, y, split, validated, 0)
    own = {
        (lam, step): validated[lam][f"binary errors at {step}"]
        for lam in lams
        for step in STEPS
    }
    for c, pair in enumerate(values["own pairs"]):
        assert own[pair][c] == min(errors[c] for errors in own.values())
    assert (values["best lam"], values["best steps"]) in own


@pytest.mark.parametrize("name", ["pegasos-grid", "pegasos-gaussian"])
def test_a_tiny_run_tells_a_story(name, small, tmp_path):
    study = get_study(name)
    plan = make_plan(study, small, quick=True)
    with Store(tmp_path / "store.sqlite") as store:
        assert run_plan(plan, store) == []
        rows = store.rows(plan=plan.id)
    assert len(rows) == len(plan.cells)
    facts = small.summary()
    whole, beginning = study.story(rows, facts), study.story(rows[:1], facts)
    assert len(whole.sections) > len(beginning.sections)
    for block in (b for section in whole.sections for b in section.blocks):
        if isinstance(block, Table):
            assert all(len(line) == len(block.columns) for line in block.rows)
        if isinstance(block, Lines):
            assert all(len(series.x) == len(series.y) for series in block.series)


def test_the_grid_asks_for_every_combination(small):
    cells = list(get_study("pegasos-grid").cells(small, 0, False))
    asked = [c for c in cells if c.params["part"] == "grid"]
    grid = {(c.params["kernel"], c.params["lam"]) for c in asked}
    assert len([kernel for kernel, _ in grid if kernel.startswith("poly")]) == 12
    assert {"optimum", "variant", "degree", "examples"} < {
        c.params["part"] for c in cells
    }


@pytest.mark.parametrize(
    ("name", "tables"),
    [
        ("pegasos-grid", {"Figure 6": 64, "Figure 7": 64, "Section 5": 2}),
        ("pegasos-gaussian", {"Table 1": 40, "Section 6": 2, "Section 4": 3}),
    ],
)
def test_every_printed_number_is_there(name, tables):
    published = get_study(name).published()
    found = Counter(n.table.partition(",")[0].partition(".")[0] for n in published)
    assert found == tables
    cells = [(n.table, n.row, n.quantity) for n in published]
    assert len(set(cells)) == len(cells)


def test_other_readings_of_the_gaussian_are_judged_beside_the_first():
    study = get_study("pegasos-grid")
    others = [other for number in study.published() for other in number.others]
    readings = Counter(other.where["kernel"] for other in others)
    assert readings == {"gauss-width": 16, "gauss-unsquared": 16, "gauss-gamma": 16}
    assert {other.table for other in others} == {"Figure 6, Gauss"}
    assert {other.rule for other in others} == {"single"}


def test_the_first_gaussian_has_gamma_for_its_standard_deviation():
    assert CHOICES["gauss"].kernel == Gaussian(1 / (2 * 2.0**2))


def test_narrow_kernels_are_computed_in_float64(small):
    context = Context(replace(small, X=small.X.astype(np.float32)))
    cell = Cell({"part": "width", "gamma": 1.0, "lam": 1.0, "repeat": 0}, 0)
    get_study("pegasos-gaussian").run(cell, context)
    gram, seconds = context.timed_gram(Gaussian.from_width(1.0), np.float64)
    assert seconds == {}, "the cell has made another one"
    assert gram.dtype == np.float64


def test_values_that_float32_cannot_hold_decide(small):
    X = small.X / 16 * 4
    y, split = small.y, make_split(250, 0)
    found = [
        validate(Gram(Gaussian.from_width(WIDTH), X.astype(t)), y, split, 1.0, 0, False)
        for t in (np.float32, np.float64)
    ]
    coarse, fine = (values["validation at 10"] for values in found)
    assert fine > coarse + 0.1


def test_examples_are_one_of_each_digit(small):
    outcome = show_examples(small.y, 0)
    assert small.y[outcome.samples].tolist() == list(range(10))


@pytest.mark.parametrize(
    "name", ["pegasos-grid", "pegasos-gaussian", "perceptron-variants", "svm-decisions"]
)
def test_only_times_and_bounds_are_not_judged(name):
    spared = [n for n in get_study(name).published() if n.rule == "none"]
    assert all(n.quantity.startswith(("seconds", "test error below")) for n in spared)


def test_without_the_data_other_data_are_offered(monkeypatch, tmp_path):
    monkeypatch.setenv("MERCER_DATA", str(tmp_path))
    arguments = ["study", "run", "pegasos-grid", "--store", str(tmp_path / "s.sqlite")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code != 0
    said = result.output + str(result.exception)
    assert "mnist5k" in said


def as_rows(outcomes, params):
    return [Row("", "", "", params, 0, o.values, o.seconds) for o in outcomes]


def test_a_line_of_report_000_for_real(data_folder):
    usps = load_dataset("usps")
    gram = Gram(CHOICES["poly3"].kernel, usps.X)
    outcomes = [run_combination(gram, usps.y, 1e-6, s, False) for s in range(5)]
    rows = as_rows(outcomes, {"part": "grid", "kernel": "poly3", "lam": 1e-6})
    asked = [
        number
        for number in get_study("pegasos-grid").published()
        if number.where.get("kernel") == "poly3" and number.where["lam"] == 1e-6
    ]
    verdicts = Counter(judge(number, number.ours(rows)).verdict for number in asked)
    assert verdicts[Verdict.AGREES] == 4
    assert min(row.get("absolute at 2T") for row in rows) > 0.7


def test_a_line_of_report_001_for_real(data_folder):
    study, context = get_study("pegasos-gaussian"), Context(load_dataset("usps"))
    params = {"part": "validation", "lam": 1.0}
    cells = [Cell({**params, "repeat": 3 + r}, r) for r in range(4)]
    rows = as_rows([study.run(cell, context) for cell in cells], params)
    asked = [n for n in study.published() if n.where.get("lam") == 1.0]
    verdicts = Counter(judge(number, number.ours(rows)).verdict for number in asked)
    assert len(asked) == 8
    assert verdicts[Verdict.AGREES] >= 7
