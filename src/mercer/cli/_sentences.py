"""What libraries complain about, said as Mercer says things."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from mercer.cli._console import say_aside
from mercer.exceptions import DataError, MemoryBudgetError, MercerError, ParameterError

#: how a traceback ends
_REASON = re.compile(r"^[\w.]+(?:Error|Exception): (.+)", re.MULTILINE)


@contextmanager
def in_sentences() -> Iterator[None]:
    """Turn complaints of libraries into one sentence, and warnings into notes."""
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("default")
        try:
            yield
        except ParameterError as error:
            raise ParameterError(as_options(str(error))) from None
        except MercerError:
            raise
        except MemoryError:
            raise MemoryBudgetError(
                "There is not enough memory for this; use fewer samples (--limit) or a "
                "smaller --memory-budget."
            ) from None
        except (ValueError, TypeError, ArithmeticError) as error:
            raise DataError(_first_line(error)) from None
        finally:
            for text in dict.fromkeys(_first_line(note.message) for note in notes):
                say_aside(f"note: {text}")


def as_options(sentence: str) -> str:
    """Name options where a sentence names parameters, in backticks.

    >>> as_options("`cost_miss` is -1; it must be above 0.")
    '--cost-miss is -1; it must be above 0.'
    """
    return re.sub(r"`(\w+)`", lambda name: f"--{name[1].replace('_', '-')}", sentence)


def _first_line(message: object) -> str:
    r"""The first line; where tracebacks follow, also how each of them ends.

    >>> _first_line("2 fits failed.\nTraceback …\nValueError: C is 'ten'.\nSee …")
    "2 fits failed: C is 'ten'."
    """
    text = str(message)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    first = lines[0] if lines else type(message).__name__
    reasons = dict.fromkeys(_REASON.findall(text)) if "Traceback" in text else {}
    return f"{first.rstrip('.')}: {' '.join(reasons)}" if reasons else first
