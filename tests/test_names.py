"""One name, one thing: no two classes or types of Mercer have the same name."""

import ast
from collections import defaultdict
from pathlib import Path

import mercer

SOURCE = Path(mercer.__file__).parent
#: What options of the command line take; never written without its module, `opt.Seed`.
OPTIONS = SOURCE / "cli/_options.py"


def things(path):
    """(name, what it is) of classes, and of types with a name, as ``Seed = int``.

    Two classes differ wherever they stand; types that are written alike are the same.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            yield node.name, f"class at {path}:{node.lineno}"
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name[0].isupper() and not name.isupper():
                yield name, ast.unparse(node.value)


def test_no_name_for_two_things():
    found = defaultdict(set)
    for path in set(SOURCE.rglob("*.py")) - {OPTIONS}:
        for name, thing in things(path):
            found[name].add(thing)
    assert len(found) > 300
    assert not {name: what for name, what in found.items() if len(what) > 1}
