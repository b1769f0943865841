"""Runs a study in processes that get killed, or in two at once.

Started as a program of its own: it imports once and forks, so that twenty kills take a
second and not a minute.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

from mercer.studies import Store, make_plan, run_plan
from studies.tiny_study import Tiny


class Logged(Tiny):
    """Writes down every cell that is begun."""

    name = "logged"
    pause = 0.012

    def run(self, cell, context):
        with open(sys.argv[3], "a") as file:
            file.write(f"{dict(cell.params)}\n")
        return super().run(cell, context)


def run(path):
    with Store(path) as store:
        run_plan(make_plan(Logged(), None), store)


def fork(path):
    child = os.fork()
    if child == 0:
        try:
            run(path)
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            os._exit(1)
    return child


def kill_often(path, times=25):
    """Kill at random moments; the last one is left alone to finish."""
    random.seed(7)
    killed = 0
    while killed < times:
        child = fork(path)
        time.sleep(random.uniform(0.0, 0.03))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        killed += os.WIFSIGNALED(status)
        if not os.WIFSIGNALED(status):
            path.unlink()  # it was done already: begin anew
            Path(sys.argv[3]).unlink()
    assert os.waitpid(fork(path), 0)[1] == 0
    print(killed)


def run_two(path):
    children = [fork(path), fork(path)]
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0]


if __name__ == "__main__":
    {"kill": kill_often, "two": run_two}[sys.argv[1]](Path(sys.argv[2]))
