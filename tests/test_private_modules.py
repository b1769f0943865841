"""What is private to a package of Mercer is used by no other package of it."""

import ast
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

import mercer

SOURCE = Path(mercer.__file__).parent


def imported(tree):
    """Names of Mercer that are imported anywhere in a module, with their modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def private_elsewhere(tree, package):
    """What a module of this package imports though it is private to another one."""
    for name in imported(tree):
        root, home, *rest = [*name.split("."), ""]
        # `mercer._x` is the ground on which all packages stand
        private = any(part[:1] == "_" and part[:2] != "__" for part in rest)
        if root == "mercer" and home != package and private:
            yield name


@pytest.mark.parametrize(
    "line",
    [
        "from mercer.kernels._gram import Gram",
        "from mercer.solvers.svm import _steps",
        "from mercer.estimators.svc import _helper",
        "import mercer.kernels._gram",
        "def work():\n    from mercer.kernels._gram import Gram",
    ],
)
def test_a_private_import_is_found(line):
    assert list(private_elsewhere(ast.parse(line), "cluster"))


def test_own_and_ground_modules_are_free():
    text = "from mercer.kernels._gram import Gram\nfrom mercer._threads import n"
    assert not list(private_elsewhere(ast.parse(text), "kernels"))


@cache
def modules():
    """(name, package, tree) of every module."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found.append((str(name), name.parts[0].removesuffix(".py"), tree))
    return found


def defined(tree):
    """Names of functions and methods, and of attributes that are set."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def test_no_package_imports_what_is_private_to_another():
    known = modules()
    assert len(known) > 200
    found = {
        f"{name}: {private}"
        for name, package, tree in known
        for private in private_elsewhere(tree, package)
    }
    assert not found, "give it a public name where it is defined"


def test_no_package_uses_attributes_that_are_private_to_another():
    own, known = defaultdict(set), modules()
    for _, package, tree in known:
        own[package].update(defined(tree))
    of_mercer = set().union(*own.values())
    found = {
        f"{name}: {ast.unparse(node)}"
        for name, package, tree in known
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr[0] == "_"
        and node.attr in of_mercer
        and node.attr not in own[package]
        and node.attr[:2] != "__"
        and ast.unparse(node.value) not in ("self", "cls", "super()")  # inherited
    }
    assert not found, "give it a public name where it is defined"
