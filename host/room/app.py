"""The doors of the control room; `guard` stands before them all."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import (
    FileResponse,
    JSONResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from ambidex.evaluators.strict import explain
from ambidex.host.errors import UsageError
from ambidex.host.records.orders import Act, Order, post
from ambidex.host.records.trajectory import FRAMES
from ambidex.host.room.bridge import Bridge
from ambidex.host.room.forking import Asked as Branches
from ambidex.host.room.forking import Forks, forkable
from ambidex.host.room.frame_images import shown
from ambidex.host.room.lease import Leases
from ambidex.host.room.lineage import lanes
from ambidex.host.room.parts import PAGES, mounts
from ambidex.host.room.thumbnails import Eyes
from ambidex.host.room.wall import Live, Wall

__all__ = ["Room"]

Told = list[dict[str, Any]]
"""What a page is told, as JSON."""

LOOK_EVERY = 0.5
"""Seconds between two looks at the runs' directories."""


class Asked(BaseModel):
    """What a page asks for: an order, and which page it is."""

    model_config = ConfigDict(extra="forbid")

    viewer: str
    order: str
    text: str = ""
    end: str | None = None


def _public(viewer: str) -> str:
    """What others are told of a viewer: its own name is a key, to the lease that it may hold."""
    return hashlib.sha256(viewer.encode()).hexdigest()[:12]


def _for(viewer: str, said: dict[str, Any]) -> dict[str, Any]:
    """What is said of a trial, as that viewer may know it."""
    holder = said["lease"]
    whose = None if holder is None else "mine" if holder == viewer else "another's"
    return said | {"lease": whose}


