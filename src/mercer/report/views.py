"""From rows to what the page's template shows."""

import datetime
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from mercer._memory import format_bytes
from mercer.report.markup import download, markdown, png, svg
from mercer.report.story_figures import Drawable, draw
from mercer.report.tables import FORMATS, cells, heading, numeric_columns
from mercer.report.verdict_table import count_verdicts, verdict_table
from mercer.studies.plain import Plain
from mercer.studies.row import Row
from mercer.studies.store import Failure, PlanRecord, Store
from mercer.studies.story import Block, Images, Section, Story, Table
from mercer.studies.study import Study
from mercer.studies.verdicts import Verdict, judge_all

_VERDICT_CLASSES = {
    Verdict.AGREES.value: "agrees",
    Verdict.DIFFERS.value: "differs",
    Verdict.INCOMPARABLE.value: "open",
    Verdict.MISSING.value: "open",
}


@dataclass(frozen=True)
class StudyView:
    """A study on some data, ready to be written."""

    study: Study
    plan: PlanRecord
    rows: Sequence[Row]
    summary: list[str]
    sections: list[dict[str, Any]]
    tables: list[Table]
    failures: list[Failure]
    trouble: str

    @property
    def heading(self) -> str:
        """Title and data."""
        data = self.plan.data_name
        return f"{self.study.title}: {data}" if data else self.study.title

    @property
    def anchor(self) -> str:
        """What names the study within the page and its files."""
        return _anchor(self.study, self.plan)

    @property
    def readme(self) -> Markup:
        """The study's own words without their title, which the page has already."""
        return markdown(re.sub(r"\A\s*# .*\n", "", self.study.readme()))

    @property
    def data_facts(self) -> str:
        """What is known of the data."""
        facts = self.plan.facts
        if not facts:
            return ""
        shape = facts.get("image_shape")
        images = f" (images of {shape[0]} × {shape[1]})" if shape else ""
        return (
            f"{facts['n_samples']:,} samples, {facts['n_features']:,} features{images},"
            f" {len(facts['class_counts'])} classes. {facts['source']}. "
            f"Licence: {facts['licence']}. SHA-256 {facts['sha256'][:16]}…"
        )

    @property
    def state(self) -> str:
        """What is missing, where something is."""
        plan = self.plan
        if plan.done == plan.total:
            return ""
        failed = f", {plan.failed} failed" if plan.failed else ""
        return (
            f"Not complete: {plan.done} of {plan.total} cells are stored{failed}. All "
            "numbers are of these alone; the command at the end of the study runs the "
            "rest."
        )

    @property
    def cost(self) -> str:
        """Seconds and memory, for the head of the study."""
        words = f"{len(self.rows):,} cells, {self._seconds} of work"
        memory = [row.memory for row in self.rows if row.memory is not None]
        if not memory:
            return f"{words}; memory was not looked at yet."
        return f"{words}; at most {format_bytes(max(memory))} of memory in a process."

    @property
    def time(self) -> str:
        """Seconds of all cells and of their parts."""
        parts: Counter[str] = Counter()
        for row in self.rows:
            parts.update(row.timing)
        named = ", ".join(f"{name} {_duration(spent)}" for name, spent in parts.items())
        words = f"{len(self.rows):,} cells took {self._seconds} of work"
        return f"{words}; of it {named}." if named else f"{words}."

    @property
    def _seconds(self) -> str:
        return _duration(sum(row.seconds for row in self.rows))

    @property
    def machines(self) -> list[dict[str, Any]]:
        """Where the cells were run, how many of them and when the last."""
        found: dict[str, dict[str, Any]] = {}
        for row in self.rows:
            facts = {"Mercer": row.version, **row.machine}
            new = {"facts": facts, "rows": 0, "last": 0.0}
            entry = found.setdefault(repr(facts), new)
            entry["rows"] += 1
            entry["last"] = max(entry["last"], row.created)
        return [{**entry, "last": date_of(entry["last"])} for entry in found.values()]

    @property
    def notes(self) -> list[str]:
        """Warnings that came up."""
        return sorted({note for row in self.rows for note in row.notes})


