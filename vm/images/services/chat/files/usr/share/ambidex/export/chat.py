"""Prints everything in the chat as one JSON object, for the evidence.

    {"people": {login: name},
     "rooms": {NAME: {"name", "topic", "members": [login], "invited": [login],
         "messages": [{"author", "text"}]}}}

NAME is the part before `:` of a room's address without `#`, else its name, else the logins of its
members with `+` between them. A second room of one NAME has ` (2)` after it. Messages are as they
were edited last; those that were removed are left out. Nothing is asked of the server.
"""

import json
import sqlite3
import sys

DATABASE = "/var/lib/chat/chat.sqlite"
STATE = """
SELECT c.type, c.state_key, j.json FROM current_state_events c JOIN event_json j USING (event_id)
WHERE c.room_id = ? ORDER BY c.type, c.state_key
"""
MESSAGES = """
SELECT e.event_id, e.sender, j.json FROM events e JOIN event_json j USING (event_id)
WHERE e.room_id = ? AND e.type = 'm.room.message' AND NOT e.outlier AND e.rejection_reason IS NULL
AND NOT EXISTS (SELECT 1 FROM redactions r WHERE r.redacts = e.event_id)
ORDER BY e.topological_ordering, e.stream_ordering
"""


def login(user):
    """The login of a Matrix id: `ann` of `@ann:firm.test`."""
    return user[1:].partition(":")[0]


def messages(database, room):
    """The messages of a room, with their last edits."""
    found = {}
    for id, sender, text in database.execute(MESSAGES, (room,)):
        content = json.loads(text).get("content", {})
        relation = content.get("m.relates_to", {})
        edited = found.get(relation.get("event_id"))
        if relation.get("rel_type") == "m.replace":
            if edited and edited["author"] == login(sender):
                edited["text"] = content.get("m.new_content", {}).get("body", "")
            continue
        found[id] = {"author": login(sender), "text": content.get("body", "")}
    return list(found.values())


def room(database, id):
    """A room, and what it is called."""
    state = [
        (kind, key, json.loads(text).get("content", {}))
        for kind, key, text in database.execute(STATE, (id,))
    ]
    single = {kind: content for kind, key, content in state if not key}
    people = {
        membership: sorted(
            login(key)
            for kind, key, content in state
            if kind == "m.room.member" and content.get("membership") == membership
        )
        for membership in ("join", "invite")
    }
    name = single.get("m.room.name", {}).get("name", "")
    alias = single.get("m.room.canonical_alias", {}).get("alias") or ""
    called = login(alias) or name or "+".join(sorted(people["join"] + people["invite"]))
    return called, {
        "name": name,
        "topic": single.get("m.room.topic", {}).get("topic", ""),
        "members": people["join"],
        "invited": people["invite"],
        "messages": messages(database, id),
    }


def export(path):
    """Everything in the chat whose database is at `path`."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    people = {
        login(user): name
        for user, name in database.execute("SELECT full_user_id, displayname FROM profiles")
    }
    rooms = {}
    made = "SELECT room_id FROM events WHERE type = 'm.room.create' ORDER BY stream_ordering"
    for (id,) in database.execute(made).fetchall():
        called, content = room(database, id)
        number = 1
        while (key := called if number == 1 else f"{called} ({number})") in rooms:
            number += 1
        rooms[key] = content
    return {"people": dict(sorted(people.items())), "rooms": rooms}


if __name__ == "__main__":
    json.dump(export(DATABASE), sys.stdout)
