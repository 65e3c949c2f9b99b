"""The HTTP and WebSocket routes of the control room. `guard` controls access to all of them."""

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
    HTMLResponse,
    JSONResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from ambidex.host.errors import UsageError
from ambidex.host.records.orders import Act, Order, post
from ambidex.host.records.trajectory import FRAMES
from ambidex.host.room.answers import malformed, refused
from ambidex.host.room.bridge import Bridge
from ambidex.host.room.desk.routes import DeskRoutes
from ambidex.host.room.forking import ForkRequest, Forks, forkable
from ambidex.host.room.frame_images import frame_response
from ambidex.host.room.lease import Leases
from ambidex.host.room.lineage import lanes
from ambidex.host.room.parts import mounts, room_page
from ambidex.host.room.runs.control import RunControl
from ambidex.host.room.runs.routes import RunRoutes
from ambidex.host.room.runs.updates import RunSummary, RunUpdates
from ambidex.host.room.thumbnails import Thumbnails
from ambidex.host.room.wall import Live, Wall

__all__ = ["Room"]

JSONObjects = list[dict[str, Any]]

POLL_INTERVAL = 0.5
"""Seconds between two reads of the runs' directories."""


class OrderRequest(BaseModel):
    """The body of a request that posts an order, with the id of the page that sends it."""

    model_config = ConfigDict(extra="forbid")

    viewer: str
    order: str
    text: str = ""
    end: str | None = None


def _public(viewer: str) -> str:
    """The public id of a viewer. Its own id is secret: it is the key to the lease it may hold."""
    return hashlib.sha256(viewer.encode()).hexdigest()[:12]


def _for(viewer: str, trial: dict[str, Any]) -> dict[str, Any]:
    """A trial's summary for one viewer, with the holder of the lease replaced by mine/another's."""
    holder = trial["lease"]
    whose = None if holder is None else "mine" if holder == viewer else "another's"
    return trial | {"lease": whose}


