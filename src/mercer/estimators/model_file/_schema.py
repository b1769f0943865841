"""The schema of a payload: which objects skops is to make, and of which types.

skops reads arrays while it looks at the schema and counts on no object being described
twice in different ways; both are checked here, before skops sees the schema:

- every node has a loader and a type from the lists in `_types`;
- an object that is described twice is described the same way, so that there are no more
  objects than the text describes, and none contains itself;
- an array belongs to one object, so that it is read once.
"""

from __future__ import annotations

from typing import Any

from mercer.estimators.model_file._faults import ForeignContent
from mercer.estimators.model_file._types import LOADERS, MODELS

_DEEPEST = 400
_SUFFIXES = {"NdArrayNode": ".npy", "SparseMatrixNode": ".npz"}


def check_schema(schema: Any) -> set[str]:
    """Check a schema; returns the names of the arrays that it speaks of."""
    if not isinstance(schema, dict) or "__loader__" not in schema:
        raise ForeignContent("it does not say what it holds")
    checker = _Checker()
    checker.visit(schema, 0)
    if _name(schema) not in MODELS:
        raise ForeignContent(f"it holds a {_name(schema)}, which is not a model")
    return set(checker.owners)


class _Checker:
    def __init__(self) -> None:
        self.owners: dict[str, int] = {}  # the object that each array belongs to
        self.descriptions: dict[int, int] = {}  # of each object, hashed

    def visit(self, value: Any, depth: int) -> int:
        """Check a value and all within it; returns a hash without identities."""
        if depth > _DEEPEST:
            raise ForeignContent("objects are nested too deeply in it")
        if isinstance(value, list):
            return hash(tuple(self.visit(item, depth + 1) for item in value))
        if not isinstance(value, dict):
            return hash(value)
        described = hash(
            tuple(
                (key, self.visit(item, depth + 1))
                for key, item in value.items()
                if key not in ("__id__", "file")
            )
        )
        if "__loader__" in value:
            self.check_node(value, described)
        return described

    def check_node(self, node: dict[str, Any], described: int) -> None:
        loader, name, number = node["__loader__"], _name(node), node.get("__id__")
        if loader not in LOADERS or name not in LOADERS[loader]:
            raise ForeignContent(
                f"it holds a {name} ({_printable(loader)}), which is not one of the "
                "types that a model is made of"
            )
        if type(number) is not int or number <= 0:
            raise ForeignContent(f"a {name} in it has no identity")
        if self.descriptions.setdefault(number, described) != described:
            raise ForeignContent(f"a {name} in it contradicts itself")
        if loader == "DictNode":
            _check_keys(node)
        if loader in _SUFFIXES and "file" in node:
            self.check_owner(node["file"], number, _SUFFIXES[loader])

    def check_owner(self, file: Any, number: int, suffix: str) -> None:
        if not isinstance(file, str) or not file.endswith(suffix):
            raise ForeignContent(f"it refers to {_printable(file)} as an array")
        if self.owners.setdefault(file, number) != number:
            raise ForeignContent(f"several objects in it share {file}")


def _check_keys(node: dict[str, Any]) -> None:
    """The types of keys are called with each key: they must be types and no objects."""
    types = node.get("key_types")
    good = isinstance(types, dict) and types.get("__loader__") == "ListNode"
    content = types.get("content") if good and isinstance(types, dict) else None
    if not isinstance(content, list) or not all(
        isinstance(item, dict) and item.get("__loader__") == "TypeNode"
        for item in content
    ):
        raise ForeignContent("a dictionary in it has keys of no type")


def _name(node: dict[str, Any]) -> str:
    module, kind = node.get("__module__"), node.get("__class__")
    if not isinstance(module, str) or not isinstance(kind, str) or "." in kind:
        return "nameless thing"
    return _printable(f"{module}.{kind}")


def _printable(value: Any) -> str:
    text = "".join(sign if sign.isprintable() else "?" for sign in str(value))
    return text if len(text) <= 80 else f"{text[:77]}..."
