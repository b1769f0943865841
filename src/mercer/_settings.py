"""How many threads and how much memory a block of code may use.

A context variable holds it, so that two searches in two threads do not disturb each
other. Neither threads nor processes inherit it: what they are to run is wrapped by
`with_current_settings`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from typing import Any


@dataclass(frozen=True)
class Settings:
    """Limits of a block; None leaves it to the environment and the machine."""

    threads: int | None = None
    memory: int | None = None


_NO_LIMITS = Settings()
_current: ContextVar[Settings] = ContextVar("mercer_settings", default=_NO_LIMITS)


def current_settings() -> Settings:
    """The settings of this block."""
    return _current.get()


@contextmanager
def changed_settings(**changes: int | None) -> Iterator[None]:
    """Within this block some settings are others."""
    token = _current.set(replace(_current.get(), **changes))
    try:
        yield
    finally:
        _current.reset(token)


def with_current_settings(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as it runs here, for another thread or, pickled, another process."""
    return partial(_call_within, _current.get(), function)


def _call_within(
    settings: Settings, function: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    token = _current.set(settings)
    try:
        return function(*args, **kwargs)
    finally:
        _current.reset(token)
