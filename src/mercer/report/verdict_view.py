"""What the page shows of verdicts: rows that can be filtered, with their reasons."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mercer.report.markup import file_links
from mercer.report.verdict_table import (
    ours_entry,
    published_text,
    row_text,
    verdict_table,
)
from mercer.studies.publication import Publication
from mercer.studies.row import Row
from mercer.studies.rules import RULES
from mercer.studies.story import Table
from mercer.studies.verdicts import Judgement, Verdict, judge_all

#: The address of the section on how often the rules err.
CALIBRATION = "calibration"
_CLASSES = {
    Verdict.AGREES: "agrees",
    Verdict.DIFFERS: "differs",
    Verdict.INCOMPARABLE: "open",
    Verdict.MISSING: "open",
}


@dataclass(frozen=True)
class Verdicts:
    """Judgements of numbers, of printed standard deviations, and of growth."""

    numbers: Sequence[Judgement] = ()
    spreads: Sequence[Judgement] = ()
    growth: Sequence[Judgement] = ()
    changes: Sequence[str] = ()

    @classmethod
    def of(cls, publication: Publication, rows: Sequence[Row], data: str) -> "Verdicts":
        """Judge what is about these data."""
        about = publication.on(data)
        numbers, spreads, growth = (
            judge_all(kind, rows, data)
            for kind in (about.numbers, about.spreads, about.growth)
        )
        used = {j.published.rule for j in (*numbers, *spreads, *growth)}
        changed = [rule.changed for name, rule in RULES.items() if name in used]
        changes = [*filter(None, changed), *publication.changes]
        return cls(numbers, spreads, growth, changes)

    def tables(self) -> list[Table]:
        """One for each kind, those that are there."""
        return [verdict_table(*part) for part in self._parts() if part[0]]

    def blocks(self, reasons: Mapping[str, str]) -> list[dict[str, Any]]:
        """The tables as the page shows them; `reasons` are addresses by heading."""
        if not self.numbers:
            return []
        shown = [view_verdicts(*part, reasons) for part in self._parts() if part[0]]
        if not self.changes:
            return shown
        title = "Rules that were changed after numbers were seen"
        return [*shown, {"kind": "list", "title": title, "items": self.changes}]

    def _parts(self) -> list[tuple[Sequence[Judgement], str, str]]:
        return [
            (self.numbers, "published", "Published and ours"),
            (self.spreads, "published-spreads", "Printed standard deviations and ours"),
            (self.growth, "published-growth", "Growth of published numbers, and ours"),
        ]


def view_verdicts(
    judgements: Sequence[Judgement],
    name: str,
    title: str,
    reasons: Mapping[str, str],
) -> dict[str, Any]:
    """A table of verdicts; `name` is what its files are called."""
    table = verdict_table(judgements, name, title)
    counts = Counter(judgement.verdict for judgement in judgements)
    return {
        "kind": "verdicts",
        "title": title,
        "caption": table.caption,
        "rows": [_view(judgement, reasons) for judgement in judgements],
        "counts": [
            (verdict.value, _CLASSES[verdict], counts[verdict])
            for verdict in Verdict
            if counts[verdict]
        ],
        "files": file_links(table),
    }


def _view(judgement: Judgement, reasons: Mapping[str, str]) -> dict[str, Any]:
    number, rule = judgement.published, RULES.get(judgement.published.rule)
    ours, difference = ours_entry(judgement), judgement.difference
    memory = judgement.memory
    return {
        "table": number.table,
        "row": row_text(judgement),
        "quantity": number.quantity,
        "published": published_text(judgement),
        "published_sort": float(number.value),
        "ours": "–" if ours is None else ours.text,
        "ours_sort": None if ours is None else ours.mean,
        "difference": "" if difference is None else f"{difference:+.2g}",
        "memory": "" if memory is None else f"{memory / 2**20:.0f} MB",
        "tolerance": judgement.tolerance,
        "rule": "" if rule is None else rule.name,
        "verdict": judgement.verdict.value,
        "class": _CLASSES[judgement.verdict],
        "remark": judgement.reason,
        **_reason(judgement, reasons),
    }


def _reason(judgement: Judgement, reasons: Mapping[str, str]) -> dict[str, str]:
    """Where a difference is explained; where nothing explains it, how often chance."""
    if judgement.verdict is not Verdict.DIFFERS:
        return {"why": "", "address": ""}
    heading = judgement.published.why
    if heading in reasons:
        return {"why": heading, "address": reasons[heading]}
    if judgement.z is None:
        return {"why": "", "address": ""}
    words = "no reason is known; how often the rules err"
    return {"why": words, "address": CALIBRATION}
