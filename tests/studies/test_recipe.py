"""The recipe of CONTRIBUTING.md with the example of docs/studies.md, as they stand."""

import re
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mercer.cli._app import app
from mercer.datasets import load_dataset
from mercer.studies import Store, Study, get_study, make_plan, run_plan, study_names
from mercer.studies.publication import read_publication

DOCS = (Path(__file__).parents[2] / "docs" / "studies.md").read_text("utf-8")
PUBLISHED, ENTRY_POINT = re.findall(r"```toml\n(.*?)```", DOCS, re.DOTALL)
(STUDY,) = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)
README = (
    "# degrees: which degree?\n\nSomebody compared *seven* degrees; here are three.\n"
)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Step 1: a folder with its files; step 2: an entry point."""
    folder = tmp_path / "site" / "my_package" / "degrees"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    (folder / "__init__.py").write_text('"""Somebody\'s report, 2019."""\n')
    (folder / "study.py").write_text(STUDY)
    (folder / "README.md").write_text(README)
    (folder / "published.toml").write_text(PUBLISHED.replace("zipcombo", "digits"))
    points = tomllib.loads(ENTRY_POINT)["project"]["entry-points"]["mercer.studies"]
    info = tmp_path / "site" / "my_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\n")
    lines = [f"{name} = {place}" for name, place in points.items()]
    (info / "entry_points.txt").write_text("\n".join(["[mercer.studies]", *lines]))
    monkeypatch.syspath_prepend(tmp_path / "site")
    yield folder
    for name in [name for name in sys.modules if name.startswith("my_package")]:
        del sys.modules[name]


def test_a_study_by_the_recipe_is_known_with_all_its_files(package):
    assert study_names()[-1] == "degrees"
    study = get_study("degrees")
    assert study.folder() == package
    assert study.readme() == README
    (number,) = study.published()
    assert number.source == "Somebody's report, 2019"


def test_it_runs_and_makes_its_report(package, tmp_path):
    report, store = tmp_path / "report.html", tmp_path / "store.sqlite"
    words = ["study", "run", "degrees", "--quick", "--store", store, "-o", report]
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    assert "Three degrees were compared." in done.output
    page = report.read_text("utf-8")
    for part in ("Which degree?", "<em>seven</em>", "8.79", "d counts from 0"):
        assert part in page, part
    with Store(store, readonly=True) as opened:
        assert len(opened.rows(study="degrees")) == 6


def test_the_study_of_the_docs_runs(tmp_path):
    names = {"__name__": "degrees"}
    exec(STUDY, names)
    study: Study = names["Degrees"]()
    plan = make_plan(study, load_dataset("digits"), quick=True)
    with Store(tmp_path / "store.sqlite") as store:
        assert run_plan(plan, store) == []
        story = study.story(store.rows(), {})
    table = story.sections[0].blocks[0]
    assert [row[0] for row in table.rows] == [1, 2, 3]
    assert table.rows[2][1].mean < table.rows[0][1].mean


def test_the_published_numbers_of_the_docs_are_read(tmp_path):
    path = tmp_path / "published.toml"
    path.write_text(PUBLISHED)
    (number,) = read_publication(path).numbers
    assert (number.value, number.std, number.runs) == ("8.790", "0.421", 20)
    assert number.where == pytest.approx({"degree": 1})
    assert [other.reading for other in number.others] == ["d counts from 0"]
