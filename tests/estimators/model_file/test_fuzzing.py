"""Any change of a file, and any bytes at all."""

import contextlib
import json
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from estimators.model_file.forging import HEADER, entries_of, packed
from mercer import load
from mercer.estimators.model_file import _container
from mercer.exceptions import ModelFileError


def only_refused(path, content, seconds=2.0):
    path.write_bytes(content)
    start = time.perf_counter()
    with contextlib.suppress(ModelFileError):
        load(path)
    assert time.perf_counter() - start < seconds


mutations = st.lists(
    st.tuples(
        st.sampled_from(["flip", "cut", "insert", "swap", "zero"]),
        st.floats(0, 1, exclude_max=True),
        st.binary(min_size=1, max_size=8),
    ),
    min_size=1,
    max_size=4,
)


def mutate(content, changes):
    content = bytearray(content)
    for how, where, what in changes:
        place = int(where * len(content))
        if how == "flip":
            content[place : place + 1] = bytes([content[place] ^ (what[0] or 1)])
        elif how == "cut":
            del content[place : place + what[0] + 1]
        elif how == "insert":
            content[place:place] = what
        elif how == "swap":
            content[place : place + len(what)] = what
        else:
            content[place : place + 64] = bytes(len(content[place : place + 64]))
    return bytes(content)


fuzz = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@fuzz
@given(changes=mutations)
def test_any_change_of_a_file_is_refused(path, good, changes):
    content = mutate(good, changes)
    if content != good:
        path.write_bytes(content)
        with pytest.raises(ModelFileError):
            load(path)


@fuzz
@given(changes=mutations, kind=st.booleans())
def test_any_change_of_a_payload_with_a_right_checksum(
    path, good, sparse_good, changes, kind
):
    source = sparse_good if kind else good
    only_refused(path, _container.pack(mutate(source[HEADER:], changes)))


@fuzz
@given(changes=mutations, kind=st.booleans())
def test_any_change_of_a_schema_with_a_right_checksum(
    path, good, sparse_good, changes, kind
):
    entries = entries_of(sparse_good if kind else good)
    entries["schema.json"] = mutate(entries["schema.json"], changes)
    only_refused(path, packed(entries))


@fuzz
@given(data=st.data())
def test_any_value_in_the_place_of_another(path, good, sparse_good, data):
    entries = entries_of(data.draw(st.sampled_from([good, sparse_good])))
    schema = json.loads(entries["schema.json"])
    places = []

    def collect(value):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in pairs:
            places.append((value, key))
            if isinstance(item, dict | list):
                collect(item)

    collect(schema)
    holder, key = data.draw(st.sampled_from(places))
    other, other_key = data.draw(st.sampled_from(places))
    simple = st.sampled_from([None, True, -1, 10**30, 1.5, "", "x", [], {}])
    value = data.draw(
        st.one_of(simple, st.just(json.loads(json.dumps(other[other_key]))))
    )
    holder[key] = value
    entries["schema.json"] = json.dumps(schema)
    only_refused(path, packed(entries))


@settings(
    max_examples=100, deadline=None, suppress_health_check=fuzz.suppress_health_check
)
@given(content=st.binary(max_size=300), header=st.booleans())
def test_any_bytes_at_all(path, content, header):
    path.write_bytes(_container.pack(content) if header else content)
    with pytest.raises(ModelFileError):
        load(path)
