"""Our rows beside the published numbers that are about them."""

from collections.abc import Sequence
from dataclasses import dataclass

from mercer.studies.plain import Plain
from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.row import Row, Spread, spread_of

Both = tuple[Spread | None, float | None]


@dataclass(frozen=True)
class Beside:
    """What we measured and what was printed, looked up by parameters of the rows."""

    rows: Sequence[Row]
    published: Sequence[PublishedNumber]

    def ours(self, measure: str, factor: float = 1, **where: Plain) -> Spread | None:
        """Our value over the repeats, times a factor."""
        return spread_of(self.rows, measure, factor, **where)

    def theirs(self, measure: str, factor: float = 1, **where: Plain) -> float | None:
        """The published value, times a factor, if there is one."""
        for number in self.published:
            if number.measure == measure and where.items() <= number.where.items():
                return factor * float(number.value)
        return None

    def all_theirs(self, measure: str, **where: Plain) -> list[float]:
        """All published values, where one is printed more than once."""
        return [
            float(number.value)
            for number in self.published
            if number.measure == measure and where.items() <= number.where.items()
        ]

    def printed(self, measure: str, **where: Plain) -> Spread | None:
        """The published value with its standard deviation, if there is one."""
        for number in self.published:
            if number.measure == measure and where.items() <= number.where.items():
                std = float(number.std) if number.std else None
                return Spread(float(number.value), std, number.runs or 1)
        return None

    def remark(self, words: str) -> str:
        """Words about what was published; none where these are other data."""
        return words if self.published else ""

    def both(self, measure: str, factor: float = 1, **where: Plain) -> Both:
        """Our value, and the published one."""
        ours = self.ours(measure, factor, **where)
        return ours, self.theirs(measure, factor, **where)
