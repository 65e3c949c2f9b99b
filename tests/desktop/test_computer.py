"""Keyboard, mouse and screen on a real desktop, and the isolation of the guest server."""

from __future__ import annotations

import base64
import io
import json
import urllib.parse
import uuid
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from PIL import Image

from ambidex.host import ToolCall, ToolResult
from ambidex.host.client.guest import Guest
from ambidex.mcp_tools.waiting import wait_for
from ambidex.vm import Machine
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import answered, comes_to_hold, done, refused

TEXT = (
    'Hello <World> & "quotes" it\'s {a}[b] ~`|\\^ 1<2>3 ÄÖÜ äöüß éèñ ¿ € – “ ” … '
    "Привет Ωμέγα 你好世界 日本語 한국어 العربية שלום ž ł ő ı e\u0301 ½ 𝒳 🎉😀 fin"
)

Act = Callable[..., ToolResult]


@pytest.fixture
def act(guest: Guest) -> Act:
    """Call a tool of `computer`, then take a screenshot, as in an episode. Errors fail the test."""

    def act(verb: str, **given: Any) -> ToolResult:
        result = answered(guest, f"computer_{verb}", **given)
        guest.screenshot(settle=30, still=0.5)
        return result

    return act


def close(guest: Guest, title: str) -> None:
    """Close the active window and wait until it is gone: a program that is exiting would lose a
    request to open another file."""
    done(guest, "computer_key", keys=["alt", "f4"])
    for _ in range(100):
        windows = done(guest, "computer_window_list")
        if not any(title in window["title"] for window in windows):
            return
        done(guest, "computer_wait", seconds=0.3)
    pytest.fail(f"the window {title!r} did not close")


def layout(guest: Guest) -> str:
    return guest.run(["xmodmap", "-pke"]).stdout or guest.run(["setxkbmap", "-query"]).stdout


# Typing, checked by what each program received


@proves(
    "the file that gedit saved",
    computer_type="text of many scripts, as it was given",
    computer_key="ctrl and s save",
)
def test_any_text_typed_into_gedit_is_what_the_file_holds(guest: Guest, act: Act) -> None:
    before = layout(guest)
    guest.put("~/typed.txt", b"")
    guest.run(["gedit", "/home/" + guest.health().user + "/typed.txt"], background=True)
    guest.wait_window("typed.txt", timeout=120)
    guest.screenshot(settle=30, still=1)
    act("activate_window", title="typed.txt")
    act("type", text=f"first line\n\t{TEXT}")
    act("key", keys=["ctrl", "s"])
    comes_to_hold(guest, "~/typed.txt", f"first line\n\t{TEXT}\n".encode())
    assert layout(guest) == before
    close(guest, "typed.txt")


def test_more_characters_than_there_are_spare_keys_are_typed_in_order(
    guest: Guest, act: Act
) -> None:
    text = "".join(chr(0x4E00 + 7 * number) for number in range(90)) + "абвгд" * 3
    guest.put("~/many.txt", b"")
    guest.run(["gedit", "/home/" + guest.health().user + "/many.txt"], background=True)
    guest.wait_window("many.txt", timeout=120)
    guest.screenshot(settle=30, still=1)
    act("activate_window", title="many.txt")
    act("type", text=text)
    act("key", keys=["ctrl", "s"])
    comes_to_hold(guest, "~/many.txt", f"{text}\n".encode())
    close(guest, "many.txt")


