"""A stand-in for a model: a server that plays the reference solutions of a suite, imperfectly.

    python -m examples.stand_in            then: ambidex experiment examples/keyless.toml
    python -m examples.stand_in --suite tasks/company        for examples/company.toml

It implements the three APIs that Ambidex uses for models (chat completions, messages, responses)
and all dialects, so that an experiment can be run end to end without a key. Its scores say nothing
about any model.

A model's name defines its behaviour, in words joined by dashes: `tools` or `gui` is the preferred
modality, a number is the percentage of tasks that it completes (in the others it leaves out the
last two calls), and each of `busy`, `slow`, `garbled`, `astray`, `unwilling` and `cut` is a fault
that occurs once in an episode: it refuses a request because of load, answers late, gives an answer
that cannot be parsed, calls a useless tool, refuses to help, is cut off. The first fault in the
name occurs before the first call of the solution, the second one before the second call, and so on.
The reply depends only on the request: equal requests get equal replies.

Behind a gateway with `find_tools` it searches for each tool by the words of its name before the
first call, and leaves out the calls of those that it does not find. There, `astray` reads a file
that does not exist, and another fault, `terse`, searches with the first word of the name only, if
the call at its position is the first one of a tool.

Values that a solution keeps from earlier results (`keep`) are read in the dialect `functions` only;
in the others, calls that need them get the name of the value (`$room`) instead.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ambidex.host.agents.oracle import CALL, FIND, fill_in, query_for
from ambidex.host.runs.first_request import TEXT as FIRST_REQUEST
from ambidex.tasks import Task
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from ambidex.tasks.spec import Call, ScriptedCall
from examples.accents import Reply
from examples.conversation import NEXT, Conversation

SUITE = Path(__file__).parents[1] / "tasks" / "demo"
PORT = 8700
ASTRAY = Call.model_validate({"call": "os_get_volume"})
LOST = Call.model_validate({"call": "files_read_text", "with": {"path": "~/todo.txt"}})
"""The useless call behind a gateway, which fails."""
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

    def fault(self, place: int) -> str:
        """The fault at a position in the plan, if any: one at each of the first calls."""
        return self.faults[place] if place < len(self.faults) else ""


FAULTS = ("busy", "slow", "garbled", "astray", "unwilling", "cut", "terse")


@dataclass
class StandIn:
    """Answers requests; its only state is the set of requests refused because of load."""

    tasks: tuple[Task, ...]
    refused: set[str] = field(default_factory=set)

    async def answer(self, request: Request) -> Response:
        """Answer a request in its API and dialect."""
        conversation = Conversation(await request.json(), request.url.path)
        body, text = conversation.body, conversation.text
        if "computer_" in conversation.offer and "image" not in text:
            return _error(400, "an image of the screen is required")
        envelope = conversation.reply_format.envelope
        if FIRST_REQUEST in text:
            return JSONResponse(envelope(body, Reply("OK")))
        style = PlayStyle.of(body["model"])
        fault = style.fault(conversation.place) if conversation.fresh else ""
        if fault == "busy" and self._refuse(text):
            return _error(429, "too many requests", {"retry-after": "0.2"})
        if fault == "slow":
            await asyncio.sleep(SLOW)
        return JSONResponse(envelope(body, self._reply(conversation, style, fault)))

    def _reply(self, conversation: Conversation, style: PlayStyle, fault: str) -> Reply:
        # Each fault occurs only once: the request after it contains a correction.
        if not conversation.corrected:
            match fault:
                case "garbled":
                    return Reply("I will think about it.")
                case "unwilling":
                    return Reply("I cannot help with that.", refuses=True)
                case "cut":
                    return Reply("First I look at", cut=True)
        calls, stop = _plan(conversation.task(self.tasks), style, conversation)
        at, end = conversation.place, len(calls) + 1
        useless = _through_gateway(LOST) if conversation.gateway else ASTRAY
        if fault == "astray" and conversation.can(useless):
            return Reply(f"I look around ({at} of {end}).", useless)
        kept = conversation.kept(calls)
        while at < len(calls):
            call = _call(calls[at].call, fill_in(calls[at].with_, kept))
            offered = conversation.can(call)
            if conversation.gateway and not offered:
                search = f"I search for {call.call}"
                if f"{search} (" not in conversation.text:
                    terse = style.fault(at) == "terse"
                    return Reply(f"{search} ({at} of {end}).", _search(call.call, terse=terse))
                offered = conversation.has_found(call.call)
                call = _through_gateway(call)
            at += 1
            if offered:
                return Reply(f"{NEXT} ({at} of {end}).", call)
        return Reply(f"That is all ({end} of {end}).", stop=stop)

    def _refuse(self, text: str) -> bool:
        key = hashlib.sha256(text.encode()).hexdigest()
        if key in self.refused:
            return False
        self.refused.add(key)
        return True


def _plan(
    task: Task, style: PlayStyle, conversation: Conversation
) -> tuple[list[ScriptedCall], str]:
    """The calls that this model makes in a task, and how it ends the episode."""
    by = {oracle.by: oracle for oracle in task.spec.oracle}
    order = sorted(by, key=lambda hand: hand != style.prefers)
    able = [
        hand
        for hand in order
        if (hand == "tools" and conversation.gateway) or all(map(conversation.can, by[hand].calls))
    ]
    oracle = by[(able or order)[0]]
    luck = f"{task.name} {conversation.body['model']} {conversation.body.get('seed', '')}"
    solves = int(hashlib.sha256(luck.encode()).hexdigest(), 16) % 100 < style.solves
    calls = oracle.calls if solves else oracle.calls[:-2]
    return list(calls), oracle.stop if solves or oracle.stop == "done" else "done"


def _search(tool: str, *, terse: bool) -> Call:
    words = query_for(tool)
    return _call(FIND, {"query": words.split()[0] if terse else words})


def _through_gateway(call: Call) -> Call:
    return _call(CALL, {"name": call.call, "arguments": call.with_})


def _call(name: str, arguments: Mapping[str, object]) -> Call:
    return Call.model_validate({"call": name, "with": arguments})


def _error(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    body = {"error": {"message": message, "type": "stand_in", "code": status}}
    return JSONResponse(body, status, headers)


def app(tasks: Sequence[Task] | None = None) -> Starlette:
    """The server's application. By default it plays the tasks of the demo suite."""
    player = StandIn(tuple(tasks or load_suite(SUITE, read_catalogue()).tasks))
    paths = ("/v1/chat/completions", "/v1/messages", "/v1/responses")
    return Starlette(routes=[Route(path, player.answer, methods=["POST"]) for path in paths])


def main() -> None:
    """Serve the stand-in until Ctrl-C."""
    parser = argparse.ArgumentParser("python -m examples.stand_in")
    parser.add_argument("port", nargs="?", type=int, default=PORT)
    parser.add_argument("--suite", type=Path, default=SUITE, help="the suite that it plays")
    given = parser.parse_args()
    tasks = load_suite(given.suite, read_catalogue()).tasks
    address = f"http://127.0.0.1:{given.port}/v1"
    print(f"serving a stand-in for a model at {address}; stop it with Ctrl-C")
    uvicorn.run(app(tasks), host="127.0.0.1", port=given.port, log_level="warning")


if __name__ == "__main__":
    main()
