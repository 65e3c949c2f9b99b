"""Tools for settings, sound, the terminal, git and arithmetic, checked with gsettings, dconf,
pactl, git and a shell that is typed into.
"""

import math
from typing import Any

import pytest

from ambidex.host.client.guest import Guest
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import done, read, refused

INTERFACE = "org.gnome.desktop.interface"


def stored(guest: Guest, schema: str, key: str) -> str:
    """The setting as gsettings prints it."""
    return read(guest, "gsettings", "get", schema, key)


def changes(listed: list[dict[str, Any]]) -> dict[str, tuple[object, object]]:
    """Old and new values by key."""
    return {entry["key"]: (entry["old"], entry["new"]) for entry in listed}


@proves(
    "gsettings reads and writes the setting",
    os_change_text_scale="text is larger, and the old scale is told",
    os_get_text_scale="a value set by another program",
    os_set_do_not_disturb="banners are off",
    os_get_do_not_disturb_status="a value set by another program",
)
def test_text_scale_and_do_not_disturb_are_set_and_read(guest: Guest) -> None:
    changed = done(guest, "os_change_text_scale", new_scale=1.25)
    assert (changed["old"], changed["new"]) == (1, 1.25)
    assert stored(guest, INTERFACE, "text-scaling-factor") == "1.25"
    read(guest, "gsettings", "set", INTERFACE, "text-scaling-factor", "0.75")
    assert done(guest, "os_get_text_scale") == 0.75
    assert done(guest, "os_change_text_scale", new_scale=1)["old"] == 0.75
    assert refused(guest, "os_change_text_scale", new_scale=7)[0] == "bad_arguments"

    notifications = ("org.gnome.desktop.notifications", "show-banners")
    done(guest, "os_set_do_not_disturb", enable=True)
    assert stored(guest, *notifications) == "false"
    done(guest, "os_set_do_not_disturb", enable=True)
    assert done(guest, "os_get_do_not_disturb_status") == {"enabled": True}
    read(guest, "gsettings", "set", *notifications, "true")
    assert done(guest, "os_get_do_not_disturb_status") == {"enabled": False}
    assert refused(guest, "os_set_do_not_disturb", enable="perhaps")[0] == "bad_arguments"
    for tool in ("os_get_text_scale", "os_get_do_not_disturb_status"):
        assert refused(guest, tool, of="me")[0] == "bad_arguments"


@proves("gsettings reads the settings", os_configure_auto_lock="delays and lock, old and new")
def test_the_screen_lock_is_configured_and_each_change_is_returned(guest: Guest) -> None:
    arguments = {"idle_delay_seconds": 7200, "lock_delay_seconds": 30}
    listed = changes(done(guest, "os_configure_auto_lock", **arguments))
    assert listed["idle-delay"] == (0, 7200)
    assert listed["lock-delay"] == (0, 30)
    assert listed["lock-enabled"] == (False, True)
    assert listed["disable-lock-screen"] == (True, False)
    assert stored(guest, "org.gnome.desktop.session", "idle-delay") == "uint32 7200"
    assert stored(guest, "org.gnome.desktop.screensaver", "lock-delay") == "uint32 30"
    assert stored(guest, "org.gnome.desktop.screensaver", "idle-activation-enabled") == "true"
    assert stored(guest, "org.gnome.desktop.lockdown", "disable-lock-screen") == "false"
    off = done(guest, "os_configure_auto_lock", idle_delay_seconds=0, enable_lock=False)
    assert changes(off)["idle-delay"] == (7200, 0)
    assert stored(guest, "org.gnome.desktop.screensaver", "lock-enabled") == "false"
    assert refused(guest, "os_configure_auto_lock", idle_delay_seconds=-1)[0] == "bad_arguments"


def heard(guest: Guest, what: str) -> str:
    return read(guest, "env", "LC_ALL=C", "pactl", what, "@DEFAULT_SINK@")


@proves(
    "pactl reads and sets the volume",
    os_set_volume="louder, silent, and heard again",
    os_get_volume="a value set by another program",
)
def test_the_volume_is_set(guest: Guest) -> None:
    assert done(guest, "os_set_volume", percent=37)["percent"] == 37
    assert " 37%" in heard(guest, "get-sink-volume")
    assert done(guest, "os_set_volume", percent=100, mute=True)["muted"] is True
    assert heard(guest, "get-sink-mute") == "Mute: yes"
    assert done(guest, "os_set_volume", percent=80)["muted"] is True
    assert done(guest, "os_set_volume", percent=80, mute=False)["muted"] is False
    assert heard(guest, "get-sink-mute") == "Mute: no"
    read(guest, "pactl", "set-sink-volume", "@DEFAULT_SINK@", "30%", "55%")
    current = done(guest, "os_get_volume")
    assert (current["percent"], current["muted"]) == (55, False)
    assert refused(guest, "os_set_volume", percent=1000)[0] == "bad_arguments"
    assert refused(guest, "os_get_volume", channel=1)[0] == "bad_arguments"


