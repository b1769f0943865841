"""The published numbers by kernel, λ and number of steps, beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mercer.studies.published.pegasos_grid.settings import LAMBDAS, STOPS
from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.row import Row, Spread, numbers, select
from mercer.studies.verdicts import Verdict, judge

Published = Sequence[PublishedNumber]


def printed(
    published: Published, kernel: str, lam: float, measure: str
) -> float | None:
    """The printed value, where there is one."""
    number = _find(published, kernel, lam, measure)
    return None if number is None else float(number.value)


def ours(rows: Sequence[Row], kernel: str, lam: float, measure: str) -> Spread | None:
    """Our value of the same combination, over the repeats."""
    found = select(rows, part="grid", kernel=kernel, lam=lam)
    return Spread.of(numbers(found, measure))


def count_agreeing(published: Published, rows: Sequence[Row], reading: str) -> int:
    """How many of the Gaussian's 16 errors a reading of its formula agrees with."""
    agreeing = 0
    for lam in LAMBDAS:
        for stop in STOPS:
            number = _find(published, "gauss", lam, f"error at {stop}")
            if number is not None:
                asked = replace(number, where={**number.where, "kernel": reading})
                verdict = judge(asked, asked.ours(rows)).verdict
                agreeing += verdict is Verdict.AGREES
    return agreeing


def _find(
    published: Published, kernel: str, lam: float, measure: str
) -> PublishedNumber | None:
    asked = (kernel, lam, measure)
    for number in published:
        where = number.where
        if (where.get("kernel"), where.get("lam"), number.measure) == asked:
            return number
    return None
