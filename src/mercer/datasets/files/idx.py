"""IDX, the format of MNIST: images in one file, labels in another."""

import struct
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mercer.datasets.files.arrays import to_features
from mercer.datasets.files.content import (
    Content,
    bad_file,
    find_packed,
    read_content,
    unpacked_name,
)
from mercer.datasets.files.samples import ReadOptions, Samples

_TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def parse_idx(content: Content) -> NDArray:
    """Read one IDX array; its header must agree with the size of the file.

    >>> parse_idx(Content(Path("labels"), bytes([0, 0, 8, 1, 0, 0, 0, 2, 7, 3])))
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
    values = np.frombuffer(data, dtype, offset=header).reshape(shape)
    return values.astype(dtype.newbyteorder("="))


def read_idx(content: Content, options: ReadOptions) -> Samples:
    """Read images and the labels that stand next to them (or the other way round)."""
    array = parse_idx(content)
    partner = read_content(_find_partner(content.path, array.ndim))
    if partner.data[:2] != b"\0\0" or len(partner.data) < 4:
        raise partner.bad("this is not an IDX file.")
    pair = [(content, array), (partner, parse_idx(partner))]
    (images_file, images), (labels_file, labels) = (
        pair if array.ndim > 1 else reversed(pair)
    )
    if images.ndim < 2 or labels.ndim != 1:
        raise images_file.bad(
            f"images need two or three dimensions and labels one; here are "
            f"{images.ndim}, and {labels.ndim} in {labels_file.path.name}."
        )
    if len(images) != len(labels):
        raise images_file.bad(
            f"there are {len(images)} images, and {len(labels)} labels in "
            f"{labels_file.path.name}; the two do not belong together."
        )
    X, shape = to_features(images, images_file)
    files = (images_file, labels_file)
    return Samples(
        X=X,
        raw_labels=labels,
        where=lambda index: f"image {index + 1}",
        column=lambda index: f"pixel {index + 1}",
        image_shape=shape,
        paths=tuple(file.path for file in files),
        checksums=tuple(file.sha256 for file in files),
    )


def _find_partner(path: Path, ndim: int) -> Path:
    ours, theirs = ("images", "labels") if ndim > 1 else ("labels", "images")
    dims = ("idx3", "idx1") if ndim > 1 else ("idx1", "idx3")
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
