"""A person's input as an agent's calls."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from ambidex.host.records.orders import Act
from ambidex.host.room.gestures import Gestures
from ambidex.host.room.rfb import Key, Pointer
from tests.support.served import CATALOGUE

SHIFT, CTRL, RETURN, BACKSPACE, LEFT = 0xFFE1, 0xFFE3, 0xFF0D, 0xFF08, 0xFF51


def press(symbol: int) -> list[Key]:
    return [Key(symbol, True), Key(symbol, False)]


def typed(text: str) -> list[Key]:
    return [event for each in text for event in press(ord(each))]


def clicked(x: int, y: int, buttons: int = 1) -> list[Pointer]:
    return [Pointer(x, y, 0), Pointer(x, y, buttons), Pointer(x, y, 0)]


def did(*events: Any, apart: float = 0.1) -> list[tuple[str, dict[str, Any]]]:
    gestures, acts, at = Gestures(), [], 100.0
    for event in events:
        if isinstance(event, float):
            at += event
            acts += gestures.rest(at)
            continue
        acts += gestures.take(event, at)
        at += apart
    acts += gestures.end()
    for act in acts:
        assert_callable(act)
    return [(act.call, act.arguments) for act in acts]


def assert_callable(act: Act) -> None:
    """It is a call that the guest would take."""
    jsonschema.validate(act.arguments, dict(CATALOGUE[act.call].parameters))


def test_clicks_are_clicks_of_their_button() -> None:
    said = [*clicked(10, 20), 1.0, *clicked(30, 40, 4), 1.0, *clicked(50, 60, 2)]
    assert did(*said) == [
        ("computer_click", {"x": 10, "y": 20}),
        ("computer_right_click", {"x": 30, "y": 40}),
        ("computer_middle_click", {"x": 50, "y": 60}),
    ]


def test_two_and_three_clicks_in_a_row_are_one_action() -> None:
    assert did(*clicked(10, 20), *clicked(11, 20), apart=0.05) == [
        ("computer_double_click", {"x": 10, "y": 20})
    ]
    assert did(*clicked(10, 20), *clicked(10, 20), *clicked(10, 20), apart=0.05) == [
        ("computer_triple_click", {"x": 10, "y": 20})
    ]
    assert len(did(*clicked(10, 20), *clicked(200, 20), apart=0.05)) == 2


def test_a_press_that_moves_is_a_drag() -> None:
    said = [Pointer(10, 20, 1), Pointer(60, 20, 1), Pointer(110, 25, 0)]
    assert did(*said) == [("computer_drag", {"x": 10, "y": 20, "to_x": 110, "to_y": 25})]


def test_scrolls_at_one_place_add_up() -> None:
    down = [Pointer(10, 20, 16), Pointer(10, 20, 0)]
    up = [Pointer(10, 20, 8), Pointer(10, 20, 0)]
    assert did(*down, *down, *down, *up) == [
        ("computer_scroll", {"x": 10, "y": 20, "dx": 0, "dy": 2})
    ]


def test_letters_become_a_text_and_keys_stay_keys() -> None:
    said = [*typed("Größe 1"), *press(0x01000416), *press(RETURN), *press(RETURN), *typed("x")]
    assert did(*said) == [
        ("computer_type", {"text": "Größe 1Ж"}),
        ("computer_key", {"keys": ["enter"], "times": 2}),
        ("computer_type", {"text": "x"}),
    ]


def test_a_pause_ends_a_text() -> None:
    assert [each[1]["text"] for each in did(*typed("ab"), 1.5, *typed("cd"))] == ["ab", "cd"]


@pytest.mark.parametrize(
    ("held", "symbol", "keys"),
    [
        ([CTRL], ord("s"), ["ctrl", "s"]),
        ([CTRL, SHIFT], ord("T"), ["ctrl", "shift", "t"]),
        ([SHIFT], LEFT, ["shift", "left"]),
        ([CTRL], ord("+"), ["ctrl", "+"]),
        ([], BACKSPACE, ["backspace"]),
    ],
)
def test_chords_name_what_is_held(held: list[int], symbol: int, keys: list[str]) -> None:
    said = [
        *(Key(each, True) for each in held),
        *press(symbol),
        *(Key(each, False) for each in held),
    ]
    assert did(*said) == [("computer_key", {"keys": keys})]


def test_shift_that_makes_a_capital_is_in_the_capital() -> None:
    assert did(Key(SHIFT, True), *typed("A"), Key(SHIFT, False)) == [
        ("computer_type", {"text": "A"})
    ]


def test_a_click_with_a_key_held_has_that_key() -> None:
    said = [Key(CTRL, True), *clicked(1, 2), Key(CTRL, False)]
    assert did(*said) == [("computer_click", {"x": 1, "y": 2, "keys": ["ctrl"]})]
