"""Detection cost against C, a line for each kernel width."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mercer.exceptions import DataError
from mercer.report._cost_lines import COST, add_key, plot_costs
from mercer.report._look import add_legend, name_axes, new_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COSTS = ("min_dcf", "actual_dcf")


def draw_dcf_against_c(
    rows: Sequence[Mapping[str, Any]], *, line: str = "gamma", dark: bool = False
) -> "Figure":
    """Draw minimum and actual cost against C, a line for each kernel width.

    Parameters
    ----------
    rows : sequence of mappings
        Each with "C", "min_dcf" and "actual_dcf", and with `line` if there are
        several lines.
    line : str
        What tells the lines apart.
    dark : bool
        Draw for a dark page.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from mercer.report.decision_figures import draw_dcf_against_c
    >>> rows = [{"C": c, "gamma": g, "min_dcf": 0.2 + g, "actual_dcf": 0.9}
    ...         for c in (0.1, 1.0, 10.0) for g in (0.01, 0.1)]
    >>> draw_dcf_against_c(rows).axes[0].get_xscale()
    'log'
    """
    if len(rows) == 0:
        raise DataError("There are no rows to draw; give at least one.")
    figure, axes, look = new_axes(dark, 4.6)
    for number, (value, group) in enumerate(_grouped(rows, line).items()):
        name = None if value is None else f"{_symbol(line)} = {_short(value)}"
        columns = ([row[key] for row in group] for key in ("C", *_COSTS))
        plot_costs(axes, look, number, name, *columns)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0.0)
    name_axes(axes, look, "C", COST)
    add_key(axes, look)
    add_legend(figure, look)
    return figure


def _grouped(
    rows: Sequence[Mapping[str, Any]], line: str
) -> dict[Any, list[Mapping[str, Any]]]:
    groups: dict[Any, list[Mapping[str, Any]]] = {}
    for number, row in enumerate(rows):
        missing = {"C", *_COSTS} - row.keys()
        if missing:
            raise DataError(f"Row {number} lacks {', '.join(sorted(missing))}.")
        groups.setdefault(row.get(line), []).append(row)
    by_c = {value: sorted(g, key=lambda row: row["C"]) for value, g in groups.items()}
    return dict(sorted(by_c.items(), key=lambda item: (str(type(item[0])), item[0])))


def _symbol(name: str) -> str:
    return {"gamma": "γ", "lam": "λ"}.get(name, name)


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
