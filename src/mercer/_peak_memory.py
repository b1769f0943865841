"""The most memory that a process held, by the system's own record of it.

Linux keeps that record and begins a new one when asked to, so nothing has to watch.
Elsewhere it is the memory that is held at the moment.
"""

from contextlib import suppress
from pathlib import Path

import psutil


def peak_memory(process: psutil.Process | None = None) -> int:
    """The most bytes that a process, by default this one, held since it began.

    >>> peak_memory() > 1_000_000
    True
    """
    process = process or psutil.Process()
    with suppress(OSError):  # not Linux, or just ended
        for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0


def forget_peak_memory() -> None:
    """Begin a new record of this process: what it held so far no longer counts."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
