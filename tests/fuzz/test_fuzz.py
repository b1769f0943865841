"""A few inputs of each kind in every run of the tests; `make fuzz` tries many more."""

import sys

import pytest

from fuzz import __main__ as fuzz
from fuzz import command_line, searches


@pytest.mark.parametrize(("module", "n"), [(command_line, 25), (searches, 8)])
def test_a_few_inputs(module, n):
    assert module.run(seed=0, n=n) == []


def test_a_failure_is_counted_and_ends_with_code_1(monkeypatch, capsys):
    def run(seed, n):
        if seed == 7:
            raise RuntimeError("a bug")
        return [f"seed {seed}: wrong"] if seed == 6 else None

    monkeypatch.setattr(searches, "run", run)
    clock = iter(range(100))
    monkeypatch.setattr(fuzz.time, "monotonic", lambda: next(clock))
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
