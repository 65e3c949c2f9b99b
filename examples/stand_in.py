"""A stand-in for a model: a server that plays the demo suite's reference solutions, imperfectly.

    python -m examples.stand_in            then: ambidex experiment examples/keyless.toml

It implements the three APIs that Ambidex uses for models (chat completions, messages, responses)
and all dialects, so that an experiment can be run end to end without a key. Its scores say nothing
about any model.

A model's name defines its behaviour, in words joined by dashes: `tools` or `gui` is the preferred
modality, a number is the percentage of tasks that it completes (in the others it leaves out the
last two calls), and each of `busy`, `slow`, `garbled`, `astray`, `unwilling` and `cut` is a fault
that occurs once in an episode: it refuses a request because of load, answers late, gives an answer
that cannot be parsed, calls a useless tool, refuses to help, is cut off. The reply depends only on
the request: equal requests get equal replies.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ambidex.host.runs.first_request import TEXT as FIRST_REQUEST
from ambidex.tasks import Task
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from ambidex.tasks.spec import Call
from examples.accents import ACCENTS, Reply, ReplyFormat

SUITE = Path(__file__).parents[1] / "tasks" / "demo"
PORT = 8700
PLACE = re.compile(r"\((\d+) of \d+\)")
"""Position in the plan; every reply contains it, so that the next request does, too."""
CORRECTION = "could not be carried out"
ASTRAY = Call.model_validate({"call": "os_get_volume"})
SLOW = 2.0
"""Seconds."""


@dataclass(frozen=True)
class PlayStyle:
    """The behaviour of a model, parsed from its name."""

    prefers: str = "tools"
    solves: int = 100
    """Percentage of tasks that it completes."""
    faults: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str) -> PlayStyle:
        """Parse a name such as `tools-80-busy-garbled`."""
        words = name.rpartition("/")[2].split("-")
        prefers = next((word for word in words if word in ("tools", "gui")), "tools")
        solves = next((int(word) for word in words if word.isdigit()), 100)
        return cls(prefers, solves, tuple(word for word in words if word in FAULTS))


FAULTS = ("busy", "slow", "garbled", "astray", "unwilling", "cut")


@dataclass
class StandIn:
    """Answers requests; its only state are the requests it has refused because of load."""

    tasks: tuple[Task, ...]
    refused: set[str] = field(default_factory=set)

    async def answer(self, request: Request) -> Response:
        """Answer a request in its API and dialect."""
        body: dict[str, Any] = await request.json()
        text = json.dumps(body, ensure_ascii=False)
        if "computer_" in text and "image" not in text:
            return _error(400, "an image of the screen is required")
        reply_format = ACCENTS[_dialect(body, request.url.path)]
        if FIRST_REQUEST in text:
            return JSONResponse(reply_format.envelope(body, Reply("OK")))
        style = PlayStyle.of(body["model"])
        fault = self._fault(style, text)
        if fault == "busy" and self._refuse(text):
            return _error(429, "too many requests", {"retry-after": "0.2"})
        if fault == "slow":
            await asyncio.sleep(SLOW)
        return JSONResponse(
            reply_format.envelope(body, self._reply(body, text, reply_format, style, fault))
        )

    def _reply(
        self,
        body: Mapping[str, Any],
        text: str,
        reply_format: ReplyFormat,
        style: PlayStyle,
        fault: str,
    ) -> Reply:
        task = _task(self.tasks, text)
        at = _place(text)
        # Each fault occurs only once: the request after it contains a correction.
        again = CORRECTION in text[text.rfind(f"({at} of") :] if at else CORRECTION in text
        if not again:
            match fault:
                case "garbled":
                    return Reply("I will think about it.")
                case "unwilling":
                    return Reply("I cannot help with that.", refuses=True)
                case "cut":
                    return Reply("First I look at", cut=True)
        calls, stop = _plan(task, style, text, reply_format, body)
        end = len(calls) + 1
        around = f"I look around ({at} of {end})."
        if fault == "astray" and around not in text and reply_format.can(ASTRAY, text):
            return Reply(around, ASTRAY)
        while at < len(calls):
            at += 1
            if reply_format.can(calls[at - 1], text):
                return Reply(f"I do what comes next ({at} of {end}).", calls[at - 1])
        return Reply(f"That is all ({end} of {end}).", stop=stop)

    def _fault(self, style: PlayStyle, text: str) -> str:
        """The fault at this position, if any: one at each of the first steps."""
        at = _place(text)
        return style.faults[at] if at < len(style.faults) else ""

    def _refuse(self, text: str) -> bool:
        key = hashlib.sha256(text.encode()).hexdigest()
        if key in self.refused:
            return False
        self.refused.add(key)
        return True


def _place(text: str) -> int:
    positions = PLACE.findall(text)
    return int(positions[-1]) if positions else 0


def _task(tasks: tuple[Task, ...], text: str) -> Task:
    for instance in (instance for task in tasks for instance in task.instances):
        if json.dumps(instance.spec.instruction, ensure_ascii=False)[1:-1] in text:
            return instance
    raise LookupError("the request contains no instruction of the suite")


def _plan(
    task: Task, style: PlayStyle, text: str, reply_format: ReplyFormat, body: Mapping[str, Any]
) -> tuple[list[Call], str]:
    """The calls that this model makes in a task, and how it ends the episode."""
    by = {oracle.by: oracle for oracle in task.spec.oracle}
    order = sorted(by, key=lambda hand: hand != style.prefers)
    able = [hand for hand in order if all(reply_format.can(call, text) for call in by[hand].calls)]
    oracle = by[(able or order)[0]]
    luck = f"{task.name} {body['model']} {body.get('seed', '')}"
    solves = int(hashlib.sha256(luck.encode()).hexdigest(), 16) % 100 < style.solves
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
    body = {"error": {"message": message, "type": "stand_in", "code": status}}
    return JSONResponse(body, status, headers)


def app(tasks: Sequence[Task] | None = None) -> Starlette:
    """The server's application. By default it plays the tasks of the demo suite."""
    player = StandIn(tuple(tasks or load_suite(SUITE, read_catalogue()).tasks))
    paths = ("/v1/chat/completions", "/v1/messages", "/v1/responses")
    return Starlette(routes=[Route(path, player.answer, methods=["POST"]) for path in paths])


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else PORT
    print(f"serving a stand-in for a model at http://127.0.0.1:{port}/v1; stop it with Ctrl-C")
    uvicorn.run(app(), host="127.0.0.1", port=port, log_level="warning")
