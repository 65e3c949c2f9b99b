"""Workers are asked within a bound, killed when they hang and replaced when they end."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from typing import Any

import pytest

from ambidex.guest.processes import Process
from ambidex.guest.workers import Worker, WorkerEndedError, WorkerRefusalError, WorkerTimeoutError

from .conftest import Started


async def ask(worker: Worker, verb: str, timeout: float = 10, body: bytes = b"") -> Any:
    return await worker.ask(f"small_{verb}", {"x": 1}, timeout, body)


async def pid_of(worker: Worker) -> int:
    found: int = (await ask(worker, "answer")).head["value"]["result"]["pid"]
    return found


def test_a_request_and_its_bytes_come_back_answered(started: Started) -> None:
    async def scene() -> None:
        async with started("small") as worker:
            reply = await ask(worker, "answer", body=b"\0\1\2")
            assert reply.head["value"]["result"]["given"] == {"x": 1}
            assert reply.body == b"\2\1\0"

    asyncio.run(scene())


def test_requests_of_one_worker_are_done_one_after_another(started: Started) -> None:
    async def scene() -> None:
        async with started("small") as worker:
            replies = await asyncio.gather(*(ask(worker, "answer") for _ in range(20)))
            deeds = [reply.head["value"]["result"]["deeds"] for reply in replies]
            assert deeds == list(range(1, 21))

    asyncio.run(scene())


def test_a_tool_error_keeps_its_code_and_hint(started: Started) -> None:
    async def scene() -> None:
        async with started("small") as worker:
            with pytest.raises(WorkerRefusalError) as refused:
                await ask(worker, "refuse")
            assert refused.value.error["kind"] == "tool"
            assert refused.value.error["code"] == "no_cell"
            assert refused.value.error["hint"] == "Cells go to XFD1048576."

    asyncio.run(scene())


def test_a_bug_travels_with_its_traceback_and_the_worker_lives_on(started: Started) -> None:
    async def scene() -> None:
        async with started("small") as worker:
            before = await pid_of(worker)
            with pytest.raises(WorkerRefusalError) as refused:
                await ask(worker, "break")
            assert refused.value.error["kind"] == "bug"
            assert "break_down" in refused.value.error["traceback"]
            assert await pid_of(worker) == before

    asyncio.run(scene())


def test_a_hung_worker_is_killed_replaced_and_recovered_and_the_caller_is_told(
    started: Started,
) -> None:
    async def scene() -> None:
        async with started("small") as worker:
            before = await pid_of(worker)
            with pytest.raises(
                WorkerTimeoutError, match=r"small_hang was not done after 0.3 s.*office was rest"
            ):
                await ask(worker, "hang", timeout=0.3)
            assert not os.path.exists(f"/proc/{before}")
            assert await pid_of(worker) != before

    asyncio.run(scene())


def test_a_worker_that_dies_says_so_to_whoever_waits_and_is_replaced(started: Started) -> None:
    async def scene() -> None:
        async with started("small") as worker:
            with pytest.raises(WorkerEndedError, match="exit status 3"):
                await ask(worker, "die")
            assert await pid_of(worker)

    asyncio.run(scene())


def test_with_the_fork_server_end_its_workers_and_both_are_replaced(started: Started) -> None:
    async def scene() -> None:
        async with started("small") as worker:
            before = await pid_of(worker)
            server = worker.processes._server
            assert server is not None
            server.kill()
            with pytest.raises(WorkerEndedError, match="exit status -9"):
                await ask(worker, "hang")
            assert await pid_of(worker) != before
            assert not os.path.exists(f"/proc/{before}/exe")  # not even of one nobody has reaped

    asyncio.run(scene())


def test_only_a_child_of_the_fork_server_is_killed_whatever_number_was_told() -> None:
    async def scene() -> None:
        with subprocess.Popen(["sleep", "60"], start_new_session=True) as other:
            Process(other.pid, 1).kill()
            with pytest.raises(subprocess.TimeoutExpired):
                other.wait(0.2)
            Process(other.pid, os.getpid()).kill()
            assert other.wait(10) == -signal.SIGKILL

    asyncio.run(scene())


def test_a_fork_server_that_does_not_answer_is_replaced(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> None:
        async with started("small") as worker:
            assert await pid_of(worker)
            server = worker.processes._server
            assert server is not None
            monkeypatch.setattr("ambidex.guest.processes.END_WITHIN", 0.5)
            monkeypatch.setattr("ambidex.guest.processes.START_WITHIN", 0.5)
            server.send_signal(signal.SIGSTOP)
            with pytest.raises(WorkerEndedError, match="exit status unknown"):
                await ask(worker, "die")
            monkeypatch.undo()
            assert await pid_of(worker)
            assert worker.processes._server is not server

    asyncio.run(scene())


def test_a_worker_that_never_starts_says_why_and_does_not_spin(started: Started) -> None:
    async def scene() -> None:
        async with started("stillborn") as worker:
            with pytest.raises(
                WorkerEndedError, match=r"not ready: does not start .*no office is installed"
            ):
                await worker.wait_until_up(within=60)
            starts = worker._starts
            with pytest.raises(WorkerEndedError, match="no office is installed"):
                await worker.wait_until_up(within=60)
            assert worker._starts == starts + 1

    asyncio.run(scene())


def test_a_worker_inherits_no_variable_and_no_file_of_the_door(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", "/run/credentials/ambidex-guest.service")

    async def scene() -> None:
        with open("/etc/hostname") as held:
            os.set_inheritable(held.fileno(), True)
            async with started("small") as worker:
                value = (await worker.ask("environment", {}, 10)).head["value"]
        assert "CREDENTIALS_DIRECTORY" not in value["environment"]
        # Three streams, the channel, and the folder that lists them.
        assert len(value["open"]) == 5

    asyncio.run(scene())


def test_a_worker_speaks_the_sessions_language_not_the_doors(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "C.UTF-8")

    async def scene() -> None:
        async with started("small") as worker:
            assert (await told(worker))["LANG"] == "C.UTF-8"
            worker.session = {"LANG": "de_DE.UTF-8", "DISPLAY": ":7"}
            with pytest.raises(WorkerEndedError):
                await ask(worker, "die")
            await worker.wait_until_up(within=60)
            now = await told(worker)
            assert (now["LANG"], now["DISPLAY"]) == ("de_DE.UTF-8", ":7")
            assert now["HOME"] == worker.processes.account.home

    async def told(worker: Worker) -> dict[str, str]:
        value = (await worker.ask("environment", {}, 10)).head["value"]
        found: dict[str, str] = value["environment"]
        return found

    asyncio.run(scene())


def test_ending_the_door_ends_the_worker(started: Started) -> None:
    async def scene() -> int:
        async with started("small") as worker:
            return await pid_of(worker)

    assert not os.path.exists(f"/proc/{asyncio.run(scene())}")
