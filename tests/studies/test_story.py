"""What may stand in a story."""

import pytest

from mercer.exceptions import ParameterError
from mercer.studies import Spread
from mercer.studies.story import Column, Table


def test_a_table_takes_numbers_and_words_only():
    columns = [Column("kernel"), Column("error")]
    for entry in ("words", 1, 0.5, True, None, Spread(1.0, None, 1)):
        Table("costs", "Costs", columns, [["linear", entry]])
    with pytest.raises(ParameterError, match="costs has a list in the column 'error'"):
        Table("costs", "Costs", columns, [["linear", [0.5, 0.6]]])
