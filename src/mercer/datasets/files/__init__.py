"""Files of samples: recognised by content, read whole or not at all."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from numpy.typing import NDArray

from mercer.datasets.files.content import (
    Content,
    find_packed,
    printable,
    read_content,
    unpacked_name,
)
from mercer.datasets.files.finish import finish
from mercer.datasets.files.hdf5 import read_hdf5
from mercer.datasets.files.idx import read_idx
from mercer.datasets.files.npz import read_npz
from mercer.datasets.files.recognise import recognise
from mercer.datasets.files.samples import (
    MISSING,
    FeaturePlaces,
    RawSamples,
    ReadOptions,
)
from mercer.datasets.files.svmlight import read_svmlight
from mercer.datasets.files.table import read_table

READERS: dict[str, Callable[[Content, ReadOptions], RawSamples]] = {
    "hdf5": read_hdf5,
    "npz": read_npz,
    "idx": read_idx,
    "svmlight": read_svmlight,
    "table": read_table,
}


def read_file(path: Path, options: ReadOptions) -> tuple[RawSamples, NDArray]:
    """Read a file of any known format; returns its checked samples and labels."""
    content = read_content(path)
    kind = recognise(content)
    if options.drop and kind != "table":
        raise content.bad("columns are dropped from text tables only; leave out drop.")
    if set(options.categorical) - {"auto"} and kind != "table":
        raise content.bad("columns of text tables only can be categorical.")
    samples = READERS[kind](content, options)
    samples.paths = samples.paths or (path,)
    samples.checksums = samples.checksums or (content.sha256,)
    asked = {name for name in samples.promise if getattr(options, name) is not None}
    promised = {k: v for k, v in samples.promise.items() if k not in asked}
    return samples, finish(samples, replace(options, **promised))


__all__ = [
    "MISSING",
    "FeaturePlaces",
    "RawSamples",
    "ReadOptions",
    "find_packed",
    "printable",
    "read_content",
    "read_file",
    "unpacked_name",
]
