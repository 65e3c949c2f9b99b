"""Parsing of times in a video."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.os.media import parse_seconds


@given(st.integers(0, 99), st.integers(0, 59), st.integers(0, 59), st.integers(0, 999))
def test_a_clock_time_is_converted_to_seconds(
    hour: int, minute: int, second: int, part: int
) -> None:
    reported = parse_seconds(f"{hour:02}:{minute:02}:{second:02}.{part:03}", "start_time")
    assert reported == pytest.approx(hour * 3600 + minute * 60 + second + part / 1000)


@pytest.mark.parametrize(
    ("said", "meant"), [("5", 5), (" 7.5s ", 7.5), (2.25, 2.25), (3, 3), ("1:05", 65)]
)
def test_seconds_are_accepted_as_number_or_text(said: float | str, meant: float) -> None:
    assert parse_seconds(said, "duration") == meant


@pytest.mark.parametrize("said", ["", "-1", "soon", "1:2:3:4", "1e9", "nan", float("inf"), "5;x"])
def test_an_invalid_time_is_refused(said: float | str) -> None:
    with pytest.raises(ToolError) as caught:
        parse_seconds(said, "duration")
    assert caught.value.code == "bad_time"
