"""A misbehaving guest on a real loopback port. It sends the bytes that a test chooses, as slowly
and for as long as the test wants."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "FRAME", "NONSENSE", "TOOL", "Hostile", "ReceivedRequest", "always", "answer", "as_json",
    "drip", "endless", "hostile", "mcp",
]  # fmt: skip

BOUND = 30.0
"""Seconds after which the server gives up, so that a client without a deadline fails its test and
does not hang it."""
NONSENSE: tuple[object, ...] = (
    None, True, 0, -1, 2.5, 10**30, "", "a", "\udcff", [], [1], [[]], [None], {}, {"a": 1},
    {"error": 1}, {"value": {}}, {"error": {"message": []}}, [{"names": 1}],
)  # fmt: skip
"""Values of JSON that no answer consists of."""
FRAME: dict[str, Any] = {"id": "f1", "size": [64, 48], "base": None, "rect": [0, 0, 64, 48]}
TOOL: dict[str, Any] = {
    "name": "a_tool", "inputSchema": {"type": "object"}, "_meta": {"ambidex": {"app": "a"}},
}  # fmt: skip


@dataclass(frozen=True)
class ReceivedRequest:
    """One request."""

    method: str
    path: str
    body: bytes


Says = Callable[[ReceivedRequest], Iterable[bytes]]


@dataclass
class Hostile:
    """Its answer can be replaced between two requests."""

    says: Says
    endpoint: str = ""
    requests: list[ReceivedRequest] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.settimeout(BOUND)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while (request := _request(connection)) is not None:
                self.requests.append(request)
                for part in self.says(request):
                    connection.sendall(part)


def answer(
    body: bytes, status: int = 200, *, length: int | None = None, **headers: str
) -> list[bytes]:
    """A complete HTTP answer; `length` is its Content-Length."""
    fields = {"Content-Length": str(len(body) if length is None else length)}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return [f"HTTP/1.1 {status} OK\r\n{head}\r\n".encode(), body]


def as_json(value: object, status: int = 200) -> list[bytes]:
    """A complete HTTP answer with JSON."""
    return answer(json.dumps(value).encode(), status, Content_Type="application/json")


def always(parts: list[bytes]) -> Says:
    """The same answer to every request."""
    return lambda request: parts


def drip(parts: Iterable[bytes], over: threading.Event, every: float = 0.02) -> Iterator[bytes]:
    """Send one byte at a time until the test is over, then the rest at once."""
    for part in parts:
        for number, byte in enumerate(part):
            if over.wait(every):
                yield part[number:]
                break
            yield bytes([byte])


def endless(over: threading.Event, block: bytes = b" " * 65536) -> Iterator[bytes]:
    """A body that never ends."""
    yield b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n"
    while not over.is_set():
        yield b"%x\r\n%s\r\n" % (len(block), block)


def mcp(request: ReceivedRequest, result: object, method: bytes = b"tools/list") -> list[bytes]:
    """The answers of an MCP endpoint: `result` for that method, valid answers for the others."""
    if not request.body or b'"id"' not in request.body:
        return answer(b"", 202)
    said = json.loads(request.body)
    if said["method"].encode() != method:
        result = {
            "server/discover": None,
            "initialize": {
                "protocolVersion": said.get("params", {}).get("protocolVersion", ""),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "hostile", "version": "0"},
            },
            "tools/list": {"tools": [TOOL]},
        }.get(said["method"])
    if result is None:
        return as_json(
            {"jsonrpc": "2.0", "id": said["id"], "error": {"code": -32601, "message": ""}}
        )
    return as_json({"jsonrpc": "2.0", "id": said["id"], "result": result})


@contextmanager
def hostile(says: Says = lambda request: as_json({})) -> Iterator[Hostile]:
    """A hostile guest on a free port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Hostile(says, f"http://127.0.0.1:{listener.getsockname()[1]}")
        threads: list[threading.Thread] = []

        def accept() -> None:
            with suppress(OSError):  # the socket is shut down at the end
                while True:
                    connection, _ = listener.accept()
                    threads.append(threading.Thread(target=server.serve, args=(connection,)))
                    threads[-1].start()

        accepting = threading.Thread(target=accept)
        accepting.start()
        try:
            yield server
        finally:
            server.over.set()
            listener.shutdown(socket.SHUT_RDWR)
            for thread in (accepting, *threads):
                thread.join(BOUND)


def _request(connection: socket.socket) -> ReceivedRequest | None:
    received = b""
    while b"\r\n\r\n" not in received:
        part = connection.recv(65536)
        if not part:
            return None
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    line, *lines = head.decode().split("\r\n")
    method, path, _ = line.split()
    headers = {each.partition(":")[0].lower(): each.partition(":")[2].strip() for each in lines}
    while len(body) < int(headers.get("content-length", 0)):
        part = connection.recv(65536)
        if not part:
            return None
        body += part
    return ReceivedRequest(method, path.partition("?")[0], body)
