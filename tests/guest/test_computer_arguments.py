"""The tools of `computer`, as far as they can be tested without a screen."""

from __future__ import annotations

from typing import Any

import pytest

from ambidex.mcp_tools import ToolError, catalogue
from ambidex.mcp_tools.display.keyboard import UntypableError, keysym
from ambidex.mcp_tools.display.keymap import KEYPAD, ONE_LEVEL, Key, key_for
from tests.support.tables import every_case

NAMES = """click double_click triple_click right_click middle_click move drag scroll type key
hold_key mouse_down mouse_up screenshot cursor_position wait window_list activate_window"""


def test_every_tool_of_the_computer_exists() -> None:
    expected = [f"computer_{name}" for name in NAMES.split()]
    assert list(catalogue.apps()["computer"].tools) == expected


@every_case(
    ("name", "arguments", "message"),
    [
        ("click", {"x": 1}, "argument 'y' is required"),
        ("click", {"x": 1.5, "y": 1}, "argument 'x'"),
        ("click", {"x": 1, "y": 1, "button": "left"}, "takes x, y, keys"),
        ("drag", {"x": 1, "y": 1, "to_x": 2, "to_y": 2, "button": "side"}, "'left', 'middle' or"),
        ("scroll", {"x": 1, "y": 1, "dy": 1000}, "less than or equal to 100"),
        ("type", {"text": ""}, "at least 1 character"),
        ("key", {"keys": []}, "at least 1 item"),
        ("key", {"keys": "ctrl+s"}, "argument 'keys'"),
        ("hold_key", {"keys": ["a"], "seconds": 3600}, "less than or equal to 10"),
        ("wait", {"seconds": 3600}, "less than or equal to 30"),
    ],
)
def test_the_error_for_a_wrong_argument_says_what_is_allowed(
    name: str, arguments: dict[str, Any], message: str
) -> None:
    tool = catalogue.tools()[f"computer_{name}"]
    with pytest.raises(ToolError, match=message) as caught:
        tool.arguments(arguments)
    assert caught.value.code == "bad_arguments"


def test_no_tool_can_wait_longer_than_its_timeout() -> None:
    tools = catalogue.tools()
    assert tools["computer_wait"].timeout > 30
    assert tools["computer_hold_key"].timeout > 10


@every_case(
    ("character", "symbol"),
    [
        *(("a", 0x61), ("<", 0x3C), ("é", 0xE9), ("€", 0x010020AC), ("你", 0x01004F60)),
        *(("🎉", 0x0101F389), ("\n", 0xFF0D), ("\t", 0xFF09)),
    ],
)
def test_a_character_has_its_key_symbol(character: str, symbol: int) -> None:
    assert keysym(character) == symbol


@every_case("character", ["\x00", "\x1b", "\x7f", "\x85", "\ud83d"])
def test_a_character_that_cannot_be_typed_is_refused_and_its_code_named(character: str) -> None:
    with pytest.raises(UntypableError, match=rf"U\+{ord(character):04X}"):
        keysym(character)


def test_a_key_with_several_layouts_gives_the_symbol_of_the_active_one() -> None:
    key = Key((2, 2, 0, 0), 2, 2, (0x61, 0x41, 0x6C6, 0x6E6))
    assert [key.level(0, 0), key.level(0, 1), key.level(1, 0), key.level(1, 1)] == [*key.symbols]
    assert key.level(3, 0) == 0x61


def test_keys_without_a_shift_level_give_no_symbol_with_shift() -> None:
    assert Key((ONE_LEVEL, 0, 0, 0), 1, 1, (0xFF0D,)).level(0, 1) == 0
    assert Key((KEYPAD, 0, 0, 0), 1, 2, (0xFF9C, 0xFFB1)).level(0, 1) == 0


def test_a_lent_key_is_packed_in_xkb_format() -> None:
    key = key_for(0x01000416, 0x01000436)
    assert key.packed() == b"\1\0\0\0\1\2\2\0" + b"\x16\4\0\1" + b"\x36\4\0\1"
