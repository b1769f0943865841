"""How often the rules err: the distribution of z over all means that were judged."""

from collections.abc import Mapping, Sequence
from math import erfc, exp, pi, sqrt
from statistics import fmean, stdev

from mercer.studies.story import Column, Field, Lines, Section, Series, Table
from mercer.studies.verdicts import Judgement

#: Fewer z have no distribution to look at.
_LEAST = 20
_WIDTH, _END = 0.5, 4.0
#: The share of a standard normal that lies beyond 2.
_BEYOND = erfc(sqrt(2))
_COLUMNS = [
    Column("study"),
    Column("means"),
    Column("mean z", digits=2),
    Column("SD of z", digits=2),
    Column("beyond 2", "%", 1),
]


def z_values(judgements: Sequence[Judgement]) -> list[float]:
    """The z of every mean and single run, by the first reading of its source."""
    first = (j for j in judgements if not j.published.reading)
    return [judgement.z for judgement in first if judgement.z is not None]


def calibration_section(studies: Mapping[str, Sequence[float]]) -> Section | None:
    """The z of each study, and of all; None where there are too few."""
    pooled = [z for part in studies.values() for z in part]
    if len(pooled) < 2:
        return None
    lines = [_line(name, z) for name, z in studies.items() if len(z) > 1]
    if len(studies) > 1:
        lines.append(_line("all", pooled))
    caption = (
        "z is the difference between ours and the published number over its standard "
        "error; for single runs it is the normal quantile of Student's t. Numbers that "
        "share splits are not independent, which widens what chance does."
    )
    table = Table("calibration", "z by study", _COLUMNS, lines, caption)
    figure = [_figure(pooled)] if len(pooled) >= _LEAST else []
    return Section("How often the rules err", [_sentence(pooled), *figure, table])


def _sentence(z: Sequence[float]) -> str:
    return (
        f"Over {len(z)} judged means, z has a mean of {fmean(z):.2f} and a standard "
        f"deviation of {stdev(z):.2f}, and {100 * _beyond(z):.1f} % of them are beyond "
        f"2. Where numbers differ by chance alone, it is 0, 1 and {100 * _BEYOND:.1f} "
        f"%: of these {len(z)}, the rules would call {_BEYOND * len(z):.0f} different."
    )


def _line(name: str, z: Sequence[float]) -> list[Field]:
    return [name, len(z), fmean(z), stdev(z), 100 * _beyond(z)]


def _beyond(z: Sequence[float]) -> float:
    return sum(abs(value) > 2 for value in z) / len(z)


def _figure(z: Sequence[float]) -> Lines:
    """Counts in bins, beside those of a standard normal; the outer bins are open."""
    centres = [_WIDTH * k - _END for k in range(round(2 * _END / _WIDTH) + 1)]
    places = [round(min(max(value, -_END), _END) / _WIDTH) for value in z]
    counts = [float(places.count(round(x / _WIDTH))) for x in centres]
    scale = len(z) * _WIDTH / sqrt(2 * pi)
    normal = [scale * exp(-(x**2) / 2) for x in centres]
    return Lines(
        "The distribution of z",
        "z",
        f"numbers in a bin of {_WIDTH:g}",
        [Series("z", centres, counts), Series("by chance alone", centres, normal)],
        f"What lies beyond {_END:g} is counted at {_END:g}.",
    )
