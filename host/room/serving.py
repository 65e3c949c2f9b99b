"""A web server for pages on this machine, until interrupted or in the background."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Protocol

import uvicorn
from starlette.types import ASGIApp

from ambidex.host.errors import BusyError
from ambidex.host.room.guard import Guarded
from ambidex.host.room.sign_in import SignIn, authorities

__all__ = ["LOOPBACK", "Pages", "Server", "listening", "run", "running", "sign_in"]

LOOPBACK = "127.0.0.1"


class Pages(Protocol):
    """A set of pages to serve."""

    def app(self) -> ASGIApp:
        """The application; it receives only admitted requests."""

    async def work(self) -> None:
        """Background work while the pages are served. Runs until cancelled; an error ends the
        serving."""

    def close(self) -> None:
        """Release all resources."""


@contextmanager
def listening(host: str, port: int, what: str) -> Iterator[socket.socket]:
    """Yield a listening socket; `BusyError` if the address is not available."""
    try:
        listener = socket.create_server((host, port))
    except OSError as error:
        raise BusyError(
            f"{what} cannot listen on {host}:{port}: {error.strerror}",
            hint="Choose another port with --port; 0 chooses a free one.",
        ) from None
    with closing(listener):
        yield listener


def sign_in(listener: socket.socket) -> SignIn:
    """The sign-in to the pages that are served on this socket."""
    host, port = listener.getsockname()[:2]
    return SignIn(f"http://{host}:{port}")


def run(
    pages: Pages, listener: socket.socket, sign_in: SignIn, names: Collection[str] = ()
) -> None:
    """Serve until interrupted; `names` are further host names by which the pages are reached."""
    asyncio.run(_serve(pages, listener, sign_in, names, lambda server: None))


@contextmanager
def running(pages: Pages, listener: socket.socket, sign_in: SignIn) -> Iterator[None]:
    """Serve in the background while the block runs."""
    servers: list[uvicorn.Server] = []
    started = threading.Event()

    def on_start(server: uvicorn.Server) -> None:
        servers.append(server)
        started.set()

    thread = threading.Thread(
        target=lambda: asyncio.run(_serve(pages, listener, sign_in, (), on_start)), daemon=True
    )
    thread.start()
    while not started.wait(0.1):
        if not thread.is_alive():
            raise RuntimeError("the web server did not start")
    try:
        yield
    finally:
        servers[0].should_exit = True
        thread.join()


async def _serve(
    pages: Pages,
    listener: socket.socket,
    sign_in: SignIn,
    names: Collection[str],
    on_start: Callable[[uvicorn.Server], None],
) -> None:
    host, port = listener.getsockname()[:2]
    # Cookies are shared between ports, so the name has the port: servers must not collide.
    guarded = Guarded(pages.app(), sign_in, authorities(host, port, names), f"ambidex-{port}")
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
        on_start(server)
        await server.serve(sockets=[listener])
    finally:
        working.cancel()
        try:
            with suppress(asyncio.CancelledError):
                await working  # raises the error of work that failed
        finally:
            pages.close()


class Server(uvicorn.Server):
    """A uvicorn server that leaves signals to the command line."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield
