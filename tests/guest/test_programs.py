"""Detection of busy programs: on real processes, and on ones that work as a test says."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from ambidex.guest.desktop import programs
from ambidex.guest.desktop.programs import Programs, processors
from ambidex.mcp_tools.display.threads import demanded_time

WORKS = "print(flush=True)\nwhile True: pass"
WORKS_FOR_A_BROWSER = """
import os
browser = os.getppid()
print(flush=True)
while os.getppid() == browser: pass
"""
WAITS = "import time\nprint(flush=True)\ntime.sleep(60)"
ONLY_A_SECOND_THREAD_WORKS = """
import threading
def spin():
    while True: sum(range(10**6))
threading.Thread(target=spin, daemon=True).start()
print(flush=True)
threading.Event().wait(60)
"""

BROWSER = f"""
import subprocess, sys
command = [sys.executable, "-c", {WORKS_FOR_A_BROWSER!r}, *sys.argv[1:]]
with subprocess.Popen(command, stdout=subprocess.PIPE) as page:
    page.stdout.readline()
    print(flush=True)
    page.wait()
"""


def start(program: str, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", program, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    return process


@pytest.fixture
def run() -> Iterator[list[subprocess.Popen[bytes]]]:
    running: list[subprocess.Popen[bytes]] = []
    yield running
    for process in running:
        process.kill()
        process.communicate()


def idle() -> float:
    return 0.0


def check_four_times(pids: list[int]) -> list[bool]:
    checked = Programs(lambda: {pid: {1} for pid in pids}, idle)
    results = [checked.at_work()]
    for _ in range(3):
        time.sleep(0.2)
        results.append(checked.at_work())
    return results


def test_a_program_whose_main_thread_runs_is_busy(run: list[subprocess.Popen[bytes]]) -> None:
    run += [start(WORKS)]
    first, *later = check_four_times([run[0].pid])
    assert not first  # there is nothing to compare with
    assert any(later)


def test_a_program_whose_main_thread_waits_is_not_busy_whatever_its_other_threads_do(
    run: list[subprocess.Popen[bytes]],
) -> None:
    run += [start(WAITS), start(ONLY_A_SECOND_THREAD_WORKS)]
    assert check_four_times([process.pid for process in run]) == [False] * 4


@pytest.mark.parametrize(("argument", "busy"), [("--type=renderer", True), ("--type=gpu", False)])
def test_a_browser_whose_page_works_is_busy(
    run: list[subprocess.Popen[bytes]], argument: str, busy: bool
) -> None:
    run += [start(BROWSER, argument)]
    assert any(check_four_times([run[0].pid])) is busy


def test_a_program_that_has_ended_is_not_busy(run: list[subprocess.Popen[bytes]]) -> None:
    ended = start("print(flush=True)")
    ended.wait()
    ended.communicate()
    assert check_four_times([ended.pid]) == [False] * 4


class Work:
    """Programs that work as a test says, in its own time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **windows: set[int]) -> None:
        self.windows = {int(name.removeprefix("p")): shown for name, shown in windows.items()}
        self._used: dict[int, float] = defaultdict(float)
        self._now = 1.0
        clock = SimpleNamespace(monotonic=lambda: self._now)
        monkeypatch.setattr(programs, "time", clock)
        monkeypatch.setattr(programs, "main_thread_time", self._used.__getitem__)
        monkeypatch.setattr(programs, "state", lambda pid: "S")
        self.programs = Programs(lambda: dict(self.windows), idle)
        self.programs.at_work()

    def goes_on(self, *working: int) -> bool:
        """Whether they are at work after 0.2 s in which these have worked."""
        self._now += 0.2
        for pid in working:
            self._used[pid] += 0.2
        return self.programs.at_work()


def test_a_program_that_was_given_up_counts_again_after_it_was_idle(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work = Work(monkeypatch, p1={1})
    assert work.goes_on(1)
    work.programs.give_up()
    assert not work.goes_on(1)
    assert [work.goes_on() for _ in range(3)] == [False] * 3
    assert not work.goes_on(1), "it was idle for less than a second"
    assert [work.goes_on() for _ in range(6)] == [False] * 6
    assert work.goes_on(1)


def test_a_program_that_was_given_up_counts_again_after_it_opened_a_window(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work = Work(monkeypatch, p1={1}, p2={2})
    assert work.goes_on(1, 2)
    work.programs.give_up()
    work.windows[2] = set()  # closing one does not count
    assert not work.goes_on(1, 2)
    work.windows[1] = {1, 3}
    assert work.goes_on(1, 2)
    work.programs.give_up()
    assert not work.goes_on(1, 2)


def test_a_page_that_was_given_up_counts_again_after_its_browser_opened_a_window(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(programs, "pages", lambda browsers: {3: 1})
    work = Work(monkeypatch, p1={1}, p2={2})
    assert work.goes_on(3)
    work.programs.give_up()
    work.windows[2] = {2, 4}
    assert not work.goes_on(3)
    work.windows[1] = {1, 5}
    assert work.goes_on(3)


def test_a_short_idle_time_does_not_count() -> None:
    used = [0.0]
    programs = Programs(lambda: {}, lambda: used[0])
    programs.at_work()
    for busy in (True, False, True):
        time.sleep(0.05)
        used[0] += busy
        assert programs.at_work() is (busy and used[0] == 1)
        programs.give_up()


def test_busy_processors_count_whatever_uses_them() -> None:
    programs = Programs(lambda: {}, time.monotonic)
    assert not programs.at_work()
    time.sleep(0.05)
    assert programs.at_work()


def test_processor_time_of_other_processes_counts(
    run: list[subprocess.Popen[bytes]],
) -> None:
    before = processors()
    run += [start(WORKS)]
    time.sleep(0.5)
    assert processors() - before > 0.2


def test_the_time_that_a_program_waits_for_a_processor_counts(
    run: list[subprocess.Popen[bytes]],
) -> None:
    run += [start(WORKS), start(WORKS)]
    [one, *_] = os.sched_getaffinity(0)
    for process in run:
        os.sched_setaffinity(process.pid, {one})
    before = [demanded_time(process.pid) for process in run]
    began = time.monotonic()
    time.sleep(1.0)
    pairs = zip(run, before, strict=True)
    increases = [demanded_time(process.pid) - seconds for process, seconds in pairs]
    assert min(increases) > 0.8 * (time.monotonic() - began)
