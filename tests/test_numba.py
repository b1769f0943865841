"""What Numba keeps on disk is a convenience: no failure of it is one of Mercer."""

import contextlib
import ctypes
import gc
import importlib.util
import os
import pty
import resource
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numba
import numpy as np
import pytest

import mercer
from cli.console import python_path
from mercer import _numba
from mercer.solvers.svm import _steps

SOURCE = """
from mercer._numba import compiled

@compiled
def double(x):
    return x + x
"""
FIT_WINNOW = """
import warnings
with warnings.catch_warnings(record=True) as notes:
    warnings.simplefilter("always")
    import mercer
    data = mercer.load_dataset("just-a-little-bit")
    model = mercer.Winnow(random_state=0).fit(data.X, data.y)
    mercer.KernelPerceptron(epochs=1).fit(data.X, data.y)
    assert (model.predict(data.X) == data.y).all()
print("\\n".join(str(note.message) for note in notes))
"""
pytestmark = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled"
)


@pytest.fixture
def doubling(tmp_path, monkeypatch):
    """Import a module with a compiled function anew, as the next process would."""
    monkeypatch.setattr(_numba, "_warned", False, raising=False)
    path = tmp_path / "doubling.py"
    path.write_text(SOURCE)

    def read():
        spec = importlib.util.spec_from_file_location("doubling", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.double

    return read


def cached(function):
    """The index and the data that Numba keeps of a function."""
    folder = Path(function.stats.cache_path)
    return sorted(path for path in folder.iterdir() if path.suffix in (".nbi", ".nbc"))


def hits(function):
    return sum(function.stats.cache_hits.values())


def cut(content):
    return content[: len(content) // 2]


def flip(content):
    """Change one byte in the middle: machine code that would do other things."""
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


def test_compiled_code_is_kept_and_found_again(doubling):
    assert doubling()(2) == 4
    again = doubling()
    assert again(3) == 6
    assert hits(again) == 1
    # each signature is found again, and is its own
    assert again(1.25) == 2.5
    assert doubling()(1.25) == 2.5


def test_an_edit_in_a_file_that_is_imported_from_is_seen(tmp_path):
    """Else a function goes on with what it was compiled with."""
    files = {name: tmp_path / f"{name}.py" for name in ("lowest", "middle", "highest")}
    head = "from mercer._numba import compiled\n"
    one = "\n@compiled\ndef {}(x):\n    return {}\n"
    files["lowest"].write_text(head + one.format("low", "x + 1"))
    files["middle"].write_text(
        f"{head}from lowest import low\n" + one.format("middle", "2 * low(x)")
    )
    files["highest"].write_text(
        f"{head}from middle import middle\n" + one.format("high", "middle(x)")
    )
    code = (
        "from highest import high; print(high(1), sum(high.stats.cache_hits.values()))"
    )

    def run():
        found = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": python_path()},
            capture_output=True,
            text=True,
            check=True,
        )
        return found.stdout.split()

    assert run() == ["4", "0"]
    assert run() == ["4", "1"]
    files["lowest"].write_text(head + one.format("low", "x + 10"))
    assert run() == ["22", "0"]


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize(
    "damage",
    [cut, flip, lambda content: b"", lambda content: b"\0" * len(content)],
    ids=["cut", "flipped", "empty", "zeros"],
)
def test_damaged_files_are_replaced(doubling, suffix, damage):
    double = doubling()
    assert double(2) == 4
    (path,) = (path for path in cached(double) if path.suffix == suffix)
    path.write_bytes(damage(path.read_bytes()))
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        assert doubling()(2) == 4
        assert doubling()(1.25) == 2.5
    # an index may be damaged where it says which version it is of: it is not read then
    assert len(notes) == 1 or (suffix == ".nbi" and damage is flip and not notes)
    for note in notes:
        assert "cannot be read" in str(note.message)
        assert str(path.parent) in str(note.message)
    again = doubling()
    assert again(2) == 4
    assert hits(again) == 1


def test_a_file_of_another_signature_is_not_run(doubling):
    # two processes that save at once may both take the first number for their file
    whole, real = doubling(), doubling()
    assert whole(np.array([1, 2])).tolist() == [2, 4]
    first, index = cached(whole)
    kept = index.read_bytes()
    assert real(np.array([0.5])).tolist() == [1.0]
    (second,) = set(cached(real)) - {index, first}
    first.write_bytes(second.read_bytes())
    index.write_bytes(kept)
    assert doubling()(np.array([1, 2])).tolist() == [2, 4]


def test_a_folder_that_takes_no_more(tmp_path):
    cache = tmp_path / "cache"
    result = run_python(
        FIT_WINNOW,
        {"NUMBA_CACHE_DIR": str(cache)},
        # as a full disk does, writing fails in the middle of a file
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)),
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("\n") == 1
    assert result.stdout.startswith(f"Compiled code cannot be kept in {cache}")
    assert "set NUMBA_CACHE_DIR to a folder" in result.stdout
    assert all(path.stat().st_size < 1000 for path in cache.rglob("*.nb*"))


