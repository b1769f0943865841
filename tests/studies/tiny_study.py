"""A study that takes no time: what the machinery is tested with."""

import time

from mercer.studies import Cell, Outcome, Study, derive_seed, grid, group_by, numbers
from mercer.studies.row import Spread
from mercer.studies.story import Column, Dots, Lines, Section, Series, Story, Table


class Tiny(Study):
    name = "tiny"
    title = "A tiny study"
    protocol = "Rolls a die for each side and repeat."
    pause = 0.0

    def cells(self, dataset, seed, quick):
        repeats = range(2 if quick else 10)
        return [
            Cell(point, derive_seed(seed, point["repeat"]), group=f"die {point['die']}")
            for point in grid(die=[4, 6, 20], repeat=list(repeats))
        ]

    def run(self, cell, context):
        context.shared("die", lambda: cell.params["die"])
        time.sleep(self.pause)
        roll = derive_seed(cell.seed, cell.params["die"]) / 7
        return Outcome({"roll": roll, "sides": cell.params["die"]}, {"throw": 0.25})

    def describe(self, row):
        return f"d{row.params['die']}: {row.values['roll']:.0f}"

    def story(self, rows, facts):
        dice = group_by(rows, "die")
        spreads = {die: Spread.of(numbers(part, "roll")) for die, part in dice.items()}
        columns = [Column("die"), Column("roll", best="low", digits=1)]
        return Story(
            [f"{len(rows)} rolls of {len(dice)} dice."],
            [
                Section(
                    "Rolls",
                    [
                        "A text <b>with</b> marks.",
                        Table(
                            "rolls",
                            "Rolls of every die",
                            columns,
                            [[f"d{die}", spread] for die, spread in spreads.items()],
                        ),
                        Dots(
                            "Rolls",
                            "roll",
                            [(f"d{die}", spread) for die, spread in spreads.items()],
                        ),
                        Lines(
                            "Mean roll",
                            "sides",
                            "roll",
                            [
                                Series(
                                    "ours",
                                    list(spreads),
                                    [spread.mean for spread in spreads.values()],
                                )
                            ],
                        ),
                    ],
                )
            ],
        )


class Slow(Tiny):
    name = "slow"
    pause = 0.02


class Broken(Tiny):
    name = "broken"

    def run(self, cell, context):
        if cell.params["die"] == 6:
            raise ZeroDivisionError("a die\nbroke")
        return super().run(cell, context)


class Speechless(Tiny):
    name = "speechless"
    title = "A study that cannot speak"

    def story(self, rows, facts):
        raise ZeroDivisionError("no <words>")


class Endless(Tiny):
    name = "endless"
    pause = 0.2

    def cells(self, dataset, seed, quick):
        return [Cell({"die": 6, "repeat": i}, i) for i in range(10_000)]


class Far(Tiny):
    name = "far"
    title = "A study of data that are nowhere"
    data = ("nowhere",)
    default_data = ("nowhere",)
    fallback_data = "digits"
