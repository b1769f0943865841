"""The walks of docs/architecture.md: taken, and compared with what the page says."""

import re
import sys
import threading
from pathlib import Path

import pytest

import mercer
from mercer import KernelSVC, load_dataset
from mercer.model_selection import GramSearchCV

SOURCE = Path(mercer.__file__).parent
PAGE = SOURCE.parents[1] / "docs" / "architecture.md"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="docs are not installed")
iris = load_dataset("iris")


def files_of(work):
    """Files of Mercer in which something is called, in order of the first call."""
    seen = {}

    def note(frame, event, _):
        path = Path(frame.f_code.co_filename)
        if event == "call" and SOURCE in path.parents:
            seen[path.relative_to(SOURCE).as_posix()] = None

    work()  # what happens just once has happened
    sys.setprofile(note)
    threading.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return list(seen)


def names_on_the_page(walk):
    text = PAGE.read_text(encoding="utf-8")
    part = text.split(f"**A {walk}**")[1].split("\n\n")[0]
    return {Path(name).name for name in re.findall(r"[\w/]+\.py", part)}


def test_a_fit():
    files = files_of(lambda: KernelSVC().fit(iris.X, iris.y))
    above_ground = [name for name in files if "/" in name]
    known = names_on_the_page("fit") | {"_kernel.py", "_distance.py"}
    assert {Path(name).name for name in above_ground} <= known


def test_a_search_opens_twelve_files():
    grid = {"C": [1, 10], "gamma": [0.1, 0.2]}
    search = GramSearchCV(KernelSVC(), grid, cv=3, refit=False)
    files = files_of(lambda: search.fit(iris.X, iris.y))
    own = [name for name in files if name.startswith("model_selection/")]
    assert len(own) <= 12
    assert {Path(name).name for name in own} <= names_on_the_page("search")


def test_every_file_on_the_page_is_there():
    text = PAGE.read_text(encoding="utf-8")
    for link in re.findall(r"\]\((\.\./[^)#]+)\)", text):
        assert (PAGE.parent / link).exists(), link
    files = {path.name for path in SOURCE.rglob("*.py")} | {Path(__file__).name}
    for name in re.findall(r"`(?:[\w]+/)*(\w+\.py)`", text):
        assert name in files, name
