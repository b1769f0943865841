from held_memory import MEGABYTE, hold
from mercer.studies import Store, make_plan, run_plan
from studies.tiny_study import Tiny


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
