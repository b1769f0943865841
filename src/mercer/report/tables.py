"""Tables as Markdown, LaTeX and CSV, and the text of every entry."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

from mercer import _csv
from mercer.studies.row import Spread
from mercer.studies.story import Column, Field, Table, Written

_MARKDOWN = str.maketrans({mark: f"\\{mark}" for mark in "\\|<>*_`"})
_LATEX = str.maketrans(
    {
        **{mark: f"\\{mark}" for mark in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "±": r"$\pm$",
        "−": "$-$",
        "×": r"$\times$",
        "≤": r"$\le$",
        "→": r"$\to$",
        "–": "--",
        "…": r"\dots{}",
        "α": r"$\alpha$",
        "γ": r"$\gamma$",
        "λ": r"$\lambda$",
        "ξ": r"$\xi$",
        "π": r"$\pi$",
        "²": "$^2$",
    }
)
#: Of a mean whose spread is next to nothing.
_MOST_DIGITS = 7


@dataclass(frozen=True)
class TableEntry:
    """An entry as it is shown, what it is sorted by, whether it is the best."""

    text: str
    sort: float | str | None
    best: bool


def heading(column: Column) -> str:
    """The column's name with its unit."""
    return f"{column.name} ({column.unit})" if column.unit else column.name


def entry_text(entry: Field, column: Column) -> str:
    """What is shown.

    >>> entry_text(Spread(2.345, 0.1, 5), Column("error", digits=2))
    '2.35 ± 0.10'
    >>> entry_text(1234567, Column("n")), entry_text(None, Column("n"))
    ('1,234,567', '–')
    """
    if entry is None:
        return "–"
    if isinstance(entry, bool):
        return "yes" if entry else "no"
    if isinstance(entry, Written):
        return entry.text
    if isinstance(entry, Spread):
        return _spread(entry, column.digits)
    if isinstance(entry, int):
        return f"{entry:,}"
    if isinstance(entry, float):
        return _number(entry, column.digits)
    return entry


def sort_value(entry: Field) -> float | str | None:
    """What the column is sorted by."""
    if isinstance(entry, Spread):
        return entry.mean
    return float(entry) if isinstance(entry, int) else entry


def best_rows(table: Table, place: int) -> set[int]:
    """Which rows have the best entry of a column, where one is best."""
    column = table.columns[place]
    values = {
        number: value
        for number, row in enumerate(table.rows)
        if isinstance(value := sort_value(row[place]), float)
    }
    if column.best is None or len(set(values.values())) < 2:
        return set()
    best = (min if column.best == "low" else max)(values.values())
    return {number for number, value in values.items() if value == best}


def cells(table: Table) -> list[list[TableEntry]]:
    """Every row of a table, ready to be written."""
    best = [best_rows(table, place) for place in range(len(table.columns))]
    return [
        [
            TableEntry(entry_text(entry, column), sort_value(entry), number in rows)
            for entry, column, rows in zip(row, table.columns, best, strict=True)
        ]
        for number, row in enumerate(table.rows)
    ]


def numeric_columns(table: Table) -> list[bool]:
    """Which columns hold numbers, which stand to the right."""
    numeric = []
    for place in range(len(table.columns)):
        entries = [row[place] for row in table.rows if row[place] is not None]
        words = any(isinstance(entry, str | bool) for entry in entries)
        numeric.append(bool(entries) and not words)
    return numeric


def to_markdown(table: Table) -> str:
    """A table for GitHub and the like; the best entries are bold."""
    rule = ["---:" if numeric else "---" for numeric in numeric_columns(table)]
    names, *body = _texts(table, _MARKDOWN, "**{}**")
    lines = [f"| {' | '.join(texts)} |" for texts in (names, rule, *body)]
    parts = [f"**{_escape(table.title, _MARKDOWN)}**", "\n".join(lines)]
    if table.caption:
        parts.append(_escape(table.caption, _MARKDOWN))
    return "\n\n".join(parts) + "\n"


def to_latex(table: Table) -> str:
    r"""A table for LaTeX, which needs ``\usepackage{booktabs}``."""
    kinds = "".join("r" if numeric else "l" for numeric in numeric_columns(table))
    names, *body = (
        f"{' & '.join(texts)} \\\\" for texts in _texts(table, _LATEX, r"\textbf{{{}}}")
    )
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_escape(f'{table.title}. {table.caption}'.strip(), _LATEX)}}}",
        rf"\begin{{tabular}}{{{kinds}}}",
        r"\toprule",
        names,
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def to_csv(table: Table) -> str:
    """All digits, with a column of its own for each standard deviation."""
    spread = [
        any(isinstance(row[place], Spread) for row in table.rows)
        for place in range(len(table.columns))
    ]
    headings = map(heading, table.columns)
    rows: list[list[list[Field]]] = [[[name, f"{name} std"] for name in headings]]
    for row in table.rows:
        rows.append(
            [[e.mean, e.std] if isinstance(e, Spread) else [e, None] for e in row]
        )
    return _csv.to_csv(
        chain.from_iterable(pair[: 1 + has_std] for pair, has_std in zip(pairs, spread))
        for pairs in rows
    )


#: Ending of the file and how to write it.
FORMATS: dict[str, Callable[[Table], str]] = {
    "csv": to_csv,
    "md": to_markdown,
    "tex": to_latex,
}


def _texts(table: Table, marks: dict[int, str], best: str) -> list[list[str]]:
    """Headings and entries, escaped; the best entries marked."""
    names = [_escape(heading(column), marks) for column in table.columns]
    body = [
        [
            (best if cell.best else "{}").format(_escape(cell.text, marks))
            for cell in row
        ]
        for row in cells(table)
    ]
    return [names, *body]


def _spread(spread: Spread, digits: int | None) -> str:
    if spread.std is None:
        return _number(spread.mean, digits)
    if digits is None and spread.std > 0:
        # as many digits as the spread leaves meaning to: two of its own
        digits = max(0, 1 - math.floor(math.log10(spread.std)))
        size = math.floor(math.log10(abs(spread.mean))) if spread.mean else 0
        most = max(0, _MOST_DIGITS - size - 1)
        if digits > most:
            return f"{_number(spread.mean, most)} ± {spread.std:.1g}"
    return f"{_number(spread.mean, digits)} ± {_number(spread.std, digits)}"


def _number(value: float, digits: int | None) -> str:
    if digits is not None:
        return f"{value:,.{digits}f}"
    # below a thousand three significant digits, above that whole numbers
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _escape(text: str, marks: dict[int, str]) -> str:
    return " ".join(text.translate(marks).split())
