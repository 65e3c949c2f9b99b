"""The host's route about questions that services ask a model (`guest.service_questions`)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ambidex.guest import AS_ACCOUNT, HarnessError, wire
from ambidex.guest.processes import Processes
from ambidex.guest.requests import RequestModel, parse_body
from ambidex.guest.services import Service
from ambidex.guest.single_use import ask_once
from ambidex.guest.workers import WorkerError, WorkerRefusalError

__all__ = ["Asked"]

GRACE = 30.0
"""Seconds that a worker may take beyond the time given by a request."""


class ServiceAnswer(RequestModel):
    """The answer to a question."""

    service: str
    id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,100}$")
    text: str = Field(max_length=20_000)


class AnswersRequest(RequestModel):
    """Answers to earlier questions, and how many seconds to wait for one without an answer."""

    answers: list[ServiceAnswer] = Field(default_factory=list)
    wait: float = Field(0, ge=0, le=30)


class Asked:
    """The questions of this guest's services."""

    def __init__(self, services: Mapping[str, Service], processes: Processes) -> None:
        self._services = {name: service for name, service in services.items() if service.questions}
        self._processes = processes

    def routes(self) -> list[Route]:
        """The routes for the application."""
        return [Route("/harness/questions", self.questions, methods=["POST"])]

    async def questions(self, request: Request) -> Response:
        """Pass answers on, and return the questions without one, at once or when there are any."""
        given = await parse_body(request, AnswersRequest)
        answers: dict[str, dict[str, str]] = {name: {} for name in self._services}
        for answer in given.answers:
            if answer.service not in answers:
                message = f"No service {answer.service!r} that asks anything runs here."
                raise HarnessError(message, code="no_service")
            answers[answer.service][answer.id] = answer.text
        asked = await asyncio.gather(
            *(self._ask(name, texts, given.wait) for name, texts in answers.items())
        )
        questions = [question for of_service in asked for question in of_service]
        return JSONResponse({"services": sorted(answers), "questions": questions})

    async def _ask(self, name: str, answers: dict[str, str], wait: float) -> list[dict[str, Any]]:
        service = self._services[name]
        given = {"folder": service.questions, "answers": answers, "wait": wait}
        try:
            reply: wire.Message = await ask_once(
                self._processes,
                f"{AS_ACCOUNT}{service.account}",
                "questions",
                given,
                wait + GRACE,
            )
        except WorkerRefusalError as refusal:
            error = refusal.error
            raise HarnessError(str(error["message"]), code=str(error["code"])) from None
        except WorkerError as error:
            raise HarnessError(str(error), code=error.code, status=503) from None
        return [{"service": name, **question} for question in reply.head["value"]]
