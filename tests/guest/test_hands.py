"""Operations of the harness worker: commands, files, windows."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ambidex.guest import HarnessError
from ambidex.guest.commands import OUTPUT, run, write_file
from ambidex.guest.desktop.harness_verbs import check_desktop, wait_for_window
from ambidex.mcp_tools.display.x11 import Window
from ambidex.mcp_tools.waiting import wait_for
from tests.support.tables import every_case


def command(*argv: str, **options: Any) -> dict[str, Any]:
    defaults: dict[str, Any] = {
        "cwd": "/",
        "env": {},
        "input": None,
        "timeout": 10,
        "background": False,
    }
    value: dict[str, Any] = run({"argv": list(argv), **defaults, **options}, b"").value
    return value


def test_a_command_returns_its_output_and_status() -> None:
    result = command("sh", "-c", "cat; echo $WORD >&2; pwd; exit 3", input="ß", env={"WORD": "up"})
    assert result == {
        "returncode": 3,
        "stdout": "ß/\n",
        "stderr": "up\n",
        "timed_out": False,
        "truncated": False,
    }


def test_a_command_that_times_out_is_killed_with_its_children() -> None:
    result = command("sh", "-c", "echo started; sleep 600 & echo $!; wait", timeout=0.3)
    assert result["timed_out"]
    started, child = result["stdout"].split()
    assert started == "started"
    assert wait_for(lambda: not is_alive(int(child)), within=5)


def is_alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def test_a_program_left_running_does_not_delay_the_command() -> None:
    result = command("sh", "-c", "sleep 600 & echo $!", timeout=10)
    os.kill(int(result["stdout"]), 9)
    assert not result["timed_out"]


def test_a_background_command_returns_its_pid() -> None:
    pid = command("sleep", "600", background=True)["pid"]
    assert is_alive(pid)
    os.kill(pid, 9)


def test_long_output_is_truncated_and_marked_so() -> None:
    result = command(sys.executable, "-c", f"print('x' * {OUTPUT * 2})")
    assert result["truncated"]
    assert len(result["stdout"]) == OUTPUT


def test_a_missing_command_is_named() -> None:
    with pytest.raises(HarnessError, match="no-such-program"):
        command("no-such-program")


def test_a_file_is_written_unchanged_and_its_folders_are_created(tmp_path: Path) -> None:
    path = str(tmp_path / "new" / "ß.bin")
    write_file({"path": path}, b"\0\xff")
    assert Path(path).expanduser().read_bytes() == b"\0\xff"


@every_case(
    ("operation", "code", "status"),
    [
        (lambda folder: write_file({"path": str(folder)}, b""), "directory", 400),
        (lambda folder: write_file({"path": "relative"}, b""), "bad_path", 400),
        (lambda folder: write_file({"path": "/proc/none/x"}, b""), "unwritable", 400),
    ],
)
def test_a_path_that_cannot_be_a_file_is_refused_with_a_code(
    operation: Callable[[Path], object], code: str, status: int, tmp_path: Path
) -> None:
    with pytest.raises(HarnessError) as caught:
        operation(tmp_path)
    assert (caught.value.code, caught.value.status) == (code, status)


def test_a_window_is_found_by_a_part_of_its_title_ignoring_case() -> None:
    window = Window(1, "budget.xlsx - LibreOffice Calc", "soffice", 0, 0, 9, 9, True, False)
    assert wait_for_window(lambda: [window], "BUDGET", 1) == window


def test_the_error_for_a_missing_window_lists_the_existing_ones() -> None:
    window = Window(1, "Tip of the Day", "soffice", 0, 0, 9, 9, True, False)
    with pytest.raises(HarnessError, match="'Tip of the Day'") as caught:
        wait_for_window(lambda: [window], "budget", 0.01)
    assert caught.value.status == 408


def test_a_failed_session_is_detected() -> None:
    assert check_desktop([]) == {"ok": True, "seen": "whole"}
    assert check_desktop(["Soffice", ""])["ok"]
    seen = "gnome-session-failed has a window"
    assert check_desktop(["Soffice", "Gnome-session-failed"]) == {"ok": False, "seen": seen}
