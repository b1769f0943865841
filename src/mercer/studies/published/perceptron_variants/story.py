"""What the rows of `perceptron-variants` say, with the report's figures."""

from collections.abc import Sequence

from mercer.studies import Row, Spread, select, spread_of
from mercer.studies.published.perceptron_variants.cells import (
    DEGREES,
    EPOCHS,
    OFFSET,
    OTHER_OFFSET,
    VARIANTS,
)
from mercer.studies.published_numbers import PublishedNumber
from mercer.studies.shared.beside import Beside
from mercer.studies.story import (
    Block,
    Column,
    Field,
    Images,
    Lines,
    Section,
    Series,
    Story,
    Table,
)

_ALL_EPOCHS = range(1, EPOCHS + 1)
#: Epochs at which degrees are compared: as in the report's last figure.
_COMPARED_AFTER = 5
_KINDS = {"test": "Test", "train": "Training"}
#: Lines of a figure: whose errors, of which kind, and what they are called.
_VANILLA = [("vanilla", "test", "test"), ("vanilla", "train", "training")]
_ALL = {k: [(variant, k, name) for variant, name in VARIANTS.items()] for k in _KINDS}
_CAPTION = (
    "Mean ± standard deviation between repeats with other splits. ERM: of the "
    "predictors after an update of the last epoch the one with the fewest training "
    "mistakes."
)


def tell_story(rows: Sequence[Row], published: Sequence[PublishedNumber]) -> Story:
    """A summary, and the sections below it."""
    main = select(rows, offset=OFFSET)
    if not main:
        return Story([f"{len(rows)} cells are there, none with this c yet."])
    degrees: list[Block] = [
        _against_degree(main, _VANILLA, "Vanilla perceptron against the degree", 3),
        *(
            _against_degree(main, _ALL[kind], f"{name} error against the degree", 5)
            for kind, name in _KINDS.items()
        ),
    ]
    sections = [
        Section("Degree 1: no feature expansion", [_figure_2(main)]),
        Section(
            "Three ways to end, against epochs",
            [_by_epoch(main), *(_figure_4(main, kind, published) for kind in _KINDS)],
        ),
        Section("Against the degree", [*degrees, _by_degree(main)]),
        Section("Which c it was", [_offsets(rows)]),
        *_images(main),
        Section("Time", [_time(rows)]),
    ]
    summary = _summary(main, published)
    return Story(summary, sections, [*summary[:1], *_say_degrees(main, published)])


def _errors_of(
    rows: Sequence[Row], degree: int, measure: str, offset: float = OFFSET
) -> Spread | None:
    """A measure of one degree over the repeats, in percent."""
    return spread_of(rows, measure, 100, degree=degree, offset=offset)


def _summary(rows: Sequence[Row], published: Sequence[PublishedNumber]) -> list[str]:
    lines = []
    for variant, name in VARIANTS.items():
        if (found := _least(rows, variant)) is not None:
            epoch, error = found
            lines.append(f"{name} {error} % after {epoch} epochs")
    if not lines:
        return [f"{len(rows)} cells are there, none of degree 2 yet."]
    told = [f"Least test error at degree 2: {', '.join(lines)}."]
    zero = _first_perfect(rows)
    if zero is not None:
        told.append(f"The training error of ERM falls below 0.1 % in epoch {zero}.")
    return told + _say_degrees(rows, published)


def _say_degrees(
    rows: Sequence[Row], published: Sequence[PublishedNumber]
) -> list[str]:
    best = [
        (spread.mean, degree, spread)
        for degree in DEGREES
        if (spread := _errors_of(rows, degree, f"averaged test after {EPOCHS}"))
    ]
    if not best:
        return []
    _, degree, spread = min(best)
    said = (
        f"After {EPOCHS} epochs the averaged perceptron is best at degree {degree}, "
        f"{spread} %"
    )
    if not published:
        return [f"{said}."]
    return [f"{said}: the plateau that the report sees from degree 2 on is no plateau."]


def _first_perfect(rows: Sequence[Row]) -> int | None:
    for epoch in _ALL_EPOCHS:
        spread = _errors_of(rows, 2, f"erm train after {epoch}")
        if spread is not None and spread.mean < 0.1:
            return epoch
    return None


def _least(rows: Sequence[Row], variant: str) -> tuple[int, Spread] | None:
    """The epoch whose mean test error at degree 2 is least, and that error."""
    found = [
        (epoch, spread)
        for epoch in _ALL_EPOCHS
        if (spread := _errors_of(rows, 2, f"{variant} test after {epoch}"))
    ]
    return min(found, key=lambda item: item[1].mean) if found else None


def _by_epoch(rows: Sequence[Row]) -> Table:
    points = [(epoch, 2, epoch) for epoch in _ALL_EPOCHS]
    return _errors(rows, "epochs", "Errors at degree 2", "epochs", points)


