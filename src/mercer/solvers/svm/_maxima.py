"""The largest of many numbers, several at a time, and where it stands.

Compiled for data without NaN.
"""

from numpy.typing import NDArray

from mercer._numba import compiled_comparing


@compiled_comparing
def count_above(values: NDArray, threshold: float) -> int:
    """How many are above the threshold."""
    count = 0
    for k in range(len(values)):
        count += values[k] > threshold
    return count


@compiled_comparing
def _largest_of_quarters(values: NDArray) -> tuple[float, float, float, float]:
    """Four maxima side by side: one alone would wait for itself at each comparison."""
    n = len(values) // 4
    one, two = values[:n], values[n : 2 * n]
    three, four = values[2 * n : 3 * n], values[3 * n : 4 * n]
    a = b = c = d = values[0]
    for k in range(n):
        a, b = max(a, one[k]), max(b, two[k])
        c, d = max(c, three[k]), max(d, four[k])
    for k in range(4 * n, len(values)):
        d = max(d, values[k])
    return a, b, c, d


@compiled_comparing
def largest(values: NDArray) -> float:
    """The largest."""
    a, b, c, d = _largest_of_quarters(values)
    return max(max(a, b), max(c, d))


@compiled_comparing
def first_largest(values: NDArray) -> tuple[float, int]:
    """The largest, and where it stands first."""
    a, b, c, d = _largest_of_quarters(values)
    found = max(max(a, b), max(c, d))
    before = 0 if a == found else 1 if b == found else 2 if c == found else 3
    start = before * (len(values) // 4)
    return found, start + _position(values[start:], found)


@compiled_comparing
def _position(values: NDArray, value: float) -> int:
    """Where `value` stands first."""
    last = len(values) - 1
    for start in range(0, last - 15, 16):
        part, hits = values[start : start + 16], 0
        for k in range(16):
            hits += part[k] == value
        if hits > 0:
            for k in range(16):
                if part[k] == value:
                    return start + k
    for k in range(max(0, last - 31), last):
        if values[k] == value:
            return k
    return last
