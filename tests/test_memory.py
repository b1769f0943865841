import multiprocessing
import re
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import psutil
import pytest

from mercer import KernelSVC
from mercer._memory import (
    left_in_container,
    memory_budget,
    parse_bytes,
    within_memory,
)
from mercer._settings import with_current_settings
from mercer._threads import parallel_map
from mercer.exceptions import ParameterError


def test_half_of_what_is_free(monkeypatch):
    monkeypatch.delenv("MERCER_MEMORY_BUDGET", raising=False)
    assert 0 < memory_budget() <= psutil.virtual_memory().total // 2


def test_argument_before_environment(monkeypatch):
    monkeypatch.setenv("MERCER_MEMORY_BUDGET", "1GB")
    assert memory_budget() == 2**30
    assert memory_budget("2MB") == 2**21


def test_a_container_has_less(tmp_path):
    (tmp_path / "memory.max").write_text("1000\n")
    (tmp_path / "memory.current").write_text("400\n")
    assert left_in_container(tmp_path) == 600
    (tmp_path / "memory.stat").write_text("anon 100\ninactive_file 250\nfile 300\n")
    assert left_in_container(tmp_path) == 850  # files that were read are given up
    (tmp_path / "memory.max").write_text("max\n")
    assert left_in_container(tmp_path) > 2**60
    assert left_in_container(tmp_path / "nowhere") > 2**60


@pytest.mark.parametrize("text", ["", "GB", "5 apples", "-1GB", "0", "1e400", "nan"])
def test_nonsense_is_refused(text):
    with pytest.raises(ParameterError, match="memory"):
        parse_bytes(text)


@pytest.mark.parametrize(
    ("size", "what"),
    [
        *(
            (text, "less than 1 KB of memory")
            for text in ("1", " 2 ", "0", "1.5", "1023")
        ),
        *((text, "more memory than any machine has") for text in ("1e400", "9" * 20)),
        *((text, "not a size of memory") for text in ("-1", "nan", "²", "٣", "½GB")),
        *((text, "not a size of memory") for text in ("  ", "1 000MB", "2 G B", "+2")),
    ],
)
def test_sentences_name_what_is_wrong(monkeypatch, size, what):
    monkeypatch.setenv("MERCER_MEMORY_BUDGET", size)
    how = "; write it as 500MB, 2GB or 1.5G."
    sentence = f"The MERCER_MEMORY_BUDGET {size!r} is {what}{how}"
    with pytest.raises(ParameterError, match=f"^{re.escape(sentence)}$"):
        memory_budget()
    with pytest.raises(ParameterError, match=what), within_memory(size):
        pass


@pytest.mark.parametrize(
    "size", ["2GB ", " 2 gb", "2GiB", "2g", 2**31, np.int64(2**31)]
)
def test_ways_to_write_two_gigabytes(monkeypatch, size):
    assert parse_bytes(size) == 2**31
    monkeypatch.setenv("MERCER_MEMORY_BUDGET", str(size))
    assert memory_budget() == 2**31


@pytest.mark.parametrize(
    ("size", "what"),
    [
        *((size, "less than 1 byte of memory") for size in (0, -1, 0.5, float("-inf"))),
        *(
            (size, "more memory than any machine has")
            for size in (10**400, float("inf"))
        ),
        *((size, "not a size of memory") for size in (True, np.nan, b"2", [2], "much")),
    ],
)
def test_arguments_that_are_no_budget(size, what):
    sentence = re.escape(f"The memory_budget {size!r} is {what}; write it as 500MB")
    with pytest.raises(ParameterError, match=sentence):
        KernelSVC(memory_budget=size).fit([[0.0], [1.0]], [0, 1])


def test_one_byte_for_many_binary_problems():
    X, y = np.eye(4), np.arange(4)
    plain, small = KernelSVC(), KernelSVC(memory_budget=1)
    assert (small.fit(X, y).predict(X) == plain.fit(X, y).predict(X)).all()


def test_a_machine_without_free_memory(monkeypatch):
    monkeypatch.delenv("MERCER_MEMORY_BUDGET", raising=False)
    monkeypatch.setattr("mercer._memory.left_in_container", lambda: 1)
    assert memory_budget(memory_budget()) == 1


def test_a_block_before_the_environment(monkeypatch):
    monkeypatch.setenv("MERCER_MEMORY_BUDGET", "1GB")
    with within_memory("4MB"):
        assert memory_budget() == 2**22
        assert memory_budget("2MB") == 2**21
        with within_memory(None), within_memory("8MB"):
            assert memory_budget() == 2**23
        assert parallel_map(lambda _: memory_budget(), range(4)) == [2**22] * 4
    assert memory_budget() == 2**30
    with pytest.raises(ParameterError, match="memory"), within_memory("much"):
        pass


def test_two_budgets_at_once(monkeypatch):
    monkeypatch.setenv("MERCER_NUM_THREADS", "3")
    both_inside = threading.Barrier(2, timeout=60)

    def budgets_of_all_threads(budget):
        with within_memory(budget):
            both_inside.wait()
            found = set(parallel_map(lambda _: memory_budget(), range(20)))
            both_inside.wait()
        return found

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(budgets_of_all_threads, ["1MB", "2MB"]))
    assert found == [{2**20}, {2**21}]


def test_the_budget_goes_along_to_another_process():
    spawned = multiprocessing.get_context("spawn")
    with within_memory("3MB"), ProcessPoolExecutor(1, spawned) as pool:
        work = with_current_settings(memory_budget)
        assert pool.submit(work).result(timeout=60) == 3 * 2**20