def view_study(study: Study, plan: PlanRecord, store: Store) -> StudyView:
    """Everything about one plan, from what the store has."""
    rows = store.rows(plan=plan.id)
    story, trouble = tell(study, rows, plan.facts)
    sections, summary = list(story.sections), list(story.summary)
    if judgements := judge_all(study.published(), rows, plan.data_name):
        summary.append(count_verdicts(judgements))
        sections.insert(0, Section("Published and ours", [verdict_table(judgements)]))
    blocks = [block for section in sections for block in section.blocks]
    views = [
        {
            "anchor": f"{_anchor(study, plan)}-{number}",
            "title": section.title,
            "blocks": [view_block(block, store) for block in section.blocks],
        }
        for number, section in enumerate(sections)
    ]
    tables = [block for block in blocks if isinstance(block, Table)]
    failures = store.failures(plan.id)
    return StudyView(study, plan, rows, summary, views, tables, failures, trouble)


def tell(
    study: Study, rows: Sequence[Row], facts: Mapping[str, Plain]
) -> tuple[Story, str]:
    """The story, or none and why: one study must not take the others with it."""
    try:
        return study.story(rows, facts), ""
    except Exception as error:  # of other packages too, so anything
        return Story([]), (
            f"The study {study.name} could not tell its story from these rows "
            f"({type(error).__name__}: {error}). Its rows are stored and complete as "
            "far as they go; `mercer study export` writes them."
        )


def view_block(block: Block, store: Store) -> dict[str, Any]:
    """One piece of a section."""
    if isinstance(block, str):
        return {"kind": "text", "text": block}
    if isinstance(block, Table):
        return _view_table(block)
    if isinstance(block, Images):
        return _view_images(block, store)
    return _view_figure(block)


def _view_table(table: Table) -> dict[str, Any]:
    classes = [
        _VERDICT_CLASSES if column.name == "verdict" else {} for column in table.columns
    ]
    rows = [
        [
            {**vars(cell), "verdict": names.get(cell.text, "")}
            for cell, names in zip(row, classes)
        ]
        for row in cells(table)
    ]
    columns = [
        {"name": heading(column), "numeric": numeric}
        for column, numeric in zip(table.columns, numeric_columns(table))
    ]
    files = [
        (kind, f"{table.name}.{kind}", download(write(table), kind))
        for kind, write in FORMATS.items()
    ]
    return _titled("table", table) | {"columns": columns, "rows": rows, "files": files}


def _view_figure(block: Drawable) -> dict[str, Any]:
    try:
        light = svg(lambda: draw(block, dark=False))
        dark = svg(lambda: draw(block, dark=True))
    except Exception as error:  # what a study hands over may be anything
        words = f"{block.title}: the figure could not be drawn"
        return {"kind": "text", "text": f"{words} ({type(error).__name__}: {error})."}
    return _titled("figure", block) | {"light": light, "dark": dark}


def _view_images(block: Images, store: Store) -> dict[str, Any]:
    kept = store.images(block.data, [sample.sample for sample in block.samples])
    samples = [
        {
            "image": png(kept[s.sample].pixels) if s.sample in kept else "",
            "number": s.sample,
            "label": s.label,
            "taken_for": ", ".join(name for name, _ in s.taken_for[:3]),
            "wrong": s.wrong,
            "verdict": _describe_tests(s.wrong, s.tested),
        }
        for s in block.samples
    ]
    return _titled("images", block) | {"samples": samples, "pictures": bool(kept)}


def _describe_tests(wrong: int, tested: int) -> str:
    if tested == 1:
        return "wrong" if wrong else "right"
    return f"{wrong} of {tested} wrong"


def _titled(kind: str, block: Table | Images | Drawable) -> dict[str, Any]:
    return {"kind": kind, "title": block.title, "caption": block.caption}


def date_of(moment: float) -> str:
    """Day and minute, in universal time.

    >>> date_of(0.0)
    '1 January 1970, 00:00 UTC'
    """
    date = datetime.datetime.fromtimestamp(moment, datetime.UTC)
    return f"{date.day} {date:%B %Y, %H:%M} UTC"


def _duration(seconds: float) -> str:
    if seconds >= 90:
        return f"{seconds / 60:.1f} min"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds:.2g} s"


def _anchor(study: Study, plan: PlanRecord) -> str:
    text = f"{study.name}-{plan.data_name}-{plan.id}".lower()
    return re.sub(r"[^a-z0-9]+", "-", text).strip("-")
