"""A plan: a study on some data, expanded into cells with their keys."""

from dataclasses import dataclass

from mercer.datasets import Dataset
from mercer.exceptions import ParameterError
from mercer.studies.cell import Cell
from mercer.studies.data import name_in_store
from mercer.studies.plain import fingerprint
from mercer.studies.store import Run, Store
from mercer.studies.study import Study


@dataclass(frozen=True)
class Plan:
    """What is to be run; `cells` are in the order of their groups."""

    run: Run
    study: Study
    dataset: Dataset | None
    cells: dict[str, Cell]

    @property
    def id(self) -> str:
        """The name of the run."""
        return self.run.id

    def register(self, store: Store) -> None:
        """Tell the store what is asked for, so that status and report know it."""
        if self.dataset is not None:
            store.add_dataset(self.run.data, self.dataset.summary())
        store.add_plan(
            self.run, [(key, cell.group) for key, cell in self.cells.items()]
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
    groups: dict[str, dict[str, Cell]] = {}
    keys: set[str] = set()
    for cell in study.cells(dataset, seed, quick):
        key = cell.key(study.name, study.version, data)
        if key in keys:
            raise ParameterError(
                f"The study {study.name} has two cells with the same parameters, "
                f"{dict(cell.params)}, and seed."
            )
        keys.add(key)
        groups.setdefault(cell.group, {})[key] = cell
    options = [list(study.options)] if study.options else []
    name = fingerprint(study.name, study.version, data, seed, quick, *options)[:8]
    run = Run(name, study.name, data, seed, quick, command)
    cells = {key: cell for own in groups.values() for key, cell in own.items()}
    return Plan(run, study, dataset, cells)
