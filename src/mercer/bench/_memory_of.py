"""How much memory a benchmark took at most."""

from __future__ import annotations

from pathlib import Path

import psutil

from mercer._memory import format_bytes


def peak_memory() -> str:
    """Of this process since it began, and of the processes that work for it."""
    process = psutil.Process()
    own = _high_water_mark(process)
    others = sum(_high_water_mark(child) for child in process.children(recursive=True))
    text = format_bytes(own)
    return f"{text} and {format_bytes(others)} in other processes" if others else text


def _high_water_mark(process: psutil.Process) -> int:
    try:
        for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass  # not Linux, or just ended
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0
