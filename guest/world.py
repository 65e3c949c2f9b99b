"""The host's routes about the image's services: their export, their questions to a model, and a
task's verification program."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection
from typing import Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ambidex.guest import AS_ACCOUNT, VERIFIER, HarnessError, wire
from ambidex.guest.freezing import Freezer
from ambidex.guest.processes import Processes
from ambidex.guest.requests import RequestModel, parse_body, validate
from ambidex.guest.services import Service, is_ready
from ambidex.guest.single_use import ask_once
from ambidex.guest.workers import WorkerError, WorkerRefusalError

__all__ = ["World"]

GRACE = 30.0
"""Seconds that a worker may take beyond the time given by a request."""
EXPORT_WITHIN = 260.0


class ExportQuery(RequestModel):
    """Query of a service's export."""

    service: str


class VerificationRequest(RequestModel):
    """How to run a verification program, which is the body."""

    argv: list[str] = Field(min_length=1)
    environment: dict[str, str] = Field(default_factory=dict)
    folders: dict[str, str] = Field(default_factory=dict)
    """Folders of the guest, by the variable that names the program's copy of each."""
    within: float = Field(gt=0, le=3600)


class ServiceAnswer(RequestModel):
    """The answer to a question of a service (`guest.service_questions`)."""

    service: str
    id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,100}$")
    text: str = Field(max_length=20_000)


class AnswersRequest(RequestModel):
    """Answers to earlier questions, and how many seconds to wait for one without an answer."""

    answers: list[ServiceAnswer] = Field(default_factory=list)
    wait: float = Field(0, ge=0, le=30)


class World:
    """The services of this guest. What they hold is read while the desktop user is frozen."""

    def __init__(
        self, services: dict[str, Service], processes: Processes, freezer: Freezer
    ) -> None:
        self._services = services
        self._processes = processes
        self._freezer = freezer
        self._ready: set[str] = set()
        """The services that were ready when others were not."""

    def routes(self) -> list[Route]:
        """The routes for the application."""
        return [
            Route("/harness/export", self.export, methods=["POST"]),
            Route("/harness/verify", self.verify, methods=["POST"]),
            Route("/harness/questions", self.questions, methods=["POST"]),
        ]

    async def checks(self) -> dict[str, dict[str, Any]]:
        """Whether each service is ready, for the health report.

        While services start, a host asks often: those that were ready are asked again only when
        the last one is. All are then ready at the same time.
        """
        missing = await self._missing(self._services.keys() - self._ready)
        if self._ready and not any(missing.values()):
            missing = await self._missing(self._services.keys())
        waiting = {name for name, reason in missing.items() if reason}
        self._ready = self._services.keys() - waiting if waiting else set()
        seen = {name: missing.get(name) or "ready" for name in self._services}
        return {f"service {name}": {"ok": name not in waiting, "seen": seen[name]} for name in seen}

    async def _missing(self, names: Collection[str]) -> dict[str, str]:
        reasons = await asyncio.gather(*(is_ready(self._services[name]) for name in names))
        return dict(zip(names, reasons, strict=True))

    async def export(self, request: Request) -> Response:
        """The state of a service, as the program that it declares prints it."""
        name = validate(ExportQuery, dict(request.query_params)).service
        service = self._services.get(name)
        if service is None or not service.export:
            known = ", ".join(name for name, one in self._services.items() if one.export) or "none"
            message = f"No service {name!r} with an export runs here."
            raise HarnessError(message, code="no_service", hint=f"Services with one: {known}.")
        given = {"argv": service.export, "within": EXPORT_WITHIN}
        reply = await self._ask(f"{AS_ACCOUNT}{service.account}", "export", given, EXPORT_WITHIN)
        headers = {"Ambidex-Truncated": "yes" if reply.head["value"]["truncated"] else "no"}
        return Response(reply.body, headers=headers, media_type="application/octet-stream")

    async def verify(self, request: Request) -> Response:
        """Run a verification program; how it ended is in a header, its output is the content."""
        try:
            fields = json.loads(request.query_params.get("request", ""))
        except ValueError as error:
            raise HarnessError(f"The request is not JSON: {error}.", code="bad_request") from None
        given = vars(validate(VerificationRequest, fields))
        body = await request.body()
        reply = await self._ask(VERIFIER, "verify", given, given["within"], body)
        headers = {"Ambidex-Verification": json.dumps(reply.head["value"])}
        return Response(reply.body, headers=headers, media_type="application/octet-stream")

    async def questions(self, request: Request) -> Response:
        """Pass answers on, and return the questions without one, at once or when there are any."""
        given = await parse_body(request, AnswersRequest)
        asking = {name: one for name, one in self._services.items() if one.questions}
        answers: dict[str, dict[str, str]] = {name: {} for name in asking}
        for answer in given.answers:
            if answer.service not in asking:
                message = f"No service {answer.service!r} that asks anything runs here."
                raise HarnessError(message, code="no_service")
            answers[answer.service][answer.id] = answer.text
        replies = await asyncio.gather(
            *(self._ask_questions(asking[name], answers[name], given.wait) for name in asking)
        )
        questions = [question for of_service in replies for question in of_service]
        return JSONResponse({"services": sorted(asking), "questions": questions})

    async def _ask_questions(
        self, service: Service, answers: dict[str, str], wait: float
    ) -> list[dict[str, Any]]:
        given = {"folder": service.questions, "answers": answers, "wait": wait}
        worker = f"{AS_ACCOUNT}{service.account}"
        reply = await self._ask_once(worker, "questions", given, wait, refused=400)
        return [{"service": service.name, **question} for question in reply.head["value"]]

    async def _ask(
        self, worker: str, do: str, given: dict[str, Any], within: float, body: bytes = b""
    ) -> wire.Message:
        if not self._freezer.frozen:
            message = "The desktop user's processes must be frozen first."
            raise HarnessError(message, code="not_frozen", status=409)
        return await self._ask_once(worker, do, given, within, body)

    async def _ask_once(
        self,
        worker: str,
        do: str,
        given: dict[str, Any],
        within: float,
        body: bytes = b"",
        refused: int = 503,
    ) -> wire.Message:
        """The reply of a worker that answers once; `refused` is the status if it refuses."""
        try:
            return await ask_once(self._processes, worker, do, given, within + GRACE, body)
        except WorkerRefusalError as refusal:
            error = refusal.error
            message = str(error["message"])
            raise HarnessError(message, code=str(error["code"]), status=refused) from None
        except WorkerError as error:
            raise HarnessError(str(error), code=error.code, status=503) from None
