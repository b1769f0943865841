"""Files with right checksums whose objects are put together wrongly."""

import time
import tracemalloc

import pytest

from estimators.model_file.forging import (
    attributes,
    entries_of,
    forge,
    json_node,
    node,
    packed,
    refused,
    set_attribute,
)
from estimators.model_file.samples_and_answers import answers, make_data
from mercer import load


def test_a_forged_file_that_changes_nothing_loads(path, good, model):
    path.write_bytes(forge(good, lambda schema: None))
    X, _ = make_data()
    assert answers(load(path), X) == answers(model, X)


def test_one_array_for_many_objects(path, good):
    def share(schema):
        array = attributes(schema)["classes_"]
        content = [{**array, "__id__": 10**6 + i} for i in range(1000)]
        set_attribute(
            schema, "gamma", node("ListNode", "builtins", "list", content=content)
        )

    refused(path, forge(good, share), r"several objects in it share \d+\.npy")


def test_objects_that_contain_themselves(path, good):
    def inside(schema):
        attributes(schema)["_updates"]["content"].append(
            {**attributes(schema)["_updates"], "content": []}
        )

    refused(path, forge(good, inside), "contradicts itself")


def test_a_billion_laughs(path, good):
    """Each list holds the one before it twice, by its number alone."""

    def laughs(schema):
        lists = [node("ListNode", "builtins", "list", 10**6, content=[])]
        for level in range(1, 60):
            short = node("ListNode", "builtins", "list", 10**6 + level - 1, content=[])
            lists.append(
                node("ListNode", "builtins", "list", 10**6 + level, content=[short] * 2)
            )
        attributes(schema)["_updates"]["content"].extend(lists)

    start = time.perf_counter()
    refused(path, forge(good, laughs), "contradicts itself")
    assert time.perf_counter() - start < 1


def test_deep_nesting(path, good):
    def deep(schema):
        inner = json_node(1)
        for level in range(300):
            inner = node("ListNode", "builtins", "list", 10**7 + level, content=[inner])
        set_attribute(schema, "gamma", inner)

    refused(path, forge(good, deep), "nested too deeply")
    entries = entries_of(good)
    for opened in (b"[", b'{"":'):
        entries["schema.json"] = opened * 10**5
        refused(path, packed(entries), "nested too deeply")
    # brackets within a word are no nesting, but those in another encoding are
    path.write_bytes(
        forge(good, lambda s: set_attribute(s, "gamma", json_node("[" * 999)))
    )
    assert load(path).gamma == "[" * 999
    entries["schema.json"] = ("[" * 10**5).encode("utf-16")
    refused(path, packed(entries), "does not fit together|nested too deeply")


def test_a_schema_larger_than_any_model_has(path, good, monkeypatch):
    entries = entries_of(good)
    entries["schema.json"] = b"[" + b"[],[]," * 6 * 10**6 + b"[]]"
    start = time.perf_counter()
    refused(path, packed(entries), "describes its objects in")
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize(
    "text",
    [b"[" + b"[],{}," * 5 * 10**6 + b"[]]", b"[" + b'"ab",' * 2 * 10**6 + b"1]"],
    ids=["30 MB of lists", "10 MB of words"],
)
def test_a_schema_that_would_grow_in_memory(path, good, text):
    tracemalloc.start()
    try:
        refused(
            path,
            packed({**entries_of(good), "schema.json": text}),
            "describes its objects in",
        )
        # the file, its payload, and the schema without and with its words
        assert tracemalloc.get_traced_memory()[1] < 6 * len(text)
    finally:
        tracemalloc.stop()


def test_values_within_values(path, good):
    """They would be parsed a second time, after everything was counted."""

    def inside(schema):
        set_attribute(schema, "gamma", json_node([[1], [2]]))

    refused(path, forge(good, inside), "neither a number nor a word")


def test_an_array_that_is_unfolded_again_and_again(path, good):
    """Each line of the schema that names it would make objects of all its values."""

    def unfold(schema):
        array = attributes(schema)["support_"]
        shape = node("TupleNode", "builtins", "tuple", 10**6 + 5, content=[])
        many = {"content": [array] * 100, "type": "json", "shape": shape}
        set_attribute(
            schema, "gamma", node("NdArrayNode", "numpy", "ndarray", 10**6, **many)
        )

    refused(path, forge(good, unfold), "not a row of them")


def test_numbers_that_are_arrays(path, good):
    """`numpy.float64` makes eight bytes of each value of an array of bytes."""

    def widen(schema):
        attributes(schema)["support_"]["__class__"] = "float64"

    refused(path, forge(good, widen), "should be one number and is an array")


def test_twins_that_only_look_alike(path, good):
    """True, 1 and 1.0 have one hash, and so have many other numbers."""

    def twins(schema):
        one, other = ({**json_node(1), "extra": extra} for extra in (1, 2**61))
        attributes(schema)["_updates"]["content"].extend([one, other])

    refused(path, forge(good, twins), "contradicts itself")


def test_keys_that_would_be_called(path, good):
    def call(schema):
        schema["content"]["key_types"]["content"][0] = json_node("x")

    refused(path, forge(good, call), "keys of no type")

    def kernel(schema):
        types = schema["content"]["key_types"]
        types["content"][0] = attributes(schema)["kernel"]

    refused(path, forge(good, kernel), "keys of no type")


def test_attributes_that_stand_in_for_methods(path, good):
    for name in ("predict", "validate_new", "__class__", "fit", "__reduce__"):
        refused(
            path,
            forge(
                good,
                lambda schema, name=name: set_attribute(schema, name, json_node(1)),
            ),
            "has an attribute|does not fit together",
        )
