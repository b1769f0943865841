"""The epoch with the fewest mistakes, and the error there."""

from __future__ import annotations

from collections.abc import Sequence

from mercer.studies.published.perceptron_variants.settings import EPOCHS, OFFSET
from mercer.studies.row import Row, Spread, numbers, select


def over_repeats(
    rows: Sequence[Row],
    degree: int,
    measure: str,
    offset: float = OFFSET,
) -> Spread | None:
    """A measure of one degree over the repeats, in percent."""
    found = select(rows, degree=degree, offset=offset)
    spread = Spread.of(numbers(found, measure))
    return None if spread is None else spread.scaled(100)


def least(rows: Sequence[Row], degree: int, variant: str) -> tuple[int, Spread] | None:
    """The epoch whose mean test error is least, and that error."""
    found = {
        epoch: spread
        for epoch in range(1, EPOCHS + 1)
        if (spread := over_repeats(rows, degree, f"{variant} test after {epoch}"))
    }
    if not found:
        return None
    best = min(found, key=lambda epoch: found[epoch].mean)
    return best, found[best]
