"""Plain numbers along a logarithmic axis, instead of powers of ten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mercer._extras import import_extra

if TYPE_CHECKING:
    from matplotlib.axis import Axis

#: Numbers within these bounds are written out.
_LEAST, _MOST = 1e-3, 1e6


def write_plain_numbers(axis: Axis) -> None:
    """Write out the ticks of an axis that is logarithmic already."""
    ticker: Any = import_extra("matplotlib.ticker", "report", "Drawing figures")

    class PlainFormatter(ticker.LogFormatter):
        """Leaves out the same ticks as Matplotlib's, and writes the others plainly."""

        def __call__(self, value: float, place: int | None = None) -> str:
            return plain_number(value) if super().__call__(value, place) else ""

    axis.set_major_formatter(PlainFormatter())
    # between powers of ten only where there are hardly any of them
    axis.set_minor_formatter(PlainFormatter(minor_thresholds=(1.5, 0.5)))


def plain_number(value: float) -> str:
    """A number as one would write it.

    >>> plain_number(6.0), plain_number(20_000.0), plain_number(1e-8)
    ('6', '20,000', '1e-8')
    """
    if _LEAST <= abs(value) < _MOST:
        return f"{value:,.10g}"
    mantissa, _, exponent = f"{value:.10g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa
