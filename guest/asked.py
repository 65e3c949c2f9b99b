"""Questions that services ask a model of the host's, such as what a colleague answers in the chat.

A service writes a question to `ID.json` in its folder of questions, and the host's answer is put
beside it as `ID.txt`; the service deletes both when it has used the answer. The folder exists once
the host has asked for questions, so a service knows from it whether there is a model.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
from pathlib import Path
from typing import Any

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ambidex.guest import HarnessError
from ambidex.guest.requests import RequestModel, parse_body
from ambidex.guest.services import Service

__all__ = ["Asked"]

LOOKS = 0.1
"""Seconds between two looks for questions."""


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

    def __init__(self, services: dict[str, Service]) -> None:
        self._folders = {
            name: Path(service.questions) for name, service in services.items() if service.questions
        }

    def routes(self) -> list[Route]:
        """The routes for the application."""
        return [Route("/harness/questions", self.questions, methods=["POST"])]

    async def questions(self, request: Request) -> Response:
        """Pass answers on, and return the questions without one, at once or when there are any."""
        given = await parse_body(request, AnswersRequest)
        for answer in given.answers:
            self._pass_on(answer)
        end = time.monotonic() + given.wait
        while not (questions := self._open()) and time.monotonic() < end:
            await asyncio.sleep(LOOKS)
        return JSONResponse({"services": sorted(self._folders), "questions": questions})

    def _pass_on(self, answer: ServiceAnswer) -> None:
        folder = self._folders.get(answer.service)
        if folder is None or not (folder / f"{answer.id}.json").exists():
            message = f"The service {answer.service!r} has not asked the question {answer.id!r}."
            raise HarnessError(message, code="no_question")
        partial = folder / f"{answer.id}.partial"
        partial.write_text(answer.text, encoding="utf-8")
        _give_to_owner(partial, folder)
        partial.rename(folder / f"{answer.id}.txt")

    def _open(self) -> list[dict[str, Any]]:
        """The questions without an answer, the oldest first."""
        found = []
        for service, folder in self._folders.items():
            if not folder.exists():
                folder.mkdir(mode=0o700)
                _give_to_owner(folder, folder.parent)
            for path in folder.glob("*.json"):
                if path.with_suffix(".txt").exists():
                    continue
                with contextlib.suppress(FileNotFoundError):  # its answer has just been used
                    content = json.loads(path.read_text(encoding="utf-8"))
                    asked = path.stat().st_mtime_ns
                    found.append((asked, {"service": service, "id": path.stem, "with": content}))
        return [question for _, question in sorted(found, key=lambda each: each[0])]


def _give_to_owner(path: Path, of: Path) -> None:
    """Make the owner of another path this one's."""
    owner = of.stat()
    os.chown(path, owner.st_uid, owner.st_gid)
