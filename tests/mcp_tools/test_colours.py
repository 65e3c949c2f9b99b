"""Parsing of colours."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.colours import colour, names, written


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("red", 0xFF0000),
        ("Dark Blue", 0x00008B),
        ("dark-blue", 0x00008B),
        ("YELLOW", 0xFFFF00),
        ("#1a2B3c", 0x1A2B3C),
        ("1A2B3C", 0x1A2B3C),
        ("0x1A2B3C", 0x1A2B3C),
        ("#fa0", 0xFFAA00),
        (" black ", 0),
    ],
)
def test_names_and_hexadecimal_are_understood(text: str, value: int) -> None:
    assert colour(text) == value


@pytest.mark.parametrize("text", ["", "redd", "#12345", "#1234567", "fa0", "rgb(1,2,3)", "röt"])
def test_an_invalid_colour_is_refused_and_never_black(text: str) -> None:
    with pytest.raises(ToolError) as caught:
        colour(text)
    assert caught.value.code == "bad_colour"


def test_the_closest_names_are_suggested() -> None:
    with pytest.raises(ToolError, match="purple"):
        colour("purpel")


def test_every_css_name_is_known() -> None:
    assert len(names()) == 148


@given(st.integers(0, 0xFFFFFF))
def test_a_formatted_colour_can_be_parsed_again(value: int) -> None:
    spelled = (value, written(value), f"{value:06x}", f"0x{value:06X}")
    assert {colour(item) for item in spelled} == {value}
    assert written(value - 0x1000000) == written(value)  # negative, as in UNO


@given(st.text(max_size=40))
def test_any_text_is_a_colour_or_refused(text: str) -> None:
    with contextlib.suppress(ToolError):
        assert 0 <= colour(text) <= 0xFFFFFF
