"""The report: one self-contained HTML file, from stored rows only."""

import time
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from mercer._atomic_write import write_atomically
from mercer._version import __version__
from mercer.exceptions import DataError
from mercer.report.calibration import calibration_section, z_values
from mercer.report.tables import FORMATS
from mercer.report.views import StudyView, date_of, view_section, view_study
from mercer.studies import Store, get_study, study_names
from mercer.studies.store import PlanRecord


def write_report(
    store: Store,
    path: Path,
    plans: Sequence[PlanRecord] | None = None,
    tables: Path | None = None,
) -> Path:
    """Write the page; an older one is replaced only when the new one is complete.

    It shows the latest run of every study on every data set, unless `plans` are given.
    `tables` is a folder for all tables as Markdown, LaTeX and CSV.
    """
    chosen = latest_plans(store.plans()) if plans is None else list(plans)
    shown = [plan for plan in chosen if plan.done and plan.study in study_names()]
    if not shown:
        raise DataError(
            f"The store {store.path} has no finished cell to report on; run one first: "
            "mercer study run compare --quick"
        )
    views = [view_study(get_study(plan.study), plan, store) for plan in shown]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, render(views).encode())
    if tables is not None:
        write_tables(views, tables)
    return path


def latest_plans(plans: Sequence[PlanRecord]) -> list[PlanRecord]:
    """Of each study and data set the run that was asked for last."""
    latest = {(plan.study, plan.data_name): plan for plan in plans}
    order = study_names()
    known = [plan for plan in latest.values() if plan.study in order]
    return sorted(known, key=lambda plan: (order.index(plan.study), plan.data_name))


def render(
    views: Sequence[StudyView],
    template: str = "page.html",
    package: str = "mercer.report",
    **parts: Any,
) -> str:
    """The page as text; a template of another package may extend this one's."""
    section = calibration_section(
        {view.name: z for view in views if (z := z_values(view.verdicts.numbers))}
    )
    title = views[0].heading if len(views) == 1 else "Studies with Mercer"
    told = section and view_section(section)
    return fill(template, title, package, views=views, calibration=told, **parts)


def fill(
    template: str, title: str, package: str = "mercer.report", **parts: Any
) -> str:
    """A template of this package, or of another that extends one of these."""

    def load(name: str) -> str | None:
        found = [files(one) / name for one in (package, "mercer.report")]
        return next((path.read_text("utf-8") for path in found if path.is_file()), None)

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(load),
    )
    return environment.get_template(template).render(
        title=title,
        date=date_of(time.time()),
        version=__version__,
        # of Mercer's own, so not to be escaped
        style=Markup(_asset("page.css")),
        script=Markup(_asset("page.js")),
        **parts,
    )


def write_tables(views: Sequence[StudyView], folder: Path) -> None:
    """Write all tables as files, named after study, data and table."""
    folder.mkdir(parents=True, exist_ok=True)
    for view in views:
        for table in view.tables:
            for kind, write in FORMATS.items():
                name = f"{view.anchor}-{table.name}.{kind}"
                write_atomically(folder / name, write(table).encode())


def _asset(name: str) -> str:
    return files("mercer.report").joinpath(name).read_text("utf-8")
