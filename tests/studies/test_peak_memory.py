import time

import numpy as np

from mercer.studies import Store, make_plan, run_plan
from mercer.studies.peak_memory import PeakMemory
from studies.tiny_study import Tiny

MEGABYTE = 1_000_000


def hold(megabytes):
    """Hold that much for longer than the pause between two looks."""
    held = np.ones(megabytes * MEGABYTE // 8)
    time.sleep(0.2)
    return len(held)


def test_what_is_given_back_within_counts():
    with PeakMemory() as memory:
        memory.begin()
        before = memory.end()
        hold(200)
        assert memory.end() > before + 150 * MEGABYTE


def test_what_came_before_does_not_count():
    with PeakMemory() as memory:
        memory.begin()
        hold(200)
        before = memory.end()
        memory.begin()
        assert memory.end() < before - 150 * MEGABYTE


class Greedy(Tiny):
    name = "greedy"

    def run(self, cell, context):
        if cell.params["die"] == 6:
            hold(300)
        return super().run(cell, context)


def test_every_row_has_the_memory_of_its_own_cell(tmp_path):
    plan = make_plan(Greedy(), None, quick=True)
    with Store(tmp_path / "store.sqlite") as store:
        assert run_plan(plan, store) == []
        rows, record = store.rows(plan.id), store.plans()[0]
    most = {row.params["die"]: row.memory for row in rows}
    assert most[6] > most[4] + 200 * MEGABYTE
    assert most[6] > most[20] + 200 * MEGABYTE
    assert record.memory == max(row.memory for row in rows)
