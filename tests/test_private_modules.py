"""What is private to a package of Mercer is imported by no other package of it."""

import ast
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


def test_no_package_imports_what_is_private_to_another():
    files = sorted(SOURCE.rglob("*.py"))
    assert len(files) > 200
    found = {
        f"{path.relative_to(SOURCE)}: {name}"
        for path in files
        for name in private_elsewhere(
            ast.parse(path.read_text(encoding="utf-8")),
            path.relative_to(SOURCE).parts[0].removesuffix(".py"),
        )
    }
    assert not found, "give it a public name where it is defined"
