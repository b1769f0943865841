"""From rows to what the page's template shows."""

import datetime
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mercer._memory import format_bytes
from mercer.report.markup import file_links, png, slug, svg
from mercer.report.readme import Readme
from mercer.report.story_figures import Drawable, draw
from mercer.report.tables import cells, heading, numeric_columns
from mercer.report.verdict_table import count_verdicts
from mercer.report.verdict_view import Verdicts
from mercer.studies.plain import Plain
from mercer.studies.row import Row
from mercer.studies.store import Failure, PlanRecord, Store
from mercer.studies.story import Block, Images, Lines, Section, Story, Table
from mercer.studies.study import Study


@dataclass(frozen=True)
class StudyView:
    """A study on some data, ready to be written."""

    study: Study
    plan: PlanRecord
    rows: Sequence[Row]
    readme: Readme
    summary: list[str]
    conclusion: list[str]
    verdicts: Verdicts
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
    def name(self) -> str:
        """What it is called on the command line, and its data."""
        data = self.plan.data_name
        return f"{self.study.name} on {data}" if data else self.study.name

    @property
    def anchor(self) -> str:
        """What names the study within the page and its files."""
        return _anchor(self.study, self.plan)

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
    rows, anchor = store.rows(plan=plan.id), _anchor(study, plan)
    complete = plan.done == plan.total and not plan.quick
    readme = Readme(study, plan.data_name, complete, anchor)
    verdicts = Verdicts.of(study.publication(), rows, plan.data_name)
    story, trouble = tell(study, rows, plan.facts)
    sections = [view_section(section, store) for section in story.sections]
    if blocks := verdicts.blocks(readme.addresses):
        sections.insert(0, {"title": "Published and ours", "blocks": blocks})
    told = [_filled(block) for part in story.sections for block in part.blocks]
    return StudyView(
        study,
        plan,
        rows,
        readme,
        [*story.summary, *_say_verdicts(study, verdicts)],
        list(story.conclusion),
        verdicts,
        [{"anchor": f"{anchor}-{n}", **view} for n, view in enumerate(sections)],
        [*verdicts.tables(), *(block for block in told if isinstance(block, Table))],
        store.failures(plan.id),
        trouble,
    )


def view_section(section: Section, store: Store | None = None) -> dict[str, Any]:
    """A section; images come from the store."""
    blocks = [view_block(block, store) for block in section.blocks]
    return {"title": section.title, "blocks": blocks}


def _say_verdicts(study: Study, verdicts: Verdicts) -> list[str]:
    """How many numbers agree, or why there are none."""
    if study.publication().numbers and not verdicts.numbers:
        return ["These are other data than the published ones: nothing is compared."]
    said = [
        count_verdicts(verdicts.numbers),
        count_verdicts(verdicts.spreads, "printed standard deviations"),
        count_verdicts(verdicts.growth, "ratios that show how published numbers grow"),
    ]
    return [sentence for sentence in said if sentence]


def _filled(block: Block) -> Block:
    return block.filled() if isinstance(block, Table | Lines) else block


def tell(
    study: Study, rows: Sequence[Row], facts: Mapping[str, Plain]
) -> tuple[Story, str]:
    """The story, or none and why: one study must not take the others with it."""
    try:
        return study.tell(rows, facts), ""
    except Exception as error:  # of other packages too, so anything
        return Story([]), (
            f"The study {study.name} could not tell its story from these rows "
            f"({type(error).__name__}: {error}). Its rows are stored and complete as "
            "far as they go; `mercer study export` writes them."
        )


def view_block(block: Block, store: Store | None) -> dict[str, Any]:
    """One piece of a section."""
    block = _filled(block)
    if isinstance(block, str):
        return {"kind": "text", "text": block}
    if isinstance(block, Table):
        return _view_table(block)
    if isinstance(block, Images):
        return _view_images(block, store)
    return _view_figure(block)


def _view_table(table: Table) -> dict[str, Any]:
    columns = [
        {"name": heading(column), "numeric": numeric}
        for column, numeric in zip(table.columns, numeric_columns(table))
    ]
    shown = {"columns": columns, "rows": cells(table), "files": file_links(table)}
    return _titled("table", table) | shown


def _view_figure(block: Drawable) -> dict[str, Any]:
    try:
        light = svg(lambda: draw(block, dark=False))
        dark = svg(lambda: draw(block, dark=True))
    except Exception as error:  # what a study hands over may be anything
        words = f"{block.title}: the figure could not be drawn"
        return {"kind": "text", "text": f"{words} ({type(error).__name__}: {error})."}
    return _titled("figure", block) | {"light": light, "dark": dark}


def _view_images(block: Images, store: Store | None) -> dict[str, Any]:
    asked = [sample.sample for sample in block.samples]
    kept = {} if store is None else store.images(block.data, asked)
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
    if tested == 0:
        return ""
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
    return slug(f"{study.name}-{plan.data_name}-{plan.id}")
