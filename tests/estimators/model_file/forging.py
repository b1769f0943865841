"""Model files as a forger makes them, and how they must be refused."""

import copy
import io
import json
import os
import zipfile

import pytest
import skops.io

from mercer import load
from mercer.estimators.model_file import _container
from mercer.estimators.model_file._payload import unpacked
from mercer.exceptions import ModelFileError

HEADER = _container.HEADER_SIZE


def refused(path, content, match):
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=match) as caught:
        load(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text
    return text


class Touch:
    """Leaves a trace when it is unpickled."""

    def __init__(self, trace):
        self.trace = str(trace)

    def __reduce__(self):
        return os.system, (f"touch {self.trace}",)


def entries_of(content):
    with zipfile.ZipFile(io.BytesIO(content[HEADER:])) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(entries, **options):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", **options) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return _container.pack(buffer.getvalue())


def resaved(model, **changes):
    """A file as a forger makes it who knows the format: sound outside, wrong inside."""
    forged = copy.copy(model)
    for name, value in changes.items():
        object.__setattr__(forged, name, value)
    return _container.pack(unpacked(skops.io.dumps(forged)))


def forge(content, change):
    """The same file with a changed schema and a right checksum."""
    entries = entries_of(content)
    schema = json.loads(entries["schema.json"])
    changed = change(schema)
    entries["schema.json"] = json.dumps(schema if changed is None else changed)
    return packed(entries)


def node(loader, module, kind, number=10**6, **rest):
    return {
        "__class__": kind,
        "__module__": module,
        "__loader__": loader,
        "__id__": number,
        **rest,
    }


def json_node(value, number=10**6 + 1):
    return node("JsonNode", "builtins", "str", number, content=json.dumps(value))


def attributes(schema):
    return schema["content"]["content"]


def set_attribute(schema, name, value):
    schema["content"]["content"][name] = value
    types = schema["content"]["key_types"]["content"]
    if len(types) < len(schema["content"]["content"]):
        types.append(node("TypeNode", "builtins", "str", types[0]["__id__"]))
