"""Files with right checksums whose objects are put together wrongly."""

import time

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
    entries["schema.json"] = "[" * 10**5
    refused(path, packed(entries), "does not fit together")


def test_a_schema_larger_than_any_model_has(path, good, monkeypatch):
    entries = entries_of(good)
    entries["schema.json"] = b"[" + b"[],[]," * 6 * 10**6 + b"[]]"
    start = time.perf_counter()
    refused(path, packed(entries), "describes its objects in")
    assert time.perf_counter() - start < 2


def test_keys_that_would_be_called(path, good):
    def call(schema):
        schema["content"]["key_types"]["content"][0] = json_node("x")

    refused(path, forge(good, call), "keys of no type")

    def kernel(schema):
        types = schema["content"]["key_types"]
        types["content"][0] = attributes(schema)["kernel"]

    refused(path, forge(good, kernel), "keys of no type")


def test_attributes_that_stand_in_for_methods(path, good):
    for name in ("predict", "_validate_new", "__class__", "fit", "__reduce__"):
        refused(
            path,
            forge(
                good,
                lambda schema, name=name: set_attribute(schema, name, json_node(1)),
            ),
            "has an attribute|does not fit together",
        )
