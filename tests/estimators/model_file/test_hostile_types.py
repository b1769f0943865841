"""Files with right checksums that name types no model has."""

import os
import subprocess
import sys

import pytest
import skops.io
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from estimators.model_file.forging import (
    attributes,
    forge,
    json_node,
    node,
    packed,
    refused,
    set_attribute,
)
from estimators.model_file.samples_and_answers import make_data
from mercer import KernelKNN
from mercer.estimators.model_file import _container


def hostile_nodes(trace):
    command = node(
        "TupleNode",
        "builtins",
        "tuple",
        10**6 + 2,
        content=[json_node(f"touch {trace}")],
    )
    function = node("FunctionNode", "posix", "system", 10**6 + 3)
    empty = node("TupleNode", "builtins", "tuple", 10**6 + 4, content=[])
    keys = node("ListNode", "builtins", "list", 10**6 + 5, content=[])
    nothing = node(
        "DictNode", "builtins", "dict", 10**6 + 6, content={}, key_types=keys
    )
    return {
        "function": node("FunctionNode", "os", "system"),
        "ufunc": node("FunctionNode", "numpy", "add"),
        "old function": node(
            "FunctionNode",
            "numpy",
            "add",
            content={"module_path": "os", "function": "system"},
        ),
        "type": node("TypeNode", "os", "system"),
        "builtin": node("TypeNode", "builtins", "eval"),
        "object": node("ObjectNode", "os", "system", content=command),
        "constructor": node(
            "ConstructorFromReduceNode", "os", "system", content=command
        ),
        "popen": node(
            "ConstructorFromReduceNode", "subprocess", "Popen", content=command
        ),
        "kernel constructor": node(
            "ConstructorFromReduceNode",
            "mercer.kernels._distance",
            "Gaussian",
            content=empty,
        ),
        "list": node("ListNode", "os", "system", content=[json_node("touch")]),
        "list of kernel": node(
            "ListNode", "mercer.kernels._distance", "Gaussian", content=[]
        ),
        "tuple": node("TupleNode", "collections", "namedtuple", content=[]),
        "set": node("SetNode", "builtins", "eval", content=[]),
        "dict": node("DictNode", "os", "system", content={}, key_types=keys),
        "default": node(
            "DefaultDictNode",
            "collections",
            "defaultdict",
            content={"main": nothing, "default_factory": function},
        ),
        "partial": node(
            "PartialNode",
            "functools",
            "partial",
            content={
                "func": function,
                "args": command,
                "kwds": nothing,
                "namespace": nothing,
            },
        ),
        "operator": node("OperatorFuncNode", "operator", "methodcaller", attrs=command),
        "method": node(
            "MethodNode",
            "mercer.kernels._distance",
            "Gaussian",
            content={"func": "__call__", "obj": json_node(1)},
        ),
        "reduce": node(
            "LossNode", "os", "system", __reduce__={"args": command}, content=nothing
        ),
        "tree": node(
            "TreeNode",
            "sklearn.tree._tree",
            "Tree",
            __reduce__={"args": command},
            content=nothing,
        ),
        "generator": node(
            "RandomGeneratorNode",
            "numpy.random._generator",
            "Generator",
            content={"bit_generator": nothing, "seed_seq": nothing},
        ),
        "dtype": node("DTypeNode", "numpy", "load", content=json_node(1)),
        "bytes": node("BytesNode", "builtins", "bytes", file="schema.json"),
        "masked": node(
            "MaskedArrayNode",
            "numpy.ma",
            "MaskedArray",
            content={"data": nothing, "mask": nothing},
        ),
        "foreign class": node(
            "ObjectNode", Hostile.__module__, "Hostile", content=nothing
        ),
        "scikit-learn": node(
            "ObjectNode",
            "sklearn.neighbors._kde",
            "KernelDensity",
            content=nothing,
        ),
        "dotted": node("ObjectNode", "mercer.kernels", "_distance.Gaussian"),
        "no class": node("ObjectNode", None, None),
        "unknown loader": node("EvilNode", "builtins", "str"),
        "loader of no text": node(["ListNode"], "builtins", "list"),
        "cached": node("CachedNode", "builtins", "str"),
    }


