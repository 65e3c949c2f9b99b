"""Routes that start, stop, resume and compare runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from ambidex.host.records.config import NAME as CONFIG
from ambidex.host.report.pair.flips import compare_runs
from ambidex.host.report.pair.page import comparison_page
from ambidex.host.room.answers import malformed
from ambidex.host.room.runs.control import RunControl, StartRequest
from ambidex.host.room.wall import Wall

__all__ = ["RunRoutes"]

PAGE_WITHOUT_SCRIPTS = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
"""The content security policy of a page that has its style sheet and pictures inside."""


@dataclass(frozen=True)
class RunRoutes:
    """The routes of runs; access to them is controlled as for all others (`guard`)."""

    wall: Wall
    control: RunControl

    def routes(self) -> list[BaseRoute]:
        """All routes, for the room's application."""
        return [
            Route("/api/runs", self._start, methods=["POST"]),
            Route("/api/runs/{run}/command", self._command),
            Route("/api/runs/{run}/stop", self._stop, methods=["POST"]),
            Route("/api/runs/{run}/resume", self._resume, methods=["POST"]),
            Route("/runs/{run}/compare/{other}", self._compare),
        ]

    async def _start(self, request: Request) -> Response:
        try:
            body = StartRequest.model_validate_json(await request.body())
        except ValidationError as error:
            return malformed(error)
        place = _place(Path(self.wall.folders[0]))
        out = await run_in_threadpool(self.control.start, body, place)
        if place not in self.wall.folders:
            self.wall.add(out)
        return JSONResponse({"run": out.name}, 202)

    async def _command(self, request: Request) -> Response:
        return JSONResponse(self.control.command_of(self._run(request)))

    async def _stop(self, request: Request) -> Response:
        run = self._run(request)
        await run_in_threadpool(self.control.stop, run)
        return JSONResponse({"run": run.name}, 202)

    async def _resume(self, request: Request) -> Response:
        command = await run_in_threadpool(self.control.resume, self._run(request))
        return JSONResponse({"command": command}, 202)

    async def _compare(self, request: Request) -> Response:
        names = [request.path_params[side] for side in ("run", "other")]
        runs = {self.wall.run(name): name for name in names}

        def address(trial: Path) -> str:
            return f"/#/trial/{quote(runs[trial.parent], safe='')}/{quote(trial.name, safe='')}"

        def compared() -> str:
            return comparison_page(compare_runs(*map(self.wall.run, names)), address)

        text = await run_in_threadpool(compared)
        return HTMLResponse(text, headers={"content-security-policy": PAGE_WITHOUT_SCRIPTS})

    def _run(self, request: Request) -> Path:
        return self.wall.run(request.path_params["run"])


def _place(folder: Path) -> Path:
    """Where a new run is stored: in the room's first directory, or next to that run."""
    return folder.resolve().parent if (folder / CONFIG).exists() else folder
