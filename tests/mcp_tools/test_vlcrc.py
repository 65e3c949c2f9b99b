"""Parsing and editing VLC's settings file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.vlc.vlcrc import (
    KnownSetting,
    parse_defaults,
    parse_ranges,
    parse_values,
    to_value,
    with_setting,
)

DEFAULTS = """\ufeff###
###  vlc 3.0
###

[qt] # Qt interface

# Start in minimal view (without menus) (boolean)
#qt-minimal-view=0

# Maximum Volume displayed (integer)
#qt-max-volume=125

[core] # core program

# Record directory (string)
#input-record-path=
"""
VOLUME = parse_defaults(DEFAULTS)["qt-max-volume"]
RECORDS = parse_defaults(DEFAULTS)["input-record-path"]
ONE_LINE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"))


def test_defaults_are_parsed_with_section_kind_and_description() -> None:
    assert (
        KnownSetting("qt-max-volume", "qt", "Maximum Volume displayed", "integer", "125") == VOLUME
    )
    assert sorted(parse_defaults(DEFAULTS)) == [
        "input-record-path",
        "qt-max-volume",
        "qt-minimal-view",
    ]
    assert parse_values(DEFAULTS) == {}


def test_a_default_is_replaced_where_it_stands() -> None:
    assert with_setting(DEFAULTS, VOLUME, "200") == DEFAULTS.replace(
        "#qt-max-volume=125", "qt-max-volume=200"
    )


def test_a_setting_that_is_missing_goes_to_its_section() -> None:
    text = "# mine\n[qt]\nqt-privacy-ask=0\n\n[core]\na=b"
    assert with_setting(text, VOLUME, "9") == (
        "# mine\n[qt]\nqt-privacy-ask=0\nqt-max-volume=9\n\n[core]\na=b\n"
    )
    assert with_setting("", VOLUME, "9") == "[qt]\nqt-max-volume=9\n"


def test_a_duplicate_setting_is_reduced_to_one() -> None:
    text = "qt-max-volume=1\nqt-max-volume-x=3\nqt-max-volume=2\n"
    assert with_setting(text, VOLUME, "7") == "qt-max-volume=7\nqt-max-volume-x=3\n"


@given(st.lists(ONE_LINE.filter(lambda line: "input-record-path=" not in line)), ONE_LINE)
def test_other_lines_stay_and_the_value_can_be_read(lines: list[str], value: str) -> None:
    text = "".join(f"{line}\n" for line in lines)
    after = with_setting(text, RECORDS, value)
    assert parse_values(after)["input-record-path"] == value
    stored = after.split("\n")
    assert all(line in stored for line in lines)
    assert with_setting(after, RECORDS, value) == after


def test_values_are_checked_against_kind_and_range() -> None:
    answer = "      --qt-max-volume <integer [60 .. 300]> \n      --rate <float>   Playback speed\n"
    allowed = parse_ranges(answer)
    assert allowed == {"qt-max-volume": (60.0, 300.0)}
    assert to_value(VOLUME, " 200 ", allowed["qt-max-volume"]) == "200"
    assert to_value(parse_defaults(DEFAULTS)["qt-minimal-view"], "True", None) == "1"
    for setting, value in ((VOLUME, "400"), (VOLUME, "loud"), (RECORDS, "a\nb=1")):
        with pytest.raises(ToolError) as error:
            to_value(setting, value, allowed.get(setting.name))
        assert error.value.code == "bad_value"