class Hostile:
    """Must never be made: says so when it is."""

    def __new__(cls, *args):
        raise AssertionError("executed")

    def __setstate__(self, state):
        raise AssertionError("executed")


@pytest.mark.parametrize("name", hostile_nodes("x"))
def test_hostile_nodes_anywhere(name, path, good, trace, monkeypatch):
    """As the whole, as an attribute, in a list; and skops is not even asked."""
    hostile = hostile_nodes(trace)[name]
    monkeypatch.setattr(skops.io, "loads", lambda *a, **k: pytest.fail("opened"))
    match = "not one of the types|does not fit together|not a model"
    for protocol in (0, 1, 2):

        def whole(schema, protocol=protocol):
            return {**hostile, "protocol": protocol}

        def attribute(schema, protocol=protocol):
            schema["protocol"] = protocol
            set_attribute(schema, "gamma", hostile)

        def item(schema, protocol=protocol):
            schema["protocol"] = protocol
            attributes(schema)["_updates"]["content"].append(hostile)

        def hidden(schema, protocol=protocol):
            schema["extra"] = {"deep": [hostile]}

        for change in (whole, attribute, item, hidden):
            refused(path, forge(good, change), match)


def test_a_skops_file_with_a_foreign_class(path, trace):
    class Local:
        def __init__(self):
            self.a = 1

    payload = skops.io.dumps([Local(), os.system])
    refused(path, _container.pack(payload), "not one of the types")
    refused(path, payload, "this is a zip archive")


@pytest.mark.parametrize("kind", ["list", "str", "dict"])
def test_a_payload_that_holds_no_model(path, kind):
    payload = skops.io.dumps({"list": [1], "str": "a", "dict": {"a": 1}}[kind])
    refused(path, _container.pack(payload), "which is not a model|does not say what")
    refused(path, packed({"schema.json": "[1]"}), "does not say what it holds")
    refused(path, packed({"schema.json": "{"}), "does not fit together")
    refused(path, packed({"schema.json": b"\xff"}), "does not fit together")
    refused(path, packed({}), "does not say what it holds")


def test_foreign_models_in_the_right_clothes(path):
    X, y = make_data()
    for model in (
        LogisticRegression().fit(X, y),
        make_pipeline(StandardScaler(), LogisticRegression()).fit(X, y),
        StandardScaler().fit(X),
    ):
        payload = skops.io.dumps(model)
        refused(path, _container.pack(payload), "not one of the types|not a model")
    payload = skops.io.dumps(make_pipeline(KernelKNN(), StandardScaler()))
    refused(path, _container.pack(payload), "does not end in a classifier of Mercer")
    pipe = make_pipeline(StandardScaler(), KernelKNN(), memory="/tmp/cache").fit(X, y)
    refused(path, _container.pack(skops.io.dumps(pipe)), "cache folder of its own")
    refused(path, _container.pack(skops.io.dumps(KernelKNN())), "not.*fit|does not fit")


def test_reading_a_hostile_file_imports_nothing_of_it(path, good, tmp_path):
    """In a process of its own, where the module would be found."""
    (tmp_path / "evil.py").write_text("open('trace', 'w').close()\nclass Evil: pass\n")
    path.write_bytes(
        forge(
            good,
            lambda schema: set_attribute(
                schema, "gamma", node("ObjectNode", "evil", "Evil")
            ),
        )
    )
    code = (
        "import mercer, sys\n"
        "try: mercer.load(sys.argv[1])\n"
        "except mercer.exceptions.ModelFileError as error: print(error)\n"
        "print('evil' in sys.modules)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        check=True,
    )
    assert "holds a evil.Evil" in result.stdout
    assert result.stdout.endswith("False\n")
    assert not (tmp_path / "trace").exists()
