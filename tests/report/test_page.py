import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from studies.tiny_study import Speechless, Tiny

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")
from mercer.exceptions import DataError
from mercer.report import views
from mercer.report.markup import markdown
from mercer.report.page import latest_plans, render, write_report
from mercer.studies import Store, get_study, make_plan, run_plan
from mercer.studies.publication import Publication
from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.store import StoredImage
from mercer.studies.story import (
    Images,
    Lines,
    Section,
    Series,
    ShownSample,
    Story,
)


class Nasty(Tiny):
    """Everything that comes from data tries to break the page."""

    name = "nasty"
    title = "<script>alert(1)</script>"
    protocol = "</p><img src=x onerror=alert(2)>"

    def publication(self):
        return Publication(
            numbers=[
                PublishedNumber("T", '"><b>', "roll", value, "mean", "roll", {"die": 4})
                for value in ("1e9", "0")
            ],
            changes=["<script>alert(5)</script>"],
        )

    def readme(self):
        return "# Nasty\n\n<script>alert(3)</script> [x](javascript:alert(4)) **bold**"


class Structure(HTMLParser):
    """Counts what matters and notices tags that are left open."""

    VOID = frozenset({"meta", "link", "img", "br", "hr"})

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.ids, self.links = [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        found = dict(attributes)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if tag == "a" else []
        assert not any(name.startswith("on") for name in found)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.ids += [v for k, v in attributes if k == "id"]

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store.sqlite") as opened:
        yield opened


def page_of(study, store):
    plan = make_plan(study, None, quick=True, command="mercer study run tiny <&>")
    run_plan(plan, store)
    record = next(p for p in store.plans() if p.id == plan.id)
    return render([views.view_study(study, record, store)])


def test_the_page_is_whole_and_self_contained(store):
    page = page_of(Tiny(), store)
    structure = Structure()
    structure.feed(page)
    assert structure.open == []
    assert structure.tags.count("h1") == 1
    assert structure.tags.count("svg") == 4
    assert len(set(structure.ids)) == len(structure.ids)
    for link in structure.links:
        assert link.startswith("data:") or link[1:] in structure.ids
    outside = page.replace("http://www.w3.org", "")
    assert "http" not in outside
    assert not re.search(r"\bsrc=\"(?!data:)", page)
    for words in ("6 rolls of 3 dice", "How to get this again", "processor", "numpy"):
        assert words in page
    assert "mercer study run tiny &lt;&amp;&gt;" in page
    assert "A text &lt;b&gt;with&lt;/b&gt; marks." in page


def test_nothing_from_data_is_obeyed(store):
    page = page_of(Nasty(), store)
    structure = Structure()
    structure.feed(page)
    assert structure.tags.count("script") == 1
    assert "img" not in structure.tags
    assert not any(link.startswith("javascript") for link in structure.links)
    assert "<strong>bold</strong>" in page
    assert "&lt;script&gt;alert(1)" in page


class Undrawable(Tiny):
    name = "undrawable"

    def story(self, rows, facts):
        lines = Lines("Two xs, one y", "x", "y", [Series("a", [1, 2], [3.0])])
        return Story(["A sentence."], [Section("Figures", [lines])])


def view_of(study, store):
    plan = make_plan(study, None, quick=True)
    run_plan(plan, store)
    record = next(p for p in store.plans() if p.id == plan.id)
    return views.view_study(study, record, store)


def test_a_study_without_a_story_leaves_the_others_alone(store):
    page = render([view_of(Speechless(), store), view_of(Tiny(), store)])
    structure = Structure()
    structure.feed(page)
    assert structure.open == []
    assert "The study speechless could not tell its story from these rows" in page
    assert "(ZeroDivisionError: no &lt;words&gt;)" in page
    assert page.count("A study that cannot speak") >= 2
    assert "6 rolls of 3 dice" in page
    assert structure.tags.count("svg") == 4


def test_a_figure_that_cannot_be_drawn_says_so(store):
    view = view_of(Undrawable(), store)
    (block,) = view.sections[0]["blocks"]
    assert block["kind"] == "text"
    assert block["text"].startswith("Two xs, one y: the figure could not be drawn")
    assert view.summary == ["A sentence."]


def test_seconds_and_memory_stand_at_the_head(store):
    page = page_of(Tiny(), store)
    assert re.search(r"6 cells, .* s of work; at most [\d.]+ .B of memory in a", page)


class Forgetful:
    """A store whose rows are from before memory was looked at."""

    def __init__(self, store):
        self.store = store

    def __getattr__(self, name):
        return getattr(self.store, name)

    def rows(self, **which):
        return [replace(row, memory=None) for row in self.store.rows(**which)]


def test_rows_without_memory_say_so(store):
    assert "memory was not looked at yet." in page_of(Tiny(), Forgetful(store))


class Timed(Tiny):
    """One time and one value are published, the value also by a second reading."""

    name = "timed"

    def publication(self):
        where = {"die": 4}
        roll = PublishedNumber("T", "d4", "roll", "1e9", "mean", "roll", where)
        other = replace(roll, value="0", where={"die": 6}, reading="six sides")
        seconds = PublishedNumber("T", "d4", "seconds", "9", "none", "throw", where)
        return Publication(numbers=[seconds, replace(roll, others=[other])])


def test_memory_stands_beside_published_times_only(store):
    (table,) = [t for t in view_of(Timed(), store).tables if t.name == "published"]
    places = {column.name: place for place, column in enumerate(table.columns)}
    time, *rolls = table.rows
    assert time[places["ours"]].mean == 0.25
    assert time[places["our memory"]] > 10
    assert time[places["verdict"]] == "cannot be compared"
    assert {roll[places["our memory"]] for roll in rolls} == {None}
    (table,) = [t for t in view_of(Nasty(), store).tables if t.name == "published"]
    assert "our memory" not in [column.name for column in table.columns]


def test_a_second_reading_is_judged_and_counted_apart(store):
    view = view_of(Timed(), store)
    (table,) = [t for t in view.tables if t.name == "published"]
    assert [row[1] for row in table.rows] == ["d4", "d4", "d4, read as six sides"]
    assert view.summary[-1].startswith("Of 2 published numbers 1 differs and 1 cannot")
    assert "Read as six sides, which changes 1 of them," in view.summary[-1]


def test_verdicts_are_coloured_and_worded(store):
    page = page_of(Nasty(), store)
    assert 'class="verdict differs">differs<' in page
    assert "Of 2 published numbers" in page
    assert "Published and ours" in page


class Elsewhere(Timed):
    """All that was published, and what its README tells, is about other data."""

    name = "elsewhere"
    default_data = ("usps",)
    question = "Which die is best?"

    def publication(self):
        numbers = [replace(n, data="usps") for n in super().publication().numbers]
        return Publication("A report", numbers, changes=["A rule was changed."])

    def readme(self):
        return "# elsewhere: dice\n\n163 of 192 numbers agree.\n"

    def story(self, rows, facts):
        published = self.published_on(facts)
        return Story(["Published: 9 seconds. Ours are best.", *map(str, published)])


def test_a_page_about_other_data_says_nothing_of_the_published(store):
    view = view_of(Elsewhere(), store)
    page = render([view])
    assert view.summary == [
        "Ours are best.",
        "These are other data than the published ones: nothing is compared.",
    ]
    for words in ("163 of 192", "1e9", "A rule was changed", "How often the rules"):
        assert words not in page
    assert "What its README tells is of other data" in page
    assert [table.name for table in view.tables] == []


class Asked(Timed):
    """Opens with a question, ends with a conclusion, and explains a difference."""

    name = "asked"
    question = "Which die is <best>?"

    def publication(self):
        seconds, roll = super().publication().numbers
        return Publication(numbers=[seconds, replace(roll, why="Why we differ")])

    def readme(self):
        return "# asked: dice\n\n## Why we differ\n\nOur dice are old.\n"

    def story(self, rows, facts):
        return Story(["Rolled."], conclusion=[f"{len(rows)} rolls say d20."])


def test_it_opens_with_its_question_and_ends_with_its_conclusion(store):
    page = page_of(Asked(), store)
    question = page.index("Which die is &lt;best&gt;?")
    assert question < page.index("Rolled.") < page.index("Our dice are old.")
    assert page.index("Our dice are old.") < page.index("6 rolls say d20.")
    assert page.index("6 rolls say d20.") < page.index("How to get this again</h3>")


def test_a_difference_links_to_its_reason(store):
    page = page_of(Asked(), store)
    structure = Structure()
    structure.feed(page)
    assert structure.open == []
    address = re.search(r'<a href="#([^"]*)">Why we differ</a>', page)[1]
    assert f'<h4 id="{address}">Why we differ</h4>' in page
    # the other reading agrees, and has none
    assert page.count(">Why we differ</a>") == 1
    assert "which tells of the full run" in page


class Many(Tiny):
    """Enough numbers for a distribution, each of them our mean but for a little."""

    name = "many"

    def publication(self):
        return Publication(
            numbers=[
                PublishedNumber("T", f"{n}", "roll", f"{n}e7", "mean", "roll", {})
                for n in range(1, 31)
            ]
        )


def test_the_page_shows_how_often_its_rules_err(store):
    page = page_of(Many(), store)
    structure = Structure()
    structure.feed(page)
    assert structure.open == []
    assert "calibration" in structure.ids
    assert "Over 30 judged means, z has a mean of" in page
    assert "the rules would call 1 different" in page
    assert "The distribution of z." in page
    assert "no reason is known" in page
    assert "How often the rules err" not in page_of(Tiny(), store)


def test_rules_that_were_changed_later_are_named(store):
    page = page_of(Nasty(), store)
    assert "Rules that were changed after numbers were seen" in page
    assert "A printed 0 allowed half a unit" in page
    assert "&lt;script&gt;alert(5)" in page
    assert "Single runs were allowed" not in page


def test_half_a_run_says_so(store):
    plan = make_plan(Tiny(), None)
    plan.register(store)
    with pytest.raises(DataError, match="no finished cell to report on"):
        write_report(store, store.path.with_name("page.html"))
    quick = make_plan(Tiny(), None, quick=True)
    run_plan(quick, store)
    record = next(p for p in store.plans() if p.id == plan.id)
    page = render([views.view_study(Tiny(), record, store)])
    assert "Not complete: 6 of 30 cells are stored" in page


def test_the_latest_run_of_each_is_shown(store):
    compare = get_study("compare")
    from mercer.datasets import load_dataset

    iris = load_dataset("iris")
    make_plan(compare, iris).register(store)
    make_plan(compare, iris, quick=True).register(store)
    assert [plan.quick for plan in latest_plans(store.plans())] == [True]


def test_images_come_from_the_store(store):
    pixels = np.zeros((2, 3), np.uint8)
    row = make_row()
    store.add_row(row, images=[StoredImage(5, pixels)])
    samples = [ShownSample(n, "8", 3, 4, [("3", 2), ("5", 1)]) for n in (5, 6)]
    view = views.view_block(Images("Hard", "data", samples), store)
    assert view["samples"][0]["image"].startswith("data:image/png;base64,")
    assert view["samples"][1]["image"] == ""
    assert view["samples"][0]["taken_for"] == "3, 5"
    assert view["samples"][0]["verdict"] == "3 of 4 wrong"


def test_only_a_wrong_answer_is_red(store):
    samples = [
        ShownSample(1, "8", 0, 1, [("8", 1)]),
        ShownSample(2, "8", 1, 1, [("3", 1)]),
    ]
    section = Section("Ten digits", [Images("Ten images", "data", samples)])

    class Shown(Tiny):
        def story(self, rows, facts):
            return Story(["One sentence."], [section])

    page = page_of(Shown(), store)
    assert '<b>8</b></span>\n<span class="soft">right</span>' in page
    assert '<b class="wrong">3</b></span>\n<span class="soft">wrong</span>' in page
    assert page.count('class="wrong"') == 1
    assert "<h4>Ten images</h4>" in page


def make_row():
    from mercer.studies import Row

    return Row("k", "tiny", "data", {}, 0, {"roll": 1.0}, created=1.0)


def test_markdown_headings_and_tables():
    html = markdown("## A\n\n| a |\n|---|\n| 1 |\n")
    assert "<h4>A</h4>" in html
    assert '<div class="wide"><table>' in html
