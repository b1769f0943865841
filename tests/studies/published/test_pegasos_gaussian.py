"""Report 001: the pieces against slow ones, and a line of it for real."""

from collections import Counter
from dataclasses import replace

import numpy as np

from mercer import load_dataset
from mercer.kernels import Gaussian, Gram
from mercer.studies import Cell, Context, get_study
from mercer.studies.published.pegasos_gaussian.cells import (
    LAMBDAS,
    STEPS,
    WIDTH,
    make_split,
    run_test,
    validate,
)
from mercer.studies.row import Row
from mercer.studies.verdicts import Verdict, judge


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


def test_a_line_of_report_001_for_real(data_folder):
    study, context = get_study("pegasos-gaussian"), Context(load_dataset("usps"))
    params = {"part": "validation", "lam": 1.0}
    cells = [Cell({**params, "repeat": 3 + r}, r) for r in range(4)]
    outcomes = [study.run(cell, context) for cell in cells]
    rows = [Row("", "", "", params, 0, o.values, o.seconds) for o in outcomes]
    asked = [n for n in study.published() if n.where.get("lam") == 1.0]
    verdicts = Counter(judge(number, number.ours(rows)).verdict for number in asked)
    assert len(asked) == 8
    assert verdicts[Verdict.AGREES] >= 7
