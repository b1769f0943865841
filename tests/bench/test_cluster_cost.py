"""The cost model counts what it says, and grows as it says."""

import pytest

from mercer.bench._cluster_cost import Constants, Counts, Shape, growth, predict

CONSTANTS = Constants(2e-9, 0.1e-9, 0.4e-9, 30e-9, 50e-6, 2e-3, 1e-3, 0.01, 1e-9)
COUNTS = Counts(rounds=20, movers=1000, moves=5000)


def test_all_rows_are_kept_while_there_is_room():
    cost = predict(Shape(10_000, 10, budget=2**30), COUNTS, CONSTANTS)
    assert cost.values == 10_000 * 1000
    computed = 10_000 * (1000 * 3e-9 + 5000 * 0.4e-9 + 20 * 30e-9)
    assert cost.workers == pytest.approx(computed + 20 * 4 * 1e-3)
    assert cost.driver == pytest.approx(5000 * 50e-6 + 20 * 2e-3)
    assert cost.wall > cost.workers / 4 + cost.driver


def test_without_room_every_move_is_a_row():
    shape = Shape(10_000, 10, budget=0)
    assert predict(shape, COUNTS, CONSTANTS).values == 10_000 * 5000


def test_more_workers_share_the_memory_and_multiply_the_messages():
    few, many = (
        predict(Shape(10**6, 10, workers=w, partitions=w), COUNTS, CONSTANTS)
        for w in (4, 40)
    )
    assert many.memory < few.memory
    assert many.network > few.network
    assert many.wall < few.wall


def test_counts_go_on_growing_by_their_powers():
    small, large = Counts(10, 100, 1000), Counts(10, 200, 4000)
    grown = small.at(large, growth(400, 100, 200))
    assert tuple(grown) == pytest.approx((10, 400, 16000))
