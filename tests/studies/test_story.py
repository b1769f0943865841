"""What may stand in a story."""

import pytest

from mercer.exceptions import ParameterError
from mercer.studies import Spread
from mercer.studies.other_data import on_other_data
from mercer.studies.story import Column, Lines, Section, Series, Story, Table


def test_a_table_takes_numbers_and_words_only():
    columns = [Column("kernel"), Column("error")]
    for entry in ("words", 1, 0.5, True, None, Spread(1.0, None, 1)):
        Table("costs", "Costs", columns, [["linear", entry]])
    with pytest.raises(ParameterError, match="costs has a list in the column 'error'"):
        Table("costs", "Costs", columns, [["linear", [0.5, 0.6]]])


def test_columns_and_lines_for_published_numbers_are_left_out_where_there_are_none():
    columns = [Column("λ"), Column("ours"), Column("theirs", published=True)]
    table = Table("costs", "Costs", columns, [["a", 1, None], ["b", None, None]])
    assert table.filled().columns == columns[:2]
    assert table.filled().rows == [["a", 1], ["b", None]]
    full = Table("costs", "Costs", columns, [["a", 1, 2.5], ["b", None, None]])
    assert full.filled() == full
    lines = Lines("l", "x", "y", [Series("a", [], []), Series.of_printed("b", [], [])])
    assert [series.name for series in lines.filled().series] == ["a"]


def test_on_other_data_a_story_has_its_own_rows_alone():
    table = Table(
        "errors",
        "Errors",
        [
            Column("λ"),
            Column("error"),
            Column("error, published"),
            Column("agree, of 9"),
        ],
        [["1", 0.5, 0.4, 3], ["published", 0.1, None, None]],
        "Means over folds. Dotted: as published.",
    )
    lines = Lines("l", "x", "y", [Series("a", [1], [2], published=True)], "Figure 4.")
    story = Story(
        ["Least at λ = 1. The report says 2.", "The published times are hours."],
        [
            Section("Errors", ["As printed.", table, lines]),
            Section("The report's figure", [lines]),
            Section("Words", ["The report is wrong."]),
        ],
        ["More steps help."],
    )
    told = on_other_data(story)
    assert told.summary == ["Least at λ = 1."]
    assert told.conclusion == ["More steps help."]
    (section,) = told.sections
    left, figure = section.blocks
    assert [column.name for column in left.columns] == ["λ", "error"]
    assert left.rows == [["1", 0.5]]
    assert left.caption == "Means over folds."
    assert figure.series == []