@dataclass
class Room:
    """The application and its state."""

    wall: Wall
    thumbnails: Thumbnails
    leases: Leases = field(default_factory=Leases)
    forks: Forks = field(default_factory=Forks)
    control: RunControl = field(default_factory=RunControl)
    _trials: JSONObjects = field(default_factory=list)
    _forks: JSONObjects = field(default_factory=list)
    _started: JSONObjects = field(default_factory=list)
    _runs: list[RunSummary] = field(default_factory=list)
    _version: int = 0
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
            Route("/live/{run}/{trial}", self._thumbnail),
            WebSocketRoute("/vnc/{run}/{trial}", self._vnc),
            *RunRoutes(self.wall, self.control).routes(),
            *DeskRoutes(self.wall).routes(),
            *mounts(),
        ]
        return Starlette(routes=routes, exception_handlers={UsageError: refused})

    async def work(self) -> None:
        """Poll the runs until cancelled."""
        while True:
            await self.look_once()
            await asyncio.sleep(POLL_INTERVAL)

    def close(self) -> None:
        """Stop watching screens and release all leases."""
        self.leases.close()
        self.thumbnails.close()

    async def look_once(self) -> None:
        """Read the runs, and notify the event streams if something has changed."""
        before = self._state()
        await run_in_threadpool(self._read_runs)
        if self._state() != before or not self._version:
            self._version += 1
            async with self._changed:
                self._changed.notify_all()

    def _state(self) -> tuple[object, ...]:
        return self._trials, self._forks, self._started, [run.state for run in self._runs]

    def _read_runs(self) -> None:
        live = {trial.name: trial for trial in self.wall.live()}
        screens = {name: trial.seen for name, trial in live.items() if trial.seen.vnc}
        self.thumbnails.watch({name: (seen.vnc, seen.password) for name, seen in screens.items()})
        summaries = []
        for name, trial in live.items():
            picture = self.thumbnails.picture(name)
            more = {
                "picture": picture.number if picture else 0,
                "lease": self.leases.holder(trial.trajectory.folder),
            }
            summaries.append(trial.summary() | more)
        summaries.sort(
            key=lambda summary: (-len(summary["alarms"]), summary["run"], summary["trial"])
        )
        self._live, self._trials, self._runs = live, summaries, self.wall.summaries()
        self._forks = self.forks.summaries(self.wall.known)
        self._started = self.control.summaries()

    async def _page(self, request: Request) -> Response:
        return HTMLResponse(room_page(), headers={"cache-control": "no-store"})

    async def _events(self, request: Request) -> Response:
        viewer = request.query_params.get("viewer", "")
        return StreamingResponse(self._stream(viewer), media_type="text/event-stream")

    async def _stream(self, viewer: str) -> AsyncIterator[str]:
        version, updates = 0, RunUpdates()  # nothing is sent before the runs have been read once
        while True:
            async with self._changed:
                if version == self._version:
                    await self._changed.wait()
            version = self._version
            live = [_for(viewer, trial) for trial in self._trials]
            event = {"live": live, "forks": self._forks, "started": self._started}
            yield f"data: {json.dumps(event | updates.since(self._runs))}\n\n"

    async def _trial(self, request: Request) -> Response:
        after = int(request.query_params.get("after", 0))
        return JSONResponse(await run_in_threadpool(self._details, request, after))

    def _details(self, request: Request, after: int) -> dict[str, Any]:
        folder = self._folder(request)
        trajectory = self.wall.trajectory(folder)
        return {
            "id": trajectory.id,
            "start": trajectory.start,
            "lines": trajectory.steps[after:],
            "after": after,
            "kept": forkable(folder),
            "attempts": self.wall.earlier_attempts(folder),
            "state": trajectory.state,
            "end": trajectory.end,
        }

    async def _line(self, request: Request) -> Response:
        trajectory = self.wall.trajectory(self._folder(request))
        try:
            return JSONResponse(trajectory.line(request.path_params["index"]))
        except IndexError:
            raise HTTPException(404, "no such step") from None

    async def _order(self, request: Request) -> Response:
        folder = self._folder(request)
        try:
            body = OrderRequest.model_validate_json(await request.body())
            order = Order.model_validate(
                {"order": body.order, "text": body.text, "end": body.end}
                | {"by": _public(body.viewer)}
            )
        except ValidationError as error:
            return malformed(error)
        if self._name(request) not in self._live:
            raise UsageError("this trial is no longer running")
        if order.order == "act":
            raise UsageError("`act` orders are generated from viewer input and cannot be posted")
        if order.order == "take":
            self.leases.take(folder, body.viewer)
        if order.order == "give":
            if self.leases.holder(folder) != body.viewer:
                raise UsageError("only the viewer who took over can hand back")
            self.leases.give(folder, body.viewer)
        post(folder, order)
        return JSONResponse({"order": order.order}, 202)

    async def _fork(self, request: Request) -> Response:
        folder = self._folder(request)
        try:
            body = ForkRequest.model_validate_json(await request.body())
        except ValidationError as error:
            return malformed(error)
        out = await run_in_threadpool(self.forks.start, folder, body)
        self.wall.add(out)
        return JSONResponse({"run": out.name}, 202)

    async def _tree(self, request: Request) -> Response:
        self._folder(request)
        await self._read_once()
        name = (request.path_params["run"], request.path_params["trial"])
        family = await run_in_threadpool(
            lanes, self._rows(), self._trials, name, self.wall.step_kinds
        )
        return JSONResponse({"lanes": family})

    async def _read_once(self) -> None:
        """Wait until the runs have been read for the first time."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._version)

    def _rows(self) -> JSONObjects:
        return [run.whole for run in self._runs]

    async def _screen(self, request: Request) -> Response:
        live = self._live_trial(request)
        return JSONResponse({"password": live.seen.password})

    async def _frame(self, request: Request) -> Response:
        folder, name = self._folder(request) / FRAMES, request.path_params["name"]
        width = request.query_params.get("width", "")
        try:
            return await run_in_threadpool(frame_response, folder, name, width)
        except FileNotFoundError:
            raise HTTPException(404, "no such frame") from None

    async def _thumbnail(self, request: Request) -> Response:
        picture = self.thumbnails.picture(self._name(request))
        if picture is None:
            raise HTTPException(404, "no picture yet")
        return Response(
            picture.jpeg, media_type="image/jpeg", headers={"cache-control": "no-store"}
        )

    async def _vnc(self, socket: WebSocket) -> None:
        folder, viewer = self._folder(socket), socket.query_params.get("viewer", "")
        live = self._live.get(self._name(socket))
        if live is None or not viewer or not live.seen.vnc:
            await socket.close(1008, "this trial has no live screen")
            return
        await socket.accept()

        def may_act() -> bool:
            # Only once the runner has stopped the agent, so that never both act.
            return self.leases.holder(folder) == viewer and live.trajectory.state == "human"

        def on_acts(acts: Sequence[Act]) -> None:
            post(folder, Order(order="act", acts=tuple(acts), by=_public(viewer)))

        self.leases.connected(folder, viewer)
        try:
            await Bridge(live.seen.vnc, may_act, on_acts).run(socket)
        finally:
            self.leases.disconnected(folder, viewer)

    def _live_trial(self, request: Request) -> Live:
        live = self._live.get(self._name(request))
        if live is None:
            raise UsageError("this trial is no longer running")
        return live

    def _name(self, request: HTTPConnection) -> str:
        return f"{request.path_params['run']}/{request.path_params['trial']}"

    def _folder(self, request: HTTPConnection) -> Path:
        return self.wall.trial(request.path_params["run"], request.path_params["trial"])
