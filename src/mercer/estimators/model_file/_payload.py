"""The payload: a zip archive of skops with a schema and arrays, none compressed.

As nothing is compressed and no two entries may overlap, nothing that comes out of a
file is larger than the file, and there can be no zip bomb. What an array says about its
own size must be the size it has, before memory is taken for it.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from math import prod
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from mercer._storable import Unsound
from mercer.estimators.model_file._schema import check_schema, parse_schema

_SCHEMA = "schema.json"
_MOST_ENTRIES = 100_000
_ENTRY_SIGN = b"PK\x01\x02"
_ENTRY_NAME = re.compile(r"schema\.json|[0-9]{1,20}\.np[yz]")
_SPARSE_NAME = re.compile(r"(data|indices|indptr|shape|format|_is_array)\.npy")
_ARRAY_START = b"\x93NUMPY\x01\x00"
# as NumPy writes it; nothing else is interpreted, and no objects can be described
_ARRAY_HEADER = re.compile(
    r"\{'descr': '[<|]([biufUS])([0-9]{1,9})', 'fortran_order': (?:True|False), "
    r"'shape': \(((?:[0-9]{1,18}, ){0,7}(?:[0-9]{1,18},?)?)\), \} *\n"
)


def check_payload(payload: bytes) -> bytes:
    """Check everything that can be checked before an object is made.

    Returns the payload with every class under the module that it is in today.
    """
    with _open(payload) as archive:
        entries = _entries(archive, _ENTRY_NAME, len(payload))
        if _SCHEMA not in entries:
            raise Unsound("it does not say what it holds")
        schema = parse_schema(archive.read(_SCHEMA))
        arrays, moved = check_schema(schema)
        if arrays.keys() != entries.keys() - {_SCHEMA}:
            raise Unsound("its arrays are not those that it speaks of")
        for name, is_scalar in arrays.items():
            if name.endswith(".npy"):
                _check_array(archive, entries[name], is_scalar)
            else:
                _check_sparse(archive.read(name))
    if not moved:
        return payload
    text = json.dumps(schema).encode()
    return _rewritten(payload, lambda name, old: text if name == _SCHEMA else old)


def unpacked(payload: bytes) -> bytes:
    """The same payload with nothing compressed: skops packs sparse matrices."""

    def unpack(name: str, content: bytes) -> bytes:
        if not name.endswith(".npz"):
            return content
        return _rewritten(content, lambda _, array: array)

    return _rewritten(payload, unpack) if b".npz" in payload else payload


def _rewritten(archive: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    """An archive of the same entries with changed content, none compressed."""
    result = io.BytesIO()
    with _open(archive) as source, ZipFile(result, "w") as copy:
        for info in source.infolist():
            copy.writestr(info.filename, change(info.filename, source.read(info)))
    return result.getvalue()


def _open(archive: bytes) -> ZipFile:
    if archive.count(_ENTRY_SIGN) > _MOST_ENTRIES:
        raise Unsound("it has too many entries")
    return ZipFile(io.BytesIO(archive))


def _entries(
    archive: ZipFile, allowed: re.Pattern[str], size: int
) -> dict[str, ZipInfo]:
    infos = archive.infolist()
    for info in infos:
        if not allowed.fullmatch(info.filename):
            name = "".join(c if c.isprintable() else "?" for c in info.filename[:60])
            raise Unsound(f"it has an entry {name!r}, which no model file has")
        if info.compress_type != ZIP_STORED or info.flag_bits & 1:
            raise Unsound(
                "an entry in it is compressed or encrypted: it could be a zip bomb and "
                "was not unpacked"
            )
    if sum(info.file_size for info in infos) > size or any(
        info.file_size != info.compress_size for info in infos
    ):
        raise Unsound("its entries overlap, as in a zip bomb, and were not unpacked")
    entries = {info.filename: info for info in infos}
    if len(entries) != len(infos):
        raise Unsound("two entries in it have the same name")
    return entries


def _check_array(archive: ZipFile, info: ZipInfo, is_scalar: bool = False) -> int:
    """Check that an array is as large as it says; returns where its values begin."""
    with archive.open(info) as file:
        start = file.read(len(_ARRAY_START) + 2)
        length = int.from_bytes(start[-2:], "little")
        header = file.read(length).decode("latin-1")
    match = _ARRAY_HEADER.fullmatch(header)
    if not start.startswith(_ARRAY_START) or match is None:
        raise Unsound(f"the array {info.filename} in it is of a kind no model has")
    kind, width, shape = match.groups()
    item = int(width) * (4 if kind == "U" else 1)
    sides = [int(side) for side in re.findall("[0-9]+", shape)]
    values = info.file_size - len(start) - length
    if item == 0 or item * prod(sides) != values:
        raise Unsound(
            f"the array {info.filename} in it has {values} bytes, which is not what "
            "its shape needs"
        )
    if is_scalar and sides:
        raise Unsound(f"{info.filename} in it should be one number and is an array")
    return len(start) + length


def _check_sparse(packed: bytes) -> None:
    with _open(packed) as archive:
        entries = _entries(archive, _SPARSE_NAME, len(packed))
        starts = {name: _check_array(archive, entries[name]) for name in entries}
        if archive.read("format.npy")[starts["format.npy"] :] != b"csr":
            raise Unsound("a sparse matrix in it is not in CSR form")
