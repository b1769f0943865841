"""The memory budget: how much an array that could be recomputed may take."""

import contextlib
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from math import nan
from numbers import Real
from pathlib import Path
from typing import Any

import psutil

from mercer._settings import changed_settings, current_settings
from mercer.exceptions import ParameterError

VARIABLE = "MERCER_MEMORY_BUDGET"
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_SIZE = re.compile(r"\s*([0-9]*\.?[0-9]+(?:e[0-9]+)?)\s*([kmgt]?)i?b?\s*", re.I)
#: what a person must give at least: less is a forgotten unit
_LEAST_GIVEN = 2**10
_FEW = 2**26  # bytes, without which no program could run
_MORE_THAN_ENOUGH = 2**30  # of which so few are a small share


def parse_bytes(size: Any, name: str = "memory_budget", least: int = 1) -> int:
    """Read a size, which sentences call by its name.

    >>> parse_bytes("1.5 GB"), parse_bytes("512M"), parse_bytes(1000)
    (1610612736, 536870912, 1000)
    """
    number: Any = nan
    if isinstance(size, str) and (match := _SIZE.fullmatch(size)):
        number = float(match[1]) * _UNITS[match[2].lower()]
    elif not isinstance(size, bool) and isinstance(size, Real):
        number = size
    if number != number:
        raise _impossible(name, size, "not a size of memory")
    if number < least:
        raise _impossible(name, size, f"less than {format_bytes(least)} of memory")
    if number >= 2**63:
        raise _impossible(name, size, "more memory than any machine has")
    return int(number)


def _impossible(name: str, size: object, what: str) -> ParameterError:
    how = "write it as 500MB, 2GB or 1.5G."
    return ParameterError(f"The {name} {size!r} is {what}; {how}")


def format_bytes(size: float) -> str:
    """Write a size.

    >>> format_bytes(212_000_000), format_bytes(14.4e9), format_bytes(12)
    ('202 MB', '13.4 GB', '12 bytes')
    """
    for unit, factor in (("TB", 2**40), ("GB", 2**30), ("MB", 2**20), ("KB", 2**10)):
        if size >= factor:
            value = size / factor
            return f"{value:.0f} {unit}" if value >= 100 else f"{value:.3g} {unit}"
    return "1 byte" if size == 1 else f"{size:.0f} bytes"


def memory_budget(budget: str | int | float | None = None) -> int:
    """Bytes that may be used: the argument, that of the block (`within_memory`),
    ``MERCER_MEMORY_BUDGET``, or half of what is free.
    """
    if budget is not None:
        return parse_bytes(budget)
    if (limit := current_settings().memory) is not None:
        return limit
    if text := os.environ.get(VARIABLE):
        return parse_bytes(text, VARIABLE, _LEAST_GIVEN)
    return max(1, min(psutil.virtual_memory().available, left_in_container()) // 2)


def fits_in_memory(n_bytes: int, budget: str | int | float | None = None) -> bool:
    """Whether so many bytes are within the budget.

    Few bytes are, unless somebody set it: to look what is free takes as long as a small
    fit.
    """
    if n_bytes <= _FEW and not is_budget_given(budget):
        return True
    return n_bytes <= memory_budget(budget)


def budget_for(n_bytes: int, budget: str | int | float | None = None) -> int:
    """The memory budget of work that takes so many bytes at most.

    Where that is little, it is not asked what is free.
    """
    if n_bytes <= _FEW and not is_budget_given(budget):
        return _MORE_THAN_ENOUGH
    return memory_budget(budget)


def is_budget_given(budget: str | int | float | None = None) -> bool:
    """Whether somebody set the budget, and not the machine."""
    given = budget is not None or current_settings().memory is not None
    return given or bool(os.environ.get(VARIABLE))


@contextmanager
def within_memory(budget: str | int | float | None) -> Iterator[None]:
    """Within this block the memory budget is this one; None leaves it as it is."""
    if budget is None:
        yield
        return
    with changed_settings(memory=parse_bytes(budget, "`memory_budget`", _LEAST_GIVEN)):
        yield


def left_in_container(folder: Path = Path("/sys/fs/cgroup")) -> int:
    """What a container may still take, which the machine's own figures do not show.

    Files that were read, and what `mercer._pages` left, count as used there, but are
    given up as soon as memory is short.
    """
    try:
        limit = (folder / "memory.max").read_text().strip()
        used = int((folder / "memory.current").read_text())
    except OSError:
        return sys.maxsize
    if limit == "max":
        return sys.maxsize
    with contextlib.suppress(OSError):
        figures = (folder / "memory.stat").read_text()
        found = re.search(r"^inactive_file (\d+)$", figures, re.M)
        used -= int(found[1]) if found else 0
    return max(1, int(limit) - used)
