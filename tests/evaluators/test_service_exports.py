"""Evaluators of the exports of services."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from ambidex.evaluators.registry import bind
from tests.support.tables import every_case

NOTE = {"author": "user", "text": "**Metadata Update from @user**:\n- Issue status updated"}
FORGE: dict[str, Any] = {
    "people": ["user"],
    "blobs": {"1": {"sha256": "a", "text": "tea 3\n"}, "2": {"sha256": "b", "text": "tea 4\r\n"}},
    "projects": {
        "shop": {
            "owner": "user",
            "issues": {"1": {"title": "Tea", "status": "Open", "comments": []}},
            "pull_requests": {},
            "refs": {"refs/heads/main": "x", "refs/tags/1": "x"},
            "head": "main",
            "trees": {"main": {"docs/prices": "1"}},
            "commits": {"x": {"parents": []}, "y": {"parents": ["x"]}, "z": {"parents": []}},
        }
    },
}
TRACKER: dict[str, Any] = {
    "people": ["user"],
    "projects": {"shop": {"wiki": {"Start": {"text": "Hello", "version": 1}}}},
    "issues": {"1": {"subject": "Tea", "status": "New", "journal": [], "watchers": []}},
}
STATUS = {"values": {"shop/issues/1/status": "Closed"}}
COMMENT = {"author": "user", "text": " Done\r\n"}
COMMENTED = {
    "values": {"shop/issues/1/comments": [{"author": "user", "text": "Done"}]},
}
PRICES = {"values": {"shop/files/main/docs/prices": "tea 4"}}
NEW = {"title": "Milk", "status": "Open", "content": "none left", "comments": []}
MILK = {"title": "Milk", "status": "Open", "content": "none left"}
Change = tuple[tuple[str, ...], Any]


def changed(export: dict[str, Any], *changes: Change) -> dict[str, Any]:
    """The export with other values at these paths."""
    after = copy.deepcopy(export)
    for (*path, last), value in changes:
        place = after
        for key in path:
            place = place[key]
        place[last] = value
    return after


def judged(folder: Path, service: str, before: Any, after: Any, arguments: dict[str, Any]) -> float:
    (folder / f"{service}.before.json").write_text(json.dumps(before), encoding="utf-8")
    (folder / f"{service}.json").write_text(json.dumps(after), encoding="utf-8")
    use = f"{service}.changes" if service in ("forge", "tracker") else f"company.{service}"
    return bind(use, arguments, folder)(folder).value


def shop(*path: str) -> tuple[str, ...]:
    """A path in the forge's project."""
    return ("projects", "shop", *path)


