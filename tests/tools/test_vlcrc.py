"""VLC's settings file as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.vlc.vlcrc import Known, changed, known, ranges, value_for, values

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
VOLUME = known(DEFAULTS)["qt-max-volume"]
RECORDS = known(DEFAULTS)["input-record-path"]
ONE_LINE = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\n"))


def test_defaults_tell_section_kind_and_description() -> None:
    assert Known("qt-max-volume", "qt", "Maximum Volume displayed", "integer", "125") == VOLUME
    assert sorted(known(DEFAULTS)) == ["input-record-path", "qt-max-volume", "qt-minimal-view"]
    assert values(DEFAULTS) == {}


def test_a_default_is_replaced_where_it_stands() -> None:
    assert changed(DEFAULTS, VOLUME, "200") == DEFAULTS.replace(
        "#qt-max-volume=125", "qt-max-volume=200"
    )


def test_a_setting_that_is_missing_goes_to_its_section() -> None:
    text = "# mine\n[qt]\nqt-privacy-ask=0\n\n[core]\na=b"
    assert changed(text, VOLUME, "9") == (
        "# mine\n[qt]\nqt-privacy-ask=0\nqt-max-volume=9\n\n[core]\na=b\n"
    )
    assert changed("", VOLUME, "9") == "[qt]\nqt-max-volume=9\n"


def test_a_setting_given_twice_stands_once_afterwards() -> None:
    text = "qt-max-volume=1\nqt-max-volume-x=3\nqt-max-volume=2\n"
    assert changed(text, VOLUME, "7") == "qt-max-volume=7\nqt-max-volume-x=3\n"


@given(st.lists(ONE_LINE.filter(lambda line: "input-record-path=" not in line)), ONE_LINE)
def test_other_lines_stay_and_the_value_can_be_read(lines: list[str], value: str) -> None:
    text = "".join(f"{line}\n" for line in lines)
    after = changed(text, RECORDS, value)
    assert values(after)["input-record-path"] == value
    kept = after.split("\n")
    assert all(line in kept for line in lines)
    assert changed(after, RECORDS, value) == after


def test_values_are_held_against_kind_and_range() -> None:
    said = "      --qt-max-volume <integer [60 .. 300]> \n      --rate <float>   Playback speed\n"
    allowed = ranges(said)
    assert allowed == {"qt-max-volume": (60.0, 300.0)}
    assert value_for(VOLUME, " 200 ", allowed["qt-max-volume"]) == "200"
    assert value_for(known(DEFAULTS)["qt-minimal-view"], "True", None) == "1"
    for setting, value in ((VOLUME, "400"), (VOLUME, "loud"), (RECORDS, "a\nb=1")):
        with pytest.raises(ToolError) as error:
            value_for(setting, value, allowed.get(setting.name))
        assert error.value.code == "bad_value"
