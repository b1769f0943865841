"""How a command must end, and where a process of its own finds Mercer."""

import os


def good(result):
    """It went well, and nothing but the result was printed, which is returned."""
    assert result.exit_code == 0, result.stderr or result.exception
    assert result.stderr == "", result.stderr
    return result.stdout


def refused(result, *parts):
    """It ended with one sentence that holds all parts."""
    assert result.exit_code == 2, result.exception
    assert result.stdout == ""
    assert result.stderr.startswith("mercer: ")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr
    for part in parts:
        assert part in result.stderr


def python_path(*folders):
    """Folders that go before those where Python looks already."""
    before = os.environ.get("PYTHONPATH")
    return os.pathsep.join([*map(str, folders), *([before] if before else [])])