def _by_degree(rows: Sequence[Row]) -> Table:
    after = _COMPARED_AFTER
    points = [(degree, degree, after) for degree in DEGREES]
    return _errors(rows, "degrees", f"Errors after {after} epochs", "degree", points)


def _errors(
    rows: Sequence[Row],
    name: str,
    title: str,
    first: str,
    points: Sequence[tuple[int, int, int]],
) -> Table:
    """A line for each point: how it is called, its degree, and its epochs."""
    columns = [Column(first)]
    for variant in VARIANTS.values():
        columns.append(Column(f"{variant}, test", "%", 2, best="low"))
        columns.append(Column(f"{variant}, training", "%", 2))
    lines: list[list[Field]] = []
    for called, degree, epoch in points:
        measures = [f"{v} {k} after {epoch}" for v in VARIANTS for k in _KINDS]
        lines.append([called, *(_errors_of(rows, degree, m) for m in measures)])
    return Table(name, title, columns, lines, _CAPTION)


def _offsets(rows: Sequence[Row]) -> Table:
    lines: list[list[Field]] = []
    for degree in (1, 2):
        for offset in (OTHER_OFFSET, OFFSET):
            for epoch in (1, 5, EPOCHS):
                errors = [
                    _errors_of(rows, degree, f"{v} test after {epoch}", offset)
                    for v in VARIANTS
                ]
                if any(errors):
                    lines.append([degree, f"{offset:g}", epoch, *errors])
    columns = [Column("degree"), Column("c"), Column("epochs")]
    columns += [Column(name, "%", 2) for name in VARIANTS.values()]
    return Table(
        "offsets",
        "Test errors by the c of the kernel",
        columns,
        lines,
        "With the constant feature the kernel is "
        "(c + 1 + x·x')^d; the errors cannot tell one c from the other.",
    )


def _figure_2(rows: Sequence[Row]) -> Lines:
    """Degree 1 never settles."""
    return Lines(
        "Vanilla perceptron, degree 1, against epochs",
        "epochs",
        "error, %",
        [_over_epochs(rows, 1, *line) for line in _VANILLA],
        "Report's Figure 2. Bars: one standard deviation between repeats.",
    )


def _figure_4(
    rows: Sequence[Row], kind: str, published: Sequence[PublishedNumber]
) -> Lines:
    """Test or training errors; of the former the text names some."""
    series = [_over_epochs(rows, 2, *line) for line in _ALL[kind]]
    caption = "Report's Figure 4."
    if kind == "test" and published:
        caption += " Of its lines only these points are named."
        series += [
            Series.of_printed(name, _ALL_EPOCHS, _printed(published, variant))
            for variant, name in VARIANTS.items()
        ]
    title = f"{_KINDS[kind]} error against epochs, degree 2"
    return Lines(title, "epochs", "error, %", series, caption)


def _printed(published: Sequence[PublishedNumber], variant: str) -> list[float | None]:
    """The test errors at degree 2 that the text names, epoch by epoch."""
    both = Beside((), published)
    measures = (f"{variant} test after {epoch}" for epoch in _ALL_EPOCHS)
    return [both.theirs(measure, 100, degree=2) for measure in measures]


def _over_epochs(
    rows: Sequence[Row], degree: int, variant: str, kind: str, name: str
) -> Series:
    measures = [f"{variant} {kind} after {epoch}" for epoch in _ALL_EPOCHS]
    spreads = [_errors_of(rows, degree, measure) for measure in measures]
    return Series.of_spreads(name, _ALL_EPOCHS, spreads)


def _against_degree(
    rows: Sequence[Row], lines: Sequence[tuple[str, str, str]], title: str, figure: int
) -> Lines:
    series = []
    for variant, kind, name in lines:
        measure = f"{variant} {kind} after {_COMPARED_AFTER}"
        spreads = [_errors_of(rows, degree, measure) for degree in DEGREES]
        series.append(Series.of_spreads(name, DEGREES, spreads))
    caption = f"Report's Figure {figure}, after {_COMPARED_AFTER} epochs."
    return Lines(title, "degree", "error, %", series, caption)


def _images(rows: Sequence[Row]) -> list[Section]:
    caption = "Report's Figure 6: averaged perceptron, degree 2, five epochs."
    return [
        Section(
            "Ten digits", [Images.of_answers("Ten random test images", row, caption)]
        )
        for row in rows
        if row.get("shown")
    ][:1]


def _time(rows: Sequence[Row]) -> str:
    return (
        f"All {len(rows)} cells took {sum(row.seconds for row in rows):.0f} s of work. "
        "One matrix of products serves all kernels of a split, and the three ways to "
        "end after every epoch are read off one run."
    )
