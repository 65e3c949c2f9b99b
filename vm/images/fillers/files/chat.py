"""Puts a firm's people, rooms and messages into the chat, and logs the desktop user in.

The token of the login is in the user's `~/.config/chat/token`. Nobody knows others' passwords.
"""

import datetime
import hashlib
import hmac
import json
import os
import pwd
import re
import secrets
import sys
import urllib.error
import urllib.parse
import urllib.request

ADDRESS = "http://127.0.0.1:8084"
CLIENT = "/_matrix/client/v3"
USER, PASSWORD = "user", "password"


def ask(method, path, content=None, token="", **query):
    """Send a request; the answer."""
    request = urllib.request.Request(
        f"{ADDRESS}{path}?{urllib.parse.urlencode(query)}",
        data=None if content is None else json.dumps(content).encode(),
        method=method,
        headers={"Authorization": f"Bearer {token}"} if token else {},
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answered:
            return json.load(answered)
    except urllib.error.HTTPError as error:
        sys.exit(f"{method} {path} {content}: {error.code} {error.read().decode()}")


def read_secret():
    """The secret with which people are registered."""
    with open("/var/lib/chat/secrets.yaml") as file:
        return re.search(r"registration_shared_secret: (\w+)", file.read())[1]


def register(login, name, secret):
    """Make an account."""
    nonce = ask("GET", "/_synapse/admin/v1/register")["nonce"]
    password = PASSWORD if login == USER else secrets.token_hex(16)
    parts = "\0".join([nonce, login, password, "notadmin"]).encode()
    mac = hmac.new(secret.encode(), parts, hashlib.sha1).hexdigest()
    content = {"nonce": nonce, "username": login, "displayname": name, "password": password}
    ask("POST", "/_synapse/admin/v1/register", {**content, "admin": False, "mac": mac})


def milliseconds(day, minute):
    """A time as the chat counts it."""
    midnight = datetime.datetime.fromisoformat(day).replace(tzinfo=datetime.UTC)
    return int((midnight + datetime.timedelta(minutes=minute)).timestamp() * 1000)


def make_room(room, token):
    """Make a room with its members and messages."""

    def as_somebody(login, method, path, content, **query):
        return ask(method, CLIENT + path, content, token, user_id=f"@{login}:firm.test", **query)

    content = {
        "name": room["name"],
        "topic": room["topic"],
        "room_alias_name": room["name"].lower(),
        "preset": "public_chat",
        "visibility": "public",
    }
    id = as_somebody(room["owner"], "POST", "/createRoom", content)["room_id"]
    path = f"/rooms/{urllib.parse.quote(id, safe='')}"
    began = milliseconds(room["messages"][0]["day"], 0)
    for login in dict.fromkeys([*room["members"], *(m["author"] for m in room["messages"]), USER]):
        member = f"{path}/state/m.room.member/@{login}:firm.test"
        as_somebody(login, "PUT", member, {"membership": "join"}, ts=began)
    for number, message in enumerate(room["messages"]):
        sent = {"msgtype": "m.text", "body": message["text"]}
        when = milliseconds(message["day"], message["minute"])
        where = f"{path}/send/m.room.message/fill-{number}"
        as_somebody(message["author"], "PUT", where, sent, ts=when)


def store_token(name, token):
    """Give the desktop user a token of a service."""
    user = pwd.getpwnam(USER)
    folder = f"{user.pw_dir}/.config/{name}"
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/token", "w") as file:
        file.write(token)
    os.chmod(f"{folder}/token", 0o600)
    for path in (folder, f"{folder}/token"):
        os.chown(path, user.pw_uid, user.pw_gid)


def main(firm):
    """Fill the chat."""
    secret = read_secret()
    with open("/var/lib/colleagues/tokens.json") as file:
        token = json.load(file)["as_token"]
    for person in firm["people"]:
        register(person["login"], person["name"], secret)
    for room in firm["rooms"]:
        make_room(room, token)
    identifier = {"type": "m.id.user", "user": USER}
    content = {"type": "m.login.password", "identifier": identifier, "password": PASSWORD}
    answered = ask("POST", f"{CLIENT}/login", content)
    store_token("chat", answered["access_token"])


if __name__ == "__main__":
    main(json.load(sys.stdin))
