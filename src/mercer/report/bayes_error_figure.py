"""The Bayes error plot: cost against the prior log-odds."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mercer.metrics import BayesErrorCurve
from mercer.report._cost_lines import COST, add_key, plot_costs
from mercer.report._look import TEXT, add_legend, check_some, name_axes, new_axes

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_bayes_error(
    curves: Mapping[str, BayesErrorCurve], *, dark: bool = False
) -> "Figure":
    """Draw actual and minimum cost against the prior log-odds.

    Parameters
    ----------
    curves : mapping of str to BayesErrorCurve
        What `mercer.metrics.bayes_error_curve` returned, under the name to show.
    dark : bool
        Draw for a dark page.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from mercer.metrics import bayes_error_curve
    >>> from mercer.report.decision_figures import draw_bayes_error
    >>> curve = bayes_error_curve([0, 1, 0, 1], [-1.0, 2.0, 0.5, 0.1])
    >>> draw_bayes_error({"SVM": curve}).axes[0].get_ylabel()
    'normalised detection cost'
    """
    check_some(curves)
    figure, axes, look = new_axes(dark, 4.6)
    axes.axhline(1.0, color=look.quiet, linewidth=1.0)
    axes.annotate(
        "decides by the prior alone",
        (0.5, 1.0),
        xycoords=("axes fraction", "data"),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        color=look.quiet,
        fontsize=TEXT - 1.5,
        # curves may pass here: keep the words readable in front of them
        bbox={"facecolor": look.paper, "edgecolor": "none", "alpha": 0.85, "pad": 0.5},
        zorder=5,
    )
    for number, (name, curve) in enumerate(curves.items()):
        every = max(1, len(curve.log_odds) // 8)
        plot_costs(
            *(axes, look, number, name),
            *(curve.log_odds, curve.minimum, curve.actual),
            markevery=(number * every // len(curves), every),
        )
    ends = [curve.log_odds for curve in curves.values()]
    axes.set_xlim(min(e.min() for e in ends), max(e.max() for e in ends))
    axes.set_ylim(0.0, _top(curves))
    name_axes(axes, look, "prior log-odds  log(π / (1 − π))", COST)
    add_key(axes, look)
    add_legend(figure, look)
    return figure


def _top(curves: Mapping[str, BayesErrorCurve]) -> float:
    worst = max(float(curve.actual.max()) for curve in curves.values())
    return min(max(1.05 * worst, 1.1), 1.5)
