"""What the rows of `compare` say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mercer.studies.compare.hard import confusion_blocks, hardest_block
from mercer.studies.compare.learners import learner_name
from mercer.studies.compare.summary import (
    Learners,
    conclude,
    describe_settings,
    error_of,
    mean_of,
    percent_of,
    rank,
    summarise,
)
from mercer.studies.plain import Plain
from mercer.studies.row import Row, Spread, group_by, numbers
from mercer.studies.story import (
    Block,
    Column,
    Dots,
    Points,
    Section,
    Story,
    Table,
)


def tell_story(rows: Sequence[Row], facts: Mapping[str, Plain]) -> Story:
    """A summary, and the sections below it."""
    learners = group_by(rows, "learner")
    best = rank(learners)[0]
    sections = [
        Section("Every learner", _overview(learners)),
        Section("What is taken for what", confusion_blocks(learners[best], facts)),
        Section("The hardest samples", [hardest_block(rows, facts)]),
        Section("Time", _times_taken(learners)),
        *_cost_sections(learners),
        *_certificate_sections(learners),
    ]
    shown = [section for section in sections if section.blocks]
    return Story(summarise(learners), shown, conclude(learners))


def _overview(learners: Learners) -> list[Block]:
    columns = [
        Column("learner"),
        Column("test error", "%", 2, best="low"),
        Column("cross-validation", "%", 2),
        Column("support vectors", digits=0),
        Column("settings chosen"),
    ]
    table = Table(
        "learners",
        "Every learner",
        columns,
        [
            [
                learner_name(name),
                error_of(rows),
                percent_of(rows, "cv_error"),
                Spread.of(numbers(rows, "support_vectors")),
                describe_settings(rows),
            ]
            for name, rows in learners.items()
        ],
        "Mean ± standard deviation over the repeats. Cross-validation: the error that "
        "the search saw on training samples. γ is a multiple of 1/(number of features "
        "× variance); the number of repeats that chose a value stands behind it.",
    )
    dots = Dots(
        "Test error",
        "test error, %",
        [(learner_name(name), error_of(rows)) for name, rows in learners.items()],
        "The point is the mean over the repeats, the line one standard deviation to "
        "each side.",
    )
    return [table, dots]


def _times_taken(learners: Learners) -> list[Block]:
    parts = ("search", "fit", "predict")
    columns = [Column("learner"), *(Column(part, "s", best="low") for part in parts)]
    table = Table(
        "seconds",
        "Seconds",
        [*columns, Column("settings tried")],
        [
            [
                learner_name(name),
                *(Spread.of(numbers(rows, part)) for part in parts),
                rows[0].get("n_candidates"),
            ]
            for name, rows in learners.items()
        ],
        "Mean ± standard deviation over the repeats. Search: cross-validation over all "
        "settings. Fit: once, with the settings chosen. Predict: all test samples.",
    )
    spots = [
        (learner_name(name), mean_of(rows, "fit"), error_of(rows).mean)
        for name, rows in learners.items()
    ]
    plane = Points(
        "Error against time",
        "seconds of one fit",
        "test error, %",
        spots,
        "Down and left is better.",
        log_x=True,
    )
    return [table, plane]


def _cost_sections(learners: Learners) -> list[Section]:
    kinds = ("min_dcf", "actual_dcf", "calibrated_dcf")
    rows = [
        [learner_name(name), *(Spread.of(numbers(part, kind)) for kind in kinds)]
        for name, part in learners.items()
        if numbers(part, "min_dcf")
    ]
    if not rows:
        return []
    words = ("smallest", "as scored", "calibrated")
    columns = [Column("learner"), *(Column(w, digits=3, best="low") for w in words)]
    table = Table(
        "costs",
        "Decision cost",
        columns,
        rows,
        "Normalised detection cost at equal priors and costs: 0 is perfect, 1 is worth "
        "nothing. Smallest: at the threshold that is best on the test samples. As "
        "scored: scores taken for log-likelihood ratios. Calibrated: after a logistic "
        "map learned from cross-validated training scores.",
    )
    return [Section("Decisions and what they cost", [table])]


def _certificate_sections(learners: Learners) -> list[Section]:
    rows = [
        [
            f"{learner_name(name)}, repeat {row.params['repeat']}",
            *(row.get(part) for part in ("primal", "dual", "gap")),
            None if row.get("relative_gap") is None else 100 * row.get("relative_gap"),
            row.get("converged"),
        ]
        for name, part in learners.items()
        for row in part
        if row.get("primal") is not None
    ]
    if not rows:
        return []
    columns = [
        Column("model"),
        Column("primal", digits=3),
        Column("dual", digits=3),
        Column("gap"),
        Column("gap, relative", "%"),
        Column("converged"),
    ]
    table = Table(
        "certificates",
        "Certificates",
        columns,
        rows,
        "The best possible objective lies between dual and primal, summed over all "
        "pairs of classes; the gap is how far from it the model can be at most.",
    )
    return [Section("How good the optimisation is", [table])]
