"""The figures of decisions and their costs, in one place.

Each function takes rows or what `mercer.metrics` returns and gives back a Matplotlib
figure, for a light page or with ``dark=True`` for a dark one.
"""

from mercer.report.bayes_error_figure import draw_bayes_error
from mercer.report.confusion_figure import draw_confusion
from mercer.report.dcf_figure import draw_dcf_against_c
from mercer.report.hardest_figure import draw_hardest
from mercer.report.roc_figures import draw_det, draw_roc

__all__ = [
    "draw_bayes_error",
    "draw_confusion",
    "draw_dcf_against_c",
    "draw_det",
    "draw_hardest",
    "draw_roc",
]