@dataclass
class Room:
    """The application, and what it knows."""

    wall: Wall
    eyes: Eyes
    leases: Leases = field(default_factory=Leases)
    forks: Forks = field(default_factory=Forks)
    _said: list[dict[str, Any]] = field(default_factory=list)
    _forks: list[dict[str, Any]] = field(default_factory=list)
    _runs: list[dict[str, Any]] = field(default_factory=list)
    _version: int = 0
    _runs_at: int = 0
    _live: dict[str, Live] = field(default_factory=dict)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    def app(self) -> ASGIApp:
        """The ASGI application."""
        routes: list[BaseRoute] = [
            Route("/", self._page),
            Route("/api/events", self._events),
            Route("/api/trials/{run}/{trial}", self._trial),
            Route("/api/trials/{run}/{trial}/lines/{index:int}", self._line),
            Route("/api/trials/{run}/{trial}/orders", self._order, methods=["POST"]),
            Route("/api/trials/{run}/{trial}/forks", self._fork, methods=["POST"]),
            Route("/api/trials/{run}/{trial}/screen", self._screen),
            Route("/api/trees/{run}/{trial}", self._tree),
            Route("/frames/{run}/{trial}/{name}", self._frame),
            Route("/live/{run}/{trial}", self._small),
            WebSocketRoute("/vnc/{run}/{trial}", self._vnc),
            *mounts(),
        ]
        return Starlette(routes=routes, exception_handlers={UsageError: _refused})

    async def work(self) -> None:
        """Look at the runs again and again; ends when it is cancelled."""
        while True:
            await self.look_once()
            await asyncio.sleep(LOOK_EVERY)

    def close(self) -> None:
        """Look no more, and hold nobody's lease."""
        self.leases.close()
        self.eyes.close()

    async def look_once(self) -> None:
        """Look at the runs, and tell those who wait if something has changed."""
        self._live, said, runs, forks = await run_in_threadpool(self._looked)
        if (said, forks) != (self._said, self._forks) or runs is not self._runs:
            self._runs_at += runs is not self._runs
            self._said, self._forks, self._runs = said, forks, runs
            self._version += 1
            async with self._changed:
                self._changed.notify_all()

    def _looked(self) -> tuple[dict[str, Live], Told, Told, Told]:
        live = {each.name: each for each in self.wall.live()}
        screens = {name: each.seen for name, each in live.items() if each.seen.vnc}
        self.eyes.look({name: (seen.vnc, seen.password) for name, seen in screens.items()})
        said = []
        for name, each in live.items():
            picture = self.eyes.picture(name)
            more = {
                "picture": picture.number if picture else 0,
                "lease": self.leases.holder(each.reel.folder),
            }
            said.append(each.said() | more)
        said.sort(key=lambda each: (-len(each["alarms"]), each["run"], each["trial"]))
        return live, said, self.wall.told(), self.forks.said(self.wall.runs())

    async def _page(self, request: Request) -> Response:
        return FileResponse(PAGES / "index.html", headers={"cache-control": "no-store"})

    async def _events(self, request: Request) -> Response:
        viewer = request.query_params.get("viewer", "")
        return StreamingResponse(self._stream(viewer), media_type="text/event-stream")

    async def _stream(self, viewer: str) -> AsyncIterator[str]:
        version, runs_at = 0, -1  # nothing is said before the runs were looked at once
        while True:
            async with self._changed:
                if version == self._version:
                    await self._changed.wait()
            version = self._version
            live = [_for(viewer, each) for each in self._said]
            said: dict[str, Any] = {"live": live, "forks": self._forks}
            if runs_at != self._runs_at:  # they may be thousands of rows
                runs_at, said["runs"] = self._runs_at, self._runs
            yield f"data: {json.dumps(said)}\n\n"

    async def _trial(self, request: Request) -> Response:
        after = int(request.query_params.get("after", 0))
        return JSONResponse(await run_in_threadpool(self._told, request, after))

    def _told(self, request: Request, after: int) -> dict[str, Any]:
        folder = self._folder(request)
        reel = self.wall.reel(folder)
        return {
            "id": reel.id,
            "start": reel.start,
            "lines": reel.steps[after:],
            "after": after,
            "kept": forkable(folder),
            "state": reel.state,
            "end": reel.end,
        }

    async def _line(self, request: Request) -> Response:
        reel = self.wall.reel(self._folder(request))
        try:
            return JSONResponse(reel.line(request.path_params["index"]))
        except IndexError:
            raise HTTPException(404, "there is no such step") from None

    async def _order(self, request: Request) -> Response:
        folder = self._folder(request)
        try:
            asked = Asked.model_validate_json(await request.body())
            order = Order.model_validate(
                {"order": asked.order, "text": asked.text, "end": asked.end}
                | {"by": _public(asked.viewer)}
            )
        except ValidationError as error:
            return _malformed(error)
        if self._name(request) not in self._live:
            raise UsageError("this trial is not under way any more")
        if order.order == "act":
            raise UsageError("what a person does comes through the screen")
        if order.order == "take":
            self.leases.take(folder, asked.viewer)
        if order.order == "give":
            if self.leases.holder(folder) != asked.viewer:
                raise UsageError("only who is at the keyboard hands back")
            self.leases.give(folder, asked.viewer)
        post(folder, order)
        return JSONResponse({"order": order.order}, 202)

    async def _fork(self, request: Request) -> Response:
        folder = self._folder(request)
        try:
            asked = Branches.model_validate_json(await request.body())
        except ValidationError as error:
            return _malformed(error)
        out = await run_in_threadpool(self.forks.start, folder, asked)
        self.wall.add(out)
        return JSONResponse({"run": out.name}, 202)

    async def _tree(self, request: Request) -> Response:
        self._folder(request)
        name = (request.path_params["run"], request.path_params["trial"])
        found = await run_in_threadpool(lanes, self._runs, self._said, name, self.wall.did)
        return JSONResponse({"lanes": found})

    async def _screen(self, request: Request) -> Response:
        live = self._of(request)
        return JSONResponse({"password": live.seen.password})

    async def _frame(self, request: Request) -> Response:
        folder, name = self._folder(request) / FRAMES, request.path_params["name"]
        width = request.query_params.get("width", "")
        try:
            return await run_in_threadpool(shown, folder, name, width)
        except FileNotFoundError:
            raise HTTPException(404, "there is no such frame") from None

    async def _small(self, request: Request) -> Response:
        picture = self.eyes.picture(self._name(request))
        if picture is None:
            raise HTTPException(404, "not seen yet")
        return Response(
            picture.jpeg, media_type="image/jpeg", headers={"cache-control": "no-store"}
        )

    async def _vnc(self, socket: WebSocket) -> None:
        folder, viewer = self._folder(socket), socket.query_params.get("viewer", "")
        live = self._live.get(self._name(socket))
        if live is None or not viewer or not live.seen.vnc:
            await socket.close(1008, "this trial has no screen to be seen")
            return
        await socket.accept()

        def may_act() -> bool:
            # Only once the runner has stopped the agent: two never act at once.
            return self.leases.holder(folder) == viewer and live.reel.state == "human"

        def acted(acts: Sequence[Act]) -> None:
            post(folder, Order(order="act", acts=tuple(acts), by=_public(viewer)))

        self.leases.came(folder, viewer)
        try:
            await Bridge(live.seen.vnc, may_act, acted).run(socket)
        finally:
            self.leases.went(folder, viewer)

    def _of(self, request: Request) -> Live:
        live = self._live.get(self._name(request))
        if live is None:
            raise UsageError("this trial is not under way any more")
        return live

    def _name(self, request: HTTPConnection) -> str:
        return f"{request.path_params['run']}/{request.path_params['trial']}"

    def _folder(self, request: HTTPConnection) -> Path:
        return self.wall.trial(request.path_params["run"], request.path_params["trial"])


async def _refused(request: Request, error: Exception) -> Response:
    hint = getattr(error, "hint", "")
    return JSONResponse({"error": f"{error}. {hint}" if hint else str(error)}, 409)


def _malformed(error: ValidationError) -> Response:
    return JSONResponse({"error": explain(error, whole="the request")}, 400)
