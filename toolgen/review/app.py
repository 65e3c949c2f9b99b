"""The HTTP interface of the review page. Requests pass `host.room.guard` first, which identifies
the reviewer; the answers depend on the reviewer, whatever a page asks for."""

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
from ambidex.toolgen.review.card import STATES, Cards
from ambidex.toolgen.review.desk import Desk, Desks, Preparation, TriedDraft
from ambidex.toolgen.review.evidence import PICTURES, evidence_files
from ambidex.toolgen.store import Folder, folders, open_candidate
from ambidex.toolgen.verdicts import Submission, current_draft, give_verdict

__all__ = ["ReviewApp"]

PAGES = Path(__file__).with_name("pages")
CHECK_SECONDS = 5.0
"""Interval between two checks for idle desktops."""
NO_STORE = {"cache-control": "no-store"}


class PageVerdict(Submission):
    """A verdict as a page sends it, with the reviewer that the page was opened for."""

    reviewer: str


class DeskOrder(BaseModel):
    """An order of a page to its reviewer's desktop."""

    model_config = ConfigDict(extra="forbid")

    order: Literal["start", "end", "call", "take", "give"]
    viewer: str = ""
    candidate: str = ""
    staged: bool = False
    arguments: Mapping[str, Any] = {}


@dataclass
class ReviewApp:
    """The review page's application and its state."""

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
        """End idle desktops, forever."""
        while True:
            await asyncio.sleep(CHECK_SECONDS)
            await run_in_threadpool(self.desks.end_idle)

    def close(self) -> None:
        """End all desktops."""
        self.desks.close()

    # Candidates

    async def _page(self, request: Request) -> Response:
        return FileResponse(PAGES / "index.html", headers=NO_STORE)

    async def _list(self, request: Request) -> Response:
        def entries() -> list[dict[str, Any]]:
            unsorted = [self.cards.entry(folder, who(request)) for folder in folders(self.foundry)]
            return sorted(unsorted, key=lambda entry: (STATES.index(entry["state"]), entry["name"]))

        content = {"reviewer": who(request), "candidates": await run_in_threadpool(entries)}
        return JSONResponse(content, headers=NO_STORE)

    async def _card(self, request: Request) -> Response:
        folder = self._folder(request)
        card = await run_in_threadpool(self.cards.card, folder, who(request))
        return JSONResponse(card, headers=NO_STORE)

    async def _verdict(self, request: Request) -> Response:
        folder = self._folder(request)
        verdict = PageVerdict.model_validate_json(await request.body())
        if verdict.reviewer != who(request):
            raise UsageError(
                f"this page is {verdict.reviewer}'s, but this browser is now {who(request)}'s:"
                " open your own address again"
            )
        submission = Submission.model_validate(verdict.model_dump(exclude={"reviewer"}))
        review = await run_in_threadpool(give_verdict, folder, who(request), submission)
        return JSONResponse(review.model_dump(mode="json"), 201)

    async def _file(self, request: Request) -> Response:
        folder, path = self._folder(request), request.path_params["path"]
        results = await run_in_threadpool(folder.results)
        if not any(path in evidence_files(folder, result) for result in results):
            raise HTTPException(404, "not evidence of a stage")
        file = (folder.path / path).resolve()
        if not file.is_file() or not file.is_relative_to(folder.path.resolve()):
            raise HTTPException(404, "no such file")
        # These types make a browser display the content as text or a picture, and run none of it.
        return FileResponse(file, media_type=PICTURES.get(file.suffix, "text/plain"))

    def _folder(self, request: Request) -> Folder:
        try:
            return open_candidate(self.foundry, request.path_params["name"])
        except UsageError as error:
            raise HTTPException(404, str(error)) from None

    # The reviewer's desktop

    async def _desk(self, request: Request) -> Response:
        desk = self.desks.of(who(request))
        if desk is None:
            return JSONResponse({"state": "none", "viewer": None}, headers=NO_STORE)
        content = {**desk.status(), "viewer": self.leases.holder(desk.folder)}
        return JSONResponse(content, headers=NO_STORE)

    async def _order(self, request: Request) -> Response:
        order, reviewer = DeskOrder.model_validate_json(await request.body()), who(request)
        desk = self.desks.of(reviewer)
        match order.order:
            case "start":
                draft, prepare = await run_in_threadpool(self._draft_to_try, order)
                self.desks.start(reviewer, draft, prepare)
            case "end":
                await run_in_threadpool(self.desks.end, reviewer)
            case "call":
                _existing(desk).call(order.arguments)
            case "take":
                self.leases.take(_existing(desk).folder, order.viewer)
            case "give":
                self.leases.give(_existing(desk).folder, order.viewer)
        return JSONResponse({"order": order.order}, 202)

    def _draft_to_try(self, order: DeskOrder) -> tuple[TriedDraft, Preparation | None]:
        folder = open_candidate(self.foundry, order.candidate)
        candidate, draft = folder.candidate(), current_draft(folder)
        if draft is None:
            raise UsageError(f"{candidate.name} has no draft yet")
        tried = TriedDraft(candidate.name, draft.n, candidate.app, folder.text(draft.n)[0])
        if not order.staged:
            return tried, None
        if not candidate.task:
            raise UsageError(f"{candidate.name} was not made from a task")
        path = Path(candidate.task)
        task = load_suite(path.parent, read_catalogue(), (path.name,)).tasks[0]
        if task.hash != candidate.task_hash:
            raise UsageError(f"the task {path} has changed since {candidate.name} was made from it")
        return tried, _setup_of(task)

    async def _screen(self, request: Request) -> Response:
        desk = _existing(self.desks.of(who(request)))
        return JSONResponse({"password": desk.vnc[1]}, headers=NO_STORE)

    async def _vnc(self, socket: WebSocket) -> None:
        desk, viewer = self.desks.of(who(socket)), socket.query_params.get("viewer", "")
        if desk is None or not viewer or not desk.vnc[0]:
            await socket.close(1008, "no desktop to show")
            return
        await socket.accept()

        def may_act() -> bool:
            # Not during a call, so that the reviewer's input is not mistaken for the tool's effect.
            return self.leases.holder(desk.folder) == viewer and desk.state == "ready"

        def acted(acts: Sequence[Act]) -> None:
            """Input on this desktop is not recorded."""

        self.leases.connected(desk.folder, viewer)
        try:
            await Bridge(desk.vnc[0], may_act, acted).run(socket)
        finally:
            self.leases.disconnected(desk.folder, viewer)

    @property
    def leases(self) -> Leases:
        """The leases of the desktops' keyboards."""
        return self.desks.leases


def _setup_of(task: Task) -> Preparation:
    return lambda guest: set_stage(task, guest)


def _existing(desk: Desk | None) -> Desk:
    if desk is None:
        raise UsageError("there is no desktop", hint="Start one first.")
    return desk


async def _refused(request: Request, error: Exception) -> Response:
    message = f"{error} {getattr(error, 'hint', '')}".strip()
    return JSONResponse({"error": message}, 409)


async def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, ValidationError)
    return JSONResponse({"error": explain(error, whole="the request")}, 400)
