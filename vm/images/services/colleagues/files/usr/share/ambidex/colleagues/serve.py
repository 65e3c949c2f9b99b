"""Answers as the colleagues do: the chat sends it every event, and takes its messages.

An application service of Matrix. It accepts all invitations to people of the firm, and keeps
nothing: what to answer follows from the messages of the room.

Where the folder of questions exists, a model of the host's is asked instead of the scripts: each
question is a file there, and its answer appears beside it.
"""

import hashlib
import hmac
import http.server
import json
import pathlib
import sys
import threading
import time
import urllib.parse
import urllib.request

sys.path.insert(0, "/usr/share/ambidex/colleagues")
from script import answer, is_meant, known, read_scripts

STATE = "/var/lib/colleagues"
SCRIPTS = "/usr/share/ambidex/colleagues/scripts"
CHAT = "http://127.0.0.1:8084/_matrix/client/v3"
SERVER = "firm.test"
USER = "@user:firm.test"
WITHIN = 20
QUESTIONS = pathlib.Path(STATE, "questions")
LOOKS = 0.2
"""Seconds between two looks for an answer."""


class Colleagues:
    """The people of the firm, as they are in the chat."""

    def __init__(self):
        with open(f"{STATE}/tokens.json") as file:
            self.tokens = json.load(file)
        with open(f"{STATE}/people.json") as file:
            known = json.load(file)
        self.people, self.facts = known["people"], known["facts"]
        """Names by login, and what scripts say by name."""
        places = known["places"]
        self.scripts = {
            places[one["person"]]: one for one in read_scripts(SCRIPTS) if one["person"] in places
        }

    def ask(self, method, path, login, content=None, **query):
        """Send a request to the chat as somebody."""
        query["user_id"] = f"@{login}:{SERVER}"
        request = urllib.request.Request(
            f"{CHAT}{path}?{urllib.parse.urlencode(query)}",
            data=None if content is None else json.dumps(content).encode(),
            method=method,
            headers={"Authorization": f"Bearer {self.tokens['as_token']}"},
        )
        with urllib.request.urlopen(request, timeout=WITHIN) as answered:
            return json.load(answered)

    def take(self, event):
        """Do what an event asks for."""
        content = event.get("content", {})
        if event["type"] == "m.room.member" and content.get("membership") == "invite":
            login = event["state_key"][1:].partition(":")[0]
            if login in self.people:
                self.ask("POST", f"/join/{quoted(event['room_id'])}", login, {})
        elif event["type"] == "m.room.message" and event["sender"] == USER:
            for login in self.scripts:
                self.reply(login, event)

    def reply(self, login, event):
        """Answer a message, if it is for this colleague."""
        room = quoted(event["room_id"])
        # The chat lets an application service see the members of any room it has somebody in.
        joined = self.ask("GET", f"/rooms/{room}/joined_members", login)["joined"]
        name, members = self.people[login], len(joined)
        if f"@{login}:{SERVER}" not in joined or not is_meant(body(event), name, login, members):
            return
        talk = [
            (by, text) for by, text in self.said(room, login, event["event_id"])
            if by == login or is_meant(text, name, login, members)
        ]  # fmt: skip
        if QUESTIONS.is_dir():
            self.leave_question(login, event, talk)
            return
        texts = [text for by, text in talk if by != login]
        text = answer(self.scripts[login], texts, self.facts)
        if text is not None:
            self.send(login, event["room_id"], event["event_id"], text)

    def send(self, login, room, event, text):
        """Send the answer to an event; the chat takes it once, however often it is sent."""
        path = f"/rooms/{quoted(room)}/send/m.room.message/{quoted('re-' + event)}"
        self.ask("PUT", path, login, {"msgtype": "m.text", "body": text})

    def leave_question(self, login, event, talk):
        """Leave the question of what to answer to a model of the host's."""
        question = {
            "login": login,
            "name": self.people[login],
            "facts": known(self.scripts[login], self.facts),
            "messages": [
                {"by": "colleague" if by == login else "user", "text": text} for by, text in talk
            ],
            "room": event["room_id"],
            "event": event["event_id"],
        }
        id = hashlib.sha256(f"{login} {event['event_id']}".encode()).hexdigest()[:32]
        partial = QUESTIONS / f"{id}.partial"
        partial.write_text(json.dumps(question), encoding="utf-8")
        partial.rename(QUESTIONS / f"{id}.json")

    def pass_on(self):
        """Send every answer that the model has given to a question."""
        for given in sorted(QUESTIONS.glob("*.txt")):
            asked = given.with_suffix(".json")
            if asked.exists():  # else it was sent, and this program ended before the next line
                question = json.loads(asked.read_text(encoding="utf-8"))
                text = given.read_text(encoding="utf-8")
                self.send(question["login"], question["room"], question["event"], text)
                asked.unlink()
            given.unlink()

    def serve_answers(self):
        """Pass answers on, until the end."""
        while True:
            try:
                self.pass_on()
            except OSError as error:  # the chat does not answer: it is tried again
                print(f"an answer could not be sent: {error}", file=sys.stderr)
            time.sleep(LOOKS)

    def said(self, room, login, last):
        """What the user and a colleague have said in a room up to an event: who, and the text."""
        events, start = [], {}
        while True:
            path = f"/rooms/{room}/messages"
            page = self.ask("GET", path, login, dir="b", limit="500", **start)
            events += page["chunk"]
            if not page.get("end") or not page["chunk"]:
                break
            start = {"from": page["end"]}
        events.reverse()
        ids = [one["event_id"] for one in events]
        people = {USER: "user", f"@{login}:{SERVER}": login}
        return [
            (people[one["sender"]], body(one))
            for one in events[: ids.index(last) + 1]
            if one["type"] == "m.room.message" and one["sender"] in people
        ]


def body(event):
    """The text of a message."""
    return str(event.get("content", {}).get("body", ""))


def quoted(text):
    """A part of a path."""
    return urllib.parse.quote(text, safe="")


class Door(http.server.BaseHTTPRequestHandler):
    """Where the chat sends events."""

    protocol_version = "HTTP/1.1"

    def do_PUT(self):
        """Take a transaction; nobody but the chat knows the token."""
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        given = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if not hmac.compare_digest(given, self.server.colleagues.tokens["hs_token"]):
            self.answer(403)
            return
        for event in json.loads(content).get("events", []):
            self.server.colleagues.take(event)
        self.answer(200)

    def do_GET(self):
        """Nobody is made up on demand."""
        self.answer(404)

    do_POST = do_GET

    def answer(self, status):
        """Send an empty answer."""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_request(self, code="-", size="-"):
        """Say nothing about requests."""


def main():
    """Serve until the end."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 8087), Door)
    server.colleagues = Colleagues()
    threading.Thread(target=server.colleagues.serve_answers, daemon=True).start()
    server.serve_forever()


if __name__ == "__main__":
    main()
