"""Commands and files as the host asks for them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ambidex.guest import HarnessError
from ambidex.guest.desktop.harness_verbs import OUTPUT, run, wait_for_window, whole, write_file
from ambidex.mcp_tools.display.x11 import Window
from ambidex.mcp_tools.waiting import wait_for


def command(*argv: str, **more: Any) -> dict[str, Any]:
    given = {"cwd": "/", "env": {}, "input": None, "timeout": 10, "background": False}
    value: dict[str, Any] = run({"argv": list(argv), **given, **more}, b"").value
    return value


def test_a_command_gives_its_outputs_and_its_status() -> None:
    ran = command("sh", "-c", "cat; echo $WORD >&2; pwd; exit 3", input="ß", env={"WORD": "up"})
    assert ran == {
        "returncode": 3,
        "stdout": "ß/\n",
        "stderr": "up\n",
        "timed_out": False,
        "truncated": False,
    }


def test_a_command_that_outlasts_its_bound_is_ended_with_its_children() -> None:
    ran = command("sh", "-c", "echo begun; sleep 600 & echo $!; wait", timeout=0.3)
    assert ran["timed_out"]
    begun, child = ran["stdout"].split()
    assert begun == "begun"
    assert wait_for(lambda: not alive(int(child)), within=5)


def alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def test_a_program_left_behind_does_not_hold_the_command_up() -> None:
    ran = command("sh", "-c", "sleep 600 & echo $!", timeout=10)
    os.kill(int(ran["stdout"]), 9)
    assert not ran["timed_out"]


def test_a_program_in_the_background_is_told_by_its_pid() -> None:
    pid = command("sleep", "600", background=True)["pid"]
    assert alive(pid)
    os.kill(pid, 9)


def test_output_without_end_is_cut_and_says_so() -> None:
    ran = command(sys.executable, "-c", f"print('x' * {OUTPUT * 2})")
    assert ran["truncated"]
    assert len(ran["stdout"]) == OUTPUT


def test_a_command_that_is_not_there_is_named() -> None:
    with pytest.raises(HarnessError, match="no-such-program"):
        command("no-such-program")


def test_a_file_comes_back_as_it_was_put_and_its_folders_are_made(tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "ß.bin")
    write_file({"path": path}, b"\0\xff")
    assert Path(path).expanduser().read_bytes() == b"\0\xff"


@pytest.mark.parametrize(
    ("act", "code", "status"),
    [
        (lambda folder: write_file({"path": str(folder)}, b""), "directory", 400),
        (lambda folder: write_file({"path": "relative"}, b""), "bad_path", 400),
        (lambda folder: write_file({"path": "/proc/none/x"}, b""), "unwritable", 400),
    ],
)
def test_what_is_no_file_is_refused_with_a_code(
    act: Callable[[Path], object], code: str, status: int, tmp_path: Path
) -> None:
    with pytest.raises(HarnessError) as refused:
        act(tmp_path)
    assert (refused.value.code, refused.value.status) == (code, status)


def test_a_window_is_found_by_a_part_of_its_title_in_any_case() -> None:
    window = Window(1, "budget.xlsx - LibreOffice Calc", "soffice", 0, 0, 9, 9, True, False)
    assert wait_for_window(lambda: [window], "BUDGET", 1) == window


def test_a_window_that_does_not_come_is_answered_with_those_that_are_there() -> None:
    window = Window(1, "Tip of the Day", "soffice", 0, 0, 9, 9, True, False)
    with pytest.raises(HarnessError, match="'Tip of the Day'") as refused:
        wait_for_window(lambda: [window], "budget", 0.01)
    assert refused.value.status == 408


def test_a_session_that_has_given_up_is_not_whole() -> None:
    assert whole([]) == {"ok": True, "seen": "whole"}
    assert whole(["Soffice", ""])["ok"]
    seen = "gnome-session-failed has a window"
    assert whole(["Soffice", "Gnome-session-failed"]) == {"ok": False, "seen": seen}
