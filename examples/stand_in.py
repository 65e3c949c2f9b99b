"""A stand-in for a model: a server that plays the demo suite's reference solutions, imperfectly.

    python -m examples.stand_in            then: ambidex experiment examples/keyless.toml

It speaks the three forms that Ambidex asks models in (chat completions, messages, responses) and
all dialects, so that the whole way of an experiment can be walked without a key. What it scores
says nothing about any model.

A model's name says how it plays, in words joined by dashes: `tools` or `gui` is the hand it
prefers, a number is the percentage of tasks that it plays to their end (of the others it leaves
out the last two calls), and each of `busy`, `slow`, `garbled`, `astray`, `unwilling` and `cut` is a
fault, shown once in an episode: it is refused for load, answers late, answers what cannot be read,
calls a tool that is of no use, refuses, is cut off. Everything follows from the request: the same
one is answered alike.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ambidex.tasks import Task
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from ambidex.tasks.spec import Call
from examples.accents import ACCENTS, Accent, Said

SUITE = Path(__file__).parents[1] / "tasks" / "demo"
PORT = 8700
PLACE = re.compile(r"\((\d+) of \d+\)")
"""Where it is in its plan; it says so in every answer, and finds it again in the next request."""
CORRECTION = "could not be carried out"
ASTRAY = Call.model_validate({"call": "os_get_volume"})
SLOW = 2.0
"""Seconds."""


@dataclass(frozen=True)
class Manner:
    """How a model plays, by its name."""

    prefers: str = "tools"
    solves: int = 100
    """Per cent."""
    faults: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str) -> Manner:
        """`tools-80-busy-garbled` and the like."""
        words = name.rpartition("/")[2].split("-")
        prefers = next((word for word in words if word in ("tools", "gui")), "tools")
        solves = next((int(word) for word in words if word.isdigit()), 100)
        return cls(prefers, solves, tuple(word for word in words if word in FAULTS))


FAULTS = ("busy", "slow", "garbled", "astray", "unwilling", "cut")


@dataclass
class StandIn:
    """Answers requests; remembers only which ones it has refused for load."""

    tasks: tuple[Task, ...]
    refused: set[str] = field(default_factory=set)

    async def answer(self, request: Request) -> Response:
        """One answer, in the form and the dialect of the request."""
        body: dict[str, Any] = await request.json()
        text = json.dumps(body, ensure_ascii=False)
        if "image" not in text:
            return _error(400, "an image of the screen is required")
        accent = ACCENTS[_dialect(body, request.url.path)]
        manner = Manner.of(body["model"])
        fault = self._fault(manner, text)
        if fault == "busy" and self._refuse(text):
            return _error(429, "too many requests", {"retry-after": "0.2"})
        if fault == "slow":
            await asyncio.sleep(SLOW)
        return JSONResponse(accent.envelope(body, self._said(body, text, accent, manner, fault)))

    def _said(
        self, body: Mapping[str, Any], text: str, accent: Accent, manner: Manner, fault: str
    ) -> Said:
        task = _task(self.tasks, text)
        at = _place(text)
        # Whatever is wrong is said only once: the request that follows carries a correction.
        again = CORRECTION in text[text.rfind(f"({at} of") :] if at else CORRECTION in text
        if not again:
            match fault:
                case "garbled":
                    return Said("I will think about it.")
                case "unwilling":
                    return Said("I cannot help with that.", refuses=True)
                case "cut":
                    return Said("First I look at", cut=True)
        calls, stop = _plan(task, manner, text, accent, body)
        end = len(calls) + 1
        around = f"I look around ({at} of {end})."
        if fault == "astray" and around not in text and accent.can(ASTRAY, text):
            return Said(around, ASTRAY)
        while at < len(calls):
            at += 1
            if accent.can(calls[at - 1], text):
                return Said(f"I do what comes next ({at} of {end}).", calls[at - 1])
        return Said(f"That is all ({end} of {end}).", stop=stop)

    def _fault(self, manner: Manner, text: str) -> str:
        """The fault that is due at this place, if any: one at each of the first steps."""
        at = _place(text)
        return manner.faults[at] if at < len(manner.faults) else ""

    def _refuse(self, text: str) -> bool:
        key = hashlib.sha256(text.encode()).hexdigest()
        if key in self.refused:
            return False
        self.refused.add(key)
        return True


def _place(text: str) -> int:
    found = PLACE.findall(text)
    return int(found[-1]) if found else 0


def _task(tasks: tuple[Task, ...], text: str) -> Task:
    for task in tasks:
        if json.dumps(task.spec.instruction, ensure_ascii=False)[1:-1] in text:
            return task
    raise LookupError("the request holds no instruction of the demo suite")


def _plan(
    task: Task, manner: Manner, text: str, accent: Accent, body: Mapping[str, Any]
) -> tuple[list[Call], str]:
    """The calls that this model makes in that task, and how it ends."""
    by = {oracle.by: oracle for oracle in task.spec.oracle}
    order = sorted(by, key=lambda hand: hand != manner.prefers)
    able = [hand for hand in order if all(accent.can(call, text) for call in by[hand].calls)]
    oracle = by[(able or order)[0]]
    luck = f"{task.name} {body['model']} {body.get('seed', '')}"
    solves = int(hashlib.sha256(luck.encode()).hexdigest(), 16) % 100 < manner.solves
    calls = oracle.calls if solves else oracle.calls[:-2]
    return list(calls), oracle.stop if solves or oracle.stop == "done" else "done"


def _dialect(body: Mapping[str, Any], path: str) -> str:
    if path.endswith("/messages"):
        return "anthropic"
    if path.endswith("/responses"):
        return "openai"
    if body.get("tools"):
        return "functions"
    return "paper" if "<tools>" in json.dumps(body["messages"][0]) else "pyautogui"


def _error(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    said = {"error": {"message": message, "type": "stand_in", "code": status}}
    return JSONResponse(said, status, headers)


def app(suite: Path = SUITE) -> Starlette:
    """The server's application."""
    player = StandIn(load_suite(suite, read_catalogue()).tasks)
    paths = ("/v1/chat/completions", "/v1/messages", "/v1/responses")
    return Starlette(routes=[Route(path, player.answer, methods=["POST"]) for path in paths])


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else PORT
    print(f"a stand-in for a model at http://127.0.0.1:{port}/v1; end it with Ctrl-C")
    uvicorn.run(app(), host="127.0.0.1", port=port, log_level="warning")
