"""What is private in scikit-learn, or not in every supported version of it."""

from collections.abc import Callable
from typing import Any, TypeVar

from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""

    def _with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        return method


_Method = TypeVar("_Method", bound=Callable[..., Any])


def with_callbacks(method: _Method) -> _Method:
    """Let callbacks hear of a fit; type checkers see the method as it is."""
    return _with_callbacks(method)  # type: ignore[no-any-return,unused-ignore]


__all__ = [
    "CallbackSupportMixin",
    "check_sample_weight",
    "safe_indexing",
    "with_callbacks",
]