ISSUES = shop("issues")
ONE = (*ISSUES, "1")
CLOSED = ((*ONE, "status"), "Closed")
PUSHED = [(shop("refs", "refs/heads/main"), "y"), (shop("trees", "main", "docs/prices"), "2")]
FORGE_CASES: list[tuple[list[Change], dict[str, Any], int]] = [
    ([], {}, 1),
    ([], STATUS, 0),
    ([CLOSED], STATUS, 1),
    ([CLOSED], {}, 0),
    ([CLOSED], {"free": ["shop/issues/1/.*"]}, 1),
    ([CLOSED], {"free": ["shop/issues"]}, 0),
    ([CLOSED, ((*ONE, "assignee"), "user")], STATUS, 0),
    ([CLOSED, ((*ONE, "assignee"), None)], STATUS, 1),
    ([CLOSED, ((*ONE, "comments"), [NOTE])], STATUS, 1),
    ([((*ONE, "comments"), [NOTE, COMMENT])], COMMENTED, 1),
    ([((*ONE, "comments"), [COMMENT, COMMENT])], COMMENTED, 0),
    ([((*ONE, "comments"), [])], COMMENTED, 0),
    ([((*ISSUES, "7"), NEW)], {"values": {"shop/issues/+Milk": MILK}}, 1),
    ([((*ISSUES, "7"), NEW), ((*ISSUES, "8"), NEW)], {"values": {"shop/issues/+Milk": MILK}}, 0),
    ([((*ISSUES, "7"), NEW | {"tags": ["x"]})], {"values": {"shop/issues/+Milk": MILK}}, 0),
    (
        [((*ISSUES, "7"), NEW)],
        {
            "values": {"shop/issues/+Milk": {"title": "Milk", "status": "Open"}},
            "patterns": {"shop/issues/+Milk/content": "None .*"},
        },
        1,
    ),
    (PUSHED, PRICES, 1),
    (PUSHED, {}, 0),
    ([PUSHED[1], (shop("refs", "refs/heads/main"), "z")], PRICES, 0),
    ([(shop("trees", "new"), {"docs/prices": "1"})], {}, 1),
    ([(shop("trees", "new"), {"docs/prices": "2"})], {}, 0),
    ([(shop("trees", "new"), {})], {}, 0),
    (
        [(shop("trees", "new"), {"x": "2"})],
        {"values": {"shop/files/new": {"x": "tea 4", "docs/prices": "(removed)"}}},
        1,
    ),
    ([(shop("refs", "refs/tags/1"), "y")], {}, 0),
    ([(shop("trees", "main"), {})], {"gone": ["shop/files/main/.*"]}, 1),
    ([], {"gone": ["shop/files/main/.*"]}, 0),
    ([(("projects",), {})], {}, 0),
    ([(("projects", "other"), {})], {}, 0),
    ([(("projects",), 3)], {}, 0),
]
ISSUE = ("issues", "1")
START = ("projects", "shop", "wiki", "Start")
RESOLVED = ((*ISSUE, "status"), "Resolved")
ENTRY = {"user": "user", "notes": "Done", "changes": [["attr", "status_id", "1", "3"]]}
TRACKER_CASES: list[tuple[list[Change], dict[str, Any], int]] = [
    ([], {}, 1),
    ([RESOLVED], {"values": {"issues/1/status": "Resolved"}}, 1),
    ([RESOLVED], {}, 0),
    ([((*ISSUE, "watchers"), ["user"]), ((*START, "version"), 2)], {}, 1),
    ([((*ISSUE, "journal"), [ENTRY | {"notes": ""}])], {}, 1),
    ([((*ISSUE, "journal"), [ENTRY])], {}, 0),
    (
        [((*ISSUE, "journal"), [ENTRY])],
        {"values": {"issues/1/notes/0": {"user": "user", "text": "Done"}}},
        1,
    ),
    ([((*START, "text"), "Bye")], {"values": {"projects/shop/wiki/Start/text": "Bye"}}, 1),
    ([(("issues", "2"), {"subject": "Milk"})], {"values": {"issues/+Milk/subject": "Milk"}}, 1),
    ([(("issues",), {})], {"gone": ["issues/1/.*"]}, 1),
]


@every_case("changes, arguments, score", FORGE_CASES)
def test_changes_of_the_forge_are_exactly_the_expected_ones(
    changes: list[Change], arguments: dict[str, Any], score: int, tmp_path: Path
) -> None:
    assert judged(tmp_path, "forge", FORGE, changed(FORGE, *changes), arguments) == score


@every_case("changes, arguments, score", TRACKER_CASES)
def test_changes_of_the_tracker_are_exactly_the_expected_ones(
    changes: list[Change], arguments: dict[str, Any], score: int, tmp_path: Path
) -> None:
    assert judged(tmp_path, "tracker", TRACKER, changed(TRACKER, *changes), arguments) == score


CHAT: dict[str, Any] = {
    "people": {"ann": "Ann", "user": "Me"},
    "rooms": {"general": {"topic": "All", "messages": [{"author": "ann", "text": "Hello"}]}},
}
ROOM = ("rooms", "general", "messages")
HELLO, MINE = {"author": "ann", "text": "Hello"}, {"author": "user", "text": "Done\n"}
ANSWER = {"author": "ann", "text": "Thanks"}
SAID = {"values": {"rooms/general/new/user/0": "Done"}}
BOTH = {"values": {**SAID["values"], "rooms/general/new/ann/0": "Thanks"}}
DIRECT = {"values": {"rooms/ann+user/exists": True, "rooms/ann+user/new/user/0": "Done"}}
TWO = {"members": ["ann", "user"], "messages": [MINE]}
THREE = {"members": ["ann", "bob", "user"], "messages": [MINE]}
CHAT_CASES: list[tuple[list[Change], dict[str, Any], int]] = [
    ([], {}, 1),
    ([], SAID, 0),
    ([(ROOM, [HELLO, MINE])], SAID, 1),
    ([(ROOM, [HELLO, MINE])], {}, 0),
    ([(ROOM, [HELLO, {**MINE, "author": "ann"}])], SAID, 0),
    ([(ROOM, [HELLO, MINE, MINE])], SAID, 0),
    ([(ROOM, [HELLO, MINE, ANSWER])], SAID, 0),
    ([(ROOM, [HELLO, MINE, ANSWER])], BOTH, 1),
    ([(ROOM, [HELLO, MINE, ANSWER])], {**SAID, "free": ["rooms/general/new/ann/.*"]}, 1),
    ([(ROOM, [MINE])], SAID, 0),
    ([(("rooms", "ann+user"), {"messages": [MINE]})], DIRECT, 1),
    ([(("rooms", "general", "topic"), "None")], {}, 0),
    (
        [(("rooms", "Plan"), {**TWO, "name": "Plan"})],
        {**DIRECT, "free": [".*/(name|members/.)"]},
        1,
    ),
    ([(("rooms", "Plan (2)"), {**TWO, "name": "Plan"})], {**DIRECT, "free": [".*"]}, 1),
    ([(("rooms", "plan"), {**TWO, "name": "Our plan"})], {**DIRECT, "free": [".*"]}, 0),
    ([(("rooms", "Plan"), {**THREE, "name": "Plan"})], {**DIRECT, "free": [".*"]}, 0),
]


