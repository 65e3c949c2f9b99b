"""What the stand-in reads in a request: its own earlier replies, the tools on offer, the results of
its calls."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from ambidex.host.agents.oracle import FIND, value_at
from ambidex.tasks import Task
from ambidex.tasks.spec import Call, ScriptedCall
from examples.accents import ACCENTS, ReplyFormat

__all__ = ["NEXT", "Conversation"]

PLACE = re.compile(r"\((\d+) of \d+\)")
"""Position in the plan; every reply contains it, so that the next request does, too."""
CORRECTION = "could not be carried out"
NEXT = "I do what comes next"
"""The beginning of a reply that makes a call of the plan; the position follows."""
MADE = re.compile(rf"{NEXT} {PLACE.pattern}")
SEARCH = Call.model_validate({"call": FIND})


@dataclass(frozen=True)
class Conversation:
    """A request's body, as sent to the API at `path`."""

    body: Mapping[str, Any]
    path: str

    @cached_property
    def text(self) -> str:
        """The whole body as JSON."""
        return json.dumps(self.body, ensure_ascii=False)

    @cached_property
    def offer(self) -> str:
        """The tools as JSON, or the system prompt that describes them."""
        system = self.body.get("messages", ())[:1]
        return json.dumps(self.body.get("tools") or system, ensure_ascii=False)

    @cached_property
    def reply_format(self) -> ReplyFormat:
        """The format of replies in the dialect of the request."""
        return ACCENTS[self._dialect()]

    @cached_property
    def place(self) -> int:
        """How many calls of the plan are done."""
        return self._places[-1]

    @cached_property
    def fresh(self) -> bool:
        """Whether no reply names this place but the one that reached it."""
        return self._places.count(self.place) == 1

    @cached_property
    def corrected(self) -> bool:
        """Whether the last reply could not be carried out."""
        at = self.text.rfind(f"({self.place} of") if self.place else 0
        return CORRECTION in self.text[at:]

    @cached_property
    def gateway(self) -> bool:
        """Whether tools can be searched for."""
        return self.reply_format.can(SEARCH, self.offer)

    def task(self, tasks: Sequence[Task]) -> Task:
        """The task whose instruction the request contains."""
        for instance in (instance for task in tasks for instance in task.instances):
            if json.dumps(instance.spec.instruction, ensure_ascii=False)[1:-1] in self.text:
                return instance
        raise LookupError("the request contains no instruction of the suite")

    def can(self, call: Call) -> bool:
        """Whether the call's tool is on offer and the dialect can express the call."""
        # Answers of a gateway name tools that are not on offer.
        return self.reply_format.can(call, self.offer if self.gateway else self.text)

    def has_found(self, tool: str) -> bool:
        """Whether a gateway's answer names the tool. An answer may be cut, so it is not parsed."""
        found = json.dumps({"name": tool})[1:-1]
        return json.dumps(found)[1:-1] in self.text

    def kept(self, calls: Sequence[ScriptedCall]) -> dict[str, Any]:
        """The values, by name, that calls of the plan keep of their results; those of dialects
        other than `functions` are not read."""
        results: dict[int, str] = {}
        for reply, result in pairwise(self.body.get("messages", ())):
            if result["role"] == "tool" and (made := MADE.match(str(reply["content"]))):
                results[int(made[1])] = result["content"]
        return {
            name: value_at(results[number], place)
            for number, call in enumerate(calls, 1)
            if number in results
            for name, place in call.keep.items()
        }

    @cached_property
    def _places(self) -> list[int]:
        return [0, *map(int, PLACE.findall(self.text))]

    def _dialect(self) -> str:
        if self.path.endswith("/messages"):
            return "anthropic"
        if self.path.endswith("/responses"):
            return "openai"
        if self.body.get("tools"):
            return "functions"
        return "paper" if "<tools>" in json.dumps(self.body["messages"][0]) else "pyautogui"
