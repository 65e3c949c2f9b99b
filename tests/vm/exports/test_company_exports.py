"""The exports of chat, documents and calendars say what is there."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path

from tests.support.guest_programs import program_of

TABLES = """
CREATE TABLE profiles (full_user_id TEXT, displayname TEXT);
CREATE TABLE events (event_id TEXT, room_id TEXT, type TEXT, sender TEXT, outlier BOOL,
    rejection_reason TEXT, topological_ordering INTEGER, stream_ordering INTEGER);
CREATE TABLE event_json (event_id TEXT, json TEXT);
CREATE TABLE current_state_events (event_id TEXT, room_id TEXT, type TEXT, state_key TEXT);
CREATE TABLE redactions (event_id TEXT, redacts TEXT);
"""


class Chat:
    """A database with the tables of Synapse that the export reads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.database = sqlite3.connect(path)
        self.database.executescript(TABLES)
        self.count = 0

    def add(
        self, room: str, kind: str, sender: str, content: object, state_key: str | None = None
    ) -> str:
        self.count += 1
        id, order = f"$e{self.count}", self.count
        row = (id, room, kind, f"@{sender}:firm.test", False, None, order, order)
        self.database.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        self.database.execute(
            "INSERT INTO event_json VALUES (?, ?)", (id, json.dumps({"content": content}))
        )
        if state_key is not None:
            state = (id, room, kind, state_key)
            self.database.execute("INSERT INTO current_state_events VALUES (?, ?, ?, ?)", state)
        return id

    def say(self, room: str, sender: str, text: str, **content: object) -> str:
        return self.add(room, "m.room.message", sender, {"body": text, **content})

    def export(self) -> dict[str, object]:
        self.database.commit()
        exported: dict[str, object] = program_of("chat", "export/chat.py").export(str(self.path))
        return exported


def test_the_chat_s_export_has_rooms_with_what_was_said_last(tmp_path: Path) -> None:
    chat = Chat(tmp_path / "chat.sqlite")
    chat.database.execute("INSERT INTO profiles VALUES ('@ann:firm.test', 'Ann')")
    chat.add("!a", "m.room.create", "ann", {}, "")
    chat.add("!a", "m.room.name", "ann", {"name": "General"}, "")
    chat.add("!a", "m.room.canonical_alias", "ann", {"alias": "#general:firm.test"}, "")
    for login, membership in (
        ("ann", "join"),
        ("bob", "join"),
        ("eve", "leave"),
        ("lea", "invite"),
    ):
        member = f"@{login}:firm.test"
        chat.add("!a", "m.room.member", login, {"membership": membership}, member)
    first = chat.say("!a", "ann", "Helo")
    edit = {"rel_type": "m.replace", "event_id": first}
    corrected = {"m.relates_to": edit, "m.new_content": {"body": "Hello"}}
    chat.say("!a", "ann", "* Hello", **corrected)
    chat.say("!a", "bob", "* Forged", **{**corrected, "m.new_content": {"body": "Forged"}})
    gone = chat.say("!a", "bob", "Oops")
    chat.database.execute("INSERT INTO redactions VALUES ('$r', ?)", (gone,))
    for room in ("!b", "!c"):
        chat.add(room, "m.room.create", "ann", {}, "")
        for login in ("ann", "bob"):
            chat.add(room, "m.room.member", login, {"membership": "join"}, f"@{login}:firm.test")
    nothing = {"name": "", "topic": "", "invited": [], "messages": []}
    direct = {**nothing, "members": ["ann", "bob"]}
    assert chat.export() == {
        "people": {"ann": "Ann"},
        "rooms": {
            "general": {
                "name": "General", "topic": "", "members": ["ann", "bob"], "invited": ["lea"],
                "messages": [{"author": "ann", "text": "Hello"}],
            },
            "ann+bob": direct,
            "ann+bob (2)": direct,
        },
    }  # fmt: skip


def test_the_documents_export_follows_no_links(tmp_path: Path) -> None:
    (tmp_path / "sales/old").mkdir(parents=True)
    (tmp_path / "sales/plan.txt").write_text("more\n")
    (tmp_path / "logo").write_bytes(b"\x00\x01")
    (tmp_path / "secret").symlink_to("/etc/passwd")
    exported = program_of("documents", "export/documents.py").export(str(tmp_path))
    assert exported["folders"] == ["sales", "sales/old"]
    assert list(exported["files"]) == ["logo", "sales/plan.txt"]
    assert exported["files"]["sales/plan.txt"] == {
        "size": 5, "sha256": hashlib.sha256(b"more\n").hexdigest(), "text": "more\n",
    }  # fmt: skip
    assert exported["files"]["logo"]["text"] is None


def test_the_calendars_export_reads_folded_and_escaped_lines(tmp_path: Path) -> None:
    calendar = tmp_path / "ann/calendar"
    calendar.mkdir(parents=True)
    (calendar / ".Radicale.props").write_text('{"tag": "VCALENDAR", "D:displayname": "Ann"}')
    lines = [
        "BEGIN:VCALENDAR", "BEGIN:VTIMEZONE", "DTSTART:19700101T000000", "END:VTIMEZONE",
        "BEGIN:VEVENT", "UID:1@firm.test", "SUMMARY:Plan\\, part", "  two",
        "DTSTART;TZID=UTC:20261005T090000",
        "ATTENDEE;CN=Bob:mailto:bob@firm.test", "ATTENDEE;CN=Ann:MAILTO:ann@firm.test",
        "BEGIN:VALARM", "DESCRIPTION:ring", "END:VALARM", "END:VEVENT", "END:VCALENDAR", "",
    ]  # fmt: skip
    (calendar / "1.ics").write_text("\r\n".join(lines), newline="")
    exported = program_of("calendar", "export/calendar.py").export(str(tmp_path))
    assert exported == {
        "calendars": {
            "ann/calendar": {
                "title": "Ann",
                "events": {
                    "1@firm.test": {
                        "title": "Plan, part two", "start": "20261005T090000", "end": "",
                        "place": "", "text": "", "repeats": "", "organiser": "",
                        "attendees": ["ann@firm.test", "bob@firm.test"],
                    }
                },
            }
        }
    }  # fmt: skip
