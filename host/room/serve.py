"""Opening the control room."""

from __future__ import annotations

import asyncio
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import uvicorn

from host.errors import UsageError
from host.room.app import Room
from host.room.eyes import Eyes
from host.room.wall import Wall

__all__ = ["LOOPBACK", "opened", "serve"]

LOOPBACK = "127.0.0.1"


def serve(
    folders: Sequence[Path], host: str, port: int, said: Callable[[str], None], browse: bool
) -> None:
    """Serve until interrupted; `said` is told the address, token included."""
    with _listening(host, port) as listener:
        token = secrets.token_urlsafe(24)
        said(address := _address(listener, token))
        if browse:
            webbrowser.open(address)
        asyncio.run(_serve(Wall(folders), listener, token, lambda server: None))


@contextmanager
def opened(folders: Sequence[Path], host: str = LOOPBACK, port: int = 0) -> Iterator[str]:
    """Serve beside something else, as long as the block runs; gives the address, token included."""
    with _listening(host, port) as listener:
        token = secrets.token_urlsafe(24)
        servers: list[uvicorn.Server] = []
        started = threading.Event()

        def begun(server: uvicorn.Server) -> None:
            servers.append(server)
            started.set()

        thread = threading.Thread(
            target=lambda: asyncio.run(_serve(Wall(folders), listener, token, begun)), daemon=True
        )
        thread.start()
        while not started.wait(0.1):
            if not thread.is_alive():
                raise RuntimeError("the control room did not start")
        try:
            yield _address(listener, token)
        finally:
            servers[0].should_exit = True
            thread.join()


async def _serve(
    wall: Wall, listener: socket.socket, token: str, begun: Callable[[uvicorn.Server], None]
) -> None:
    eyes = Eyes()
    room = Room(wall, token, eyes)
    port = listener.getsockname()[1]
    # Cookies know no ports: two rooms on a machine must not take each other's.
    config = uvicorn.Config(
        room.app(f"ambidex-{port}"),
        log_level="warning",
        lifespan="off",
        ws="websockets-sansio",
        timeout_graceful_shutdown=1,
    )
    server = Server(config)
    looking = asyncio.create_task(room.look())
    looking.add_done_callback(lambda _: setattr(server, "should_exit", True))
    try:
        begun(server)
        await server.serve(sockets=[listener])
    finally:
        looking.cancel()
        with suppress(asyncio.CancelledError):
            await looking  # a room that cannot look any more ends, and says why
        room.leases.close()
        eyes.close()


class Server(uvicorn.Server):
    """Leaves signals to the command line, which knows what an interrupt means."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do not."""
        yield


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    try:
        listener = socket.create_server((host, port))
    except OSError as error:
        raise UsageError(
            f"the control room cannot listen on {host}:{port}: {error.strerror}",
            hint="Name another port with --port; 0 takes a free one.",
        ) from None
    with closing(listener):
        yield listener


def _address(listener: socket.socket, token: str) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://{host}:{port}/?token={token}"