@every_case(("changes", "arguments", "expected"), CHAT_CASES)
def test_the_chat_changed_as_expected(
    changes: list[Change], arguments: dict[str, Any], expected: int, tmp_path: Path
) -> None:
    assert judged(tmp_path, "chat", CHAT, changed(CHAT, *changes), arguments) == expected


DOCUMENTS: dict[str, Any] = {
    "folders": ["sales"],
    "files": {"sales/plan.txt": {"sha256": "a", "text": "more\n"}},
}
PLAN = {"sha256": "b", "text": "less\n"}
PICTURE = {"sha256": "c", "text": None}
DOCUMENTS_CASES: list[tuple[list[Change], dict[str, Any], int]] = [
    ([], {}, 1),
    ([(("files", "sales/plan.txt"), PLAN)], {}, 0),
    ([(("files", "sales/plan.txt"), PLAN)], {"values": {"files/sales/plan.txt": "less"}}, 1),
    ([(("files", "logo"), PICTURE)], {"values": {"files/logo": "c"}}, 1),
    ([(("files", "logo"), PICTURE)], {}, 0),
    ([(("folders",), ["sales", "old"])], {"values": {"folders/old": True}}, 1),
    ([(("folders",), ["sales", "old"])], {}, 0),
    ([(("files",), {})], {"gone": ["files/sales/.*"]}, 1),
]


@every_case(("changes", "arguments", "expected"), DOCUMENTS_CASES)
def test_the_documents_changed_as_expected(
    changes: list[Change], arguments: dict[str, Any], expected: int, tmp_path: Path
) -> None:
    after = changed(DOCUMENTS, *changes)
    assert judged(tmp_path, "documents", DOCUMENTS, after, arguments) == expected


EVENT = {"title": "Plan", "start": "20261005T090000Z", "attendees": []}
CALENDAR: dict[str, Any] = {
    "calendars": {"teams/sales": {"title": "Sales", "events": {"1": EVENT}}}
}
SALES = ("calendars", "teams/sales", "events")
LATER = "20261006T090000Z"
CALENDAR_CASES: list[tuple[list[Change], dict[str, Any], int]] = [
    ([], {}, 1),
    ([((*SALES, "1", "start"), LATER)], {"values": {"teams/sales/events/1/start": LATER}}, 1),
    ([((*SALES, "1", "start"), LATER)], {}, 0),
    (
        [((*SALES, "2"), {"title": "New", "start": LATER})],
        {"values": {"teams/sales/events/+New": {"title": "New", "start": LATER}}},
        1,
    ),
    ([((*SALES, "2"), {"title": "New", "start": LATER})], {}, 0),
    ([(SALES, {})], {"gone": ["teams/sales/events/1/.*"]}, 1),
    ([(("calendars", "user/more"), {"title": "More", "events": {}})], {}, 0),
]


@every_case(("changes", "arguments", "expected"), CALENDAR_CASES)
def test_the_calendars_changed_as_expected(
    changes: list[Change], arguments: dict[str, Any], expected: int, tmp_path: Path
) -> None:
    after = changed(CALENDAR, *changes)
    assert judged(tmp_path, "calendar", CALENDAR, after, arguments) == expected
