"""Ctrl-C, remembered: a fit that ends early and returns its best model hides it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupts:
    """Whether Ctrl-C was pressed."""

    def __init__(self) -> None:
        self.pressed = False

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.pressed = True
        raise KeyboardInterrupt


@contextmanager
def remember_interrupts() -> Iterator[Interrupts]:
    """Within this block Ctrl-C is raised and remembered as well."""
    interrupts = Interrupts()
    if threading.current_thread() is not threading.main_thread():
        yield interrupts  # only the main thread gets signals
        return
    before = signal.signal(signal.SIGINT, interrupts._note)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)
