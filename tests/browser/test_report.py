"""The report as a reader sees it: on a desk and on a phone, by day and by night."""

import dataclasses
import re

import pytest

pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")
from mercer.datasets import load_dataset
from mercer.report.page import render
from mercer.report.views import view_study
from mercer.studies import Store, get_study, make_plan, run_plan
from mercer.studies.publication import Publication
from mercer.studies.published_numbers import PublishedNumber

PUBLISHED = ((1, "1.2", "single"), (7, "55", "mean"), (9, "1", "none"))
LOCAL = ("file:", "data:")
WIDTHS = {"desk": 1280, "phone": 375}
OVERFLOW = """() => {
  const width = document.documentElement.clientWidth;
  const hidden = (e) => e.closest(".wide, pre") || !e.checkVisibility();
  return [...document.querySelectorAll("body *")]
    .filter((e) => !hidden(e) && e.getBoundingClientRect().right > width + 1)
    .map((e) => e.outerHTML.slice(0, 80));
}"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Digits, compared; with published numbers that agree, differ and neither."""
    folder = tmp_path_factory.mktemp("report")
    study = get_study("compare")
    plan = make_plan(
        study, load_dataset("digits"), quick=True, command="mercer study run compare"
    )
    few = dict(list(plan.cells.items())[:14])
    plan = dataclasses.replace(plan, cells=few)
    numbers = [
        PublishedNumber(
            *("Table 2", f"k = {k}", "test error, %", value, rule),
            measure="test_error",
            # two repeats of one learner are too few for a single run
            where={} if rule == "single" else {"learner": "knn"},
            scale=100,
        )
        for k, value, rule in PUBLISHED
    ]
    study.publication = lambda: Publication(numbers=numbers)
    with Store(folder / "store.sqlite") as store:
        assert run_plan(plan, store) == []
        (record,) = store.plans()
        page = folder / "report.html"
        page.write_text(render([view_study(study, record, store)]), "utf-8")
    return page


@pytest.fixture(
    scope="module",
    params=[(w, s) for w in WIDTHS for s in ("light", "dark")],
    ids="-".join,
)
def page(request, browser, report):
    """The report in a window of that width and scheme; any complaint fails."""
    where, scheme = request.param
    size = {"width": WIDTHS[where], "height": 800}
    page = browser.new_page(viewport=size, color_scheme=scheme)
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda r: r.url[:5] in LOCAL or complaints.append(r.url))
    page.goto(report.as_uri())
    yield page
    page.close()
    assert complaints == []


def test_nothing_overflows_and_everything_is_there(page):
    assert page.evaluate(OVERFLOW) == []
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= page.viewport_size["width"]
    assert "makes the fewest mistakes" in page.inner_text("#summary")
    dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    shown = "dark" if dark else "light"
    for figure in page.query_selector_all("figure"):
        for part in ("light", "dark"):
            assert figure.query_selector(f".{part}").is_visible() == (part == shown)
    assert len(page.query_selector_all(".images img")) == 12


def test_text_stands_out_from_the_page(page):
    contrast = page.evaluate(CONTRAST)
    assert min(contrast.values()) >= 4.5, contrast


CONTRAST = """() => {
  const bend = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const channel = (c) => bend(c / 255);
  const light = (text) => {
    const [r, g, b] = text.match(/[0-9.]+/g).map(Number);
    return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  };
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (colour !== "rgba(0, 0, 0, 0)") return colour;
    }
  };
  const found = {};
  for (const name of ["p", ".soft", "nav a", ".caption", ".brand", ".summary li", "td",
      "td.best b", ".verdict.agrees", ".verdict.differs", ".verdict.open", ".files a",
      ".wrong", "code", ".warning"]) {
    const e = document.querySelector(name);
    if (!e) continue;
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))];
    found[name] = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }
  return found;
}"""


def column(page, table, place):
    cells = page.query_selector_all(f"{table} tbody tr td:nth-child({place})")
    return [cell.inner_text() for cell in cells]


def test_tables_sort_both_ways(page):
    table = "[aria-label='Every learner'] table"

    def errors():
        return [float(text.split(" ")[0]) for text in column(page, table, 2)]

    before = errors()
    assert before != sorted(before)
    head = f"{table} th:nth-child(2)"
    page.click(f"{head} button")
    assert errors() == sorted(before)
    assert page.get_attribute(head, "aria-sort") == "ascending"
    page.click(f"{head} button")
    assert errors() == sorted(before, reverse=True)
    page.click(f"{table} th:nth-child(1) button")
    names = column(page, table, 1)
    assert names == sorted(names, key=str.lower)
    assert page.get_attribute(head, "aria-sort") is None
    page.click(f"{table} th:nth-child(4) button")
    # learners without support vectors come last
    assert column(page, table, 4)[-2:] == ["–", "–"]


VERDICTS = "[aria-label='Published and ours']"


def shown(page):
    rows = page.query_selector_all(f"{VERDICTS} tbody tr")
    return [row.get_attribute("data-verdict") for row in rows if row.is_visible()]


def test_verdicts_can_be_filtered(page):
    every = ["agrees", "differs", "cannot be compared"]
    assert shown(page) == every
    for word in every:
        page.click(f".filter button[data-show='{word}']")
        assert shown(page) == [word]
        pressed = page.query_selector_all(".filter button[aria-pressed='true']")
        assert [button.inner_text() for button in pressed] == [f"{word} 1"]
    page.click(".filter button:not([data-show])")
    assert shown(page) == every


def test_verdicts_are_in_sight(page):
    width = page.viewport_size["width"]
    region = page.query_selector(VERDICTS)
    assert page.evaluate("(e) => e.scrollWidth <= e.clientWidth", region)
    for row in page.query_selector_all(f"{VERDICTS} tbody tr"):
        for cell in row.query_selector_all("td"):
            box = cell.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
    agrees, differs, _ = column(page, VERDICTS, 5)
    assert "±" in agrees
    assert "Student's t" in agrees
    assert "two standard errors" in differs
    ours = column(page, VERDICTS, 3)
    # in the digits of 1.2 and of 55
    assert re.search(r"^\d\.\d ± ", ours[0].splitlines()[-1])
    assert re.search(r"^\d+ ± ", ours[1].splitlines()[-1])


def test_what_differs_leads_to_why(page):
    link = page.query_selector(f"{VERDICTS} a")
    assert page.query_selector(link.get_attribute("href")) is not None


def test_contents_lead_there(page):
    if not page.is_visible("nav ol a"):
        page.click("nav summary")
    page.click("nav >> text=The hardest samples")
    page.wait_for_function("scrollY > 0")
    page.wait_for_timeout(50)
    assert "#" in page.url


def test_it_can_be_read_without_scripts(browser, report):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    text = page.inner_text("main")
    for words in ("Every learner", "Published and ours", "agrees", "differs"):
        assert words in text
    assert page.is_visible("nav ol a")
    context.close()


def test_it_prints(browser, report):
    page = browser.new_page(color_scheme="dark")
    page.goto(report.as_uri())
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.emulate_media(media="print")
    assert not page.is_visible("nav")
    assert page.is_visible("figure .light")
    assert not page.is_visible("figure .dark")
    page.close()
