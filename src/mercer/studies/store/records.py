"""What the store keeps beside rows."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.studies.plain import Plain


@dataclass(frozen=True)
class Run:
    """A study on some data (by its name in the store), as somebody asked for it."""

    id: str
    study: str
    data: str
    seed: int
    quick: bool
    command: str


@dataclass(frozen=True)
class PlanRecord(Run):
    """A run and how far it is.

    Attributes
    ----------
    facts : mapping
        The data set's summary, empty where a study has none.
    total, done, failed, running : int
        Cells of each kind.
    seconds : float
        Of all finished cells.
    memory : int or None
        The most bytes that a process held while it ran one of them, where known.
    created, updated : float
        When it was first and last asked for, in seconds since 1970.
    """

    facts: Mapping[str, Plain]
    total: int
    done: int
    failed: int
    running: int
    seconds: float
    memory: int | None
    created: float
    updated: float

    @property
    def data_name(self) -> str:
        """What the data set is called."""
        return str(self.facts.get("name", ""))


@dataclass(frozen=True)
class Failure:
    """A cell that ended in an error; the next run tries it again."""

    key: str
    message: str
    created: float


@dataclass(frozen=True, eq=False)
class StoredImage:
    """The image of a sample, in 256 shades."""

    sample: int
    pixels: NDArray[np.uint8]
