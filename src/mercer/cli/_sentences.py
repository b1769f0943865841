"""What libraries complain about, said as Mercer says things."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from mercer._memory import within_memory as within_memory
from mercer.cli._console import err
from mercer.exceptions import DataError, MemoryBudgetError, MercerError


@contextmanager
def in_sentences() -> Iterator[None]:
    """Turn complaints of libraries into one sentence, and warnings into notes."""
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("default")
        try:
            yield
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
                err.print(f"note: {text}", soft_wrap=True, markup=False)


def _first_line(message: object) -> str:
    lines = [line.strip() for line in str(message).splitlines() if line.strip()]
    return lines[0] if lines else type(message).__name__
