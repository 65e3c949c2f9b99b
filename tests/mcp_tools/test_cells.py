"""Parsing of cell addresses."""

import pytest

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.office.cells import Area, column_name, column_number, parse_area


@pytest.mark.parametrize(
    ("name", "number"), [("A", 0), ("Z", 25), ("AA", 26), ("AMJ", 1023), ("XFD", 16383)]
)
def test_columns_continue_after_z(name: str, number: int) -> None:
    assert column_number(name) == number
    assert column_number(name.lower()) == number
    assert column_name(number) == name


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("B2", Area(None, 1, 1, 1, 1)),
        ("$ab$10", Area(None, 27, 9, 27, 9)),
        ("D10:B2", Area(None, 1, 1, 3, 9)),
        ("A:C", Area(None, 0, None, 2, None)),
        ("3:5", Area(None, None, 2, None, 4)),
        ("B", Area(None, 1, None, 1, None)),
        ("Sheet2!B2", Area("Sheet2", 1, 1, 1, 1)),
        ("Sheet2.B2:C3", Area("Sheet2", 1, 1, 2, 2)),
        ("'Bob''s: 2024'!B2", Area("Bob's: 2024", 1, 1, 1, 1)),
    ],
)
def test_ranges_are_read_as_people_write_them(text: str, meant: Area) -> None:
    assert parse_area(text) == meant


@pytest.mark.parametrize("text", ["", "hello", "B0", "A1:", "A1:C", "1A", "A1:B2:C3", "!"])
def test_an_invalid_range_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ToolError) as caught:
        parse_area(text)
    assert caught.value.code == "bad_range"
