"""The doors of the review page. `guard` stands before them and says who asks: that decides what is
told, whatever a page asks for."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from ambidex.evaluators.strict import explain
from ambidex.host.errors import TaskError, UsageError
from ambidex.host.loop.stage import set_stage
from ambidex.host.records.orders import Act
from ambidex.host.room.bridge import Bridge
from ambidex.host.room.guard import who
from ambidex.host.room.lease import Leases
from ambidex.host.room.parts import mounts
from ambidex.tasks import Task
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from ambidex.toolgen.review.card import ORDER, Cards
from ambidex.toolgen.review.desk import Desk, Desks, Scene, Tried
from ambidex.toolgen.review.evidence import PICTURES, given_out
from ambidex.toolgen.store import Folder, folders, open_candidate
from ambidex.toolgen.verdicts import Said, current, give

__all__ = ["Reviewing"]

PAGES = Path(__file__).with_name("pages")
LOOK_EVERY = 5.0
"""Seconds between two looks for desktops that nobody asks for."""
NO_STORE = {"cache-control": "no-store"}


class Given(Said):
    """A verdict as a page sends it: also whose page it is."""

    reviewer: str


class Ordered(BaseModel):
    """What a page wants of its desktop."""

    model_config = ConfigDict(extra="forbid")

    order: Literal["start", "end", "call", "take", "give"]
    viewer: str = ""
    candidate: str = ""
    staged: bool = False
    arguments: Mapping[str, Any] = {}


@dataclass
class Reviewing:
    """The application, and what it knows."""

    foundry: Path
    reviewers: Sequence[str]
    cards: Cards
    desks: Desks

    def app(self) -> ASGIApp:
        """The ASGI application."""
        routes = [
            Route("/", self._page),
            Route("/api/candidates", self._list),
            Route("/api/candidates/{name}", self._card),
            Route("/api/candidates/{name}/verdict", self._verdict, methods=["POST"]),
            Route("/files/{name}/{path:path}", self._file),
            Route("/api/desk", self._desk),
            Route("/api/desk", self._order, methods=["POST"]),
            Route("/api/desk/screen", self._screen),
            WebSocketRoute("/vnc/desk", self._vnc),
            Mount("/review", StaticFiles(directory=PAGES)),
            *mounts(),
        ]
        errors = {UsageError: _refused, TaskError: _refused, ValidationError: _malformed}
        return Starlette(routes=routes, exception_handlers=errors)

    async def work(self) -> None:
        """End desktops that nobody asks for any more."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            await run_in_threadpool(self.desks.end_idle)

    def close(self) -> None:
        """End the desktops."""
        self.desks.close()

    # Candidates

    async def _page(self, request: Request) -> Response:
        return FileResponse(PAGES / "index.html", headers=NO_STORE)

    async def _list(self, request: Request) -> Response:
        def told() -> list[dict[str, Any]]:
            found = [self.cards.entry(each, who(request)) for each in folders(self.foundry)]
            return sorted(found, key=lambda each: (ORDER.index(each["state"]), each["name"]))

        said = {"reviewer": who(request), "candidates": await run_in_threadpool(told)}
        return JSONResponse(said, headers=NO_STORE)

    async def _card(self, request: Request) -> Response:
        folder = self._folder(request)
        told = await run_in_threadpool(self.cards.card, folder, who(request))
        return JSONResponse(told, headers=NO_STORE)

    async def _verdict(self, request: Request) -> Response:
        folder, given = self._folder(request), Given.model_validate_json(await request.body())
        if given.reviewer != who(request):
            raise UsageError(
                f"this page is {given.reviewer}'s, and this browser is {who(request)}'s by now:"
                " open your own address again"
            )
        said = Said.model_validate(given.model_dump(exclude={"reviewer"}))
        review = await run_in_threadpool(give, folder, who(request), said)
        return JSONResponse(review.model_dump(mode="json"), 201)

    async def _file(self, request: Request) -> Response:
        folder, path = self._folder(request), request.path_params["path"]
        results = await run_in_threadpool(folder.results)
        if not any(path in given_out(folder, result) for result in results):
            raise HTTPException(404, "this is no evidence of a stage")
        file = (folder.path / path).resolve()
        if not file.is_file() or not file.is_relative_to(folder.path.resolve()):
            raise HTTPException(404, "it is not there")
        # Whatever it is, a browser shows it as text or as a picture, and runs nothing of it.
        return FileResponse(file, media_type=PICTURES.get(file.suffix, "text/plain"))

    def _folder(self, request: Request) -> Folder:
        try:
            return open_candidate(self.foundry, request.path_params["name"])
        except UsageError as error:
            raise HTTPException(404, str(error)) from None

    # The desktop to try it on

    async def _desk(self, request: Request) -> Response:
        desk = self.desks.of(who(request))
        if desk is None:
            return JSONResponse({"state": "none", "viewer": None}, headers=NO_STORE)
        said = {**desk.told(), "viewer": self.leases.holder(desk.folder)}
        return JSONResponse(said, headers=NO_STORE)

    async def _order(self, request: Request) -> Response:
        asked, reviewer = Ordered.model_validate_json(await request.body()), who(request)
        desk = self.desks.of(reviewer)
        match asked.order:
            case "start":
                tried, scene = await run_in_threadpool(self._tried, asked)
                self.desks.start(reviewer, tried, scene)
            case "end":
                await run_in_threadpool(self.desks.end, reviewer)
            case "call":
                _there(desk).call(asked.arguments)
            case "take":
                self.leases.take(_there(desk).folder, asked.viewer)
            case "give":
                self.leases.give(_there(desk).folder, asked.viewer)
        return JSONResponse({"order": asked.order}, 202)

    def _tried(self, asked: Ordered) -> tuple[Tried, Scene | None]:
        folder = open_candidate(self.foundry, asked.candidate)
        said, draft = folder.candidate(), current(folder)
        if draft is None:
            raise UsageError(f"{said.name} has no draft yet")
        tried = Tried(said.name, draft.n, said.app, folder.text(draft.n)[0])
        if not asked.staged:
            return tried, None
        if not said.task:
            raise UsageError(f"{said.name} was made from no task")
        where = Path(said.task)
        task = load_suite(where.parent, read_catalogue(), (where.name,)).tasks[0]
        if task.hash != said.task_hash:
            raise UsageError(f"the task {where} has changed since {said.name} was made from it")
        return tried, _stage_of(task)

    async def _screen(self, request: Request) -> Response:
        desk = _there(self.desks.of(who(request)))
        return JSONResponse({"password": desk.vnc[1]}, headers=NO_STORE)

    async def _vnc(self, socket: WebSocket) -> None:
        desk, viewer = self.desks.of(who(socket)), socket.query_params.get("viewer", "")
        if desk is None or not viewer or not desk.vnc[0]:
            await socket.close(1008, "there is no desktop to be seen")
            return
        await socket.accept()

        def may_act() -> bool:
            # Not while the tool acts: what it did would not be its own.
            return self.leases.holder(desk.folder) == viewer and desk.state == "ready"

        def acted(acts: Sequence[Act]) -> None:
            """Nobody records it: the desktop is for trying only."""

        self.leases.connected(desk.folder, viewer)
        try:
            await Bridge(desk.vnc[0], may_act, acted).run(socket)
        finally:
            self.leases.disconnected(desk.folder, viewer)

    @property
    def leases(self) -> Leases:
        """Who is at the keyboard of which desktop."""
        return self.desks.leases


def _stage_of(task: Task) -> Scene:
    return lambda guest: set_stage(task, guest)


def _there(desk: Desk | None) -> Desk:
    if desk is None:
        raise UsageError("there is no desktop", hint="Start one first.")
    return desk


async def _refused(request: Request, error: Exception) -> Response:
    said = f"{error} {getattr(error, 'hint', '')}".strip()
    return JSONResponse({"error": said}, 409)


async def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, ValidationError)
    return JSONResponse({"error": explain(error, whole="the request")}, 400)
