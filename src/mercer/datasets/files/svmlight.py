"""LIBSVM or SVMlight text: ``label index:value index:value …``.

scikit-learn's compiled reader reads it; it does not say where it stumbled, and lets
some things pass, so then the lines are gone through one by one.
"""

import io
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from mercer._memory import format_bytes
from mercer.datasets.files.content import Content, size_limit
from mercer.datasets.files.labels import to_number
from mercer.datasets.files.samples import RawSamples, ReadOptions

#: With a greater share of stored values than this the data are made dense.
DENSE_SHARE = 0.25

_MAX_INDEX = 2**31 - 1
_VALUE_BYTES = 64
#: Python itself does not read numbers of any length.
_MAX_DIGITS = 1000


def read_svmlight(content: Content, options: ReadOptions) -> RawSamples:
    """Read LIBSVM text as CSR, or as a dense array where that is the smaller form."""
    from sklearn.datasets import load_svmlight_file

    # For each value what is kept, and what grows and is copied on the way there.
    size = content.text_size() + _VALUE_BYTES * content.data.count(b":")
    content.check_size("the text takes", size)
    text = content.text()
    # The compiled reader takes 1_0 for ten and skips ranking queries.
    if "_" in text or "qid:" in text:
        _explain(content, text)
    try:
        X, y = load_svmlight_file(io.BytesIO(text.encode()))
    except Exception as error:
        _explain(content, text)
        raise content.bad(f"this is not LIBSVM text ({error}).") from None
    # Found out only when something is wrong.
    samples = RawSamples(
        X=X,
        raw_labels=y,
        where=lambda index: f"line {_line_number(text, index)}",
        column=lambda index: f"index {index + (not _counts_from_zero(text))}",
    )
    _widen(content, samples, options)
    samples.X = _choose_form(content, X, options.dense, size)
    return samples


def _data_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if tokens := line.partition("#")[0].split():
            yield number, tokens


def _line_number(text: str, index: int) -> int:
    return next(islice(_data_lines(text), index, None))[0]


def _counts_from_zero(text: str) -> bool:
    return any(
        token.partition(":")[0] == "0"
        for _, tokens in _data_lines(text)
        for token in tokens[1:2]
    )


def _widen(content: Content, samples: RawSamples, options: ReadOptions) -> None:
    """Give X the number of columns that is known, where the last ones are all zero."""
    X, expected = samples.X, options.expected_features
    if expected is None:
        return
    if X.shape[1] > expected:
        row = int(np.searchsorted(X.indptr, np.argmax(X.indices >= expected), "right"))
        raise content.bad(
            f"{samples.where(row - 1)} has an index beyond the "
            f"{options.describe_features()} that are expected."
        )
    X.resize((X.shape[0], expected))


def _choose_form(content: Content, X: Any, dense: bool | None, taken: int) -> Any:
    size = X.shape[0] * X.shape[1]
    if dense is None:
        dense = X.nnz > DENSE_SHARE * size
    if dense and taken + 8 * size > size_limit():
        raise content.bad(
            f"as a dense array it takes {format_bytes(8 * size)}; pass dense=False."
        )
    return X.toarray() if dense else X


def _explain(content: Content, text: str) -> None:
    """Raise the sentence for the first line that is wrong, if there is one."""
    for number, tokens in _data_lines(text):
        if fault := _fault(tokens):
            raise content.bad(f"line {number} {fault}")


def _fault(tokens: list[str]) -> str | None:
    if to_number(tokens[0]) is None:
        return f"has the label {tokens[0]!r}; labels are numbers in LIBSVM text."
    last = -1
    for token in tokens[1:]:
        index, colon, value = token.partition(":")
        if index == "qid":
            return "has a query (qid:), which belongs to ranking, not to classes."
        if not colon or not index.isdecimal() or to_number(value) is None:
            return f"has {token!r} where index:value is expected."
        if len(index) > _MAX_DIGITS or int(index) > _MAX_INDEX:
            shown = index if len(index) <= 40 else f"{index[:40]}…"
            return f"has the index {shown}, which is too large."
        if int(index) <= last:
            return f"has the index {index} after {last}; indices must grow."
        last = int(index)
    return None
