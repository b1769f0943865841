import itertools

import pytest

from mercer.exceptions import ParameterError
from mercer.studies import Cell, Context, Store, derive_seed, make_plan, run_plan
from mercer.studies.plain import to_plain
from studies.tiny_study import Broken, Tiny


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "store.sqlite") as opened:
        yield opened


class Counting(Tiny):
    def __init__(self):
        self.ran = []

    def run(self, cell, context):
        self.ran.append(dict(cell.params))
        return super().run(cell, context)


def test_a_cell_runs_once(store):
    study = Counting()
    assert run_plan(make_plan(study, None, quick=True), store) == []
    assert len(study.ran) == 6
    run_plan(make_plan(study, None, quick=True), store)
    assert len(study.ran) == 6
    # the whole study has the quick one's cells
    run_plan(make_plan(study, None), store)
    assert len(study.ran) == 30
    run_plan(make_plan(study, None, seed=1, quick=True), store)
    assert len(study.ran) == 36


def test_force_runs_everything_again_and_keeps_one_row(store):
    study = Counting()
    plan = make_plan(study, None, quick=True)
    run_plan(plan, store)
    before = store.rows(plan=plan.id)
    run_plan(plan, store, force=True)
    after = store.rows(plan=plan.id)
    assert len(study.ran) == 12
    assert [r.values for r in after] == [r.values for r in before]
    assert min(r.created for r in after) > max(r.created for r in before)


def test_groups_are_run_together(store):
    class Mixed(Counting):
        def cells(self, dataset, seed, quick):
            return sorted(super().cells(dataset, seed, quick), key=lambda c: c.seed)

    study = Mixed()
    run_plan(make_plan(study, None), store)
    dice = [params["die"] for params in study.ran]
    assert sum(a != b for a, b in itertools.pairwise(dice)) == 2


def test_what_a_group_shares_is_made_once_and_dropped():
    context, made = Context(None), []
    for group in "aab":
        context.enter(group)
        context.shared("gram", lambda group=group: made.append(group))
    assert made == ["a", "b"]


def test_a_cell_that_fails_stops_no_other_and_is_tried_again(store):
    plan = make_plan(Broken(), None, quick=True)
    failures = run_plan(plan, store)
    assert len(failures) == 2
    assert failures[0].message.startswith("ZeroDivisionError: a die (tiny_study.py")
    assert len(store.rows(plan=plan.id)) == 4
    record = store.plans()[0]
    assert (record.total, record.done, record.failed) == (6, 4, 2)
    assert len(run_plan(plan, store)) == 2
    Broken.run, broken_run = Tiny.run, Broken.run
    try:
        assert run_plan(plan, store) == []
    finally:
        Broken.run = broken_run
    assert store.plans()[0].failed == 0


def test_warnings_become_notes(store):
    class Warning_(Tiny):
        def run(self, cell, context):
            import warnings

            warnings.warn("it wobbles", stacklevel=1)
            return super().run(cell, context)

    plan = make_plan(Warning_(), None, quick=True)
    assert run_plan(plan, store) == []
    assert store.rows()[0].notes == ("it wobbles",)


def test_seeds_follow_from_parameters_alone():
    plans = [make_plan(Tiny(), None, seed=3) for _ in range(2)]
    assert list(plans[0].cells) == list(plans[1].cells)
    assert derive_seed(0, "a", 1.5) == derive_seed(0, "a", 1.5)
    assert derive_seed(0, "a", 1) != derive_seed(0, "a", 2)


def test_bad_declarations_are_told_in_a_sentence(store):
    class Twice(Tiny):
        def cells(self, dataset, seed, quick):
            return [Cell({"die": 6}, 0), Cell({"die": 6}, 0)]

    with pytest.raises(ParameterError, match="two cells with the same parameters"):
        make_plan(Twice(), None)
    with pytest.raises(ParameterError, match="jobs is 0"):
        run_plan(make_plan(Tiny(), None), store, jobs=0)
    with pytest.raises(ParameterError, match="not a Tiny"):
        to_plain({"model": Tiny()})
    with pytest.raises(ParameterError, match="has no data set"):
        _ = Context(None).dataset
