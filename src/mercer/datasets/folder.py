"""The data folder: where the files of named data sets lie.

``MERCER_DATA`` names it; else it is ``mercer`` in ``XDG_DATA_HOME``, which is
``~/.local/share`` unless set. Files lie as in `RECIPES` or all flat in the folder,
as they are or packed with gzip or bzip2. What Debian packages is found where it is.
"""

import os
from pathlib import Path

from mercer.datasets.files import find_packed
from mercer.exceptions import DataError

VARIABLE = "MERCER_DATA"

#: where Debian's packages put their data sets, such as dataset-fashion-mnist
DEBIAN = Path("/usr/share/datasets")


def _idx_files(name: str) -> tuple[str, ...]:
    return tuple(
        f"{name}/{part}-{what}-ubyte"
        for part in ("train", "t10k")
        for what in ("images-idx3", "labels-idx1")
    )


#: For each name the sets of files that will do, best first.
RECIPES: dict[str, tuple[tuple[str, ...], ...]] = {
    "usps": (
        ("usps/usps.h5",),
        ("usps/zip.train", "usps/zip.test"),
        ("usps/usps-openml.npz",),
    ),
    "zipcombo": (("usps/zipcombo.dat",), ("usps/zip.train", "usps/zip.test")),
    "mnist": (_idx_files("mnist"), ("mnist/mnist-openml.npz",)),
    "fashion-mnist": (_idx_files("fashion-mnist"),),
    "spoofing": (("spoofing/trainData.txt", "spoofing/evalData.txt"),),
}

#: Its files are called as those of mnist are, which lie flat where they lie flat.
_NOT_FLAT = {"fashion-mnist"}

#: Written by ``mercer data fetch``, so nobody is asked to put them there.
FETCHED = {"usps": "usps/usps-openml.npz", "mnist": "mnist/mnist-openml.npz"}


def data_folder() -> Path:
    """The folder where files of named data sets are looked for."""
    if said := os.environ.get(VARIABLE):
        return Path(said).expanduser()
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(home) / "mercer"


def find_files(name: str) -> tuple[Path, ...]:
    """Find the files of a named data set, or say what to put where."""
    found = _found_files(name)
    if found is None:
        raise DataError(describe_missing(name))
    return found


def is_available(name: str) -> bool:
    """Tell whether the files of a named data set are there."""
    return _found_files(name) is not None


def describe_missing(name: str) -> str:
    """Say what is missing for a named data set, and what to do."""
    folder = data_folder()
    if os.environ.get(VARIABLE) and not folder.is_dir():
        return (
            f"{VARIABLE} is set to {folder}, which is not a folder; set it to the one "
            f"that has {_describe_files(name)}."
        )
    fetch = f", or run: mercer data fetch {name}" if name in FETCHED else ""
    if name == "fashion-mnist":
        fetch = ", or install Debian's package dataset-fashion-mnist"
    return f"The data set {name} is not here; {describe_places(name)}{fetch}."


def describe_places(name: str) -> str:
    """Say which files to put where for a named data set."""
    return (
        f"put {_describe_files(name)} into the data folder {data_folder()}, "
        f"which {VARIABLE} can change"
    )


def _describe_files(name: str) -> str:
    wanted = " or ".join(
        _join_words(recipe)
        for recipe in RECIPES[name]
        if recipe != (FETCHED.get(name),)
    )
    return f"{wanted} (or the same as .gz)"


def _join_words(words: tuple[str, ...]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _found_files(name: str) -> tuple[Path, ...] | None:
    folder = data_folder()
    for recipe in RECIPES[name]:
        found = [_find(folder, place, name not in _NOT_FLAT) for place in recipe]
        if all(found):
            return tuple(path for path in found if path is not None)
    return None


def _find(folder: Path, place: str, flat: bool) -> Path | None:
    places = [folder / place, DEBIAN / place]
    places += [folder / Path(place).name] if flat else []
    return next(filter(None, map(find_packed, places)), None)
