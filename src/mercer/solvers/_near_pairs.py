"""Compiled measuring of pairs, and keeping the nearest: by distance or by angle."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._numba import compiled, compiled_reordering

_CANCELLED = 1e-9  # of the squared norms: more than a product of sparse rows can lose
_ROUNDED = 2.0**-100  # of products in twice the precision of float64
_SAME = 1e-12  # squared distances by angle nearer to each other are compared exactly


@compiled
def add_neighbours(
    values: Any, diagonal: Any, first: int, keys: Any, indices: Any
) -> None:
    """Go through kernel values of columns `first` and on, and keep the nearest.

    The squared distance is k(x, x) + k(y, y) - 2k(x, y); the first term is the same for
    all of a row and is left out of the key.
    """
    k, two = keys.shape[1], values.dtype.type(2)
    for i in range(values.shape[0]):
        row, key, index = values[i], keys[i], indices[i]
        farthest = key[k - 1]
        for j in range(row.shape[0]):
            distance = diagonal[j] - two * row[j]
            if distance < farthest:
                _insert(distance, first + j, key, index)
                farthest = key[k - 1]


@compiled
def _insert(distance: float, number: int, keys: Any, indices: Any) -> None:
    """Put a neighbour in its place, behind equals, and drop the last."""
    place = len(keys) - 1
    while place > 0 and keys[place - 1] > distance:
        keys[place], indices[place] = keys[place - 1], indices[place - 1]
        place -= 1
    keys[place], indices[place] = distance, number


@compiled
def spread_over_equals(
    keys: Any, indices: Any, members: Any, starts: Any, all_keys: Any, all_indices: Any
) -> None:
    """Neighbours with all rows that equal them: by their keys, equal ones by number.

    Number g of `indices` stands for ``members[starts[g] : starts[g + 1]]``.
    """
    last = all_keys.shape[1] - 1
    for i in range(keys.shape[0]):
        own, numbers = all_keys[i], all_indices[i]
        for t in range(keys.shape[1]):
            key, group = keys[i, t], indices[i, t]
            for m in range(starts[group], starts[group + 1]):
                number, place = members[m], last
                if own[last] < key or (own[last] == key and numbers[last] < number):
                    break
                while place > 0 and (
                    own[place - 1] > key
                    or (own[place - 1] == key and numbers[place - 1] > number)
                ):
                    own[place], numbers[place] = own[place - 1], numbers[place - 1]
                    place -= 1
                own[place], numbers[place] = key, number


@compiled_reordering
def _squared_distance(x: NDArray, y: NDArray) -> float:
    total = 0.0
    for f in range(len(x)):
        difference = np.float64(x[f]) - np.float64(y[f])
        total += difference * difference
    return total


@compiled_reordering
def _dot_product(x: NDArray, y: NDArray) -> float:
    total = 0.0
    for f in range(len(x)):
        total += np.float64(x[f]) * np.float64(y[f])
    return total


@compiled
def _squared_distance_sparse(
    x: NDArray, x_features: NDArray, y: NDArray, y_features: NDArray
) -> float:
    total, i, j = 0.0, 0, 0
    while i < len(x) or j < len(y):
        difference = 0.0
        if j == len(y) or (i < len(x) and x_features[i] <= y_features[j]):
            difference, feature = x[i], x_features[i]
            i += 1
            if j < len(y) and y_features[j] == feature:
                difference -= y[j]
                j += 1
        else:
            difference = y[j]
            j += 1
        total += difference * difference
    return total


@compiled
def square_rows(rows: Any, norms: Any) -> None:
    for i in range(rows.shape[0]):
        norms[i] = _dot_product(rows[i], rows[i])


@compiled
def measure_near_ones(
    dots: Any,
    x_sketches: Any,
    y_sketches: Any,
    squared_unit: float,
    X: Any,
    x_norms: Any,
    Y: Any,
    y_norms: Any,
    first: int,
    keys: Any,
    indices: Any,
    angles: Any,
) -> None:
    """Measure the pairs whose sketches are near enough, and keep the nearest.

    `dots`, `x_sketches` and `y_sketches` are products and squared norms of sketches.
    """
    k, two, by_angle = keys.shape[1], dots.dtype.type(2), angles.shape[1] > 0
    slack = _SAME if by_angle else 0.0
    for i in range(dots.shape[0]):
        row, key, index, angle = dots[i], keys[i], indices[i], angles[i]
        reach = dots.dtype.type((key[k - 1] + slack) / squared_unit - x_sketches[i])
        for j in range(row.shape[0]):
            if not y_sketches[j] - two * row[j] > reach:
                before = key[k - 1]
                if by_angle:
                    dot = _dot_product(X[i], Y[j])
                    _keep_angle(
                        dot, x_norms[i], y_norms[j], first + j, key, index, angle
                    )
                else:
                    distance = _squared_distance(X[i], Y[j])
                    if distance < before:
                        _insert(distance, first + j, key, index)
                if key[k - 1] < before:
                    far = (key[k - 1] + slack) / squared_unit - x_sketches[i]
                    reach = dots.dtype.type(far)


@compiled
def keep_near_ones(
    dots: Any,
    x_values: Any,
    x_features: Any,
    x_starts: Any,
    x_norms: Any,
    y_values: Any,
    y_features: Any,
    y_starts: Any,
    y_norms: Any,
    first: int,
    keys: Any,
    indices: Any,
    angles: Any,
) -> None:
    """Measure the pairs of sparse rows that are near enough by their dot products."""
    k, by_angle = keys.shape[1], angles.shape[1] > 0
    for i in range(dots.shape[0]):
        row, key, index, angle = dots[i], keys[i], indices[i], angles[i]
        for j in range(row.shape[0]):
            if by_angle:
                dot = row[j]
                _keep_angle(dot, x_norms[i], y_norms[j], first + j, key, index, angle)
            else:
                size = x_norms[i] + y_norms[j]
                if size - 2.0 * row[j] - _CANCELLED * size < key[k - 1]:
                    a, b = x_starts[i], x_starts[i + 1]
                    c, d = y_starts[j], y_starts[j + 1]
                    distance = _squared_distance_sparse(
                        x_values[a:b], x_features[a:b], y_values[c:d], y_features[c:d]
                    )
                    if distance < key[k - 1]:
                        _insert(distance, first + j, key, index)


@compiled
def _keep_angle(
    dot: float,
    x_norm: float,
    y_norm: float,
    number: int,
    keys: Any,
    indices: Any,
    angles: Any,
) -> None:
    """Put a neighbour in its place by angle, if it is among the nearest.

    Angles with x compare by x·y/‖y‖; `angles` keeps x·y and ‖y‖² of the nearest.
    """
    norm = y_norm
    if x_norm > 0 and y_norm > 0:
        distance = max(2.0 - 2.0 * (dot / np.sqrt(y_norm) / np.sqrt(x_norm)), 0.0)
    elif x_norm > 0:
        # as far from x as a row at 60 degrees
        distance, dot, norm = 1.0, x_norm, 4.0 * x_norm
    elif y_norm > 0:
        distance, dot = 1.0, 0.0
    else:
        distance, dot, norm = 0.0, 1.0, 1.0
    place = len(keys)
    while place > 0:
        gap = distance - keys[place - 1]
        if abs(gap) <= _SAME:
            other = angles[place - 1]
            nearer = _is_more(dot, norm, other[0], other[1])
        else:
            nearer = gap < 0
        if not nearer:
            break
        place -= 1
    for at in range(len(keys) - 1, place, -1):
        keys[at], indices[at], angles[at] = (
            keys[at - 1],
            indices[at - 1],
            angles[at - 1],
        )
    if place < len(keys):
        keys[place], indices[place] = distance, number
        angles[place, 0], angles[place, 1] = dot, norm


@compiled
def _is_more(dot: float, norm: float, other_dot: float, other_norm: float) -> bool:
    """Whether dot/√norm > other_dot/√other_norm.

    In twice the precision of float64, less what its products round: exactly for whole
    numbers of which dot²·norm is below 2¹⁰⁰.
    """
    sign, other_sign = np.sign(dot), np.sign(other_dot)
    if sign != other_sign or sign == 0:
        return sign > other_sign
    # a power of two keeps the squares within range
    exponent = math.frexp(max(abs(dot), abs(other_dot)))[1]
    high, low = _square_times(math.ldexp(dot, -exponent), other_norm)
    other_high, other_low = _square_times(math.ldexp(other_dot, -exponent), norm)
    difference = (high - other_high) + (low - other_low)
    if abs(difference) <= _ROUNDED * high:
        return False
    return difference > 0 if sign > 0 else difference < 0


@compiled
def _square_times(a: float, b: float) -> tuple[float, float]:
    """a²·b as the sum of two floats."""
    high, low = _exact_product(a, a)
    product, rest = _exact_product(high, b)
    rest += low * b
    total = product + rest
    return total, rest - (total - product)


@compiled
def _exact_product(a: float, b: float) -> tuple[float, float]:
    """a·b as the sum of two floats, by Dekker's halves of 26 bits."""
    c, d = 134217729.0 * a, 134217729.0 * b
    a_high, b_high = c - (c - a), d - (d - b)
    a_low, b_low = a - a_high, b - b_high
    product = a * b
    rest = a_high * b_high - product + a_high * b_low + a_low * b_high
    return product, rest + a_low * b_low
