"""What is imported is declared in pyproject.toml, and in the right extra."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import mercer
from mercer._extras import EXTRAS, extra_of

PACKAGE = Path(mercer.__file__).parent
#: packages whose modules are called otherwise
MODULES = {
    "faiss-cpu": "faiss",
    "markdown-it-py": "markdown_it",
    "pillow": "PIL",
    "python-multipart": "python_multipart",
    "scikit-learn": "sklearn",
    "scikit-learn-intelex": "sklearnex",
}


@pytest.fixture(scope="module")
def pyproject():
    file = PACKAGE.parents[1] / "pyproject.toml"
    if not file.exists():
        pytest.skip("Mercer is installed without its pyproject.toml")
    return tomllib.loads(file.read_text())


def modules(requirements):
    names = (re.match(r"[\w.-]+", text)[0].lower() for text in requirements)
    return {MODULES.get(name, name) for name in names}


def imports(path):
    """Modules that a file imports: when it is imported itself, and later."""
    first, later = set(), set()

    def visit(node, found):
        typing_only = isinstance(node, ast.If) and "TYPE_CHECK" in ast.unparse(
            node.test
        )
        if typing_only or isinstance(node, ast.FunctionDef | ast.Lambda):
            found = later
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module.split(".")[0])
        elif isinstance(node, ast.Call) and "import" in ast.unparse(node.func):
            names = (
                one.value for one in node.args[:1] if isinstance(one, ast.Constant)
            )
            found |= {str(name).split(".")[0] for name in names}
        for child in ast.iter_child_nodes(node):
            visit(child, found)

    visit(ast.parse(path.read_text()), first)
    known = sys.stdlib_module_names | {"mercer", "no_such_module"}
    return first - known, later - known


FILES = sorted(PACKAGE.rglob("*.py"))
#: modules that others import only after they have asked for the extra `cluster`
ON_REQUEST = {"_dask.py", "on_workers.py"}


@pytest.mark.parametrize(
    "path", FILES, ids=lambda path: str(path.relative_to(PACKAGE.parent))
)
def test_every_import_is_declared(path, pyproject):
    project = pyproject["project"]
    core, extras = modules(project["dependencies"]), project["optional-dependencies"]
    layer = path.relative_to(PACKAGE).parts[0]
    first, later = imports(path)
    # a layer with an extra of its name needs it; others ask for it when they use it,
    # and what needs it throughout is imported then
    at_once = extras.get("cluster" if path.name in ON_REQUEST else layer, [])
    assert first <= core | modules(at_once)
    asked_for = {module for names in EXTRAS.values() for module in names}
    if layer == "bench":
        asked_for |= modules(pyproject["dependency-groups"]["bench"])
    assert later <= core | asked_for


def test_what_is_imported_on_request_is_not_imported_before():
    names = "mercer.cli, mercer.cluster, mercer.studies, mercer.model_selection"
    code = f"import sys, {names}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not {"distributed", "mercer._dask"} & set(done.stdout.split())


def test_sentences_about_missing_extras_name_the_right_one(pyproject):
    extras = pyproject["project"]["optional-dependencies"]
    declared = {name: modules(extras[name]) for name in extras if name != "all"}
    assert {name: set(names) for name, names in EXTRAS.items()} == declared
    assert set(EXTRAS) == set(re.findall(r"\w+", extras["all"][0])) - {"mercer"}


def test_every_requirement_has_a_lowest_version(pyproject):
    project, groups = pyproject["project"], pyproject["dependency-groups"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    every = (text for part in [*lists, *groups.values()] for text in part)
    for requirement in (text for text in every if "include-group" not in text):
        assert ">=" in requirement or requirement.startswith("mercer[")


def test_whatever_asks_for_an_extra_names_the_right_one():
    call = re.compile(r'import_extra\(\s*f?"(\w+)[^"]*",\s*"(\w+)"')
    asked = {pair for path in FILES for pair in call.findall(path.read_text())}
    asked.discard(("no_such_module", "web"))
    assert {"matplotlib", "markdown_it", "h5py"} <= {module for module, _ in asked}
    assert asked == {(module, extra_of(module)) for module, _ in asked}
