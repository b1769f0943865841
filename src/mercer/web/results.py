"""The results in a store, as pages: the report, with mistakes that can be opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from mercer.report.page import fill, latest_plans, render
from mercer.report.views import date_of, tell, view_block, view_study
from mercer.studies import Store, Study, get_study
from mercer.studies.mistakes import as_shown, class_names, taken_for
from mercer.studies.row import Row
from mercer.studies.store import PlanRecord
from mercer.studies.story import Images
from mercer.web.limits import Refusal

_MOST_SHOWN = 200


class ResultPages:
    """Pages about the store in this file; a page is made once for a state of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._made: dict[str, tuple[Any, str]] = {}
        self._lock = Lock()  # Matplotlib's settings belong to the whole process

    def overview(self) -> str:
        """Every run that has something to tell."""
        with self._open() as store:
            runs = [_describe(plan, store) for plan in _runs(store)]
        return _fill("results.html", "Results", runs=runs, store=self.path)

    def run(self, name: str) -> str:
        """The report on one run."""
        with self._lock, self._open() as store:
            plan = _find(store, name)
            state = plan.done, plan.failed, plan.updated
            if self._made.get(name, (None,))[0] != state:
                self._made[name] = state, self._make(store, plan)
            return self._made[name][1]

    def _make(self, store: Store, plan: PlanRecord) -> str:
        study = get_study(plan.study)
        view = view_study(study, plan, store)
        learners = _learners(study, view.rows)
        matrices = [_matrix(name, rows, plan) for name, rows in learners]
        matrices.sort(key=lambda matrix: float(matrix["error"]))
        parts = {"matrices": matrices, "plan": plan}
        return render([view], "templates/run.html", "mercer.web", **parts)

    def mistakes(self, name: str, learner: str, label: int, decided: int) -> str:
        """The samples behind a cell of a confusion matrix."""
        with self._open() as store:
            plan = _find(store, name)
            study, names = get_study(plan.study), class_names(plan.facts)
            rows = dict(_learners(study, store.rows(plan=plan.id))).get(learner)
            if rows is None or max(label, decided) >= len(names):
                raise Refusal(404, f"The run {name} has no such mistakes.")
            found = taken_for(rows, label, decided)
            shown = [as_shown(sample, names) for sample in found[:_MOST_SHOWN]]
            title = f"{names[label]} taken for {names[decided]}"
            caption = f"{learner}: {len(found)} samples in {len(rows)} runs"
            if len(found) > len(shown):
                caption += f", {len(shown)} of them shown"
            block = view_block(Images(title, plan.data, shown, f"{caption}."), store)
        return _fill("mistakes.html", title, block=block, plan=plan, learner=learner)

    @contextmanager
    def _open(self) -> Iterator[Store]:
        if not self.path.exists():
            raise Refusal(
                404,
                f"There is no store {self.path} yet; `mercer study run compare --quick`"
                " makes one, and --store names another.",
            )
        with Store(self.path, readonly=True) as store:
            yield store


def _fill(template: str, title: str, **parts: Any) -> str:
    return fill(f"templates/{template}", title, "mercer.web", **parts)


def _runs(store: Store) -> list[PlanRecord]:
    return [plan for plan in latest_plans(store.plans()) if plan.done]


def _describe(plan: PlanRecord, store: Store) -> dict[str, Any]:
    study = get_study(plan.study)
    story, trouble = tell(study, store.rows(plan=plan.id), plan.facts)
    data = plan.data_name
    return {
        "plan": plan,
        "title": f"{study.title}: {data}" if data else study.title,
        "summary": story.summary,
        "trouble": trouble,
        "date": date_of(plan.updated),
    }


def _find(store: Store, name: str) -> PlanRecord:
    plans = [plan for plan in _runs(store) if plan.id == name]
    if not plans:
        raise Refusal(404, f"There is no run {name!r} in {store.path}.")
    return plans[0]


def _learners(study: Study, rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """The rows that keep mistakes, by learner."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row.get("wrong") is not None and row.get("confusion"):
            found.setdefault(study.learner_of(row), []).append(row)
    return [(name, own) for name, own in found.items() if name]


def _matrix(learner: str, rows: list[Row], plan: PlanRecord) -> dict[str, Any]:
    counts = np.sum([row.values["confusion"] for row in rows], axis=0).astype(int)
    mistakes = counts - np.diag(np.diag(counts))
    shades = np.ceil(9 * mistakes / max(1, mistakes.max())).astype(int)
    return {
        "learner": learner,
        "names": class_names(plan.facts),
        "counts": counts.tolist(),
        "shades": shades.tolist(),
        "error": 100 * mistakes.sum() / max(1, counts.sum()),
    }
