"""One name, one thing: no two classes of Mercer have the same name."""

import ast
from collections import Counter
from pathlib import Path

import mercer

SOURCE = Path(mercer.__file__).parent
#: The service's and the solver's limits, a study's and a cluster's outcome, and a run
#: of a study and of a published procedure.
TWICE = {"Limits", "Outcome", "Run"}


def test_no_name_for_two_classes():
    trees = [ast.parse(p.read_text(encoding="utf-8")) for p in SOURCE.rglob("*.py")]
    classes = [
        node.name
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    ]
    assert len(classes) > 100
    assert {name for name, n in Counter(classes).items() if n > 1} <= TWICE
