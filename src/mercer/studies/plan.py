"""A plan: a study on some data, expanded into cells with their keys."""

from __future__ import annotations

from dataclasses import dataclass

from mercer.datasets import Dataset
from mercer.exceptions import ParameterError
from mercer.studies.cell import Cell
from mercer.studies.data import name_in_store
from mercer.studies.plain import fingerprint
from mercer.studies.store import Store
from mercer.studies.study import Study


@dataclass(frozen=True)
class Plan:
    """What is to be run; `cells` are in the order of their groups."""

    id: str
    study: Study
    dataset: Dataset | None
    data: str
    seed: int
    quick: bool
    cells: dict[str, Cell]
    command: str = ""

    def register(self, store: Store) -> None:
        """Tell the store what is asked for, so that status and report know it."""
        if self.dataset is not None:
            store.add_dataset(self.data, self.dataset.summary())
        cells = [(key, cell.group) for key, cell in self.cells.items()]
        store.add_plan(
            self.id,
            self.study.name,
            self.data,
            self.seed,
            self.quick,
            self.command,
            cells,
        )


def make_plan(
    study: Study,
    dataset: Dataset | None,
    *,
    seed: int = 0,
    quick: bool = False,
    command: str = "",
) -> Plan:
    """Expand a study into its cells."""
    data = name_in_store(dataset)
    cells: dict[str, Cell] = {}
    for cell in study.cells(dataset, seed, quick):
        key = cell.key(study.name, study.version, data)
        if key in cells:
            raise ParameterError(
                f"The study {study.name} has two cells with the same parameters, "
                f"{dict(cell.params)}, and seed."
            )
        cells[key] = cell
    groups = {cell.group: None for cell in cells.values()}
    order = {group: place for place, group in enumerate(groups)}
    cells = dict(sorted(cells.items(), key=lambda item: order[item[1].group]))
    name = fingerprint(study.name, study.version, data, seed, quick)[:8]
    return Plan(name, study, dataset, data, seed, quick, cells, command)
