"""Ctrl-C that is heard whenever it comes.

Python raises KeyboardInterrupt at whatever the main thread is doing. In a finalizer
(`__del__`, or what is called when a weak reference dies) it is printed and dropped, and
the program goes on as if nothing had happened. So long work remembers that it came, and
looks between its steps.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

Returned = TypeVar("Returned")
_AT_WORK: set[threading.Event] = set()  # the stop flags that Ctrl-C sets


class Interrupts:
    """Whether Ctrl-C has come."""

    def __init__(self) -> None:
        self.pressed = False

    def check(self) -> None:
        """Raise what a finalizer has dropped, or a fit that ended early has hidden."""
        if self.pressed:
            raise KeyboardInterrupt


@contextmanager
def remember_interrupts(interrupts: Interrupts | None = None) -> Iterator[Interrupts]:
    """Within this block Ctrl-C is raised as ever, and remembered by what is yielded."""
    interrupts = interrupts or Interrupts()

    def remember() -> None:
        interrupts.pressed = True
        raise KeyboardInterrupt

    with _at_ctrl_c(remember):
        yield interrupts


def ending_at_ctrl_c(work: Callable[[], Returned], stop: threading.Event) -> Returned:
    """Work that ends early when the flag is set, which Ctrl-C does.

    It is not raised then: whoever gave the flag looks at it. What else is at work, on
    threads that are waited for, ends too.
    """

    def stop_all() -> None:
        stop.set()
        for other in list(_AT_WORK):
            other.set()

    with _at_ctrl_c(stop_all):
        _AT_WORK.add(stop)
        try:
            return work()
        finally:
            _AT_WORK.discard(stop)


@contextmanager
def _at_ctrl_c(do: Callable[[], None]) -> Iterator[None]:
    """Do this instead of raising KeyboardInterrupt, after all who listen outside.

    A program's own handler is called as ever, and decides whether anything is raised.
    """
    before = signal.getsignal(signal.SIGINT)

    def handle(number: int, frame: FrameType | None) -> None:
        assert callable(before)
        try:
            before(number, frame)
        except KeyboardInterrupt:
            do()

    # only the main thread gets signals, and a program may be deaf to this one
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not callable(before):
        yield
        return
    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
