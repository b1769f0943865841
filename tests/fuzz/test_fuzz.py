"""A few inputs of each kind in every run of the tests; `make fuzz` tries many more."""

import sys

import numpy as np
import pytest

from fuzz import __main__ as fuzz
from fuzz import command_line, searches


@pytest.mark.parametrize(("module", "n"), [(command_line, 25), (searches, 8)])
def test_a_few_inputs(module, n):
    assert module.run(seed=0, n=n) == []


@pytest.mark.parametrize(
    ("seed", "number"),
    [
        (16, 5),  # cosines of one feature that were not 1
        (1002, 25),  # neighbours by angle, of one feature
        (20261121, 46),  # what rounding left at a bound decided the bias
        (777006, 14),  # a start that grew to just below a bound
        (777009, 71),  # rows that are equal, by kernel values of a Gram
        (777010, 140),  # neighbours by kernel values, as another k is impossible
        (777002, 40),  # two classes of which nothing tells the score −1 from −1
    ],
)
def test_what_was_found_before(seed, number):
    case = searches.make_case(np.random.default_rng([seed, number]))
    assert searches.compare(**case) is None


def test_a_failure_is_counted_and_ends_with_code_1(monkeypatch, capsys):
    def run(seed, n):
        if seed == 7:
            raise RuntimeError("a bug")
        return [f"seed {seed}: wrong"] if seed == 6 else None

    monkeypatch.setattr(searches, "run", run)
    clock = iter(range(100))
    monkeypatch.setattr(fuzz, "monotonic", lambda: next(clock))
    monkeypatch.setattr(
        fuzz.faulthandler, "dump_traceback_later", lambda *_, **__: None
    )
    arguments = ["fuzz", "--seconds", "4", "--seed", "5", "searches"]
    monkeypatch.setattr(sys, "argv", arguments)
    assert fuzz.main() == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "searches: 80 inputs, 2 failures"
    assert lines[1] == "  seed 6: wrong"
    assert lines[-1] == "RuntimeError: a bug"


def test_all_modules_are_found():
    found = {module.__name__.rpartition(".")[2] for module in fuzz.find_modules([])}
    assert {"certificates", "command_line", "searches"} <= found
