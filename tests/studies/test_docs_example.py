"""The example of docs/studies.md is run as it stands there."""

import re
from pathlib import Path

import pytest

from mercer.datasets import load_dataset
from mercer.studies import Store, Study, make_plan, run_plan
from mercer.studies.published_numbers import read_published

DOCS = (Path(__file__).parents[2] / "docs" / "studies.md").read_text("utf-8")


def code(language):
    return re.findall(rf"```{language}\n(.*?)```", DOCS, re.DOTALL)


def test_the_study_runs(tmp_path):
    names = {"__name__": "degrees"}
    exec(code("python")[0], names)
    study: Study = names["Degrees"]()
    plan = make_plan(study, load_dataset("digits"), quick=True)
    with Store(tmp_path / "store.sqlite") as store:
        assert run_plan(plan, store) == []
        story = study.story(store.rows(), {})
    table = story.sections[0].blocks[0]
    assert [row[0] for row in table.rows] == [1, 2, 3]
    assert table.rows[2][1].mean < table.rows[0][1].mean


def test_the_published_numbers_are_read(tmp_path):
    path = tmp_path / "published.toml"
    path.write_text(code("toml")[0])
    (number,) = read_published(path)
    assert (number.value, number.std, number.runs) == ("8.790", "0.421", 20)
    assert number.where == pytest.approx({"degree": 1})
