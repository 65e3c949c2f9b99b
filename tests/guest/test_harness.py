"""The host's routes, over a worker without a desktop."""

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

from .conftest import Started

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
    token, frozen = Token("a-token-of-a-test"), Freezer(processes)
    harness = Harness(workers, server, token, journal, "digest", frozen)
    harness.warmed = [200]
    app = Starlette(routes=harness.routes(), exception_handlers={HarnessError: on_error})
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://guest")


def play(started: Started, journal: Journal, scene: Scene) -> None:
    async def all_of_it() -> None:
        async with (
            started(HARNESS) as worker,
            started(COLLECTOR) as collector,
            client({HARNESS: worker, COLLECTOR: collector}, journal) as asking,
        ):
            await worker.wait_until_up(10)
            await collector.wait_until_up(10)
            await scene(asking)

    asyncio.run(all_of_it())


def test_a_guest_whose_checks_are_good_is_ready(started: Started, journal: Journal) -> None:
    async def scene(asking: httpx.AsyncClient) -> None:
        before = time.time()
        answer = await asking.get("/harness/health")
        assert answer.status_code == 200
        said = answer.json()
        assert said["ready"]
        assert said["checks"]["display"] == {"ok": True, "seen": "here"}
        assert said["checks"]["worker harness"] == {"ok": True, "seen": "ready"}
        assert (said["screen"], said["catalogue"]) == ([1280, 720], "digest")
        assert before <= said["clock"] <= time.time()

    play(started, journal, scene)


def test_a_guest_on_its_way_says_how_far_it_is(started: Started, journal: Journal) -> None:
    async def scene() -> None:
        async with (
            started("stillborn") as worker,
            client({HARNESS: worker, COLLECTOR: worker}, journal) as asking,
        ):
            answer = await asking.get("/harness/health")
            assert answer.status_code == 503
            assert not answer.json()["ready"]
            assert "start" in answer.json()["checks"]["worker harness"]["seen"]

    asyncio.run(scene())


def test_a_known_frame_is_answered_with_304_and_no_bytes(
    started: Started, journal: Journal
) -> None:
    async def scene(asking: httpx.AsyncClient) -> None:
        first = await asking.get("/harness/screenshot")
        assert (first.status_code, first.content) == (200, b"BGRX")
        assert '"id":"f.1"' in first.headers["Ambidex-Frame"]
        again = await asking.get("/harness/screenshot", params={"known": "f.1", "settle": 0})
        assert (again.status_code, again.content) == (304, b"")

    play(started, journal, scene)


@pytest.mark.parametrize(
    ("method", "path", "body", "said"),
    [
        ("GET", "/harness/screenshot?settle=soon", "", "settle"),
        ("GET", "/harness/screenshot?colour=1", "", "Fields: settle, work, still, known."),
        ("GET", "/harness/evidence/file", "", "path"),
        ("POST", "/harness/run", "{", "not JSON"),
        ("POST", "/harness/run", '{"argv": []}', "argv"),
        ("POST", "/harness/run", '{"argv": ["id"], "shell": true}', "shell"),
        ("POST", "/harness/wait_window", '{"title": "", "timeout": 1}', "title"),
        ("POST", "/harness/identity", '{"token": "x"}', "machine_id"),
        ("GET", "/harness/accessibility?nodes=0", "", "nodes"),
    ],
)
def test_a_wrong_request_is_400_and_names_what_is_wrong(
    started: Started, journal: Journal, method: str, path: str, body: str, said: str
) -> None:
    async def scene(asking: httpx.AsyncClient) -> None:
        answer = await asking.request(method, path, content=body)
        assert answer.status_code == 400
        error = answer.json()["error"]
        assert error["code"] == "bad_request"
        assert said in f"{error['message']} {error['hint']}"

    play(started, journal, scene)


def test_what_a_worker_prints_and_how_it_ends_is_in_the_journal(
    started: Started, journal: Journal
) -> None:
    async def scene() -> None:
        async with (
            started("stillborn") as worker,
            client({HARNESS: worker, COLLECTOR: worker}, journal) as asking,
        ):
            with pytest.raises(WorkerEndedError):
                await worker.wait_until_up(60)
            text = (await asking.get("/harness/journal")).text
            assert "no office is installed" in text
            assert "worker stillborn ended (exit status 1)" in text

    asyncio.run(scene())
