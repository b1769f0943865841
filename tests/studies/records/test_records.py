"""The study records: protocols, tuning on training images alone, and its story."""

import dataclasses

import numpy as np
import pytest

from mercer.datasets import load_dataset
from mercer.exceptions import DataError, ParameterError
from mercer.images import Affine, Smooth
from mercer.metrics import mcnemar_test
from mercer.studies import (
    Cell,
    Context,
    Store,
    derive_seed,
    get_study,
    make_plan,
    run_plan,
    select,
)
from mercer.studies.records.lines import LINES, MAPS, Setting, Tried, best_of, maps_for
from mercer.studies.records.protocol import (
    Views,
    is_fixed,
    make_split,
    n_splits,
    tries_one_vs_rest,
)
from mercer.studies.verdicts import Verdict, judge_all

digits = load_dataset("digits")
few = dataclasses.replace(digits, X=digits.X[:500], y=digits.y[:500])
fixed = dataclasses.replace(few, train=np.arange(400), test=np.arange(400, 500))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    study = get_study("records")
    plan = make_plan(study, few, quick=True)
    with Store(tmp_path_factory.mktemp("records") / "store.sqlite") as store:
        assert run_plan(plan, store) == []
        rows = store.rows(plan=plan.id)
    return study, rows, study.story(rows, few.summary())


def test_parts_of_a_split_are_apart():
    for data, quick in [(fixed, False), (few, False), (digits, True)]:
        split = make_split(data, 3, quick)
        assert not set(split.test) & set(split.train)
        again = make_split(data, 3, quick)
        for (tuned_on, validated_on), others in zip(split.folds, again.folds):
            assert not set(tuned_on) & set(validated_on)
            assert {*tuned_on, *validated_on} <= set(split.train)
            np.testing.assert_array_equal(others[0], tuned_on)
    # of one split every image is validated with, once
    (_, one), (_, two), (_, three) = make_split(fixed, 3, False).folds
    np.testing.assert_array_equal(np.sort([*one, *two, *three]), fixed.train)


def test_protocols_are_not_mixed():
    assert is_fixed(fixed)
    assert n_splits(fixed, quick=False) == 1
    np.testing.assert_array_equal(make_split(fixed, 0, False).test, fixed.test)
    pooled = dataclasses.replace(fixed, name="zipcombo")
    assert not is_fixed(pooled)
    assert n_splits(pooled, quick=False) == n_splits(few, quick=False) == 20
    tests = [set(make_split(pooled, seed, False).test) for seed in (0, 1)]
    assert tests[0] != tests[1]
    assert tries_one_vs_rest(fixed)
    assert not tries_one_vs_rest(pooled)


def test_a_digit_is_not_mirrored():
    for data in ("usps", "mnist", "digits"):
        assert not any(one.mirrored for name in maps_for(data) for one in MAPS[name])
    assert Affine(mirrored=True) in MAPS[maps_for("fashion-mnist")[0]]


def test_views_are_images_from_0_to_1():
    views = Views(few, make_split(few, 0, False))
    for images in (views[name] for name in ("deslanted, smoothed", "brightened")):
        assert images.dtype == np.float32
        assert 0 <= images.min() < images.max() <= 1
    with pytest.raises(ParameterError, match="--image-shape"):
        Views(load_dataset("iris"), make_split(load_dataset("iris"), 0, False))
    shades = np.rint(few.X / 16 * 255) / 255
    np.testing.assert_allclose(views["as they are"], shades, atol=1e-6)
    smoothed = Smooth().fit(shades).transform(shades)
    np.testing.assert_allclose(views["smoothed"], smoothed, atol=1e-6)


def test_a_class_of_few_images_is_refused():
    data = dataclasses.replace(few, X=few.X[:40], y=few.y[:40])
    with pytest.raises(DataError, match="fewer than 10"):
        make_plan(get_study("records"), data)


def test_the_best_is_the_first_of_equals():
    tried = [Tried(Setting("", C, 1.0), e) for C, e in [(1, 0.2), (2, 0.1), (3, 0.1)]]
    assert best_of(tried).setting.C == 2


def test_nothing_is_chosen_by_test_error():
    """Other labels of test images change errors, and no choice."""
    study, chosen = get_study("records"), []
    wrong = fixed.y.copy()
    wrong[fixed.test] = (wrong[fixed.test] + 1) % 10
    for y in (fixed.y, wrong):
        context = Context(dataclasses.replace(fixed, y=y))
        cell = Cell({"line": "plain", "split": 0, "quick": True}, derive_seed(0), "")
        chosen.append(study.run(cell, context).values)
    assert chosen[0]["tried"] == chosen[1]["tried"]
    assert chosen[0]["setting"] == chosen[1]["setting"]
    assert chosen[0]["error"] < 0.1 < 0.9 < chosen[1]["error"]


def test_every_line_is_certified_and_counted(run):
    _, rows, _ = run
    assert len(rows) == 2 * len(LINES)
    for row in rows:
        values = row.values
        assert values["converged"]
        assert 0 <= values["relative_gap"] < 0.02
        assert values["error"] == len(values["wrong"]) / values["n_test"]
        assert values["validation_error"] == min(t["error"] for t in values["tried"])
    (virtual, *_) = select(rows, line="virtual")
    assert virtual.values["n_learned"] > virtual.values["n_train"]


def test_the_story(run):
    _, rows, story = run
    assert [line.partition(":")[0] for line in story.summary] == [
        "Plain SVM",
        "Deslanted images",
        "Virtual support vectors",
    ]
    assert "McNemar's test on 100 images: p = " in story.conclusion[0]
    lines, differences, tried, mistakes = (one.blocks[0] for one in story.sections)
    assert len(lines.rows) == len(differences.rows) == 3
    assert sum(len(row.values["tried"]) for row in select(rows, split=0)) <= len(
        tried.rows
    )
    assert {sample.sample for sample in mistakes.samples} == {
        sample
        for row in select(rows, line="virtual")
        for sample, *_ in row.values["wrong"]
    }


def test_mcnemar_counts_the_mistakes_of_two_rows(run):
    _, rows, story = run
    one, other = (select(rows, split=0, line=line)[0] for line in LINES[:2])
    wrong = [{sample for sample, *_ in row.values["wrong"]} for row in (one, other)]
    found = story.sections[1].blocks[0].rows[0]
    assert found[1:3] == [len(wrong[0] - wrong[1]), len(wrong[1] - wrong[0])]
    n = found[1] + found[2]
    coin = mcnemar_test(np.zeros(n), np.arange(n) < found[1], np.arange(n) >= found[1])
    assert found[3] == coin.p_value


def test_published_numbers_stand_beside_and_are_not_judged(run):
    study, rows, _ = run
    judged = judge_all(study.published(), rows, "mnist")
    assert {one.verdict for one in judged} == {Verdict.INCOMPARABLE}
    assert [one.ours is not None for one in judged].count(True) == 3


def test_the_plain_line_of_usps():
    try:
        usps = load_dataset("usps")
    except DataError as missing:
        pytest.skip(str(missing))
    study = get_study("records")
    cell = next(iter(study.cells(usps, 0, quick=True)))
    values = study.run(cell, Context(usps)).values
    assert values["n_test"] == 2007
    assert values["n_train"] == 1500
    assert 0.05 < values["error"] < 0.08
