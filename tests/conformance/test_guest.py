"""The guest's answers on each provider: tools, calls, frames, the accessibility tree."""

from typing import Any
from uuid import uuid4

from ambidex.host import ToolCall
from ambidex.host.client.guest import Guest
from ambidex.vm import Machine
from tests.support.archives import tar_of
from tests.support.served import CATALOGUE


def call(guest: Guest, name: str, **arguments: object) -> Any:
    result = guest.call(ToolCall(uuid4().hex, name, arguments))
    assert not result.error, result.text
    return result.value


def test_the_guest_serves_the_tools_of_the_catalogue_and_they_work(guest: Guest) -> None:
    served = {tool.name: tool for tool in guest.tools()}
    assert served == CATALOGUE
    packed = guest.run(["test", "-s", "/opt/ambidex/mcp_tools/schemas.json"])
    assert packed.returncode == 0, "the guest makes every schema itself, and starts slowly"
    call(guest, "files_write_text", path="~/greeting.txt", content="Grüße")
    assert guest.get("~/greeting.txt").decode() == "Grüße"
    guest.run(["gsettings", "set", "org.gnome.desktop.interface", "clock-show-seconds", "false"])
    assert call(guest, "computer_window_list") == []


def test_a_frame_assembled_from_patches_equals_a_complete_one(
    machine: Machine, guest: Guest
) -> None:
    # A caret that blinks about as often as a slow machine is captured looks still, and is not.
    guest.run(["gsettings", "set", "org.gnome.desktop.interface", "cursor-blink", "false"])
    before = guest.screenshot(settle=20)
    guest.run(["gedit"], background=True)
    guest.wait_window("gedit", timeout=120)
    call(guest, "computer_activate_window", title="gedit")
    guest.screenshot(settle=30, still=1)
    call(guest, "computer_type", text="some words\n" * 5)
    # The clock may change once between the two frames.
    for _ in range(3):
        patched = guest.screenshot(settle=30, still=1)
        with Guest(machine.endpoint, machine.token) as newcomer:
            complete = newcomer.screenshot()
        if patched.rgb == complete.rgb:
            break
    assert patched == complete
    assert patched.size == before.size == guest.health().screen
    assert patched.rgb != before.rgb


def test_the_accessibility_tree_has_the_applications_on_the_screen(guest: Guest) -> None:
    guest.wait_window("gedit", timeout=120)
    # Programs are queried one after another: with two busy machines, five seconds are not enough.
    answer = guest.accessibility(seconds=60)
    assert not answer["truncated"] or answer["nodes"] >= 100
    applications = {child["name"]: child for child in answer["tree"]["children"]}
    assert {"gnome-panel", "gedit"} <= set(applications)
    roles = {node["role"] for node in descendants(applications["gedit"])}
    assert "frame" in roles
    assert "text" in roles


def test_a_program_verifies_in_a_frozen_guest(guest: Guest) -> None:
    program = tar_of({"tasks/verify.py": "print('verified'); raise SystemExit(3)"})
    argv = ["/usr/bin/python3", "tasks/verify.py"]
    guest.freeze()
    try:
        outcome, output = guest.verify(program, argv, environment={}, folders={}, within=60)
    finally:
        guest.thaw()
    assert (outcome.exit, output) == (3, b"verified\n")


def descendants(node: dict[str, Any]) -> list[dict[str, Any]]:
    """The node and all nodes below it."""
    children = node.get("children", [])
    return [node, *(below for child in children for below in descendants(child))]
