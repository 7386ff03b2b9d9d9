"""Columns line up."""

from handloom.cli.table import columns


def test_cells_of_a_column_begin_at_the_same_place_and_no_line_ends_in_blanks():
    assert columns([("a", "bb", "c"), ("aaa", "b", "")]) == "a    bb  c\naaa  b"
