"""Asks a model within limits. Every exchange is stored before it is sent, and again with its
answer."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ambidex.host import Model, Request
from ambidex.host.errors import ModelError
from ambidex.host.models.prompts import prompts_hash
from ambidex.toolgen import ModelUsage, Stage
from ambidex.toolgen.models.prompts import FOLDER
from ambidex.toolgen.store import Folder, folders, now

__all__ = [
    "CallLimitError",
    "CallLimits",
    "Conversation",
    "Message",
    "picture",
    "system",
    "usage_of",
    "user",
]

Message = Mapping[str, Any]


class CallLimitError(Exception):
    """A limit on calls or cost is reached. No model is asked until the limit is raised."""


@dataclass(frozen=True)
class CallLimits:
    """Limits on calls and cost. Usage is counted from the exchanges on disk, so a restart does not
    reset it."""

    calls: int = 40
    """Per candidate."""
    dollars: float | None = None
    total_calls: int = 1000
    """Of all candidates of a foundry."""
    total_dollars: float | None = None


def system(text: str) -> Message:
    """A system message."""
    return {"role": "system", "content": text}


def user(text: str, *pictures: Message) -> Message:
    """A user message."""
    return {"role": "user", "content": [{"type": "text", "text": text}, *pictures]}


def picture(png: bytes) -> Message:
    """A picture as a part of a message."""
    url = "data:image/png;base64," + base64.b64encode(png).decode()
    return {"type": "image_url", "image_url": {"url": url}}


def usage_of(folder: Folder) -> ModelUsage:
    """The usage of one candidate so far. A call without an answer counts as a call."""
    total = ModelUsage()
    for exchange in folder.exchanges():
        answered = exchange["answer"]
        total += ModelUsage.model_validate(exchange["usage"]) if answered else ModelUsage(calls=1)
    return total


class Conversation:
    """The exchanges of one candidate with one model."""

    def __init__(self, model: Model, folder: Folder, limits: CallLimits) -> None:
        self._model = model
        self._folder = folder
        self._limits = limits
        self._prompts = prompts_hash(FOLDER)

    def ask(self, stage: Stage, messages: Sequence[Message]) -> str:
        """Ask the model and return the text of its answer. A request that the same stage has asked
        before is answered from disk, so that resuming an interrupted pipeline costs nothing.

        Raises `CallLimitError` before anything is sent, and `ModelError` if there is no answer.
        """
        sent = [self._without_pictures(stage, message) for message in messages]
        key = hashlib.sha256(json.dumps([stage, self._model.name, sent]).encode()).hexdigest()
        for earlier in self._folder.exchanges():
            if earlier["key"] == key and earlier["answer"]:
                return _text(earlier["answer"])
        self._check_limits()
        exchange: dict[str, Any] = {
            "stage": stage,
            "model": self._model.name,
            "at": now(),
            "key": key,
            "prompts": self._prompts,
            "request": {"messages": sent},
            "answer": None,
            "usage": None,
            "seconds": None,
        }
        number = self._folder.add_exchange(exchange)
        start = time.monotonic()
        answer = self._model.ask(Request("chat", {"messages": list(messages)}))
        usage = ModelUsage(
            calls=1,
            input_tokens=answer.usage.input_tokens,
            output_tokens=answer.usage.output_tokens,
            dollars=answer.usage.cost,
        )
        exchange |= {
            "answer": answer.body,
            "usage": usage.model_dump(),
            "seconds": round(time.monotonic() - start, 3),
        }
        self._folder.update_exchange(number, exchange)
        return _text(answer.body)

    def _check_limits(self) -> None:
        own = usage_of(self._folder)
        total = sum(map(usage_of, folders(self._folder.path.parent)), ModelUsage())
        limits = self._limits
        for what, used, calls, dollars in (
            ("this candidate", own, limits.calls, limits.dollars),
            ("this foundry", total, limits.total_calls, limits.total_dollars),
        ):
            if used.calls >= calls:
                raise CallLimitError(f"{what} has made {used.calls} of {calls} model calls")
            if dollars is None:
                continue
            if used.dollars is None:
                name = self._model.name
                raise CallLimitError(
                    f"{what} may spend ${dollars:g}, but the price of {name} is unknown"
                )
            if used.dollars >= dollars:
                raise CallLimitError(f"{what} has spent ${used.dollars:.2f} of ${dollars:g}")

    def _without_pictures(self, stage: Stage, message: Message) -> Message:
        """The message as it is stored: pictures are stored as files, and referred to."""
        content = message["content"]
        if isinstance(content, str):
            return message
        return {**message, "content": list(self._parts(stage, content))}

    def _parts(self, stage: Stage, content: Sequence[Message]) -> Iterator[Message]:
        for part in content:
            if part["type"] != "image_url":
                yield part
                continue
            png = base64.b64decode(part["image_url"]["url"].partition(",")[2])
            name = f"pictures/{stage}-{hashlib.sha256(png).hexdigest()[:12]}.png"
            if not (self._folder.path / Path(name)).exists():
                self._folder.put(name, png)
            yield {"type": "image_url", "image_url": {"url": name}}


def _text(body: Mapping[str, Any]) -> str:
    message = body["choices"][0]["message"]
    content = message.get("content")
    if not isinstance(content, str) or not content.strip():
        raise ModelError("the model's answer has no text", hint=str(message)[:300])
    return content