@proves(
    "dconf, and stty in the shell that was typed into",
    os_set_default_terminal_size="a new terminal has that size",
    os_open_shell="what is typed goes to the new shell, in the folder asked for",
)
def test_a_terminal_opens_focused_in_the_configured_size(guest: Guest) -> None:
    listed = changes(done(guest, "os_set_default_terminal_size", columns=101, rows=31))
    assert listed["default-size-columns"] == (80, 101)
    assert "default-size-rows=31" in read(guest, "dconf", "dump", "/org/gnome/terminal/")
    done(guest, "os_open_shell")
    read(guest, "mkdir", "-p", "/home/user/пап ка")
    second = done(guest, "os_open_shell", directory="~/пап ка")
    assert second["directory"] == "/home/user/пап ка"
    windows = done(guest, "computer_window_list")
    assert [window["app"] for window in windows].count("Gnome-terminal") == 2
    front = next(window for window in windows if window["active"])
    assert {name: front[name] for name in ("title", "x", "y")} == {
        name: second[name] for name in ("title", "x", "y")
    }
    done(
        guest,
        "computer_type",
        text="(stty size; pwd; echo $LANG) > seen.part && mv seen.part seen\n",
    )
    wait = 'until test -e "$0"; do sleep 0.1; done; cat "$0"'
    shown = guest.run(["sh", "-c", wait, "/home/user/пап ка/seen"], timeout=90).stdout
    session = read(guest, "printenv", "LANG")
    assert shown.splitlines() == ["31 101", "/home/user/пап ка", session]
    assert refused(guest, "os_open_shell", directory="~/nowhere")[0] == "not_found"
    wrong = refused(guest, "os_set_default_terminal_size", columns=0, rows=24)
    assert wrong[0] == "bad_arguments"


@proves("Python's math works it out as well", os_calculator="values, and what is refused")
def test_only_arithmetic_is_evaluated(guest: Guest) -> None:
    assert done(guest, "os_calculator", expression="(1234.5 + 0.1) * 2^3 / sqrt(2)") == (
        pytest.approx((1234.5 + 0.1) * 2**3 / math.sqrt(2), rel=1e-14)
    )
    assert done(guest, "os_calculator", expression="2**100") == 2**100
    for expression, code in (
        ("__import__('os').getpid()", "bad_expression"),
        ("9**9**9**9", "too_large"),
        ("1 / (2 - 2)", "undefined"),
    ):
        assert refused(guest, "os_calculator", expression=expression)[0] == code


def asked(guest: Guest, *words: str) -> str:
    return read(guest, "git", "-C", "/home/user/my проект", *words)


@proves(
    "git's own command line in the harness",
    os_git_operation="a repository, a commit in it, and its output",
    os_git_set_user_info="who commits are by, everywhere and in one repository",
)
def test_git_runs_commands_and_returns_their_output(guest: Guest) -> None:
    where = {"repo_path": "~/my проект"}
    assert refused(guest, "os_git_operation", operation="status")[0] == "no_repository"
    assert refused(guest, "os_git_operation", operation="status", **where)[0] == "not_found"
    done(guest, "os_git_operation", operation="init", arguments=["my проект"])
    assert refused(guest, "os_git_operation", operation="log -1", **where)[0] == "bad_arguments"

    nobody = {"username": "Zoë Жукова", "email": "zoe@example.org"}
    code = refused(guest, "os_git_set_user_info", **nobody, is_global=False)[0]
    assert code == "no_repository"
    first = done(guest, "os_git_set_user_info", **nobody, is_global=True)
    assert (first["old_name"], first["file"]) == (None, "/home/user/.gitconfig")
    assert read(guest, "git", "config", "--global", "user.name") == "Zoë Жукова"
    here = {**nobody, "email": "zoe@work.example", "is_global": False}
    done(guest, "os_git_set_user_info", **here, **where)
    assert done(guest, "os_git_set_user_info", **here, **where)["old_email"] == "zoe@work.example"
    assert asked(guest, "config", "--local", "user.email") == "zoe@work.example"
    assert read(guest, "git", "config", "--global", "user.email") == "zoe@example.org"

    # No shell is involved: file names and messages may have any character.
    guest.put("~/my проект/$(touch pwned) ';.txt", b"x\n")
    done(guest, "os_git_operation", operation="add", arguments=["."], **where)
    message = 'Fix `title`; "quoted" & $HOME\n\nпривет'
    done(guest, "os_git_operation", operation="commit", arguments=["-m", message], **where)
    assert asked(guest, "log", "--format=%an <%ae>%n%B") == (
        f"Zoë Жукова <zoe@work.example>\n{message}"
    )
    answer = done(guest, "os_git_operation", operation="log", arguments=["--oneline"], **where)
    assert answer["output"].endswith('Fix `title`; "quoted" & $HOME')
    assert asked(guest, "status", "--porcelain") == ""
    nothing = refused(guest, "os_git_operation", operation="commit", **where)
    assert nothing[0] == "git"
    assert "nothing to commit" in nothing[1]


def test_git_never_waits_for_input(guest: Guest) -> None:
    # A server that asks for a password, and a commit without a message.
    serve = """
import http.server
class Locked(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="x"')
        self.end_headers()
http.server.HTTPServer(("127.0.0.1", 8123), Locked).serve_forever()
"""
    guest.run(["python3", "-c", serve], background=True)
    up = "until (exec 3<>/dev/tcp/127.0.0.1/8123) 2>/dev/null; do sleep 0.1; done"
    read(guest, "timeout", "20", "bash", "-c", up)
    code, text = refused(
        guest, "os_git_operation", operation="clone", arguments=["http://127.0.0.1:8123/x.git"]
    )
    assert code == "git"
    assert "Authentication failed" in text or "could not read" in text
    read(guest, "git", "init", "-q", "/home/user/e")
    arguments = {"operation": "commit", "arguments": ["--allow-empty"], "repo_path": "~/e"}
    assert "empty commit message" in refused(guest, "os_git_operation", **arguments)[1]
