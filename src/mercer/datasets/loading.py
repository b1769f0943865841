"""`load_dataset`: a name or a path in, a data set out."""

import difflib
import os
from collections.abc import Collection
from pathlib import Path
from typing import Any

from mercer.datasets.dataset import Dataset
from mercer.datasets.files import FeaturePlaces, ReadOptions
from mercer.datasets.load_files import load_path
from mercer.datasets.registry import REGISTRY
from mercer.exceptions import DataError, ParameterError


def load_dataset(
    name_or_path: str | os.PathLike[str],
    *,
    label: str | int = "auto",
    image_shape: tuple[int, int] | None = None,
    n_features: int | None = None,
    labels: Collection[int | str] | None = None,
    header: bool | str = "auto",
    drop: str | int | Collection[str | int] = (),
    categorical: str | int | Collection[str | int] = (),
    missing: str = "error",
    separator: str | None = None,
    dense: bool | None = None,
    n: int | None = None,
    m: int | None = None,
    seed: int | None = None,
) -> Dataset:
    """Load a data set by its name, or from a file of any known format.

    Files may be HDF5, NPZ, IDX, LIBSVM/SVMlight text, CSV with any separator or the
    zip.train text, each also packed with gzip or bzip2; they are recognised by what is
    in them. A file that is not sound is refused whole, in one sentence.

    Parameters
    ----------
    name_or_path : str or path
        One of ``digits, iris, mnist5k, usps, zipcombo, mnist, fashion-mnist,
        spoofing, just-a-little-bit``, or the path of a file. A name goes before a file
        of the same name; write ``./digits`` for the file.
    label : {"auto", "first", "last", "none"}, column name or int
        The column of a text table that holds the labels. "auto" goes by the header,
        else takes the first or the last column if only one of them looks like labels.
        With "none" there are no labels, or none is looked at, and y is empty.
    image_shape : (height, width), optional
        The shape of the images; the file must have that many values for each sample.
    n_features : int, optional
        The number of values that each sample must have.
    labels : collection, optional
        The labels that may occur.
    header : bool or "auto"
        Whether a text table begins with a row of names. "auto" compares the first row
        with those below; where it may be names or a sample, you are asked.
    drop : column name, int, or several, optional
        Columns of a text table to leave out, by name or by number from 0.
    categorical : "auto", column name, int, or several, optional
        Columns of a text table whose values are categories: X is then an array of
        objects. "auto": all columns of words, without a number in them.
    missing : {"error", "keep", "drop-rows", "mean", "median", "most-frequent"}
        What shall become of missing values: refused; kept as NaN, and None among words;
        their samples left out. The last three keep them too, for ``mercer fit`` and
        studies, which fill them in by what training samples have.
    separator : str, optional
        Of a text table; found out by default. ``" "`` is any white space.
    dense : bool, optional
        Whether LIBSVM text becomes an array (True) or CSR (False); by default an array
        if more than a quarter of the values are there.
    n, m, seed : int, optional
        Features, samples and seed of ``just-a-little-bit``.

    Returns
    -------
    Dataset
        ``X, y, train, test, image_shape, name, source, licence, sha256,
        feature_names, target_names, files, notes, warnings``. A feature that only
        numbers the samples stays, with a warning; an index without a name, as pandas
        writes it, is left out, with a warning.

    Examples
    --------
    >>> digits = load_dataset("digits")
    >>> digits.X.shape, digits.image_shape, digits.class_counts()[3]
    ((1797, 64), (8, 8), 183)
    """
    given = _given(
        label=None if label == "auto" else label,
        image_shape=image_shape,
        n_features=n_features,
        labels=labels,
        header=None if header == "auto" else header,
        drop=_as_tuple(drop) or None,
        categorical=_as_tuple(categorical) or None,
        missing=None if missing == "error" else missing,
        separator=separator,
        dense=dense,
    )
    drawn = _given(n=n, m=m, seed=seed)
    if isinstance(name_or_path, str) and name_or_path in REGISTRY:
        if given.get("categorical") == ("auto",):
            del given["categorical"]  # nothing in them is a word
        return _load_named(name_or_path, given | drawn)
    if drawn:
        raise ParameterError(f"{' and '.join(drawn)} go with just-a-little-bit only.")
    path = Path(name_or_path)
    if isinstance(name_or_path, str) and _is_no_path(path):
        raise DataError(_unknown_name(name_or_path))
    return load_path(path, ReadOptions(**given))


def _load_named(name: str, given: dict[str, Any]) -> Dataset:
    entry = REGISTRY[name]
    if wrong := " and ".join(key for key in given if key not in entry.options):
        raise ParameterError(
            f"The data set {name} is loaded as it is known; leave out {wrong}."
        )
    return entry.load(**given)


def _as_tuple(given: str | int | Collection[str | int]) -> tuple[str | int, ...]:
    if isinstance(given, FeaturePlaces):
        return given
    return (given,) if isinstance(given, str | int) else tuple(given)


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _is_no_path(path: Path) -> bool:
    """Tell a mistyped name from a path: it has no folder, no suffix, and no file."""
    return len(path.parts) <= 1 and not path.suffix and not os.path.lexists(path)


def _unknown_name(name: str) -> str:
    near = difflib.get_close_matches(name.lower(), REGISTRY, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?"
    if not near:
        hint = f"the names are {', '.join(REGISTRY)};"
    return f"There is no data set {name!r}; {hint} The path of a file will do as well."
