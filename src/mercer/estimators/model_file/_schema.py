"""The schema of a payload: which objects skops is to make, and of which types.

skops reads arrays while it looks at the schema and counts on no object being described
twice in different ways; both are checked here, before skops sees the schema:

- every node has a loader and a type that `_types` allows, and a class of Mercer that
  has moved since is called by the module that it is in today;
- an object that is described twice is described the same way, so that there are no more
  objects than the text describes, and none contains itself;
- an array belongs to one object, so that it is read once, and NumPy does not unfold it
  into another one.

How many values the text describes, and how deeply, is counted before it is parsed.
"""

from __future__ import annotations

import json
import re
from itertools import accumulate
from typing import Any

from mercer._memory import VARIABLE, format_bytes, memory_budget
from mercer._storable import Unsound, find_storable
from mercer.estimators.model_file._container import Fault
from mercer.estimators.model_file._types import (
    LOADERS,
    NUMPY_SCALARS,
    WRAPPERS,
    find_class,
    is_model,
    why_not_storable,
)

_LARGEST, _MOST_VALUES, _DEEPEST = 2**26, 2**20, 400
# what a value and a letter can take as Python objects, the nodes of skops among them
_BYTES_PER_VALUE, _BYTES_PER_LETTER = 500, 8
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_SUFFIXES = {"NdArrayNode": ".npy", "SparseMatrixNode": ".npz"}


def parse_schema(text: bytes) -> Any:
    """Parse a schema that is neither larger nor deeper than that of a model."""
    n_values = sum(map(text.count, (b"[", b"{", b",")))
    memory = _BYTES_PER_VALUE * n_values + _BYTES_PER_LETTER * len(text)
    if n_values > _MOST_VALUES or len(text) > _LARGEST or memory > memory_budget():
        raise Fault(
            f"it describes its objects in {format_bytes(len(text))} by {n_values} "
            f"values, which may take {format_bytes(memory)}; at most "
            f"{format_bytes(_LARGEST)} and {_MOST_VALUES} values are read, and no more "
            f"than the memory budget allows, which {VARIABLE} raises."
        )
    brackets = _STRING.sub(b"", text).translate(None, _NO_BRACKETS)
    depths = accumulate(1 if bracket in b"[{" else -1 for bracket in brackets)
    if max(depths, default=0) > _DEEPEST:
        raise Unsound("objects are nested too deeply in it")
    # as text: bytes could be in an encoding that hides brackets
    return json.loads(text.decode("ascii"))


def check_schema(schema: Any) -> tuple[dict[str, bool], bool]:
    """Check a schema that was parsed, and bring its modules up to date.

    Returns for each array that it speaks of whether it is a single number or word, and
    whether the schema was changed.
    """
    if not isinstance(schema, dict) or "__loader__" not in schema:
        raise Unsound("it does not say what it holds")
    checker = _Checker()
    checker.visit(schema)
    name = _name(schema)
    if name not in WRAPPERS and not is_model(find_class(name)):
        raise Unsound(f"it holds a {_printable(name)}, which is not a model")
    return checker.is_scalar, checker.moved


class _Checker:
    def __init__(self) -> None:
        self.is_scalar: dict[str, bool] = {}  # each array
        self.owners: dict[str, int] = {}  # the object that each array belongs to
        self.descriptions: dict[int, Any] = {}  # of each object
        self.numbers: dict[Any, int] = {}  # of what lists and dictionaries hold
        self.moved = False  # whether a class is no longer where it was

    def visit(self, value: Any) -> Any:
        """Check a value and all within it; returns what only equal ones have."""
        if isinstance(value, list):
            return self.number(list, *map(self.visit, value))
        if not isinstance(value, dict):
            return type(value), value
        described = self.number(
            dict,
            *(
                (key, self.visit(item))
                for key, item in value.items()
                if key not in ("__id__", "file")
            ),
        )
        if "__loader__" in value:
            self.check_node(value, described)
        return described

    def number(self, *content: Any) -> int:
        return self.numbers.setdefault(content, len(self.numbers))

    def check_node(self, node: dict[str, Any], described: Any) -> None:
        loader, name, number = node["__loader__"], _name(node), node.get("__id__")
        cls = find_class(name) if loader == "ObjectNode" else None
        if cls is not None:
            self.moved |= node["__module__"] != cls.__module__
            node["__module__"] = cls.__module__
        elif loader not in LOADERS or name not in LOADERS[loader]:
            raise Unsound(
                f"it holds a {_printable(name)} ({_printable(loader)}), which is not "
                f"one of the types that a model is made of{_reason(name)}"
            )
        if type(number) is not int or number <= 0:
            raise Unsound(f"a {_printable(name)} in it has no identity")
        if self.descriptions.setdefault(number, described) != described:
            raise Unsound(f"a {_printable(name)} in it contradicts itself")
        if loader in _CHECKS:
            _CHECKS[loader](node)
        if loader in _SUFFIXES and "file" in node:
            self.check_owner(node["file"], number, _SUFFIXES[loader])
            self.is_scalar[node["file"]] = name in NUMPY_SCALARS

    def check_owner(self, file: Any, number: int, suffix: str) -> None:
        if not isinstance(file, str) or not file.endswith(suffix):
            raise Unsound(f"it refers to {_printable(file)} as an array")
        if self.owners.setdefault(file, number) != number:
            raise Unsound(f"several objects in it share {file}")


def _check_keys(node: dict[str, Any]) -> None:
    """The types of keys are called with each key: they must be types and no objects."""
    types = node.get("key_types")
    good = isinstance(types, dict) and types.get("__loader__") == "ListNode"
    content = types.get("content") if good and isinstance(types, dict) else None
    if not isinstance(content, list) or not all(
        isinstance(item, dict) and item.get("__loader__") == "TypeNode"
        for item in content
    ):
        raise Unsound("a dictionary in it has keys of no type")


def _check_object_array(node: dict[str, Any]) -> None:
    """In two dimensions, arrays would be unfolded, each as often as it is named."""
    shape = node.get("shape")
    sides = shape.get("content") if isinstance(shape, dict) else None
    if node.get("type") == "json" and not (isinstance(sides, list) and len(sides) == 1):
        raise Unsound("an array of objects in it is not a row of them")


def _check_json(node: dict[str, Any]) -> None:
    """A text in the text holds a number or a word, so nothing that was not counted."""
    content = node.get("content")
    if not isinstance(content, str) or content.lstrip()[:1] in ("[", "{"):
        raise Unsound("a value in it is neither a number nor a word")


def _check_slice(node: dict[str, Any]) -> None:
    content = node.get("content")
    places = content.values() if isinstance(content, dict) else [content]
    if not all(place is None or type(place) is int for place in places):
        raise Unsound("a slice in it has no places")


_CHECKS = {
    "DictNode": _check_keys,
    "JsonNode": _check_json,
    "NdArrayNode": _check_object_array,
    "SliceNode": _check_slice,
}


def _name(node: dict[str, Any]) -> str:
    module, kind = node.get("__module__"), node.get("__class__")
    if not isinstance(module, str) or not isinstance(kind, str) or "." in kind:
        return "nameless thing"
    return f"{module}.{kind}"


def _reason(name: str) -> str:
    """Why a kernel is not allowed, if it is one."""
    cls = find_storable(name)
    reason = None if cls is None else why_not_storable(cls)
    return f": {reason}" if reason else ", nor a kernel that this program has imported"


def _printable(value: Any) -> str:
    text = "".join(sign if sign.isprintable() else "?" for sign in str(value))
    return text if len(text) <= 80 else f"{text[:77]}..."
