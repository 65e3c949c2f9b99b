"""Whether a program is at work, seen on real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from ambidex.guest.desktop.programs import Programs, processors
from ambidex.mcp_tools.display.threads import demanded_time

WORKS = "print(flush=True)\nwhile True: pass"
WAITS = "import time\nprint(flush=True)\ntime.sleep(60)"
ONLY_A_SECOND_THREAD_WORKS = """
import threading
def spin():
    while True: sum(range(10**6))
threading.Thread(target=spin, daemon=True).start()
print(flush=True)
threading.Event().wait(60)
"""


def started(program: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
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


def seen(pids: list[int]) -> list[bool]:
    programs = Programs(lambda: pids, idle)
    answers = [programs.at_work()]
    for _ in range(3):
        time.sleep(0.2)
        answers.append(programs.at_work())
    return answers


def test_a_program_whose_first_thread_runs_is_at_work(run: list[subprocess.Popen[bytes]]) -> None:
    run += [started(WORKS)]
    first, *later = seen([run[0].pid])
    assert not first  # nothing to compare with
    assert any(later)


def test_one_that_waits_is_not_whatever_its_other_threads_do(
    run: list[subprocess.Popen[bytes]],
) -> None:
    run += [started(WAITS), started(ONLY_A_SECOND_THREAD_WORKS)]
    assert seen([each.pid for each in run]) == [False] * 4


def test_one_that_has_ended_is_not(run: list[subprocess.Popen[bytes]]) -> None:
    gone = started("print(flush=True)")
    gone.wait()
    gone.communicate()
    assert seen([gone.pid]) == [False] * 4


def test_one_that_never_comes_to_rest_is_waited_for_once(
    run: list[subprocess.Popen[bytes]],
) -> None:
    run += [started(WORKS)]
    programs = Programs(lambda: [run[0].pid], idle)
    programs.at_work()
    time.sleep(0.2)
    assert programs.at_work()
    programs.give_up()
    time.sleep(0.2)
    assert not programs.at_work()
    run[0].send_signal(signal.SIGSTOP)
    for _ in range(7):  # it comes to rest
        time.sleep(0.2)
        programs.at_work()
    run[0].send_signal(signal.SIGCONT)
    time.sleep(0.2)
    assert programs.at_work()


def test_a_short_rest_is_none() -> None:
    spent = [0.0]
    programs = Programs(lambda: [], lambda: spent[0])
    programs.at_work()
    for busy in (True, False, True):
        time.sleep(0.05)
        spent[0] += busy
        assert programs.at_work() is (busy and spent[0] == 1)
        programs.give_up()


def test_processors_without_rest_are_work_whoever_keeps_them_busy() -> None:
    programs = Programs(lambda: [], time.monotonic)
    assert not programs.at_work()
    time.sleep(0.05)
    assert programs.at_work()


def test_what_other_processes_use_of_the_processors_counts(
    run: list[subprocess.Popen[bytes]],
) -> None:
    before = processors()
    run += [started(WORKS)]
    time.sleep(0.5)
    assert processors() - before > 0.2


def test_a_program_that_waits_for_a_processor_wants_one(
    run: list[subprocess.Popen[bytes]],
) -> None:
    run += [started(WORKS), started(WORKS)]
    [one, *_] = os.sched_getaffinity(0)
    for each in run:
        os.sched_setaffinity(each.pid, {one})
    before = [demanded_time(each.pid) for each in run]
    start = time.monotonic()
    time.sleep(1.0)
    grown = [demanded_time(each.pid) - was for each, was in zip(run, before, strict=True)]
    assert min(grown) > 0.8 * (time.monotonic() - start)
