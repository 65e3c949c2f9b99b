"""What a guest answers on every provider: tools, calls, frames, the accessibility tree."""

from typing import Any
from uuid import uuid4

from ambidex.host import ToolCall
from ambidex.host.client.guest import Guest
from ambidex.tasks.catalogue import read_catalogue
from ambidex.vm import Machine


def call(guest: Guest, name: str, **arguments: object) -> Any:
    result = guest.call(ToolCall(uuid4().hex, name, arguments))
    assert not result.error, result.text
    return result.value


def test_the_tools_are_those_of_the_catalogue_and_work(guest: Guest) -> None:
    served = {tool.name: tool for tool in guest.tools()}
    assert served == dict(read_catalogue())
    call(guest, "files_write_text", path="~/said.txt", content="Grüße")
    assert guest.get("~/said.txt").decode() == "Grüße"
    guest.run(["gsettings", "set", "org.gnome.desktop.interface", "clock-show-seconds", "false"])
    assert call(guest, "computer_window_list") == []


def test_a_frame_put_together_of_parts_is_the_one_that_is_seen_anew(
    machine: Machine, guest: Guest
) -> None:
    before = guest.screenshot(settle=20)
    guest.run(["gedit"], background=True)
    guest.wait_window("gedit", timeout=120)
    call(guest, "computer_activate_window", title="gedit")
    guest.screenshot(settle=30, still=1)
    call(guest, "computer_type", text="some words\n" * 5)
    # A clock may tick between the two looks, once.
    for _ in range(3):
        patched = guest.screenshot(settle=30, still=1)
        with Guest(machine.endpoint, machine.token) as newcomer:
            whole = newcomer.screenshot()
        if patched.rgb == whole.rgb:
            break
    assert patched == whole
    assert patched.size == before.size == guest.health().screen
    assert patched.rgb != before.rgb


def test_the_accessibility_tree_shows_what_is_on_the_screen(guest: Guest) -> None:
    guest.wait_window("gedit", timeout=120)
    # Programs answer it one after the other: with two machines at work five seconds are not enough.
    seen = guest.accessibility(seconds=60)
    assert not seen["truncated"] or seen["nodes"] >= 100
    applications = {child["name"]: child for child in seen["tree"]["children"]}
    assert {"gnome-panel", "gedit"} <= set(applications)
    roles = {each["role"] for each in nodes(applications["gedit"])}
    assert "frame" in roles
    assert "text" in roles


def nodes(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [node, *(each for child in node.get("children", []) for each in nodes(child))]
