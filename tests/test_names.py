"""One name, one thing: no two classes of Mercer have the same name."""

import ast
from collections import Counter
from pathlib import Path

import mercer

SOURCE = Path(mercer.__file__).parent
#: Of the service and of a solver, of a study and of a cluster, and what both are sent.
TWICE = {"Limits", "Outcome", "Samples"}


def test_no_name_for_two_classes():
    files = set(SOURCE.rglob("*.py"))
    files -= set((SOURCE / "studies/published").rglob("*.py"))  # each stands alone
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(files)]
    classes = [
        node.name
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    ]
    assert len(classes) > 100
    assert {name for name, n in Counter(classes).items() if n > 1} <= TWICE
