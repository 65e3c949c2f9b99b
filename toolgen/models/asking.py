"""Asking a model within limits, every exchange on disk: before it is sent, and as answered."""

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
from ambidex.toolgen import Spent, Stage
from ambidex.toolgen.models.prompts import FOLDER
from ambidex.toolgen.store import Folder, folders, now

__all__ = ["CallLimitError", "Caps", "Message", "Talk", "picture", "spent_by", "system", "user"]

Message = Mapping[str, Any]


class CallLimitError(Exception):
    """A limit on calls or dollars is reached: nothing more is asked until it is raised."""


@dataclass(frozen=True)
class Caps:
    """What may be asked of models. Counted from the exchanges on disk, so that no restart resets
    it."""

    calls: int = 40
    """Of one candidate."""
    dollars: float | None = None
    total_calls: int = 1000
    """Of all candidates of a foundry: its run."""
    total_dollars: float | None = None


def system(text: str) -> Message:
    """The first message."""
    return {"role": "system", "content": text}


def user(text: str, *pictures: Message) -> Message:
    """What a model is told next."""
    return {"role": "user", "content": [{"type": "text", "text": text}, *pictures]}


def picture(png: bytes) -> Message:
    """A part of a message."""
    url = "data:image/png;base64," + base64.b64encode(png).decode()
    return {"type": "image_url", "image_url": {"url": url}}


def spent_by(folder: Folder) -> Spent:
    """What one candidate took so far. A call whose answer never came is one."""
    total = Spent()
    for each in folder.exchanges():
        total += Spent.model_validate(each["usage"]) if each["answer"] else Spent(calls=1)
    return total


class Talk:
    """The conversations of one candidate with one model."""

    def __init__(self, model: Model, folder: Folder, caps: Caps) -> None:
        self._model = model
        self._folder = folder
        self._caps = caps
        self._prompts = prompts_hash(FOLDER)

    def ask(self, stage: Stage, messages: Sequence[Message]) -> str:
        """The text of the answer. The same question of the same stage that was answered before is
        not asked again: a pipeline that was killed finds its way back for nothing.

        Raises `CallLimitError` before anything is sent, `ModelError` where no answer comes.
        """
        sent = [self._without_pictures(stage, message) for message in messages]
        key = hashlib.sha256(json.dumps([stage, self._model.name, sent]).encode()).hexdigest()
        for each in self._folder.exchanges():
            if each["key"] == key and each["answer"]:
                return _text(each["answer"])
        self._stay_within_caps()
        said: dict[str, Any] = {
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
        number = self._folder.add_exchange(said)
        start = time.monotonic()
        answer = self._model.ask(Request("chat", {"messages": list(messages)}))
        usage = Spent(
            calls=1,
            input_tokens=answer.usage.input_tokens,
            output_tokens=answer.usage.output_tokens,
            dollars=answer.usage.cost,
        )
        said |= {
            "answer": answer.body,
            "usage": usage.model_dump(),
            "seconds": round(time.monotonic() - start, 3),
        }
        self._folder.answer_exchange(number, said)
        return _text(answer.body)

    def _stay_within_caps(self) -> None:
        own = spent_by(self._folder)
        everybody = [spent_by(each) for each in folders(self._folder.path.parent)]
        total = sum(everybody, Spent())
        caps = self._caps
        for what, spent, calls, dollars in (
            ("this candidate", own, caps.calls, caps.dollars),
            ("this foundry", total, caps.total_calls, caps.total_dollars),
        ):
            if spent.calls >= calls:
                raise CallLimitError(f"{what} has made {spent.calls} of {calls} model calls")
            if dollars is None:
                continue
            if spent.dollars is None:
                name = self._model.name
                raise CallLimitError(
                    f"{what} may spend ${dollars:g}, and no price of {name} is known"
                )
            if spent.dollars >= dollars:
                raise CallLimitError(f"{what} has spent ${spent.dollars:.2f} of ${dollars:g}")

    def _without_pictures(self, stage: Stage, message: Message) -> Message:
        """As it is kept: pictures are files beside it."""
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
