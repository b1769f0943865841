"""Cost matrices: the true class in rows, the decision in columns."""

import csv
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._validation import check_cost_matrix
from mercer.exceptions import DataError, ParameterError


def cost_matrix(costs: Any, classes: NDArray[np.str_]) -> NDArray[np.float64]:
    """Return a matrix of costs, read from a file if `costs` is a path."""
    if isinstance(costs, str | os.PathLike):
        return _read_costs(Path(costs), classes)
    return check_cost_matrix(costs, len(classes))


def _read_costs(path: Path, classes: NDArray[np.str_]) -> NDArray[np.float64]:
    """Read the costs in the order of the model's classes.

    The file holds numbers alone, in the order of the classes; or a first line with the
    names of the columns and then a line for each class that begins with its name, in
    any order.
    """
    try:
        text = path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path} is not a text file; costs are a CSV table.") from None
    table = [[cell.strip() for cell in row] for row in csv.reader(text.splitlines())]
    table = [row for row in table if any(row)]
    if not table:
        raise DataError(f"{path} is empty; give a line of costs for each class.")
    n_classes = len(classes)
    if len(table) == n_classes + 1:
        table = _in_order(path, table, classes)
    if len(table) != n_classes or any(len(row) != n_classes for row in table):
        raise DataError(
            f"{path} is not a table of {n_classes} x {n_classes} costs; give a line "
            f"for each of the classes {', '.join(classes)}."
        )
    try:
        return check_cost_matrix(
            [[_number(path, cell) for cell in row] for row in table], n_classes
        )
    except ParameterError as error:
        raise DataError(f"{path}: {error}") from None


def _in_order(
    path: Path, table: list[list[str]], classes: NDArray[np.str_]
) -> list[list[str]]:
    """Sort a table with names by the order of the classes, and drop the names."""
    header, lines = table[0][-len(classes) :], table[1:]
    rows = {line[0]: line[1:] for line in lines}
    for what, names in (("first line", header), ("first column", list(rows))):
        if sorted(names) != sorted(classes.tolist()):
            raise DataError(
                f"The {what} of {path} names {', '.join(names)}, but the classes are "
                f"{', '.join(classes)}."
            )
    if any(len(row) != len(classes) for row in rows.values()):
        return lines
    order = [header.index(name) for name in classes.tolist()]
    return [[rows[name][place] for place in order] for name in classes.tolist()]


def _number(path: Path, cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise DataError(f"{path} holds {cell!r} where a cost should be.") from None
