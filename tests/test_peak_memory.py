import os

import psutil

from held_memory import MEGABYTE, hold
from mercer._peak_memory import forget_peak_memory, peak_memory


def test_what_is_given_back_within_counts():
    forget_peak_memory()
    before = peak_memory()
    hold(200)
    assert peak_memory() > before + 150 * MEGABYTE


def test_what_came_before_does_not_count():
    forget_peak_memory()
    hold(200)
    before = peak_memory()
    forget_peak_memory()
    assert peak_memory() < before - 150 * MEGABYTE


def test_of_other_processes():
    assert peak_memory(psutil.Process(os.getppid())) > 100_000
    child = psutil.Popen(["true"])
    child.wait()
    assert peak_memory(child) == 0
