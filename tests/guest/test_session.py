"""The desktop session is found among the processes of the desktop user."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ambidex.guest.desktop.session import NoSessionError, environments, find_session
from ambidex.mcp_tools.waiting import wait_for

UID = os.getuid()
PANEL = {
    "DISPLAY": ":0",
    "XAUTHORITY": "/home/user/.Xauthority",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus",
    "XDG_RUNTIME_DIR": "/run/user/1000",
    "XDG_CURRENT_DESKTOP": "GNOME-Flashback:GNOME",
}


def process(proc: Path, pid: int, environment: dict[str, str]) -> None:
    (proc / str(pid)).mkdir()
    pairs = "\0".join(f"{name}={value}" for name, value in environment.items())
    (proc / str(pid) / "environ").write_bytes(pairs.encode())


def test_the_process_with_most_variables_of_the_session_is_used(tmp_path: Path) -> None:
    process(tmp_path, 20, {"DISPLAY": ":0", "LANG": "C"})
    process(tmp_path, 100, {**PANEL, "SESSION_MANAGER": "local/desk"})
    process(tmp_path, 30, {"HOME": "/home/user"})
    (tmp_path / "self").mkdir()
    session = find_session(environments(tmp_path, UID), UID, tmp_path / "none")
    assert session == {**PANEL, "SESSION_MANAGER": "local/desk"}


def test_a_process_whose_environment_cannot_be_read_is_skipped(tmp_path: Path) -> None:
    (tmp_path / "5").mkdir()
    process(tmp_path, 6, PANEL)
    assert environments(tmp_path, UID) == [PANEL]


def test_processes_of_other_users_are_ignored(tmp_path: Path) -> None:
    process(tmp_path, 6, PANEL)
    assert environments(tmp_path, UID + 1) == []


def test_the_error_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(NoSessionError, match="none of 1 processes of user 7 has a DISPLAY"):
        find_session([{"HOME": "/"}], 7, tmp_path)
    with pytest.raises(
        NoSessionError, match=r"on :0 has no DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR"
    ):
        find_session([{"DISPLAY": ":0"}], 7, tmp_path)


def test_the_user_s_bus_is_found_in_the_runtime_folder(tmp_path: Path) -> None:
    home = tmp_path / str(UID)
    home.mkdir()
    (home / "bus").touch()
    session = find_session([{"DISPLAY": ":0"}], UID, tmp_path)
    assert session["DBUS_SESSION_BUS_ADDRESS"] == f"unix:path={home / 'bus'}"
    assert session["XDG_RUNTIME_DIR"] == str(home)


def test_wait_for_returns_the_first_value_or_none_after_its_bound() -> None:
    values = iter([None, None, "there"])
    assert wait_for(lambda: next(values), within=5, every=0.001) == "there"
    assert wait_for(lambda: None, within=0.01, every=0.001) is None
