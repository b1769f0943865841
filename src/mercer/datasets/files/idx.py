"""IDX, the format of MNIST: images in one file, labels in another."""

import struct
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mercer.datasets.files.arrays import StoredArray, read_pairs
from mercer.datasets.files.content import (
    Content,
    bad_file,
    find_packed,
    read_content,
    unpacked_name,
)
from mercer.datasets.files.recognise import recognise
from mercer.datasets.files.samples import RawSamples, ReadOptions

_TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def describe_idx(content: Content, name: str) -> StoredArray:
    """Describe an IDX array; its header must agree with the size of the file.

    >>> describe_idx(
    ...     Content(Path("labels"), bytes([0, 0, 8, 1, 0, 0, 0, 2, 7, 3])), "labels"
    ... ).read()
    array([7, 3], dtype=uint8)
    """
    data = content.data
    header = 4 + 4 * data[3]
    if len(data) < header:
        raise content.bad("the IDX file is cut short inside its header.")
    shape = struct.unpack(f">{data[3]}I", data[4:header])
    dtype = np.dtype(_TYPES[data[2]])
    expected, found = prod(shape) * dtype.itemsize, len(data) - header
    if expected != found:
        size = "x".join(map(str, shape))
        fault = "it is cut short" if found < expected else "there is more behind them"
        raise content.bad(
            f"the IDX header says {size} values, which is {expected} bytes, and there "
            f"are {found}; {fault}."
        )

    def read() -> NDArray:
        return np.frombuffer(data, dtype, offset=header).reshape(shape)

    # The bytes are in memory already.
    return StoredArray(name, shape, dtype, read, read_bytes=0)


def read_idx(content: Content, options: ReadOptions) -> RawSamples:
    """Read images and the labels that stand next to them (or the other way round)."""
    with_images = content.data[3] > 1
    array = describe_idx(content, "images" if with_images else "labels")
    partner = read_content(_find_partner(content.path, with_images))
    if recognise(partner) != "idx":
        raise partner.bad("this is not an IDX file.")
    other = describe_idx(partner, "labels" if with_images else "images")
    pair = [(content, array), (partner, other)]
    (images_file, images), (labels_file, labels) = pair if with_images else pair[::-1]
    if len(images.shape) < 2 or len(labels.shape) != 1:
        raise images_file.bad(
            f"images need two or three dimensions and labels one; here are "
            f"{len(images.shape)}, and {len(labels.shape)} in {labels_file.path.name}."
        )
    if images.n_samples != labels.n_samples:
        raise images_file.bad(
            f"there are {images.n_samples} images, and {labels.n_samples} labels in "
            f"{labels_file.path.name}; the two do not belong together."
        )
    samples = read_pairs([(images, labels)], images_file)
    files = (images_file, labels_file)
    samples.where = lambda index: f"image {index + 1}"
    samples.column = lambda index: f"pixel {index + 1}"
    samples.paths = tuple(file.path for file in files)
    samples.checksums = tuple(file.sha256 for file in files)
    return samples


def _find_partner(path: Path, with_images: bool) -> Path:
    ours, theirs = ("images", "labels") if with_images else ("labels", "images")
    dims = ("idx3", "idx1") if with_images else ("idx1", "idx3")
    stem = unpacked_name(path)
    partner = stem.replace(ours, theirs).replace(*dims)
    if ours in stem:
        if (found := find_packed(path.with_name(partner))) is not None:
            return found
    else:
        partner = f"a file with the {theirs}"
    raise bad_file(
        path, f"these are IDX {ours} only; put {partner} (or its .gz) next to it."
    )