@proves(
    "the file that gedit saved",
    computer_hold_key="the key repeats while it is held",
    computer_key="the key does not repeat",
    computer_drag="a key held meanwhile does not repeat",
)
def test_a_key_repeats_only_while_it_is_held_on_purpose(guest: Guest, act: Act) -> None:
    guest.put("~/held.txt", b"")
    guest.run(["gedit", "/home/" + guest.health().user + "/held.txt"], background=True)
    guest.wait_window("held.txt", timeout=120)
    guest.screenshot(settle=30, still=1)
    act("activate_window", title="held.txt")
    act("drag", x=600, y=400, to_x=700, to_y=450, keys=["d"])  # about as long as a repeat takes
    act("hold_key", keys=["h"], seconds=2)
    act("key", keys=["k"])
    act("key", keys=["ctrl", "s"])
    assert wait_for(lambda: guest.get("~/held.txt"), 60)
    text = guest.get("~/held.txt").decode()
    assert text.startswith("dhhh")
    assert text.endswith("hk\n")
    assert set(text[1:-2]) == {"h"}
    close(guest, "held.txt")


@proves("a terminal's window", computer_key="a shortcut of the desktop is heard at any time")
def test_a_shortcut_works_right_after_keys_were_reassigned(guest: Guest, act: Act) -> None:
    guest.put("~/strange.txt", b"")
    guest.run(["gedit", f"{guest.home}/strange.txt"], background=True)
    guest.wait_window("strange.txt", timeout=120)
    guest.screenshot(settle=30, still=1)
    for _ in range(3):
        act("activate_window", title="strange.txt")
        done(guest, "computer_type", text="é你")
        done(guest, "computer_key", keys=["ctrl", "alt", "t"])
        done(guest, "computer_wait", seconds=30, window="user@")
        close(guest, "user@")
    done(guest, "computer_key", keys=["ctrl", "s"])
    comes_to_hold(guest, "~/strange.txt", "é你é你é你\n".encode())
    close(guest, "strange.txt")


FIELD = "Kanalstraße 52 äöü"
FIELDS = ("name", "street", "city", "contact", "goods", "remarks")
PAGE = f"""<meta charset=utf-8><title>ready</title>
<form>{"".join(f"<label>{name} <input name={name}></label>" for name in FIELDS)}</form>
<textarea style="width:95vw;height:80vh"></textarea>
<script>
const fields = [...document.querySelectorAll("input, textarea")];
const values = () => encodeURIComponent(JSON.stringify(fields.map((field) => field.value)));
for (const field of fields) field.oninput = () => document.title = "typed " + values();
fields[0].focus();
</script>"""


@proves("the page reports what it got", computer_type="text of many scripts, as it was given")
def test_any_text_typed_into_chromium_is_what_the_page_gets(
    machine: Machine, guest: Guest, act: Act
) -> None:
    guest.put("~/page.html", PAGE.encode())
    home = "/home/" + guest.health().user
    guest.run(["chromium", f"--app=file://{home}/page.html"], background=True)
    guest.wait_window("ready", timeout=240)
    guest.screenshot(settle=60, still=2)
    act("activate_window", title="ready")
    # Into the fields of a form first: it is the page that handles a tab, later than its browser.
    act("type", text="\t".join((*(FIELD for _ in FIELDS), f"{TEXT}\nend")))
    guest.wait_window("end", timeout=60)
    title = next(
        window["title"] for window in act("window_list").value if "typed " in window["title"]
    )
    typed = json.loads(urllib.parse.unquote(title.partition("typed ")[2]))
    assert typed == [*(FIELD for _ in FIELDS), f"{TEXT}\nend"]
    close(guest, "typed ")


