"""The evaluator of the exported state of the chat (`vm/images/services/chat`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from ambidex.evaluators import Score
from ambidex.evaluators.exports.compare import Content, compare, read_both
from ambidex.evaluators.registry import EvidenceName, evaluator

__all__: list[str] = []


class Message(Content):
    """A message."""

    author: str = ""
    text: str = ""


class Room(Content):
    """A room."""

    messages: list[Message] = Field(default=[])


class Export(Content):
    """An export."""

    people: dict[str, str | None] = Field(min_length=1)
    rooms: dict[str, Room] = Field(default={})


@evaluator
def changes(
    evidence: Path,
    *,
    values: dict[str, Any] | None = None,
    patterns: dict[str, str] | None = None,
    gone: list[str] | None = None,
    free: list[str] | None = None,
    file: EvidenceName = "chat.json",
) -> Score:
    """Since setup, the chat has changed to these values, by path, and in nothing else. `patterns`
    are values as regular expressions; at the paths that match `gone` there is nothing any more; of
    those that match `free`, anything may have become.

    Paths: `rooms/general/new/user/0` is the first new message by `user` in the room #general,
    `rooms/general/messages/0/text` an earlier one, `rooms/general/topic` the topic. A room without
    address and name is called by its members, such as `ann+user`.
    """
    earlier, later = read_both(evidence, file, Export)
    before, after = (_view(one, earlier) for one in (earlier, later))
    return compare(before, after, values or {}, patterns or {}, gone or [], free or [])


def _view(export: Export, earlier: Export) -> dict[str, Any]:
    shown = export.model_dump()
    for name, room in shown["rooms"].items():
        old = len(earlier.rooms[name].messages) if name in earlier.rooms else 0
        room["exists"] = True
        room["new"] = {}
        for message in room["messages"][old:]:
            room["new"].setdefault(message["author"], []).append(message["text"])
        room["messages"] = room["messages"][:old]
    return shown
