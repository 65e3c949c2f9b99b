"""Assembles the door: token, tools, harness and workers as one ASGI application."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
from collections.abc import AsyncIterator

from starlette.applications import Starlette
from starlette.types import ASGIApp

from ambidex.guest import COLLECTOR, HARNESS, HEADLESS, HarnessError
from ambidex.guest.freezing import Freezer
from ambidex.guest.guard import TOOLS, Guard, Token
from ambidex.guest.harness import Harness, on_error
from ambidex.guest.journal import Journal
from ambidex.guest.processes import Processes
from ambidex.guest.services import running_services
from ambidex.guest.tools import Server
from ambidex.guest.warm import warm
from ambidex.guest.workers import Worker, WorkerEndedError
from ambidex.guest.world import World
from ambidex.mcp_tools import catalogue

__all__ = ["door"]

WARM_AFTER = 300.0
"""Seconds to wait for workers before the door warms up without them."""


def door(processes: Processes, token: Token, journal: Journal, *, desktop: bool = True) -> ASGIApp:
    """The application. It answers at once; its workers start in the background and end with it.

    Without a `desktop`, nothing that needs one is served.
    """
    apps = catalogue.installed(desktop=desktop)
    tools, unlisted = catalogue.tools(apps), catalogue.tools(apps, listed=False)
    names = sorted({app.worker for app in apps.values()})
    workers = {name: Worker(name, processes) for name in (HARNESS, COLLECTOR, *names)}
    if not desktop:
        for worker in workers.values():
            worker.session = {HEADLESS: "1", **processes.account.runtime}
    freezer = Freezer(processes)
    first_calls = [f"{app.name}_{app.first_call}" for app in apps.values() if app.first_call]
    server = Server(tools, workers, unlisted, first_calls)
    mcp = server.http_app(path=TOOLS, stateless_http=True, json_response=True)
    described = json.dumps(catalogue.describe(tools), sort_keys=True).encode()
    digest = hashlib.sha256(described).hexdigest()
    world = World(running_services(), processes, freezer)
    harness = Harness(workers, server, token, journal, digest, freezer, world)

    async def warm_up() -> None:
        for worker in workers.values():
            with contextlib.suppress(WorkerEndedError):  # health reports which workers are up
                await worker.wait_until_up(WARM_AFTER)
        if desktop:
            await harness.warm_up()
        harness.warmed = await warm(mcp)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with mcp.lifespan(mcp):
            tasks = [
                asyncio.create_task(run_workers(workers, desktop)),
                asyncio.create_task(warm_up()),
            ]
            try:
                yield
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                await processes.close()

    app = Starlette(
        routes=[*harness.routes(), *mcp.routes],
        lifespan=lifespan,
        exception_handlers={HarnessError: on_error},
    )
    return Guard(app, token)


async def run_workers(workers: dict[str, Worker], desktop: bool) -> None:
    """Run all workers: first the harness worker, which finds the session, then the others in it.

    The collector needs no session and starts at once; without a desktop, no worker needs one.
    """
    first = workers[HARNESS]
    at_once = (HARNESS, COLLECTOR) if desktop else tuple(workers)
    tasks = [asyncio.create_task(workers[name].run()) for name in at_once]
    try:
        while desktop and not first.up:
            with contextlib.suppress(WorkerEndedError):  # the desktop may take any time to start
                await first.wait_until_up(60)
        for name, worker in workers.items():
            if name not in at_once:
                worker.session = first.session
                tasks.append(asyncio.create_task(worker.run()))
        await asyncio.wait(tasks)  # not `gather`: cancelled, it would cancel them a first time
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
