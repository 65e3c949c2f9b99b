"""The host's routes, with a worker that has no desktop."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator

import httpx
import pytest
from starlette.applications import Starlette

from ambidex.guest import COLLECTOR, HARNESS, HarnessError
from ambidex.guest.freezing import Freezer
from ambidex.guest.guard import Token
from ambidex.guest.harness import Harness, on_error
from ambidex.guest.journal import Journal
from ambidex.guest.tools import Server
from ambidex.guest.workers import Worker, WorkerEndedError
from ambidex.guest.world import World

from .conftest import StartWorker

Scene = Callable[[httpx.AsyncClient], Awaitable[None]]


@pytest.fixture
def journal() -> Iterator[Journal]:
    journal = Journal()
    logger = logging.getLogger("ambidex.guest")
    logger.addHandler(journal)
    logger.setLevel(logging.INFO)
    yield journal
    logger.removeHandler(journal)


def client(workers: dict[str, Worker], journal: Journal) -> httpx.AsyncClient:
    server = Server({}, workers)
    processes = next(iter(workers.values())).processes
    token, freezer = Token("a-token-of-a-test"), Freezer(processes)
    harness = Harness(
        workers, server, token, journal, "digest", freezer, World({}, processes, freezer)
    )
    harness.warmed = [200]
    app = Starlette(routes=harness.routes(), exception_handlers={HarnessError: on_error})
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://guest")


def play(start_worker: StartWorker, journal: Journal, scene: Scene) -> None:
    async def run() -> None:
        async with (
            start_worker(HARNESS) as worker,
            start_worker(COLLECTOR, worker.processes) as collector,
            client({HARNESS: worker, COLLECTOR: collector}, journal) as http,
        ):
            await worker.wait_until_up(10)
            await collector.wait_until_up(10)
            await scene(http)

    asyncio.run(run())


def test_a_guest_whose_checks_all_pass_is_ready(
    start_worker: StartWorker, journal: Journal
) -> None:
    async def scene(http: httpx.AsyncClient) -> None:
        before = time.time()
        answer = await http.get("/harness/health")
        assert answer.status_code == 200
        report = answer.json()
        assert report["ready"]
        assert report["checks"]["display"] == {"ok": True, "seen": "here"}
        assert report["checks"]["worker harness"] == {"ok": True, "seen": "ready"}
        assert (report["screen"], report["catalogue"]) == ([1280, 720], "digest")
        assert before <= report["clock"] <= time.time()

    play(start_worker, journal, scene)


def test_a_guest_that_is_starting_reports_its_stage(
    start_worker: StartWorker, journal: Journal
) -> None:
    async def scene() -> None:
        async with (
            start_worker("stillborn") as worker,
            client({HARNESS: worker, COLLECTOR: worker}, journal) as http,
        ):
            answer = await http.get("/harness/health")
            assert answer.status_code == 503
            assert not answer.json()["ready"]
            assert "start" in answer.json()["checks"]["worker harness"]["seen"]

    asyncio.run(scene())


def test_a_known_frame_is_answered_with_304_and_no_body(
    start_worker: StartWorker, journal: Journal
) -> None:
    async def scene(http: httpx.AsyncClient) -> None:
        first = await http.get("/harness/screenshot")
        assert (first.status_code, first.content) == (200, b"BGRX")
        assert '"id":"f.1"' in first.headers["Ambidex-Frame"]
        again = await http.get("/harness/screenshot", params={"known": "f.1", "settle": 0})
        assert (again.status_code, again.content) == (304, b"")

    play(start_worker, journal, scene)


INVALID = (
    ("GET", "/harness/screenshot?settle=soon", "", "settle"),
    ("GET", "/harness/screenshot?colour=1", "", "Fields: settle, work, still, known."),
    ("GET", "/harness/evidence/file", "", "path"),
    ("POST", "/harness/run", "{", "not JSON"),
    ("POST", "/harness/run", '{"argv": []}', "argv"),
    ("POST", "/harness/run", '{"argv": ["id"], "shell": true}', "shell"),
    ("POST", "/harness/wait_window", '{"title": "", "timeout": 1}', "title"),
    ("POST", "/harness/identity", '{"token": "x"}', "machine_id"),
    ("GET", "/harness/accessibility?nodes=0", "", "nodes"),
)


def test_an_invalid_request_is_400_and_names_the_invalid_field(
    start_worker: StartWorker, journal: Journal
) -> None:
    async def scene(http: httpx.AsyncClient) -> None:
        for method, path, body, message in INVALID:
            answer = await http.request(method, path, content=body)
            assert answer.status_code == 400, (path, body)
            error = answer.json()["error"]
            assert error["code"] == "bad_request", (path, body)
            assert message in f"{error['message']} {error['hint']}", (path, body)

    play(start_worker, journal, scene)


def test_a_worker_s_output_and_exit_status_are_in_the_journal(
    start_worker: StartWorker, journal: Journal
) -> None:
    async def scene() -> None:
        async with (
            start_worker("stillborn") as worker,
            client({HARNESS: worker, COLLECTOR: worker}, journal) as http,
        ):
            with pytest.raises(WorkerEndedError):
                await worker.wait_until_up(60)
            text = (await http.get("/harness/journal")).text
            assert "no office is installed" in text
            assert "worker stillborn ended (exit status 1)" in text

    asyncio.run(scene())
