"""Serving pages on this machine: until interrupted, or beside something else."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Protocol

import uvicorn
from starlette.types import ASGIApp

from ambidex.host.errors import UsageError
from ambidex.host.room.entrance import Entrance, authorities
from ambidex.host.room.guard import Guarded

__all__ = ["LOOPBACK", "Pages", "entrance", "listening", "run", "running"]

LOOPBACK = "127.0.0.1"


class Pages(Protocol):
    """What is served."""

    def app(self) -> ASGIApp:
        """The application; only who has entered asks it."""

    async def work(self) -> None:
        """What is done as long as it is served; ends when it is cancelled, or with an error, which
        ends the serving."""

    def close(self) -> None:
        """Let go of what it holds."""


@contextmanager
def listening(host: str, port: int, what: str) -> Iterator[socket.socket]:
    """A socket that listens; `UsageError` where that cannot be had."""
    try:
        listener = socket.create_server((host, port))
    except OSError as error:
        raise UsageError(
            f"{what} cannot listen on {host}:{port}: {error.strerror}",
            hint="Name another port with --port; 0 takes a free one.",
        ) from None
    with closing(listener):
        yield listener


def entrance(listener: socket.socket) -> Entrance:
    """The way into the pages that are served there."""
    host, port = listener.getsockname()[:2]
    return Entrance(f"http://{host}:{port}")


def run(
    pages: Pages, listener: socket.socket, entrance: Entrance, names: Collection[str] = ()
) -> None:
    """Serve until interrupted; `names` are others by which the pages are reached."""
    asyncio.run(_serve(pages, listener, entrance, names, lambda server: None))


@contextmanager
def running(pages: Pages, listener: socket.socket, entrance: Entrance) -> Iterator[None]:
    """Serve as long as the block runs."""
    servers: list[uvicorn.Server] = []
    started = threading.Event()

    def begun(server: uvicorn.Server) -> None:
        servers.append(server)
        started.set()

    thread = threading.Thread(
        target=lambda: asyncio.run(_serve(pages, listener, entrance, (), begun)), daemon=True
    )
    thread.start()
    while not started.wait(0.1):
        if not thread.is_alive():
            raise RuntimeError("the pages could not be served")
    try:
        yield
    finally:
        servers[0].should_exit = True
        thread.join()


async def _serve(
    pages: Pages,
    listener: socket.socket,
    entrance: Entrance,
    names: Collection[str],
    begun: Callable[[uvicorn.Server], None],
) -> None:
    host, port = listener.getsockname()[:2]
    # Cookies know no ports: two that serve on a machine must not take each other's.
    guarded = Guarded(pages.app(), entrance, authorities(host, port, names), f"ambidex-{port}")
    config = uvicorn.Config(
        guarded,
        log_level="warning",
        lifespan="off",
        ws="websockets-sansio",
        timeout_graceful_shutdown=1,
    )
    server = Server(config)
    working = asyncio.create_task(pages.work())
    working.add_done_callback(lambda _: setattr(server, "should_exit", True))
    try:
        begun(server)
        await server.serve(sockets=[listener])
    finally:
        working.cancel()
        try:
            with suppress(asyncio.CancelledError):
                await working  # pages that cannot do their work any more end, and say why
        finally:
            pages.close()


class Server(uvicorn.Server):
    """Leaves signals to the command line, which knows what an interrupt means."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do not."""
        yield
