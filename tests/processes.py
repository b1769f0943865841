"""Commands in processes of their own, forked from one that has imported everything.

Python and the libraries need two seconds to begin, and a fork none. Whatever is about
the beginning (what is imported, and when) is tested by processes that begin anew.
"""

import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import time
from multiprocessing import forkserver
from pathlib import Path

FORKS = multiprocessing.get_context("forkserver")
#: Modules; packages of Mercer import theirs only when they are asked for.
_IMPORTED = [
    "distributed",
    "mercer.cluster.svc",
    "mercer.cluster.neighbours",
    "mercer.model_selection.search.gram_search",
    "mercer.studies.runner",
    "matplotlib.figure",
    "mercer.report.page",
    "mercer.cli._app",
    "skops.io",
]


def get_ready_to_fork():
    """Start the process that the others are forked from."""
    FORKS.set_forkserver_preload(_IMPORTED)
    forkserver.ensure_running()


class Command:
    """`mercer …` at work; looks like a `subprocess.Popen` that captures all output.

    Or another program, which begins as if Python had just been started for it.
    """

    def __init__(self, *words, program=None, cwd=".", **environment):
        get_ready_to_fork()
        self._folder = tempfile.TemporaryDirectory()
        paths = [Path(self._folder.name, name) for name in ("out", "err")]
        self._out, self._err = (path.open("w+", errors="replace") for path in paths)
        given = dict(os.environ) | {n: str(value) for n, value in environment.items()}
        words = [
            w.decode(errors="surrogateescape") if isinstance(w, bytes) else str(w)
            for w in words
        ]
        self._process = FORKS.Process(
            target=_run, args=(program, words, paths, cwd, given)
        )
        self._process.start()

    @property
    def returncode(self):
        """As of a `subprocess.Popen`."""
        return self._process.exitcode

    def wait_for_line(self, part, timeout=60):
        """Wait until a line of the errors that holds this is there."""
        late, said = time.monotonic() + timeout, ""
        while part not in said or not said.endswith("\n"):
            assert time.monotonic() < late, said
            assert self._process.is_alive() or part in said, said
            time.sleep(0.01)
            said += self._err.read()

    def send_signal(self, number):
        """As of a `subprocess.Popen`."""
        os.kill(self._process.pid, number)

    def communicate(self, timeout):
        """Wait for the end; all that was printed, and all errors."""
        self._process.join(timeout)
        if self._process.is_alive():
            self._process.kill()
            raise subprocess.TimeoutExpired("mercer", timeout)
        said = []
        for file in (self._out, self._err):
            file.seek(0)
            said.append(file.read())
            file.close()
        self._folder.cleanup()
        return tuple(said)

    def to_its_end(self, timeout):
        """What `subprocess.run` returns."""
        out, err = self.communicate(timeout)
        return subprocess.CompletedProcess("mercer", self.returncode, out, err)


def run_command(*words, timeout=120, cwd=".", **environment):
    """Run `mercer …` to its end; what `subprocess.run` returns."""
    return Command(*words, cwd=cwd, **environment).to_its_end(timeout)


def run_program(path, *words, timeout=120, cwd="."):
    """Run a Python file to its end; what `subprocess.run` returns."""
    return Command(*words, program=path, cwd=cwd).to_its_end(timeout)


def _run(program, words, paths, cwd, environment):
    for number, path in enumerate(paths, 1):
        os.dup2(os.open(path, os.O_WRONLY), number)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = [program or "mercer", *words]
    if program is None:
        runpy.run_module("mercer.cli", run_name="__main__")
    else:
        sys.path.insert(0, "")
        runpy.run_path(program, run_name="__main__")
