"""Serves moto on a port of 127.0.0.1, and what it holds on a socket for the export.

`serve.py PORT SOCKET`. The state is read from moto's back ends: its own dashboard fails with some
objects, and shows those that were deleted. It is in memory, so the requests that made a firm's
cloud are executed at each start; they are in a file that the image of a firm has.
"""

import contextlib
import datetime
import enum
import hashlib
import json
import math
import os
import socketserver
import sys
import threading

from botocore import xform_name
from botocore.session import Session
from moto import mock_aws, server
from moto.core.base_backend import BackendDict, BaseBackend
from moto.moto_api._internal import mock_random

FIRM = "/var/lib/moto/firm.json"
REGION = "us-east-1"
DEEPEST = 40
SHORT = 100_000
"""Bytes of a content that is in the state as text."""


class State(socketserver.StreamRequestHandler):
    """Writes the state of all services to whoever connects."""

    def handle(self):
        """Write it."""
        self.wfile.write(json.dumps(state()).encode())


def state():
    """The members of all back ends that were used."""
    services = {}
    for backends in list(BackendDict._instances):
        accounts = services.setdefault(backends.service_name, {})
        for account, regions in list(backends.items()):
            accounts[account] = {}
            for region, backend in list(regions.items()):
                path = f"{backends.service_name}.{account}.{region}"
                accounts[account][region] = members(backend, path, {id(backend): path}, 0)
    return services


def members(value, path, seen, depth):
    """The public members of an object."""
    found = {}
    for name, member in list(vars(value).items()):
        if name.startswith("_"):
            continue
        if isinstance(value, BaseBackend) and isinstance(member, dict):
            # Without what other accounts own: Amazon has 1,300 images of machines.
            found[name] = {
                str(key): plain(item, f"{path}.{name}.{key}", seen, depth + 2)
                for key, item in list(member.items())
                if getattr(item, "owner_id", value.account_id) == value.account_id
            }
        else:
            found[name] = plain(member, f"{path}.{name}", seen, depth + 1)
    if "_state" in vars(value):  # of a virtual machine
        found["state"] = plain(value._state, f"{path}.state", seen, depth + 1)
    content = vars(value).get("_value_buffer")  # of an object in a bucket
    if content is not None:
        with vars(value)["lock"]:
            content.seek(0)
            found["value"] = plain(content.read(), path, seen, depth)
    return found


def plain(value, path, seen, depth):
    """A value as JSON data."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, enum.Enum):
        return plain(value.value, path, seen, depth)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (bytes, bytearray)):
        return content_of(bytes(value))
    if isinstance(value, (datetime.datetime, datetime.date)):
        return value.isoformat()
    if isinstance(value, (BaseBackend, BackendDict)) or depth > DEEPEST:
        return {"omitted": type(value).__name__}
    if id(value) in seen:
        return {"same": seen[id(value)]}
    if isinstance(value, dict):
        seen[id(value)] = path
        return {
            str(key): plain(item, f"{path}.{key}", seen, depth + 1)
            for key, item in list(value.items())
        }
    if isinstance(value, (list, tuple, set, frozenset)):
        items = [plain(item, f"{path}.{n}", seen, depth + 1) for n, item in enumerate(list(value))]
        return sorted(items, key=repr) if isinstance(value, (set, frozenset)) else items
    if type(value).__module__.startswith("moto.") and hasattr(value, "__dict__"):
        seen[id(value)] = path
        return members(value, path, seen, depth)
    return {"omitted": type(value).__name__}


def content_of(content):
    """Bytes by size and hash, and as text where that is short."""
    described = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    if len(content) <= SHORT:
        with contextlib.suppress(UnicodeDecodeError):
            described["text"] = content.decode()
    return described


def fill(requests):
    """Execute requests, each with `service`, `operation` and `arguments`. What moto makes up, such
    as ids and keys, is the same each time."""
    mock_random.seed(0)
    session, clients = Session(), {}
    own = mock_aws()
    own.start()
    for request in requests:
        name = request["service"]
        if name not in clients:
            given = {"aws_access_key_id": "firm", "aws_secret_access_key": "firm"}
            clients[name] = session.create_client(name, region_name=REGION, **given)
        getattr(clients[name], xform_name(request["operation"]))(**request["arguments"])
    own.stop(remove_data=False)


def main(port, path):
    """Serve until terminated."""
    if os.path.exists(FIRM):
        with open(FIRM) as file:
            fill(json.load(file))
    if os.path.exists(path):
        os.unlink(path)
    os.umask(0o077)
    states = socketserver.ThreadingUnixStreamServer(path, State)
    threading.Thread(target=states.serve_forever, daemon=True).start()
    server.main(["-H", "127.0.0.1", "-p", port])


if __name__ == "__main__":
    main(*sys.argv[1:])