def test_two_processes_at_once(tmp_path):
    (tmp_path / "doubling.py").write_text(SOURCE)
    code = (
        "import sys, numpy as np\n"
        "from doubling import double\n"
        "for kind in sys.argv[1].split():\n"
        "    x = np.arange(3).astype(kind)\n"
        "    assert double(x).tolist() == [0, 2, 4], kind\n"
    )
    kinds = ["int64", "float64", "int32", "float32"]
    for _ in range(2):  # into an empty cache, and from a full one
        processes = [
            start_python(code, {"PYTHONPATH": tmp_path}, " ".join(order))
            for order in (kinds, kinds[::-1])
        ]
        for process in processes:
            _, err = process.communicate(timeout=120)
            assert (process.returncode, err) == (0, "")


@pytest.fixture
def run_without_rights(tmp_path):
    """Run Python with a copy of the package, where no folder can be written to."""
    package = shutil.copytree(
        Path(mercer.__file__).parent,
        tmp_path / "packages" / "mercer",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    below = (path for path in package.rglob("*") if path.is_dir())
    folders = [package.parent, package, *below]
    for folder in folders:
        folder.chmod(0o555)
    environment = {"PYTHONPATH": package.parent, "HOME": str(package.parent)}
    yield lambda code: run_python(code, environment, preexec_fn=_give_up_rights)
    for folder in folders:
        folder.chmod(0o755)


def _give_up_rights():
    # root may write everywhere; from the next program on it may no longer
    PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)


def test_where_nothing_can_be_written(run_without_rights):
    result = run_without_rights(FIT_WINNOW)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("\n") == 1
    assert result.stdout.startswith("Compiled code cannot be kept (")
    assert "set NUMBA_CACHE_DIR to a folder" in result.stdout


def test_the_doctor_tells_where_compiled_code_is_kept(run_without_rights, tmp_path):
    code = "from mercer.cli.doctor import examine; print(examine()['numba cache'])"
    assert run_without_rights(code).stdout.startswith("none: no folder can be written")
    result = run_python(code, {"NUMBA_CACHE_DIR": str(tmp_path)})
    assert result.stdout.startswith(f"below {tmp_path} (")
    assert result.stdout.endswith("B free)\n")


def start_python(code, environment, *arguments, **options):
    paths = [environment.get("PYTHONPATH"), os.environ.get("PYTHONPATH")]
    places = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    given = {name: text for name, text in os.environ.items() if name not in places}
    given |= environment | {"PYTHONDONTWRITEBYTECODE": "1"}
    given["PYTHONPATH"] = os.pathsep.join(str(path) for path in paths if path)
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=given,
        **options,
    )


def run_python(code, environment, **options):
    process = start_python(code, environment, **options)
    out, err = process.communicate(timeout=300)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


TELL = """
import sys
import doubling
doubling.double(2), doubling.double(2.5)
print("done")
"""


