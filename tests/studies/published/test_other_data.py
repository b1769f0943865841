"""On other data than the published ones a study speaks of its own rows alone."""

import re
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest

from mercer.datasets import load_dataset
from mercer.studies import Store, get_study, make_plan, run_plan, study_names
from mercer.studies.publication import Publication
from mercer.studies.story import Lines, Table

#: What no other number is: a study that repeats it looked at what was published.
MARK = "77777.125"
#: What a sentence about a publication, or about its data, is known by.
ABOUT = re.compile(r"publish|\breport|agree|USPS|zipcombo|MNIST|spoofing|printed", re.I)
STUDIES = [
    name
    for name in study_names()
    if get_study(name).publication().numbers
    and get_study(name).default_data
    and "digits" in (get_study(name).data or ("digits",))
]


def few_digits():
    """Enough of every digit for five folds of it."""
    data = load_dataset("digits")
    rows = np.sort(
        np.concatenate([np.flatnonzero(data.y == d)[:16] for d in range(10)])
    )
    return replace(data, X=data.X[rows], y=data.y[rows])


def marked(publication):
    def mark(numbers):
        return [replace(n, value=MARK, others=()) for n in numbers]

    return Publication(publication.source, mark(publication.numbers))


def first_of_each(cells):
    """One run of every cell: a story needs no spread."""
    return {
        key: cell
        for key, cell in cells.items()
        if not cell.params.get("run") and not cell.params.get("repeat")
    }


@pytest.fixture(scope="module", params=STUDIES)
def told(request, tmp_path_factory):
    """The study, its rows on a few digits, and the story that they tell."""
    study, data = get_study(request.param), few_digits()
    publication = marked(study.publication())
    study.publication = lambda: publication
    plan = make_plan(study, data, quick=True)
    plan = replace(plan, cells=first_of_each(plan.cells))
    with Store(tmp_path_factory.mktemp("other") / "store.sqlite") as store:
        assert run_plan(plan, store) == []
        rows = store.rows(plan.id)
    return study, rows, study.tell(rows, data.summary())


def words(part):
    """Every text within a story."""
    if isinstance(part, str):
        yield part
    elif is_dataclass(part):
        for field in fields(part):
            yield from words(getattr(part, field.name))
    elif isinstance(part, list | tuple):
        for item in part:
            yield from words(item)
    elif isinstance(part, float):
        yield f"{part:g}"


def filled(story):
    return [
        block.filled() if isinstance(block, Table | Lines) else block
        for section in story.sections
        for block in section.blocks
    ]


def test_a_story_on_other_data_says_nothing_of_what_was_published(told):
    _, _, story = told
    titles = [section.title for section in story.sections]
    said = [*words([story.summary, story.conclusion, titles]), *words(filled(story))]
    assert [text for text in said if ABOUT.search(text)] == []


def test_no_published_number_is_shown_on_other_data(told):
    _, _, story = told
    for block in filled(story):
        if isinstance(block, Table):
            assert not [column.name for column in block.columns if column.published]
        if isinstance(block, Lines):
            assert not [series.name for series in block.series if series.published]
    numbers = [text for text in words(filled(story)) if text.startswith("777")]
    assert numbers == []
    assert not [text for text in story.summary if "777" in text]
