"""The result of an evaluation: attributes, plain data, and a text to read."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.evaluation._judged import Judged
from mercer.evaluation._text import (
    TextTable,
    align,
    describe_error,
    describe_samples,
    describe_seconds,
)
from mercer.metrics import HardSample, confusion
from mercer.preparation import last_step


@dataclass(frozen=True, kw_only=True, eq=False)
class Evaluation(ABC):
    """What the decisions of a model on labelled samples cost.

    Attributes
    ----------
    model, data, rows : str
        The model's class, the name of the data, and which part of them was judged.
    n_samples, n_trained_on, n_classes : int
        How many samples were judged, on how many of these the model remembers to be
        trained, and how many classes it knows.
    wrong, error, predict_seconds : int, float, float
        The number of mistakes, their share, and how long the prediction took.
    judged : Judged
        The samples with what they are, and what the model takes them for.
    """

    model: str
    data: str
    rows: str
    n_samples: int
    n_trained_on: int
    n_classes: int
    wrong: int
    error: float
    predict_seconds: float
    judged: Judged = field(repr=False)

    @property
    def classes(self) -> NDArray[np.str_]:
        """The classes by name."""
        return self.judged.classes

    @property
    def confusion(self) -> NDArray[np.int64]:
        """Samples of each class (rows) by what they are taken for (columns)."""
        every = np.arange(self.n_classes)
        return confusion(self.judged.labels, self.judged.predicted, labels=every)

    def hardest(self, most: int = 10) -> list[HardSample]:
        """Those mistakes that lie deepest in the wrong class, the deepest first."""
        return self.judged.hardest(most)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the arrays, ready for JSON."""
        return _plain(self)

    def facts(self) -> dict[str, str]:
        """What is said above the table, by name."""
        return {
            "model": self.model,
            "data": describe_samples(self.data, self.n_samples, self.rows),
            **self._more_facts(describe_error(self.wrong, self.n_samples)),
            "time": f"{describe_seconds(self.predict_seconds)} to predict",
        }

    @abstractmethod
    def _more_facts(self, error: str) -> dict[str, str]:
        """The error, and what goes before and after it."""

    @abstractmethod
    def table(self) -> TextTable:
        """The costs, or the errors of each class."""

    def advice(self) -> str | None:
        """A sentence on what calibration does or would do, if there is one."""
        return None

    def summary(self) -> str:
        """All of it as text."""
        facts = "\n".join(align(list(self.facts().items())))
        return "\n\n".join(filter(None, (facts, str(self.table()), self.advice())))

    def __str__(self) -> str:
        return self.summary()


def basics(judged: Judged) -> dict[str, Any]:
    """What holds for any number of classes."""
    return {
        "model": type(last_step(judged.machine)).__name__,
        "data": judged.samples.dataset.name,
        "rows": judged.samples.part,
        "n_samples": len(judged.labels),
        "n_trained_on": int(judged.samples.trained_on.sum()),
        "n_classes": len(judged.classes),
        "wrong": int(judged.wrong.sum()),
        "error": float(judged.wrong.mean()),
        "predict_seconds": judged.seconds,
        "judged": judged,
    }


def _plain(value: Any) -> Any:
    """Dictionaries and lists; fields that are not shown are left out."""
    if is_dataclass(value):
        shown = [one for one in fields(value) if one.repr]
        names = (one.metadata.get("key", one.name) for one in shown)
        return dict(zip(names, (_plain(getattr(value, one.name)) for one in shown)))
    return list(map(_plain, value)) if isinstance(value, tuple) else value
