import multiprocessing
import os
import re
import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from mercer._threads import (
    n_threads,
    parallel_map,
    single_threaded_blas,
    threads_at_most,
)
from mercer.exceptions import ParameterError
from mercer.kernels import Gaussian


def test_results_come_in_order(monkeypatch):
    monkeypatch.setenv("MERCER_NUM_THREADS", "3")
    assert parallel_map(lambda i: i * i, range(50)) == [i * i for i in range(50)]
    assert parallel_map(lambda i: i, []) == []


def test_an_error_reaches_the_caller_and_the_pool_lives_on():
    def fail(i):
        raise ValueError(f"number {i}")

    for _ in range(3):
        with pytest.raises(ValueError, match="number"):
            parallel_map(fail, range(4))
    assert parallel_map(str, range(3)) == ["0", "1", "2"]


def test_one_level_of_threads_only(monkeypatch):
    monkeypatch.setenv("MERCER_NUM_THREADS", "2")

    def nested(i):
        return parallel_map(lambda j: 10 * i + j, range(3))

    assert parallel_map(nested, range(4)) == [[10 * i + j for j in range(3)]
                                              for i in range(4)]  # fmt: skip


def test_a_single_item_may_use_the_threads_itself(monkeypatch):
    monkeypatch.setenv("MERCER_NUM_THREADS", "2")
    together = threading.Barrier(2, timeout=60)

    def meet(_):
        return together.wait(), blas_threads()  # an error unless both are there

    (found,) = parallel_map(lambda _: parallel_map(meet, range(2)), [None])
    assert {number for number, _ in found} == {0, 1}
    assert [threads for _, threads in found] == [{1}, {1}]


def blas_threads():
    """Threads of NumPy's BLAS; SciPy brings another one, which kernels do not call."""
    pools = [p for p in threadpool_info() if p["user_api"] == "blas"]
    return {p["num_threads"] for p in pools if "numpy" in p["filepath"]}


def test_blas_has_one_thread_within_and_its_own_number_afterwards():
    before = blas_threads()
    assert parallel_map(lambda _: blas_threads(), range(2)) == [{1}, {1}]
    assert blas_threads() == before


def test_blocks_of_single_threaded_blas_overlap():
    before = blas_threads()
    first, second = single_threaded_blas(), single_threaded_blas()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert blas_threads() == {1}  # the second still runs
    second.__exit__(None, None, None)
    assert blas_threads() == before
    with pytest.raises(KeyError), single_threaded_blas():
        raise KeyError
    assert blas_threads() == before


def test_who_leaves_last_lifts_the_limit_whoever_entered_first():
    before, entered, left = blas_threads(), threading.Event(), threading.Event()

    def enter_first():
        with single_threaded_blas():
            entered.set()
            assert overlapping.wait(60)
        left.set()
        assert over.wait(60)  # it lives on, as a thread of a pool does

    overlapping, over = threading.Event(), threading.Event()
    first = threading.Thread(target=enter_first)
    first.start()
    assert entered.wait(60)
    with single_threaded_blas():
        overlapping.set()
        assert left.wait(60)
        assert blas_threads() == {1}
    found = blas_threads()
    over.set()
    first.join()
    assert found == before


def _blas_threads_of_a_child(_):
    return blas_threads(), parallel_map(lambda _: blas_threads(), range(2))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_child_that_is_forked_within_a_block_starts_anew():
    before = blas_threads()
    context = multiprocessing.get_context("fork")
    with single_threaded_blas(), context.Pool(1) as pool:
        found = pool.map_async(_blas_threads_of_a_child, [0]).get(timeout=60)
    assert found == [(before, [{1}, {1}])]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_child_may_leave_the_block_it_was_forked_in():
    before = blas_threads()
    reading, writing = os.pipe()
    with single_threaded_blas():
        child = os.fork()
    if child == 0:
        with single_threaded_blas(), single_threaded_blas():
            inside = blas_threads()
        right = inside == {1} and blas_threads() == before
        os.write(writing, b"yes" if right else b"no")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reading, 3) == b"yes"


def _gram_sum(_):
    return float(Gaussian(0.1)(np.ones((600, 3))).sum())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
def test_a_forked_child_has_threads_of_its_own():
    expected = _gram_sum(0)  # starts the parent's threads
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map_async(_gram_sum, range(2)).get(timeout=60) == [expected] * 2


def test_number_of_threads(monkeypatch):
    monkeypatch.delenv("MERCER_NUM_THREADS", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert n_threads() == len(os.sched_getaffinity(0))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert n_threads() == 1
    monkeypatch.setenv("MERCER_NUM_THREADS", "5")
    assert n_threads() == 5
    monkeypatch.setenv("MERCER_NUM_THREADS", " 5 ")
    assert n_threads() == 5


WRONG_NUMBERS = ("0", "many", "-1", "²", "٣", "1e9", "2GB ", "nan", "  ", "1025")


@pytest.mark.parametrize("text", [*WRONG_NUMBERS, "9" * 20, "9" * 5000])
def test_wrong_numbers_of_threads(monkeypatch, text):
    monkeypatch.setenv("MERCER_NUM_THREADS", text)
    sentence = f"MERCER_NUM_THREADS is {text!r}; set it to a whole number from 1 to "
    with pytest.raises(ParameterError, match=re.escape(sentence)):
        n_threads()
    # the variable of others is theirs: what cannot be read in it says nothing
    monkeypatch.delenv("MERCER_NUM_THREADS")
    monkeypatch.setenv("OMP_NUM_THREADS", text)
    assert n_threads() == len(os.sched_getaffinity(0))


def test_a_block_with_fewer_threads(monkeypatch):
    monkeypatch.setenv("MERCER_NUM_THREADS", "5")
    with threads_at_most(3):
        assert n_threads() == 3
        assert parallel_map(lambda _: n_threads(), range(6)) == [3] * 6
        with threads_at_most(4), threads_at_most(None), threads_at_most(-1):
            assert n_threads() == 3
        with threads_at_most(2):
            assert n_threads() == 2
    assert n_threads() == 5
    for wrong in (0, -2, 1.5, np.nan, "2", [2]):
        sentence = re.escape(f"n_jobs is {wrong!r}; it must be a whole number of at ")
        with pytest.raises(ParameterError, match=sentence), threads_at_most(wrong):
            pass
