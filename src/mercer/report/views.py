"""From rows to what the page's template shows."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from mercer._memory import format_bytes
from mercer.report import tables
from mercer.report.markup import download, markdown, png, svg
from mercer.report.story_figures import Drawable, draw
from mercer.report.verdict_table import count_verdicts, verdict_table
from mercer.studies.plain import Plain
from mercer.studies.row import Row
from mercer.studies.store import Failure, PlanRecord, Store
from mercer.studies.story import Block, Images, Section, ShownSample, Story, Table
from mercer.studies.study import Study
from mercer.studies.verdicts import Verdict, judge_all

_VERDICT_CLASSES = {
    Verdict.AGREES.value: "agrees",
    Verdict.DIFFERS.value: "differs",
    Verdict.INCOMPARABLE.value: "open",
    Verdict.MISSING.value: "open",
}


@dataclass
class StudyView:
    """A study on some data, ready to be written."""

    anchor: str
    title: str
    data: str
    data_facts: str
    summary: list[str]
    sections: list[dict[str, Any]]
    protocol: str
    readme: Markup
    state: str
    trouble: str
    cost: str
    time: str
    machines: list[dict[str, Any]]
    command: str
    notes: list[str]
    failures: list[Failure]
    tables: list[Table] = field(default_factory=list)

    @property
    def heading(self) -> str:
        """Title and data."""
        return f"{self.title}: {self.data}" if self.data else self.title


def view_study(study: Study, plan: PlanRecord, store: Store) -> StudyView:
    """Everything about one plan, from what the store has."""
    rows = store.rows(plan=plan.id)
    story, trouble = _tell(study, rows, plan.facts)
    sections = list(story.sections)
    summary = list(story.summary)
    if judgements := judge_all(study.published(), rows, plan.data_name):
        summary.append(count_verdicts(judgements))
        sections.insert(0, Section("Published and ours", [verdict_table(judgements)]))
    anchor = _anchor(f"{study.name}-{plan.data_name}-{plan.id}")
    return StudyView(
        anchor=anchor,
        title=study.title,
        data=plan.data_name,
        data_facts=_describe_data(plan.facts),
        summary=summary,
        sections=[
            {
                "anchor": f"{anchor}-{number}",
                "title": section.title,
                "blocks": [view_block(block, store) for block in section.blocks],
            }
            for number, section in enumerate(sections)
        ],
        protocol=study.protocol,
        readme=markdown(_without_title(study.readme())),
        state=_describe_state(plan),
        trouble=trouble,
        cost=_describe_cost(rows),
        time=_describe_time(rows),
        machines=_machines(rows),
        command=plan.command,
        notes=sorted({note for row in rows for note in row.notes}),
        failures=store.failures(plan.id),
        tables=[
            block
            for section in sections
            for block in section.blocks
            if isinstance(block, Table)
        ],
    )


def _tell(
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
    best = [tables.best_rows(table, place) for place in range(len(table.columns))]
    rows = [
        [
            {
                "text": tables.entry_text(entry, column),
                "sort": tables.sort_value(entry),
                "best": number in best[place],
                "verdict": _VERDICT_CLASSES.get(str(entry), "")
                if column.name == "verdict"
                else "",
            }
            for place, (entry, column) in enumerate(zip(row, table.columns))
        ]
        for number, row in enumerate(table.rows)
    ]
    columns = [
        {"name": tables.heading(column), "numeric": tables.is_numeric(table, place)}
        for place, column in enumerate(table.columns)
    ]
    files = [
        (kind, f"{table.name}.{kind}", download(write(table), kind))
        for kind, write in tables.FORMATS.items()
    ]
    return {
        "kind": "table",
        "title": table.title,
        "caption": table.caption,
        "columns": columns,
        "rows": rows,
        "files": files,
    }


def _view_figure(block: Drawable) -> dict[str, Any]:
    try:
        light = svg(lambda: draw(block, dark=False))
        dark = svg(lambda: draw(block, dark=True))
    except Exception as error:  # what a study hands over may be anything
        words = f"{block.title}: the figure could not be drawn"
        return {"kind": "text", "text": f"{words} ({type(error).__name__}: {error})."}
    return {
        "kind": "figure",
        "title": block.title,
        "caption": block.caption,
        "light": light,
        "dark": dark,
    }


def _view_images(block: Images, store: Store) -> dict[str, Any]:
    kept = store.images(block.data, [sample.sample for sample in block.samples])
    samples = [
        {
            "image": png(kept[s.sample].pixels) if s.sample in kept else "",
            "number": s.sample,
            "label": s.label,
            "taken_for": ", ".join(name for name, _ in s.taken_for[:3]),
            "wrong": s.wrong,
            "verdict": _describe_tests(s),
        }
        for s in block.samples
    ]
    return {
        "kind": "images",
        "title": block.title,
        "caption": block.caption,
        "samples": samples,
        "pictures": bool(kept),
    }


def _describe_tests(sample: ShownSample) -> str:
    if sample.tested == 1:
        return "wrong" if sample.wrong else "right"
    return f"{sample.wrong} of {sample.tested} wrong"


def _describe_data(facts: Mapping[str, Plain]) -> str:
    if not facts:
        return ""
    shape = facts.get("image_shape")
    images = f" (images of {shape[0]} × {shape[1]})" if shape else ""
    return (
        f"{facts['n_samples']:,} samples, {facts['n_features']:,} features{images}, "
        f"{len(facts['class_counts'])} classes. {facts['source']}. "
        f"Licence: {facts['licence']}. SHA-256 {facts['sha256'][:16]}…"
    )


def _describe_state(plan: PlanRecord) -> str:
    if plan.done == plan.total:
        return ""
    failed = f", {plan.failed} failed" if plan.failed else ""
    return (
        f"Not complete: {plan.done} of {plan.total} cells are stored{failed}. All "
        "numbers are of these alone; the command at the end of the study runs the rest."
    )


def _describe_cost(rows: Sequence[Row]) -> str:
    """Seconds and memory, for the head of the study."""
    seconds = sum(row.seconds for row in rows)
    words = f"{len(rows):,} cells, {_duration(seconds)} of work"
    memory = [row.memory for row in rows if row.memory is not None]
    if not memory:
        return f"{words}; memory was not looked at yet."
    return f"{words}; at most {format_bytes(max(memory))} of memory in a process."


def _describe_time(rows: Sequence[Row]) -> str:
    total = sum(row.seconds for row in rows)
    parts: Counter[str] = Counter()
    for row in rows:
        parts.update(row.timing)
    named = ", ".join(f"{name} {_duration(spent)}" for name, spent in parts.items())
    words = f"{len(rows):,} cells took {_duration(total)} of work"
    return f"{words}; of it {named}." if named else f"{words}."


def _machines(rows: Sequence[Row]) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        facts = {"Mercer": row.version, **row.machine}
        entry = found.setdefault(repr(facts), {"facts": facts, "rows": 0, "last": 0.0})
        entry["rows"] += 1
        entry["last"] = max(entry["last"], row.created)
    for entry in found.values():
        entry["last"] = date_of(entry["last"])
    return list(found.values())


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


def _anchor(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _without_title(text: str) -> str:
    """Leave out the first heading: the page has one already."""
    return re.sub(r"\A\s*# .*\n", "", text)
