"""Results of a store, in the browser's view: the report, and what is behind cells."""

import asyncio
import dataclasses
import re

import httpx
import numpy as np
import pytest

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
import mercer
from mercer.studies import Store, get_study, make_plan, run_plan
from mercer.web.app import make_app
from mercer.web.limits import ServiceLimits
from mercer.web.served_model import ServedModel


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A quick comparison on digits, of which some cells are run."""
    path = tmp_path_factory.mktemp("results") / "store.sqlite"
    plan = make_plan(get_study("compare"), mercer.load_dataset("digits"), quick=True)
    plan = dataclasses.replace(plan, cells=dict(list(plan.cells.items())[:4]))
    with Store(path) as opened:
        assert run_plan(plan, opened) == []
    return path


@pytest.fixture(scope="module")
def get(store):
    iris = mercer.load_dataset("iris")
    model = ServedModel("m", mercer.KernelKNN().fit(iris.X, iris.y), ServiceLimits())

    def get(path, store=store):
        async def once():
            transport = httpx.ASGITransport(make_app([model], store=store))
            async with httpx.AsyncClient(transport=transport, base_url="http://m") as c:
                return await c.get(path)

        return asyncio.run(once())

    return get


def test_runs_lead_to_reports_and_cells_to_images(get, store):
    overview = get("/results")
    assert "makes the fewest mistakes" in overview.text
    (address,) = set(re.findall(r'href="(/results/\w+)"', overview.text))
    report = get(address)
    assert "default-src 'none'" in report.headers["content-security-policy"]
    assert "Every learner" in report.text
    assert "The hardest samples" in report.text
    assert "How to get this again" in report.text
    cells = re.findall(
        rf'href="({address}/mistakes[^"]+)" aria-label="(\d+) of (\d) taken for (\d)"',
        report.text,
    )
    with Store(store, readonly=True) as opened:
        rows = opened.rows()
        names = {get_study("compare").learner_of(row) for row in rows}
        wrong = np.array([one for row in rows for one in row.values["wrong"]])
    assert sum(int(count) for _, count, _, _ in cells) == len(wrong)
    assert all(f"<b>{name}</b>" in report.text for name in names)
    link, count, label, decided = max(cells, key=lambda cell: int(cell[1]))
    page = get(link.replace("&amp;", "&")).text
    assert f"<h1>{label} taken for {decided}</h1>" in page
    shown = page.count('<img src="data:image/png')
    assert 0 < shown <= int(count)


def test_what_is_not_there_is_a_page_with_a_sentence(get, tmp_path):
    answer = get("/results", store=tmp_path / "none.sqlite")
    assert answer.status_code == 404
    assert "mercer study run compare --quick" in answer.text
    broken = tmp_path / "broken.sqlite"
    broken.write_text("no store" * 100)
    answer = get("/results", store=broken)
    assert answer.status_code == 503
    assert "<h1>Nothing to show</h1>" in answer.text
    assert get("/results/nothing").status_code == 404
    (address,) = set(re.findall(r'href="(/results/\w+)"', get("/results").text))
    for query in (
        "learner=x&label=0&decided=1",
        "learner=linear+baseline&label=0&decided=99",
    ):
        assert get(f"{address}/mistakes?{query}").status_code == 404


def test_the_page_and_its_files_are_served(get):
    page = get("/")
    assert "default-src 'self'" in page.headers["content-security-policy"]
    links = set(re.findall(r'(?:href|src)="(/page/[^"]+)"', page.text))
    assert len(links) >= 4
    assert all(get(link).status_code == 200 for link in links)
    assert "javascript" in get("/page/main.js").headers["content-type"]
