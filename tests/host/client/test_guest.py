"""The guest client, against a server that speaks the guest's protocol."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from ambidex.host import ToolCall
from ambidex.host.client.answers import NoSuchFileError, NoSuchWindowError
from ambidex.host.client.guest import Guest
from ambidex.host.client.limits import Patience
from ambidex.host.errors import GuestError
from tests.support.peer import ALIAS, SIZE, TOKEN, Desktop, peer


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[str, Desktop]]:
    with peer() as both:
        yield both


@pytest.fixture
def guest(running: tuple[str, Desktop]) -> Iterator[Guest]:
    with Guest(running[0], TOKEN, patience=Patience(answer=5, call=5, back=2)) as guest:
        yield guest


@pytest.fixture
def desktop(running: tuple[str, Desktop]) -> Desktop:
    running[1].done.clear()
    running[1].asked.clear()
    running[1].sent.clear()
    return running[1]


def test_tools_are_listed_with_their_app(guest: Guest) -> None:
    apps = {tool.name: tool.app for tool in guest.tools()}
    assert apps["computer_click"] == "computer"
    assert apps["calc_save"] == "calc"
    assert {tool.name: tool.reads_only for tool in guest.tools()}["calc_get_cell_value"]


def test_a_tool_is_listed_with_its_source_and_aliases(guest: Guest) -> None:
    tools = {tool.name: tool for tool in guest.tools()}
    told = tools["calc_set_cell_value"]
    assert (told.source, told.mounted, told.aliases) == ("reference", "small 1.0", (ALIAS,))
    silent = tools["calc_save"]
    assert (silent.source, silent.mounted, silent.aliases) == ("ours", "", ())


def test_a_call_is_carried_out_and_its_value_is_returned(guest: Guest, desktop: Desktop) -> None:
    result = guest.call(ToolCall("one", "calc_set_cell_value", {"cell": "B2", "value": 42}))
    assert (result.call, result.error, result.text) == ("one", "", "B2 = 42")
    assert result.value == {"cell": "B2"}
    assert desktop.cells["B2"] == 42


def test_an_error_of_a_tool_is_a_result_with_its_code(guest: Guest) -> None:
    result = guest.call(ToolCall("two", "calc_set_cell_value", {"cell": "ZZ99", "value": 1}))
    assert (result.error, result.text) == ("bad_cell", "there is no such cell")


def test_a_lost_answer_is_requested_again_and_the_action_happens_once(
    guest: Guest, desktop: Desktop
) -> None:
    desktop.lose_answers = 1
    result = guest.call(ToolCall("three", "computer_click", {"x": 3, "y": 4}))
    assert result.text == "clicked"
    assert desktop.done == ["computer_click"]
    assert [bool(meta.get("ambidex/again")) for meta in desktop.asked] == [False, True]


def test_a_call_unknown_to_the_guest_is_not_repeated(guest: Guest, desktop: Desktop) -> None:
    desktop.lose_answers, desktop.forget = 1, True
    try:
        with pytest.raises(GuestError, match="no longer has the result of computer_click"):
            guest.call(ToolCall("four", "computer_click", {"x": 3, "y": 4}))
    finally:
        desktop.forget = False
    assert desktop.done == ["computer_click"]


def test_a_repeated_id_gives_the_stored_result(guest: Guest, desktop: Desktop) -> None:
    call = ToolCall("five", "computer_click", {"x": 1, "y": 1})
    assert guest.call(call) == guest.call(call)
    assert desktop.done == ["computer_click"]


def test_an_unchanged_screen_is_not_sent_again(guest: Guest, desktop: Desktop) -> None:
    first, second = guest.screenshot(), guest.screenshot()
    assert first == second
    assert first.hash == second.hash
    assert desktop.sent == ["whole", "nothing"]


def test_a_patch_gives_the_whole_frame(guest: Guest, desktop: Desktop) -> None:
    before = guest.screenshot()
    desktop.paint(10, 20)
    after = guest.screenshot()
    pixels = np.frombuffer(after.rgb, np.uint8).reshape(SIZE[1], SIZE[0], 3)
    assert desktop.sent[-1] == "patch"
    assert pixels[20, 10].tolist() == [255, 255, 255]
    assert pixels[0, 0].tolist() == [0x30, 0x20, 0x10], "BGRX on the wire is RGB here"
    assert before != after
    assert np.frombuffer(before.rgb, np.uint8).max() < 255 or desktop.frame > 1


def test_files_are_written_and_read_back(guest: Guest) -> None:
    guest.put("~/a b.txt", b"\x00\xff")
    assert guest.get("~/a b.txt") == b"\x00\xff"
    with pytest.raises(NoSuchFileError, match="~/none"):
        guest.get("~/none")


def test_a_missing_window_is_reported_with_the_open_ones(guest: Guest) -> None:
    guest.wait_window("Desk", 1)
    with pytest.raises(NoSuchWindowError, match="seen instead: Desktop"):
        guest.wait_window("Budget", 1)


def test_a_leading_tilde_becomes_the_home_of_the_desktop_user(guest: Guest) -> None:
    assert guest.expanded(["soffice", "~/x.odt", "a~/b"]) == ["soffice", "/home/user/x.odt", "a~/b"]


def test_waiting_for_readiness_says_what_was_missing(guest: Guest, desktop: Desktop) -> None:
    desktop.ready = False
    try:
        with pytest.raises(GuestError, match="X: no display"):
            guest.wait_ready(bound=0.2)
    finally:
        desktop.ready = True
    assert guest.wait_ready(bound=0.2).screen == SIZE


def test_a_wrong_token_is_a_guest_error_that_says_so(running: tuple[str, Desktop]) -> None:
    with Guest(running[0], "wrong") as guest:
        with pytest.raises(GuestError, match="401 no token"):
            guest.health()
        with pytest.raises(GuestError):
            guest.tools()


def test_an_unreachable_guest_is_a_guest_error() -> None:
    patience = Patience(answer=1, call=1, back=0.2)
    with Guest("http://127.0.0.1:9", TOKEN, patience=patience) as guest:
        with pytest.raises(GuestError, match="did not answer"):
            guest.health()
        with pytest.raises(GuestError, match="lost during computer_click"):
            guest.call(ToolCall("six", "computer_click", {"x": 1, "y": 1}))
