"""Files of samples: recognised by content, read whole or not at all."""

from collections.abc import Callable
from pathlib import Path

from numpy.typing import NDArray

from mercer.datasets.files.content import Content, read_content
from mercer.datasets.files.finish import finish
from mercer.datasets.files.hdf5 import read_hdf5
from mercer.datasets.files.idx import read_idx
from mercer.datasets.files.npz import read_npz
from mercer.datasets.files.options import ReadOptions
from mercer.datasets.files.samples import Samples, bad_file
from mercer.datasets.files.sniff import recognise
from mercer.datasets.files.svmlight import read_svmlight
from mercer.datasets.files.table import read_table

Reader = Callable[[Content, ReadOptions], tuple[Samples, ReadOptions]]

READERS: dict[str, Reader] = {
    "hdf5": read_hdf5,
    "npz": read_npz,
    "idx": read_idx,
    "svmlight": read_svmlight,
    "table": read_table,
}


def read_file(path: Path, options: ReadOptions) -> tuple[Samples, NDArray]:
    """Read a file of any known format; returns its checked samples and labels."""
    content = read_content(path)
    samples, options = READERS[recognise(content)](content, options)
    if not samples.paths:
        samples.paths = (path,)
        samples.checksums = (content.sha256,)
    return samples, finish(samples, options)


__all__ = ["READERS", "ReadOptions", "Samples", "bad_file", "read_file"]
