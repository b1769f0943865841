"""What is true of several published studies: tiny runs, and their printed numbers."""

from collections import Counter

import pytest

from mercer.studies import Store, get_study, make_plan, run_plan
from mercer.studies.story import Lines, Table


@pytest.mark.parametrize("name", ["pegasos-grid", "pegasos-gaussian"])
def test_a_tiny_run_tells_a_story(name, small, tmp_path):
    study = get_study(name)
    plan = make_plan(study, small, quick=True)
    with Store(tmp_path / "store.sqlite") as store:
        assert run_plan(plan, store) == []
        rows = store.rows(plan=plan.id)
    assert len(rows) == len(plan.cells)
    facts = small.summary()
    whole, beginning = study.story(rows, facts), study.story(rows[:1], facts)
    assert len(whole.sections) > len(beginning.sections)
    for block in (b for section in whole.sections for b in section.blocks):
        if isinstance(block, Table):
            assert all(len(line) == len(block.columns) for line in block.rows)
        if isinstance(block, Lines):
            assert all(len(series.x) == len(series.y) for series in block.series)


@pytest.mark.parametrize(
    ("name", "tables"),
    [
        ("pegasos-grid", {"Figure 6": 64, "Figure 7": 64, "Section 5": 2}),
        ("pegasos-gaussian", {"Table 1": 40, "Section 6": 2, "Section 4": 3}),
    ],
)
def test_every_printed_number_is_there(name, tables):
    published = get_study(name).published()
    found = Counter(n.table.partition(",")[0].partition(".")[0] for n in published)
    assert found == tables
    cells = [(n.table, n.row, n.quantity) for n in published]
    assert len(set(cells)) == len(cells)


@pytest.mark.parametrize(
    "name", ["pegasos-grid", "pegasos-gaussian", "perceptron-variants", "svm-decisions"]
)
def test_only_times_and_bounds_are_not_judged(name):
    spared = [n for n in get_study(name).published() if n.rule == "none"]
    assert all(n.quantity.startswith(("seconds", "test error below")) for n in spared)
