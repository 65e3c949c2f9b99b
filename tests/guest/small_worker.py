"""A worker without a desktop, with operations that answer, fail, hang and die."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

from ambidex.guest.wire import WorkerReply
from ambidex.guest.worker import Channel, Operation, serve
from ambidex.mcp_tools import ToolError

CALLS: list[str] = []


def answer(given: dict[str, Any], body: bytes) -> WorkerReply:
    CALLS.append("answer")
    result = {"given": given, "calls": len(CALLS), "pid": os.getpid()}
    return WorkerReply({"result": result}, body[::-1])


def refuse(given: dict[str, Any], body: bytes) -> WorkerReply:
    raise ToolError("That cell does not exist.", code="no_cell", hint="Cells go to XFD1048576.")


def break_down(given: dict[str, Any], body: bytes) -> WorkerReply:
    raise KeyError("a bug")


def hang(given: dict[str, Any], body: bytes) -> WorkerReply:
    threading.Event().wait()
    return WorkerReply(None)


def die(given: dict[str, Any], body: bytes) -> WorkerReply:
    print("last words", file=sys.stderr, flush=True)
    os._exit(3)


def recover(given: dict[str, Any], body: bytes) -> WorkerReply:
    return WorkerReply(["The office was restarted."])


def environment(given: dict[str, Any], body: bytes) -> WorkerReply:
    return WorkerReply(
        {"environment": dict(os.environ), "open": sorted(os.listdir("/proc/self/fd"))}
    )


def check(given: dict[str, Any], body: bytes) -> WorkerReply:
    good = {"ok": True, "seen": "here"}
    return WorkerReply({"checks": {"display": good}, "screen": [1280, 720]})


def screenshot(given: dict[str, Any], body: bytes) -> WorkerReply:
    if given["known"] == "f.1":
        return WorkerReply({"id": "f.1", "rect": None})
    return WorkerReply({"id": "f.1", "rect": [0, 0, 1, 1]}, b"BGRX")


def rights(given: dict[str, Any], body: bytes) -> WorkerReply:
    return WorkerReply(False)


OPERATIONS: dict[str, Operation] = {
    "rights": rights,
    "check": check,
    "screenshot": screenshot,
    "small_answer": answer,
    "small_refuse": refuse,
    "small_break": break_down,
    "small_hang": hang,
    "small_die": die,
    "recover": recover,
    "environment": environment,
}


def main(name: str, fd: int) -> None:
    if name == "stillborn":
        sys.exit("no office is installed")
    channel = Channel(fd)
    channel.stage("waking up")
    channel.send({"id": 0, "value": {"prepared": []}})
    serve(channel, OPERATIONS, threads=0)
