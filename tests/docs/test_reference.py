"""Every public name is in the reference, with an example that runs."""

import doctest
import inspect
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="docs are not installed")
sys.path.insert(0, str(DOCS))
reference = pytest.importorskip("public_names")

NAMES = [
    (module, name, value)
    for module, names in reference.public_names().items()
    for name, value in names.items()
]
EXAMPLES = reference.name_examples()


@pytest.mark.parametrize(
    ("module", "name", "value"), NAMES, ids=[f"{m}.{n}" for m, n, _ in NAMES]
)
def test_every_public_name_has_an_example(module, name, value):
    has_docstring = inspect.isclass(value) or inspect.isroutine(value)
    own = ">>>" in (value.__doc__ or "") if has_docstring else False
    assert own or (module, name) in EXAMPLES, (
        f"end the docstring of {name} with an example that shows a number, "
        f"or add one to docs/name-examples/{module}.txt"
    )


def test_examples_are_of_public_names():
    assert set(EXAMPLES) <= {(module, name) for module, name, _ in NAMES}


@pytest.mark.parametrize("text", dict.fromkeys(EXAMPLES.values()))
def test_examples_run(text):
    names = ", ".join(name for (_, name), own in EXAMPLES.items() if own == text)
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    test = doctest.DocTestParser().get_doctest(text, {}, names, None, 0)
    told = []
    doctest.DocTestRunner(optionflags=flags).run(test, out=told.append)
    assert not told, "".join(told)


def test_the_pages_list_every_name(tmp_path):
    reference.write_pages(tmp_path)
    for module, name, _ in NAMES:
        page = (tmp_path / f"{module}.rst").read_text("utf-8")
        assert f"   {name}\n" in page or f"py:data:: {name}\n" in page


def test_a_public_module_is_not_forgotten():
    modules = reference.public_modules()
    assert {"mercer", "mercer.kernels", "mercer.exceptions"} <= set(modules)
    assert not [name for name in modules if "._" in name]