@proves("the cells of the sheet", computer_type="tabs and line breaks are keys")
def test_any_text_typed_into_a_spreadsheet_is_in_the_cells(guest: Guest, act: Act) -> None:
    guest.run(["soffice", "--norestore", "--nologo", "--calc"], background=True)
    guest.wait_window("LibreOffice Calc", timeout=180)
    width, height = guest.screenshot(settle=60, still=2).size
    act("activate_window", title="LibreOffice Calc")
    # LibreOffice shows its window before it accepts keys. It is ready when it answers; the first
    # click on the sheet sets the cell for the text.
    done(guest, "calc_get_workbook_info")
    act("click", x=width // 2, y=height // 2)
    cells = ["x <b> €5", "привет", "你好 世界", "🎉 é½"]
    act("type", text="\t".join(cells) + "\n")
    for _ in range(20):
        held = answered(guest, "calc_get_range_values", range_str="A1:Z60")
        if all(f'"{cell}"' in held.text for cell in cells):
            return
        act("wait", seconds=1)
    pytest.fail(f"not all of {cells} are in the sheet: {held.text[:2000]}")


# The mouse and the screen


def test_a_click_outside_the_screen_is_refused_with_its_size(guest: Guest) -> None:
    width, height = guest.screenshot().size
    code, text = refused(guest, "computer_click", x=width, y=5)
    assert code == "off_screen"
    assert f"{width}x{height}" in text
    outside = {"x": 1, "y": 1, "to_x": 1, "to_y": -1}
    assert refused(guest, "computer_drag", **outside)[0] == "off_screen"


def test_the_pointer_moves_and_the_frame_reports_its_position(guest: Guest, act: Act) -> None:
    act("move", x=321, y=234)
    assert act("cursor_position").value == {"x": 321, "y": 234}


def test_an_unknown_key_is_refused_with_a_list_of_keys(guest: Guest) -> None:
    code, text = refused(guest, "computer_key", keys=["ctrl", "hyperdrive"])
    assert code == "bad_key"
    assert "hyperdrive" in text
    assert "pageup" in text


def test_a_missing_window_is_refused_with_a_list_of_windows(guest: Guest) -> None:
    code, text = refused(guest, "computer_activate_window", title="no such window")
    assert code == "no_window"
    assert "Open windows: " in text


@proves("the harness's own picture", computer_screenshot="the same pixels")
def test_a_screenshot_of_the_agent_is_the_picture_the_host_sees(guest: Guest, act: Act) -> None:
    # The clock may tick once between two screenshots.
    for _ in range(3):
        shown = guest.screenshot(settle=30, still=1)
        [image] = act("screenshot").images
        head, _, content = image.partition(",")
        assert head == "data:image/png;base64"
        picture = Image.open(io.BytesIO(base64.b64decode(content))).convert("RGB")
        assert picture.size == shown.size
        if picture.tobytes() == shown.rgb:
            return
    pytest.fail("the two pictures differed three times")


def get_frame(machine: Machine, known: str = "", settle: float = 0.0) -> httpx.Response:
    return httpx.get(
        f"{machine.endpoint}/harness/screenshot",
        params={"known": known, "settle": settle, "still": 1.0},
        headers={"Authorization": f"Bearer {machine.token}"},
        timeout=60,
    )


def test_an_unchanged_screen_is_not_sent_again(machine: Machine, guest: Guest) -> None:
    # The clock may tick once between two screenshots.
    for _ in range(3):
        first = get_frame(machine, settle=30)
        name = first.headers["Ambidex-Frame"].partition('"id":"')[2].partition('"')[0]
        second = get_frame(machine, known=name)
        if second.status_code == 304:
            assert not second.content
            return
    pytest.fail("the screen changed between all three pairs of looks")


def test_only_the_changed_part_of_a_screen_is_sent(
    machine: Machine, guest: Guest, act: Act
) -> None:
    whole = get_frame(machine, settle=30)
    name = whole.headers["Ambidex-Frame"].partition('"id":"')[2].partition('"')[0]
    guest.run(["gnome-terminal"], background=True)
    guest.wait_window(f"{guest.health().user}@", timeout=60)
    patch = get_frame(machine, known=name, settle=30)
    assert patch.status_code == 200
    assert f'"base":"{name}"' in patch.headers["Ambidex-Frame"]
    act("key", keys=["alt", "f4"])


# Exactly once


def test_a_repeated_call_is_not_executed_again(guest: Guest, act: Act) -> None:
    call = ToolCall(uuid.uuid4().hex, "computer_move", {"x": 100, "y": 100})
    first = guest.call(call)
    act("move", x=200, y=200)
    assert guest.call(call) == first
    assert act("cursor_position").value == {"x": 200, "y": 200}


# Breaking in, from a shell of the desktop user


def shell(guest: Guest, script: str) -> str:
    ran = guest.run(["bash", "-c", script])
    return f"{ran.stdout}{ran.stderr}"


def door(guest: Guest) -> int:
    pid = guest.run(["pgrep", "-o", "-u", "ambidex"]).stdout.strip()
    assert pid.isdigit(), "the door does not run as its own account"
    return int(pid)


FIRMWARE = "/sys/firmware/qemu_fw_cfg/by_name/opt/io.systemd.credentials/ambidex.token/raw"
PLACES = ("/etc/ambidex/token", "/run/ambidex/token", "/run/credentials/*/ambidex.token", FIRMWARE)


@pytest.mark.parametrize("place", PLACES)
def test_the_token_file_cannot_be_read(machine: Machine, guest: Guest, place: str) -> None:
    assert machine.token not in shell(guest, f"cat {place}")


@pytest.mark.parametrize("part", ["environ", "mem", "maps", "fd/", "stack", "auxv"])
def test_the_server_process_reveals_nothing(guest: Guest, part: str) -> None:
    path = f"/proc/{door(guest)}/{part}"
    answer = shell(guest, f"ls {path}; head -c 1 {path}" if part == "fd/" else f"head -c 1 {path}")
    assert "Permission denied" in answer


def test_the_server_process_can_be_neither_killed_nor_traced(guest: Guest) -> None:
    pid = door(guest)
    assert "not permitted" in shell(guest, f"kill -9 {pid}")
    attach = f"import ctypes; print(ctypes.CDLL(None).ptrace(16, {pid}, 0, 0))"
    assert guest.run(["python3", "-c", attach]).stdout.strip() == "-1"
    assert door(guest) == pid


KNOCK = """
import sys, urllib.error, urllib.request
for path in ("/harness/health", "/harness/run", "/mcp", "/nowhere"):
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}{path}", timeout=60)
        print("let in")
    except urllib.error.HTTPError as error:
        print(error.code)
"""


def test_without_the_token_the_endpoint_answers_401_from_inside_too(guest: Guest) -> None:
    listening = shell(guest, "grep -h ' 0A ' /proc/net/tcp | awk '{print $2, $8}'")
    uid = guest.run(["id", "-u", "ambidex"]).stdout.strip()
    ports = [
        line.split(":")[1].split()[0] for line in listening.splitlines() if line.endswith(f" {uid}")
    ]
    assert ports
    for port in ports:
        ran = guest.run(["python3", "-c", KNOCK, str(int(port, 16))])
        assert ran.stdout.split() == ["401"] * 4, ran.stderr


READ_WORKERS = """
import os, re
for pid in os.popen("pgrep -u $(id -u) -f '[g]uest.worker'").read().split():
    opened = 0
    for name in ("environ", "maps", "mem"):
        try:
            open(f"/proc/{pid}/{name}", "rb", 0).close()
            opened += 1
        except PermissionError:
            pass
    status = open(f"/proc/{pid}/status").read()
    powers = re.search(r"CapEff:\\t(\\w+)", status)[1], re.search(r"CapAmb:\\t(\\w+)", status)[1]
    print(pid, opened, int(powers[0], 16), int(powers[1], 16))
"""


def test_the_desktop_user_can_read_no_worker_and_workers_have_no_capabilities(guest: Guest) -> None:
    ran = guest.run(["python3", "-c", READ_WORKERS])
    lines = ran.stdout.splitlines()
    assert len(lines) >= 2, ran.stderr
    for line in lines:
        assert line.split()[1:] == ["0", "0", "0"], line


def test_the_desktop_user_is_not_root_in_disguise(guest: Guest) -> None:
    assert "root" not in shell(guest, "id -Gn").split()
    assert guest.run(["sudo", "-n", "id", "-u"]).stdout.strip() != "0"
