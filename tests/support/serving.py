"""Serve an application on a free port of this computer."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import uvicorn
from starlette.types import ASGIApp


class Server(uvicorn.Server):
    """Ends when it is told to. The library's looks for that ten times a second, and then gives
    connections another tenth."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop, self._told = asyncio.get_running_loop(), asyncio.Event()
        await super().startup(sockets)

    async def main_loop(self) -> None:
        await self.on_tick(0)  # creates the default headers
        await self._told.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        state, end = self.server_state, time.monotonic() + 1
        for connection in list(state.connections):
            connection.shutdown()
        while (state.connections or state.tasks) and time.monotonic() < end:
            await asyncio.sleep(0.002)  # polling interval; the wait is bounded
        for task in state.tasks:
            task.cancel()
        await self.lifespan.shutdown()

    def end(self) -> None:
        self._loop.call_soon_threadsafe(self._told.set)


@contextmanager
def serve(app: ASGIApp, *, lifespan: Literal["on", "off"] = "on") -> Iterator[str]:
    """Serve on a free loopback port and return the address."""
    config = uvicorn.Config(
        app,
        port=0,
        loop="asyncio",  # "auto" looks for uvloop in all folders of the path
        log_level="critical",
        lifespan=lifespan,
        timeout_graceful_shutdown=1,
    )
    server = Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    end = time.monotonic() + 10
    while not server.started:
        assert thread.is_alive(), "the peer's server ended"
        assert time.monotonic() < end, "the peer's server does not start"
        time.sleep(0.005)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.end()
        thread.join(5)
