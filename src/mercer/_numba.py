"""The one place that spells Numba's decorator.

Compiled on first use and kept on disk; free of the GIL, so that threads share one Gram.
Numba's cache does not see edits in other files: a compiled function calls only compiled
functions of its own file.
"""

from collections.abc import Callable
from typing import Any

import numba
import numba.extending


def intrinsic(plain: Callable[..., Any]) -> Callable[..., Any]:
    """Spell out instructions for the compiler; without it, `plain` is called instead.

    The decorated function is one of `numba.extending.intrinsic`. Numba runs uncompiled
    where NUMBA_DISABLE_JIT is set, as the tests do to find indices out of bounds.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return lambda function: plain
    return numba.extending.intrinsic


def _njit(function: Callable[..., Any], **flags: Any) -> Callable[..., Any]:
    decorated: Callable[..., Any] = numba.njit(
        cache=True, nogil=True, error_model="numpy", **flags
    )(function)
    return decorated


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile with strict floating point, for code in which a sign decides."""
    return _njit(function)


def compiled_contracting(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile with fused multiply-add: each sum of a product is rounded once."""
    return _njit(function, fastmath={"contract"})


def compiled_comparing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile for data without NaN: minima and maxima vectorise; sums stay in order."""
    return _njit(function, fastmath={"nnan", "nsz", "contract"})


def compiled_reordering(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile so that a sum may be taken in lanes, which vectorises it."""
    return _njit(function, fastmath={"reassoc", "contract", "nsz"})
