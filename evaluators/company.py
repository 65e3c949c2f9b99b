"""Evaluators of the exported state of a firm's chat, documents, calendars and cloud.

In each, `values` are what has changed since setup, by path, and nothing else has. `patterns` are
values as regular expressions; at the paths that match `gone` there is nothing any more; of those
that match `free`, anything may have become.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from pydantic import Field

from ambidex.evaluators import Score
from ambidex.evaluators.exports.cloud import cloud_states
from ambidex.evaluators.exports.compare import Content, compare, read_both, with_new_by_name
from ambidex.evaluators.registry import EvidenceName, evaluator

__all__ = ["calendar_states", "chat_states", "documents_states"]


class Message(Content):
    """A message."""

    author: str = ""
    text: str = ""


class Room(Content):
    """A room."""

    name: str = ""
    members: list[str] = Field(default=[])
    invited: list[str] = Field(default=[])
    messages: list[Message] = Field(default=[])


class ChatExport(Content):
    """An export of the chat."""

    people: dict[str, str | None] = Field(min_length=1)
    rooms: dict[str, Room] = Field(default={})


class File(Content):
    """A file."""

    sha256: str = Field(min_length=1)
    text: str | None = None


class DocumentsExport(Content):
    """An export of the documents."""

    folders: list[str]
    files: dict[str, File]


class Event(Content):
    """An event."""

    title: str = ""


class Calendar(Content):
    """A calendar."""

    events: dict[str, Event] = Field(default={})


class CalendarExport(Content):
    """An export of the calendars."""

    calendars: dict[str, Calendar]


@evaluator
def chat(
    evidence: Path,
    *,
    values: dict[str, Any] | None = None,
    patterns: dict[str, str] | None = None,
    gone: list[str] | None = None,
    free: list[str] | None = None,
    file: EvidenceName = "chat.json",
) -> Score:
    """Since setup, the chat has changed to this, and in nothing else.

    Paths: `rooms/general/new/user/0` is the first new message by `user` in the room #general,
    `rooms/general/messages/0/text` an earlier one, `rooms/general/topic` the topic. A room without
    address and name is called by its members, such as `ann+user`; so is a new room of two without
    address, because some clients name every room.
    """
    before, after = chat_states(evidence, file)
    return compare(before, after, values or {}, patterns or {}, gone or [], free or [])


def chat_states(evidence: Path, file: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The chat after setup and now, as the paths of `chat` name it."""
    earlier, later = read_both(evidence, file, ChatExport)
    return _chat_view(earlier, earlier), _chat_view(later, earlier)


def _chat_view(export: ChatExport, earlier: ChatExport) -> dict[str, Any]:
    shown = export.model_dump()
    rooms: dict[str, Any] = {}
    for name, room in shown["rooms"].items():
        old = len(earlier.rooms[name].messages) if name in earlier.rooms else 0
        room["exists"] = True
        room["new"] = {}
        for message in room["messages"][old:]:
            room["new"].setdefault(message["author"], []).append(message["text"])
        room["messages"] = room["messages"][:old]
        key = name if name in earlier.rooms else _called(name, export.rooms[name])
        rooms[name if key in rooms or key in export.rooms else key] = room
    return {**shown, "rooms": rooms}


def _called(key: str, room: Room) -> str:
    """What a new room is called: a room of two without address by its members."""
    people = sorted({*room.members, *room.invited})
    by_name = re.fullmatch(rf"{re.escape(room.name)}( \(\d+\))?", key) is not None
    return "+".join(people) if by_name and len(people) == 2 else key


@evaluator
def documents(
    evidence: Path,
    *,
    values: dict[str, Any] | None = None,
    patterns: dict[str, str] | None = None,
    gone: list[str] | None = None,
    free: list[str] | None = None,
    file: EvidenceName = "documents.json",
) -> Score:
    """Since setup, the documents have changed to this, and in nothing else.

    Paths: `files/sales/plan.txt` is the text of a file, or its SHA-256 if it is not a short text;
    `folders/sales/old` is true for a folder.
    """
    before, after = documents_states(evidence, file)
    return compare(before, after, values or {}, patterns or {}, gone or [], free or [])


def documents_states(evidence: Path, file: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The documents after setup and now, as the paths of `documents` name them."""
    earlier, later = read_both(evidence, file, DocumentsExport)
    return _documents_view(earlier), _documents_view(later)


def _documents_view(export: DocumentsExport) -> dict[str, Any]:
    files = {
        path: (one.sha256 if one.text is None else one.text.strip() or "(empty)")
        for path, one in export.files.items()
    }
    return {"files": files, "folders": dict.fromkeys(export.folders, True)}


@evaluator
def calendar(
    evidence: Path,
    *,
    values: dict[str, Any] | None = None,
    patterns: dict[str, str] | None = None,
    gone: list[str] | None = None,
    free: list[str] | None = None,
    file: EvidenceName = "calendar.json",
) -> Score:
    """Since setup, the calendars have changed to this, and in nothing else.

    Paths: `teams/sales/events/UID/start`, a new event by its title:
    `user/calendar/events/+Title/end`. Times are as in the file, such as 20261005T090000Z.
    """
    before, after = calendar_states(evidence, file)
    return compare(before, after, values or {}, patterns or {}, gone or [], free or [])


def calendar_states(evidence: Path, file: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The calendars after setup and now, as the paths of `calendar` name them."""
    earlier, later = read_both(evidence, file, CalendarExport)
    return _calendar_view(earlier, earlier), _calendar_view(later, earlier)


def _calendar_view(export: CalendarExport, earlier: CalendarExport) -> dict[str, Any]:
    shown: dict[str, Any] = export.model_dump()["calendars"]
    for path, one in shown.items():
        old = earlier.calendars[path].events if path in earlier.calendars else {}
        one["exists"] = True
        one["events"] = with_new_by_name(one["events"], old, lambda event: str(event["title"]))
    return shown


@evaluator
def cloud(
    evidence: Path,
    *,
    values: dict[str, Any] | None = None,
    patterns: dict[str, str] | None = None,
    gone: list[str] | None = None,
    free: list[str] | None = None,
    file: EvidenceName = "moto.json",
) -> Score:
    """Since setup, S3, EC2 and IAM have changed to this, and in nothing else that has a path.

    Paths: `buckets/NAME/public` is true if everybody can read the bucket, whatever makes it so;
    `buckets/NAME/objects/KEY` is the text of an object, or its SHA-256 if it is not a short text;
    `buckets/NAME/tags/KEY`, `buckets/NAME/settings/policy` (also versioning, lifecycle, website,
    encryption and cors); `servers/NAME/state`, `servers/NAME/type` and `servers/NAME/tags/KEY`, by
    the tag Name, or by id without one; `accounts/LOGIN/keys/KEY` is Active or Inactive, and
    `accounts/LOGIN/groups/NAME` is true.
    """
    before, after = cloud_states(evidence, file)
    return compare(before, after, values or {}, patterns or {}, gone or [], free or [])
