"""A study that is in a folder is registered, described, and says what it is about."""

import re
from pathlib import Path

import pytest

import mercer.studies
from mercer.exceptions import ParameterError
from mercer.studies import get_study, study_names
from mercer.studies.rules import RULES

HOME = Path(mercer.studies.__file__).parent
FOLDERS = sorted(path.parent for path in HOME.rglob("*/study.py"))
PUBLISHED = [folder for folder in FOLDERS if folder.parent.name == "published"]
DOCS = (Path(__file__).parents[2] / "docs" / "studies.md").read_text("utf-8")


def name_of(folder):
    return folder.name.replace("_", "-")


def test_every_folder_is_a_registered_study():
    names = {name_of(folder) for folder in FOLDERS}
    folders = {
        path.parent
        for part in ("", "published")
        for path in (HOME / part).glob("*/published.toml")
    }
    assert folders <= set(FOLDERS)
    assert names <= set(study_names())
    assert study_names()[0] == "compare"


@pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
def test_a_study_has_what_the_report_shows(folder):
    study = get_study(name_of(folder))
    assert study.folder() == folder
    assert study.title
    assert study.protocol
    assert study.question.endswith("?")
    assert study.readme().startswith(f"# {study.name}: ")
    assert (folder / "__init__.py").read_text("utf-8").startswith('"""')


@pytest.mark.parametrize("folder", PUBLISHED, ids=name_of)
def test_a_published_study_names_its_publication(folder):
    study = get_study(name_of(folder))
    (source,) = {number.source for number in study.published()}
    report, _, publication = source.partition(": ")
    number = re.fullmatch(r"Report (00\d(, part I+)?)", report)[1]
    (line,) = [line for line in DOCS.splitlines() if f"`{study.name}`" in line]
    assert line.startswith(f"| {number} | ")
    assert f"| {publication} |" in line
    assert number.partition(",")[0] in study.readme()
    assert number.partition(",")[0] in (folder / "study.py").read_text("utf-8")


@pytest.mark.parametrize("folder", PUBLISHED, ids=name_of)
def test_reasons_are_headings_of_the_readme(folder):
    study = get_study(name_of(folder))
    headings = re.findall(r"^##+ (.+)$", study.readme(), flags=re.MULTILINE)
    assert {number.why for number in study.published()} <= {"", *headings}


@pytest.mark.parametrize("folder", PUBLISHED, ids=name_of)
def test_a_readme_names_the_rules_that_were_changed(folder):
    study = get_study(name_of(folder))
    publication = study.publication()
    numbers = (*publication.numbers, *publication.spreads, *publication.growth)
    used = {RULES[number.rule].changed for number in numbers if number.rule in RULES}
    changed = any(used) or bool(publication.changes)
    heading = "\n## Rules changed after the numbers were seen\n"
    assert (heading in study.readme()) == changed


def test_a_name_that_is_nearly_right_is_offered():
    with pytest.raises(ParameterError, match="did you mean compare"):
        get_study("compar")
