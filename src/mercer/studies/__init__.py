"""Declared comparisons, run cell by cell into a store.

A `Study` declares; `make_plan` expands it into cells; `run_plan` runs those that the
`Store` does not have. A report reads rows, never objects.
"""

from mercer.studies.cell import Cell, Outcome, grid
from mercer.studies.context import Context
from mercer.studies.data import DataSpec
from mercer.studies.plain import derive_seed
from mercer.studies.plan import Plan, make_plan
from mercer.studies.registry import get_study, study_names, study_place
from mercer.studies.row import (
    Row,
    Spread,
    group_by,
    numbers,
    select,
    spread_of,
)
from mercer.studies.runner import RunProgress, run_plan
from mercer.studies.store import Run, Store, StoreError
from mercer.studies.study import Study

__all__ = [
    "Cell",
    "Context",
    "DataSpec",
    "Outcome",
    "Plan",
    "Row",
    "Run",
    "RunProgress",
    "Spread",
    "Store",
    "StoreError",
    "Study",
    "derive_seed",
    "get_study",
    "grid",
    "group_by",
    "make_plan",
    "numbers",
    "run_plan",
    "select",
    "spread_of",
    "study_names",
    "study_place",
]
