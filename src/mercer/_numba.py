"""The one place that spells Numba's decorator.

Compiled on first use and kept on disk; free of the GIL, so that threads share one Gram.
Numba's cache does not see edits in other files, of which functions are compiled into
this one's: the stamp of what is kept has those of all files that are imported from.

What is kept is a convenience: where it can be neither written nor read, or is not what
was written, functions are compiled again, and a warning says so once.

A person at a terminal who waits for the compiler is told so, once in a process.
"""

import contextlib
import gc
import hashlib
import os
import pickle
import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import llvmlite.binding
import numba
import numba.extending
from numba.core import caching
from numba.core.imputils import impl_ret_borrowed
from numba.core.serialize import dumps
from numba.core.sigutils import normalize_signature

_MANY = 2**16  # values, which are half a megabyte; chunks are powers of two


class _CheckedCode(caching.CompileResultCacheImpl):
    """Compiled code with its checksum: damaged code would crash, or err in silence."""

    def get_filename_base(self, fullname: str, abiflags: str) -> str:
        # never mistaken for files of Numba's own form, nor by Numba for its own
        return f"checked-{super().get_filename_base(fullname, abiflags)}"

    def reduce(self, code: Any) -> tuple[bytes, bytes]:
        content = dumps(super().reduce(code))
        return hashlib.sha256(content).digest(), content

    def rebuild(self, target_context: Any, payload: tuple[bytes, bytes]) -> Any:
        digest, content = payload
        if hashlib.sha256(content).digest() != digest:
            raise ValueError("its checksum does not match")
        return super().rebuild(target_context, pickle.loads(content))


class _Cache(caching.FunctionCache):
    """Numba's cache of a function, of which no failure is one of the function."""

    _impl_class = _CheckedCode

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = caching.IndexDataCacheFile(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=tuple(_stamp(path) for path in sorted(_sources(function))),
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        code = self._read_overload(sig, target_context)
        if code is None:
            _say_once()
        return code

    def _read_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            code = super().load_overload(sig, target_context)
        except Exception as error:  # whatever unpickling a damaged file may raise
            _warn_once(f"in {self.cache_path} cannot be read", error)
            with contextlib.suppress(Exception):
                self.flush()  # a damaged index would be in the way of a new one
            return None
        # processes that save at once may exchange the files of two signatures
        args, _ = normalize_signature(sig)
        return code if code and code.signature.args == tuple(args) else None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception as error:
            _warn_once(f"cannot be kept in {self.cache_path}", error)


class _NoCache(caching.NullCache):
    """Where Numba found no folder; nothing is said until something is compiled."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def load_overload(self, sig: Any, target_context: Any) -> None:
        _say_once()

    def save_overload(self, sig: Any, data: Any) -> None:
        _warn_once("cannot be kept", self._error)


def _sources(function: Callable[..., Any]) -> set[str]:
    """The file of a function, and those of compiled functions that it may call."""
    sources = {function.__code__.co_filename}
    for value in function.__globals__.values():
        other = getattr(value, "py_func", None)
        if other is not None and other.__globals__ is not function.__globals__:
            sources |= _sources(other)
    return sources


def _stamp(path: str) -> tuple[float, int]:
    found = os.stat(path)
    return found.st_mtime, found.st_size


_warned = False
_said = False


def _say_once() -> None:
    """Tell whoever waits at a terminal why; pipes and files hold results only."""
    global _said
    stream = sys.stderr  # None where a program has no console
    if not _said and stream is not None and stream.isatty():
        stream.write("Mercer is compiling, once for this machine: some seconds.\n")
    _said = True


def _warn_once(what: str, error: Exception) -> None:
    global _warned
    if not _warned:
        _warned = True
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        warnings.warn(
            f"Compiled code {what} ({reason}), so that functions are compiled again, "
            "which takes some seconds; if this happens every time, set NUMBA_CACHE_DIR "
            "to a folder that can be written to.",
            RuntimeWarning,
            stacklevel=2,
        )


def _make_cache(function: Callable[..., Any]) -> _Cache | _NoCache:
    try:
        return _Cache(function)
    except RuntimeError as error:  # no folder can be written to
        return _NoCache(error)


def cache_folder() -> str | None:
    """The folder below which compiled code is kept; None where there is none."""
    path = _make_cache(cache_folder).cache_path
    return path and os.path.dirname(path)


def intrinsic(plain: Callable[..., Any]) -> Callable[..., Any]:
    """Spell out instructions for the compiler; without it, `plain` is called instead.

    The decorated function is one of `numba.extending.intrinsic`. Numba runs uncompiled
    where NUMBA_DISABLE_JIT is set, as the tests do to find indices out of bounds.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return lambda function: plain
    return numba.extending.intrinsic


@intrinsic(lambda array: array)
def read_only(typingctx: Any, array: Any) -> Any:
    """The same array as one that is not written to.

    To Numba these are two types: what takes either as it comes is compiled for both.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return impl_ret_borrowed(context, builder, signature.return_type, args[0])

    return array.copy(readonly=True)(array), generate


def cpu_has(*features: str) -> bool:
    """Whether code is compiled for a processor with these features, by LLVM's names."""
    name, own = numba.config.CPU_NAME, numba.config.CPU_FEATURES  # type: ignore[attr-defined]
    if name is None and own is None:
        host = llvmlite.binding.get_host_cpu_features()
        return all(host.get(feature, False) for feature in features)
    return all(f"+{feature}" in (own or "").split(",") for feature in features)


def _undisturbed(compile_: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """Compile without what took a fifth of a first fit, or a third with bad luck.

    CPython has frames in chunks of 16 KB. Where one ends amid the compiler's calls,
    each of them asks the system for memory, and hands it back. A frame that needs many
    chunks gets a large one, in which there is room for others. And most of what the
    compiler makes is needed until it is done: the collector looks through it in vain.
    """
    collects = gc.isenabled()
    try:
        gc.disable()
        return compile_(*args, **keywords)
    finally:
        if collects:
            gc.enable()


_undisturbed.__code__ = _undisturbed.__code__.replace(co_stacksize=_MANY)


def _njit(function: Callable[..., Any], **flags: Any) -> Callable[..., Any]:
    flags["no_cfunc_wrapper"] = True  # for C, which calls none of them
    decorated: Callable[..., Any] = numba.njit(
        nogil=True, error_model="numpy", **flags
    )(function)
    if decorated is not function:  # as it is where NUMBA_DISABLE_JIT is set
        # instead of cache=True, which raises where no folder can be written to
        decorated._cache = _make_cache(function)  # type: ignore[attr-defined]
        compile_for_args = decorated._compile_for_args  # type: ignore[attr-defined]
        decorated._compile_for_args = partial(_undisturbed, compile_for_args)  # type: ignore[attr-defined]
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


def compiled_inside(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile as a part of each caller, by its rules, and not by itself.

    Each function by itself takes the compiler a tenth of a second, and as often as it
    is nested: for what is called in one place, or is short.
    """
    return _njit(function, inline="always")


def compiled_reordering(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile so that a sum may be taken in lanes, which vectorises it."""
    return _njit(function, fastmath={"reassoc", "contract", "nsz"})