def on_a_terminal(folder):
    """What a process writes to a terminal."""
    shown, terminal = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": python_path(folder)}
    process = subprocess.Popen(
        [sys.executable, "-c", TELL],
        stdout=terminal,
        stderr=terminal,
        env={**environment, "NUMBA_CACHE_DIR": str(folder / "cache")}
        # where there is colorama, Numba lets it reset a terminal's colours at the end
        | {"NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING": "1"},
    )
    os.close(terminal)
    text = b""
    with contextlib.suppress(OSError):  # how a terminal ends
        while piece := os.read(shown, 4096):
            text += piece
    os.close(shown)
    assert process.wait() == 0
    return text.decode().splitlines()


def test_who_waits_for_the_compiler_is_told_once_and_pipes_are_not(tmp_path):
    (tmp_path / "doubling.py").write_text(SOURCE)
    sentence = "Mercer is compiling, once for this machine: some seconds."
    assert on_a_terminal(tmp_path) == [sentence, "done"]
    assert on_a_terminal(tmp_path) == ["done"]
    done = subprocess.run(
        [sys.executable, "-c", TELL],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": python_path(tmp_path)}
        | {"NUMBA_CACHE_DIR": str(tmp_path / "other")},
    )
    assert (done.stdout, done.stderr) == ("done\n", "")


def test_the_compiler_asks_for_no_memory_at_each_call():
    """Where a chunk of CPython's frames ended, each call below took a new one: a first
    fit of sparse samples took 13 seconds instead of 9 in every second process.
    """

    def leaf(a=0, b=0, c=0, d=0, e=0, f=0, g=0, h=0):
        return a, b, c, d, e, f, g, h

    def fresh_pages(depth):
        if depth:
            return fresh_pages(depth - 1)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(200):
            leaf()
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    def worst():
        return max(map(fresh_pages, range(400)))

    worst()
    if worst() < 200:
        pytest.skip("frames of this interpreter are in no chunks")
    assert _numba._undisturbed(worst) < 200


def test_steps_are_compiled_once_for_what_is_written_and_what_is_not():
    """Blocks of rows are filled again and again, a Gram's matrix is read only."""

    @numba.njit
    def solve(K, state, most):
        return _steps.run_on_all(K, state, 1e-3, most)

    state = np.array([[1.0, -1.0], [0.0, 0.0], [0.0, -1.0], [1.0, 0.0]])
    K = np.eye(2)
    assert solve(K, state.copy(), 100) == (1, 1.0)
    K.flags.writeable = False
    assert solve(K, state.copy(), 100) == (1, 1.0)
    kinds = [kinds[0] for kinds in _steps.run_smo.signatures]
    usual = [k for k in kinds if k.layout == "C" and k.dtype == numba.float64]
    assert len(usual) == 1
    assert not any(kind.mutable for kind in kinds)


def test_an_array_is_the_same_read_only():
    @_numba.compiled
    def total(array):
        return array.sum()

    @_numba.compiled
    def twice(array):
        array[0] = 2.0
        return total(_numba.read_only(array)) + total(_numba.read_only(array))

    array = np.ones(3)
    assert twice(array) == 8.0
    assert [kind.mutable for (kind,) in total.signatures] == [False]
    assert sys.getrefcount(array) == 2  # none was taken, none was given away


def test_what_is_compiled_inside_can_be_called_by_itself():
    @_numba.compiled_inside
    def above(value, least):
        if value < least:
            return least
        return value

    @_numba.compiled
    def clipped(values, least):
        for i in range(len(values)):
            values[i] = above(values[i], least)

    values = np.array([-1.0, 0.5, 2.0])
    clipped(values, 0.0)
    assert values.tolist() == [0.0, 0.5, 2.0]
    assert not above.signatures
    assert above(1.0, 3.0) == 3.0


@pytest.mark.parametrize("collects", [True, False])
def test_functions_are_compiled_undisturbed(doubling, monkeypatch, collects):
    found, before = [], gc.isenabled()

    def compiled_in(self, *known):
        assert not gc.isenabled()
        frame = sys._getframe()
        while frame:
            found.append(frame.f_code.co_stacksize)
            frame = frame.f_back

    monkeypatch.setattr(_numba._Cache, "load_overload", compiled_in)
    try:
        (gc.enable if collects else gc.disable)()
        assert doubling()(3) == 6
        assert gc.isenabled() == collects
    finally:
        (gc.enable if before else gc.disable)()
    assert max(found) >= _numba._MANY
