"""Every public name, and the pages of the reference that are made of them."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import mercer

#: public modules without `__all__`, and modules below the packages
ALSO = ("exceptions", "report.decision_figures")
EXAMPLES = Path(__file__).parent / "name-examples"
PAGE = """\
{title}
{line}

.. automodule:: {module}
   :no-members:

.. currentmodule:: {module}
{lists}"""


def public_modules():
    """Names of the modules that have public names, the top of the package first."""
    below = [one.name for one in pkgutil.iter_modules(mercer.__path__)]
    found = ["mercer"]
    for name in [*sorted(name for name in below if name[0] != "_"), *ALSO]:
        module = importlib.import_module(f"mercer.{name}")
        if name in ALSO or hasattr(module, "__all__"):
            found.append(module.__name__)
    return list(dict.fromkeys(found))


def public_names():
    """{module: {name: object}}; each object once, where it is found first."""
    found, seen = {}, set()
    for place in public_modules():
        module = importlib.import_module(place)
        own = [name for name, value in vars(module).items() if inspect.isclass(value)]
        names = getattr(module, "__all__", own)
        values = {name: getattr(module, name) for name in names if name[0] != "_"}
        found[place] = {
            name: value
            for name, value in values.items()
            if not inspect.ismodule(value) and id(value) not in seen
        }
        seen |= {id(value) for value in found[place].values()}
    return found


def name_examples():
    """{(module, name): example} of names whose docstring has none.

    One example may serve several names that belong together.
    """
    found = {}
    for file in sorted(EXAMPLES.glob("*.txt")):
        for part in re.split(r"(?m)^# ", file.read_text("utf-8"))[1:]:
            names, example = part.split("\n", 1)
            found |= {(file.stem, name): example for name in names.split(", ")}
    return found


def add_example(app, what, name, value, options, lines):
    """End a docstring without an example with the one from the file."""
    example = name_examples().get(tuple(name.rpartition(".")[::2]))
    if example:
        lines += ["", ".. rubric:: Examples", "", *example.splitlines(), ""]


def skip_member(app, what, name, value, skip, options):
    """Leave out what scikit-learn adds to every estimator."""
    return True if re.fullmatch(r"set_\w+_request|set_callbacks", name) else None


def list_modules(app, docname, source):
    """Replace a comment by the modules, each with its first sentence."""
    lines = [
        f"- [{name}](reference/{name}.rst): {_first_line(name)}"
        for name in public_modules()
    ]
    source[0] = source[0].replace("% modules", "\n".join(lines))


def _first_line(module):
    text = inspect.getdoc(importlib.import_module(module)) or ""
    return text.partition("\n")[0].removeprefix("Mercer: ")


def write_pages(folder):
    """Write a page for each module; those of single names come from autosummary.

    Returns the pages, by their names in the documentation.
    """
    folder.mkdir(exist_ok=True)
    for module, names in public_names().items():
        order = sorted(names, key=str.lower)
        classes = [name for name in order if inspect.isclass(names[name])]
        functions = [name for name in order if inspect.isroutine(names[name])]
        values = [name for name in order if name not in {*classes, *functions}]
        lists = _summary("Classes", classes) + _summary("Functions", functions)
        lists += "".join(_value(module, name, names[name]) for name in values)
        line = "=" * len(module)
        text = PAGE.format(title=module, line=line, module=module, lists=lists)
        page = folder / f"{module}.rst"
        if not page.exists() or page.read_text("utf-8") != text:
            page.write_text(text, "utf-8")
    return [f"{folder.name}/{module}.rst" for module in public_names()]


def _summary(title, names):
    listed = "".join(f"   {name}\n" for name in names)
    head = f"\n.. rubric:: {title}\n\n.. autosummary::\n   :toctree: names\n\n"
    return head + listed if names else ""


def _value(module, name, value):
    """A name that is neither class nor function has no docstring: show its example."""
    example = name_examples().get((module, name), "")
    body = "\n".join(f"   {line}" for line in example.splitlines())
    return f"\n.. py:data:: {name}\n\n{body}\n"
