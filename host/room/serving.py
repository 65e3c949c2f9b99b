"""Serving pages on this machine: until interrupted, or beside something else."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Protocol

import uvicorn
from starlette.types import ASGIApp

from host.errors import UsageError

__all__ = ["LOOPBACK", "Listener", "Pages", "address", "listening", "run", "running"]

LOOPBACK = "127.0.0.1"
Listener = socket.socket


class Pages(Protocol):
    """What is served."""

    def app(self, cookie: str) -> ASGIApp:
        """The application, which keeps a token in a cookie of that name."""

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


def address(listener: socket.socket, token: str) -> str:
    """Where the pages are, for whoever has that token."""
    host, port = listener.getsockname()[:2]
    return f"http://{host}:{port}/?token={token}"


def run(pages: Pages, listener: socket.socket) -> None:
    """Serve until interrupted."""
    asyncio.run(_serve(pages, listener, lambda server: None))


@contextmanager
def running(pages: Pages, listener: socket.socket) -> Iterator[None]:
    """Serve as long as the block runs."""
    servers: list[uvicorn.Server] = []
    started = threading.Event()

    def begun(server: uvicorn.Server) -> None:
        servers.append(server)
        started.set()

    thread = threading.Thread(
        target=lambda: asyncio.run(_serve(pages, listener, begun)), daemon=True
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
    pages: Pages, listener: socket.socket, begun: Callable[[uvicorn.Server], None]
) -> None:
    port = listener.getsockname()[1]
    # Cookies know no ports: two that serve on a machine must not take each other's.
    config = uvicorn.Config(
        pages.app(f"ambidex-{port}"),
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
