"""The schema of a payload: which objects skops is to make, and of which types.

skops reads arrays while it looks at the schema and counts on no object being described
twice in different ways; both are checked here, before skops sees the schema:

- every node has a loader and a type that `_types` allows, and a class of Mercer that
  has moved since is called by the module that it is in today;
- an object that is described twice is described the same way, so that there are no more
  objects than the text describes, and none contains itself;
- an array belongs to one object, so that it is read once.
"""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

from mercer._storable import Unsound, find_storable, full_name
from mercer.estimators.model_file._types import (
    LOADERS,
    find_class,
    is_model,
    why_not_storable,
)

_DEEPEST = 400
_SUFFIXES = {"NdArrayNode": ".npy", "SparseMatrixNode": ".npz"}


def check_schema(schema: Any) -> tuple[set[str], bool]:
    """Check a schema; returns the arrays that it speaks of, and if it was changed."""
    if not isinstance(schema, dict) or "__loader__" not in schema:
        raise Unsound("it does not say what it holds")
    checker = _Checker()
    checker.visit(schema, 0)
    name = _name(schema)
    if name != full_name(Pipeline) and not is_model(find_class(name)):
        raise Unsound(f"it holds a {_printable(name)}, which is not a model")
    return set(checker.owners), checker.moved


class _Checker:
    def __init__(self) -> None:
        self.owners: dict[str, int] = {}  # the object that each array belongs to
        self.descriptions: dict[int, int] = {}  # of each object, hashed
        self.moved = False  # whether a class is no longer where it was

    def visit(self, value: Any, depth: int) -> int:
        """Check a value and all within it; returns a hash without identities."""
        if depth > _DEEPEST:
            raise Unsound("objects are nested too deeply in it")
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
        if loader == "DictNode":
            _check_keys(node)
        if loader in _SUFFIXES and "file" in node:
            self.check_owner(node["file"], number, _SUFFIXES[loader])

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
