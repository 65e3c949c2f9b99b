"""Workers are asked with a timeout, killed if they hang and replaced when they end."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from typing import Any

import pytest

from ambidex.guest.processes import Process
from ambidex.guest.workers import Worker, WorkerEndedError, WorkerRefusalError, WorkerTimeoutError

from .conftest import StartWorker


async def ask(worker: Worker, operation: str, timeout: float = 10, body: bytes = b"") -> Any:
    return await worker.ask(f"small_{operation}", {"x": 1}, timeout, body)


async def pid_of(worker: Worker) -> int:
    pid: int = (await ask(worker, "answer")).head["value"]["result"]["pid"]
    return pid


def test_a_request_with_a_body_is_answered(start_worker: StartWorker) -> None:
    async def scene() -> None:
        async with start_worker("small") as worker:
            reply = await ask(worker, "answer", body=b"\0\1\2")
            assert reply.head["value"]["result"]["given"] == {"x": 1}
            assert reply.body == b"\2\1\0"

    asyncio.run(scene())


def test_requests_to_one_worker_are_executed_one_after_another(start_worker: StartWorker) -> None:
    async def scene() -> None:
        async with start_worker("small") as worker:
            replies = await asyncio.gather(*(ask(worker, "answer") for _ in range(20)))
            counts = [reply.head["value"]["result"]["calls"] for reply in replies]
            assert counts == list(range(1, 21))

    asyncio.run(scene())


def test_a_tool_error_keeps_its_code_and_hint(start_worker: StartWorker) -> None:
    async def scene() -> None:
        async with start_worker("small") as worker:
            with pytest.raises(WorkerRefusalError) as refused:
                await ask(worker, "refuse")
            assert refused.value.error["kind"] == "tool"
            assert refused.value.error["code"] == "no_cell"
            assert refused.value.error["hint"] == "Cells go to XFD1048576."

    asyncio.run(scene())


def test_a_bug_is_reported_with_its_traceback_and_the_worker_survives(
    start_worker: StartWorker,
) -> None:
    async def scene() -> None:
        async with start_worker("small") as worker:
            before = await pid_of(worker)
            with pytest.raises(WorkerRefusalError) as refused:
                await ask(worker, "break")
            assert refused.value.error["kind"] == "bug"
            assert "break_down" in refused.value.error["traceback"]
            assert await pid_of(worker) == before

    asyncio.run(scene())


def test_a_hung_worker_is_killed_replaced_and_recovered_and_the_caller_gets_an_error(
    start_worker: StartWorker,
) -> None:
    async def scene() -> None:
        async with start_worker("small") as worker:
            before = await pid_of(worker)
            with pytest.raises(
                WorkerTimeoutError, match=r"small_hang timed out after 0.3 s.*office was rest"
            ):
                await ask(worker, "hang", timeout=0.3)
            assert not os.path.exists(f"/proc/{before}")
            assert await pid_of(worker) != before

    asyncio.run(scene())


def test_a_worker_that_dies_is_replaced_and_the_caller_gets_an_error(
    start_worker: StartWorker,
) -> None:
    async def scene() -> None:
        async with start_worker("small") as worker:
            with pytest.raises(WorkerEndedError, match="exit status 3"):
                await ask(worker, "die")
            assert await pid_of(worker)

    asyncio.run(scene())


def test_workers_end_with_the_fork_server_and_both_are_replaced(start_worker: StartWorker) -> None:
    async def scene() -> None:
        async with start_worker("small") as worker:
            before = await pid_of(worker)
            server = worker.processes._server
            assert server is not None
            server.kill()
            with pytest.raises(WorkerEndedError, match="exit status -9"):
                await ask(worker, "hang")
            assert await pid_of(worker) != before
            assert not os.path.exists(f"/proc/{before}/exe")  # a zombie has no exe either

    asyncio.run(scene())


def test_only_a_child_of_the_fork_server_can_be_killed() -> None:
    async def scene() -> None:
        with subprocess.Popen(["sleep", "60"], start_new_session=True) as other:
            Process(other.pid, 1).kill()
            with pytest.raises(subprocess.TimeoutExpired):
                other.wait(0.2)
            Process(other.pid, os.getpid()).kill()
            assert other.wait(10) == -signal.SIGKILL

    asyncio.run(scene())


def test_a_fork_server_that_does_not_answer_is_replaced(
    start_worker: StartWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scene() -> None:
        async with start_worker("small") as worker:
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


def test_a_worker_that_cannot_start_says_why_and_is_not_restarted_in_a_loop(
    start_worker: StartWorker,
) -> None:
    async def scene() -> None:
        async with start_worker("stillborn") as worker:
            with pytest.raises(
                WorkerEndedError, match=r"not ready: does not start .*no office is installed"
            ):
                await worker.wait_until_up(within=60)
            starts = worker._starts
            with pytest.raises(WorkerEndedError, match="no office is installed"):
                await worker.wait_until_up(within=60)
            assert worker._starts == starts + 1

    asyncio.run(scene())


def test_a_worker_inherits_no_variables_and_files_of_the_door(
    start_worker: StartWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", "/run/credentials/ambidex-guest.service")

    async def scene() -> None:
        with open("/etc/hostname") as held:
            os.set_inheritable(held.fileno(), True)
            async with start_worker("small") as worker:
                value = (await worker.ask("environment", {}, 10)).head["value"]
        assert "CREDENTIALS_DIRECTORY" not in value["environment"]
        # Three streams, the channel, and the folder /proc/self/fd itself.
        assert len(value["open"]) == 5

    asyncio.run(scene())


def test_a_worker_has_the_language_of_the_session_and_not_of_the_door(
    start_worker: StartWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "C.UTF-8")

    async def scene() -> None:
        async with start_worker("small") as worker:
            assert (await environment_of(worker))["LANG"] == "C.UTF-8"
            worker.session = {"LANG": "de_DE.UTF-8", "DISPLAY": ":7"}
            with pytest.raises(WorkerEndedError):
                await ask(worker, "die")
            await worker.wait_until_up(within=60)
            variables = await environment_of(worker)
            assert (variables["LANG"], variables["DISPLAY"]) == ("de_DE.UTF-8", ":7")
            assert variables["HOME"] == worker.processes.account.home

    async def environment_of(worker: Worker) -> dict[str, str]:
        value = (await worker.ask("environment", {}, 10)).head["value"]
        variables: dict[str, str] = value["environment"]
        return variables

    asyncio.run(scene())


def test_the_worker_ends_with_the_door(start_worker: StartWorker) -> None:
    async def scene() -> int:
        async with start_worker("small") as worker:
            return await pid_of(worker)

    assert not os.path.exists(f"/proc/{asyncio.run(scene())}")
