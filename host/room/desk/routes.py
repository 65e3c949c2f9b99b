"""Routes of the desk: a trial's transcript, verdict, evidence and labels."""

from __future__ import annotations

import mimetypes
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from ambidex.host.records.config import read_config
from ambidex.host.records.rows import Key
from ambidex.host.report.failure_sheet import CAUSES
from ambidex.host.room.answers import malformed
from ambidex.host.room.desk.labels import Label, labels_of, set_label
from ambidex.host.room.desk.transcript import Transcript, settings
from ambidex.host.room.desk.verdict import EVIDENCE, checks_of, evidence_of, score_of
from ambidex.host.room.wall import Wall

__all__ = ["DeskRoutes"]

KEPT = 4
"""Transcripts in memory; they contain the pictures that were sent."""
SHOWN = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""Types that a browser may show as what they are. Evidence comes from the guest."""
TEXTS = ("text/", "application/json", "application/toml", "application/xml")


@dataclass
class DeskRoutes:
    """The routes of one trial; access to them is controlled as for all others (`guard`)."""

    wall: Wall
    _transcripts: OrderedDict[tuple[Path, str], Transcript] = field(default_factory=OrderedDict)

    def routes(self) -> list[BaseRoute]:
        """All routes, for the room's application."""
        trial = "/api/trials/{run}/{trial}"
        return [
            Route(f"{trial}/transcript", self._transcript),
            Route(f"{trial}/sent/{{name}}", self._sent),
            Route(f"{trial}/verdict", self._verdict),
            Route(f"{trial}/checks", self._checks),
            Route(f"{trial}/labels", self._label, methods=["POST"]),
            Route("/evidence/{run}/{trial}/{path:path}", self._evidence),
        ]

    async def _transcript(self, request: Request) -> Response:
        folder = self._folder(request)
        return JSONResponse(await run_in_threadpool(self._exchanges, folder))

    def _exchanges(self, folder: Path) -> dict[str, Any]:
        transcript = self._open(folder)
        transcript.read()
        model = read_config(folder.parent).model
        return {
            "settings": settings(model) if model else {},
            "exchanges": transcript.exchanges,
            "parts": transcript.parts,
            "notes": transcript.notes,
        }

    def _open(self, folder: Path) -> Transcript:
        key = (folder, self.wall.trajectory(folder).id)
        transcript = self._transcripts.setdefault(key, Transcript(folder))
        self._transcripts.move_to_end(key)
        while len(self._transcripts) > KEPT:
            self._transcripts.popitem(last=False)
        return transcript

    async def _sent(self, request: Request) -> Response:
        kind, content = self._open(self._folder(request)).images.get(
            request.path_params["name"], ("", b"")
        )
        if kind not in SHOWN:
            raise HTTPException(404, "no such picture; load the transcript again")
        return Response(content, media_type=kind)

    async def _verdict(self, request: Request) -> Response:
        folder = self._folder(request)
        answer = {
            "score": score_of(folder),
            "evidence": await run_in_threadpool(evidence_of, folder),
            "causes": CAUSES,
            "labels": await run_in_threadpool(labels_of, folder.parent, self._key(folder)),
        }
        return JSONResponse(answer)

    async def _checks(self, request: Request) -> Response:
        folder = self._folder(request)
        name = self.wall.trajectory(folder).start.get("task", "")
        return JSONResponse(await run_in_threadpool(checks_of, folder, name))

    async def _label(self, request: Request) -> Response:
        folder = self._folder(request)
        try:
            label = Label.model_validate_json(await request.body())
        except ValidationError as error:
            return malformed(error)
        await run_in_threadpool(set_label, folder.parent, self._key(folder), label)
        return JSONResponse({"on": label.on})

    async def _evidence(self, request: Request) -> Response:
        folder = (self._folder(request) / EVIDENCE).resolve()
        path = (folder / request.path_params["path"]).resolve()
        if not path.is_relative_to(folder) or not path.is_file():
            raise HTTPException(404, "no such evidence")
        kind = mimetypes.guess_type(path.name)[0] or ""
        if kind in SHOWN:
            return FileResponse(path, media_type=kind)
        if kind.startswith(TEXTS):
            return FileResponse(path, media_type="text/plain; charset=utf-8")
        return FileResponse(path, filename=path.name, media_type="application/octet-stream")

    def _key(self, folder: Path) -> Key:
        start = self.wall.trajectory(folder).start
        return (start.get("task", ""), start.get("agent", ""), start.get("trial", 0))

    def _folder(self, request: Request) -> Path:
        return self.wall.trial(request.path_params["run"], request.path_params["trial"])
