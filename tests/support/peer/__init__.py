"""A guest without a desktop: it speaks the guest's protocol on a real port and has a few files and
a screen.

It can be told to fail once in several ways: lose an answer, refuse a health check, hang.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from ambidex.vm import MachineError, Place, Program
from tests.support.peer.desktop import ALIAS, BUTTONS, CATALOGUE, SIZE, Desktop, served_tools
from tests.support.peer.harness import harness_routes
from tests.support.serving import serve

__all__ = ["ALIAS", "BUTTONS", "CATALOGUE", "SIZE", "TOKEN", "Desktop", "PeerMachine", "peer"]

TOKEN = "a-token-for-tests"


class Door:
    """The token check around everything, and the loss of answers."""

    def __init__(self, app: ASGIApp, desktop: Desktop) -> None:
        self._app = app
        self._desktop = desktop

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if dict(scope["headers"]).get(b"authorization") != f"Bearer {TOKEN}".encode():
            error = {"error": {"code": "unauthorized", "message": "no token", "hint": ""}}
            await JSONResponse(error, 401)(scope, receive, send)
            return
        body = bytearray()

        async def tapped() -> Any:
            message = await receive()
            body.extend(message.get("body", b""))
            return message

        async def lossy(message: Any) -> None:
            if b'"tools/call"' in body and self._desktop.lose_answers:
                if message["type"] == "http.response.body" and not message.get("more_body"):
                    self._desktop.lose_answers -= 1
                    raise ConnectionAbortedError("lost on purpose")
                return
            await send(message)

        try:
            await self._app(scope, tapped, lossy)
        except ConnectionAbortedError:
            return


@contextmanager
def peer(desktop: Desktop | None = None) -> Iterator[tuple[str, Desktop]]:
    """A running peer: its endpoint and its state."""
    desktop = desktop or Desktop()
    mcp = served_tools(desktop).http_app(path="/mcp", stateless_http=True, json_response=True)
    app = Starlette(routes=[*harness_routes(desktop), Mount("/", mcp)], lifespan=mcp.lifespan)
    with serve(Door(app, desktop)) as endpoint:
        yield endpoint, desktop


class PeerMachine:
    """A `vm.Machine` whose desktop is a peer: a revert gives a new peer or a checkpoint's."""

    def __init__(self, *, broken_reverts: int = 0, screen: bool = True) -> None:
        self.reverts: list[Place] = []
        self.broken_reverts = broken_reverts
        self.endpoint = ""
        self.token = TOKEN
        self.vnc = ("127.0.0.1:1", "") if screen else None
        self.closed = False
        self.desktops: list[Desktop] = []
        self.forks: list[PeerMachine] = []
        self._now: Any = None

    def boot(self) -> None:
        self.revert("ready")

    def revert(self, snapshot: Place, services: object = None) -> None:
        self.reverts.append(snapshot)
        if self.broken_reverts:
            self.broken_reverts -= 1
            raise MachineError("the fork did not start", stage="create", hint="Try again.")
        self._leave()
        desktop = Desktop(screen=self.vnc is not None)
        if isinstance(snapshot, Path):
            desktop = pickle.loads((snapshot / "desktop").read_bytes())
        self._now = peer(desktop)
        self.endpoint, desktop = self._now.__enter__()
        self.desktops.append(desktop)

    def snapshot(self, name: Place, programs: Sequence[Program] = ()) -> None:
        assert isinstance(name, Path), "a peer is no image"
        name.mkdir()
        (name / "desktop").write_bytes(pickle.dumps(self.desktops[-1]))

    @contextmanager
    def fork(self) -> Iterator[PeerMachine]:
        copy = PeerMachine()
        with peer(deepcopy(self.desktops[-1])) as (copy.endpoint, desktop):
            copy.desktops.append(desktop)
            self.forks.append(copy)
            yield copy

    def close(self) -> None:
        self._leave()
        self.closed = True

    def console(self) -> str:
        return "booting\nlogin:"

    def picture(self) -> bytes:
        return b""

    def _leave(self) -> None:
        if self._now is not None:
            self._now.__exit__(None, None, None)
            self._now = None
