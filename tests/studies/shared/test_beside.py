"""Our rows beside published numbers: found by their parameters, or not there."""

from mercer.studies import Row, Spread, get_study
from mercer.studies.shared.beside import Beside

NUMBERS = get_study("pegasos-grid").published()
PARAMS = {"part": "grid", "kernel": "poly3", "lam": 1e-6}
NUMBER = next(n for n in NUMBERS if PARAMS.items() <= n.where.items())


def row(value, **params):
    return Row("", "", "", {**PARAMS, **params}, 0, {NUMBER.measure: value}, {})


def test_both_are_found_by_parameters_and_scaled():
    rows = [row(0.25), row(0.75), row(9.0, kernel="poly2")]
    ours, theirs = Beside(rows, NUMBERS).both(NUMBER.measure, 100, **PARAMS)
    assert (ours.mean, ours.n) == (50.0, 2)
    assert theirs == 100 * float(NUMBER.value)


def test_a_printed_value_has_its_own_spread():
    printed = Beside([], NUMBERS).printed(NUMBER.measure, **PARAMS)
    assert isinstance(printed, Spread)
    assert printed.mean == float(NUMBER.value)
    assert Beside([], NUMBERS).all_theirs(NUMBER.measure, **PARAMS) == [printed.mean]


def test_nothing_is_said_where_nothing_was_published():
    beside = Beside([row(0.25)], [])
    assert beside.both(NUMBER.measure, **PARAMS)[1] is None
    assert beside.printed(NUMBER.measure) is None
    assert beside.remark("as published") == ""
    assert beside.all_theirs(NUMBER.measure) == []
