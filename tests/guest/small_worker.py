"""A worker without a desktop, with verbs that answer, fail, hang and die."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any

from ambidex.guest.wire import Answer
from ambidex.guest.worker import Channel, serve
from ambidex.mcp_tools import ToolError

DEEDS: list[str] = []


def answer(given: dict[str, Any], body: bytes) -> Answer:
    DEEDS.append("answer")
    return Answer({"result": {"given": given, "deeds": len(DEEDS), "pid": os.getpid()}}, body[::-1])


def refuse(given: dict[str, Any], body: bytes) -> Answer:
    raise ToolError("That cell does not exist.", code="no_cell", hint="Cells go to XFD1048576.")


def break_down(given: dict[str, Any], body: bytes) -> Answer:
    raise KeyError("a bug")


def hang(given: dict[str, Any], body: bytes) -> Answer:
    threading.Event().wait()
    return Answer(None)


def die(given: dict[str, Any], body: bytes) -> Answer:
    print("last words", file=sys.stderr, flush=True)
    os._exit(3)


def recover(given: dict[str, Any], body: bytes) -> Answer:
    return Answer(["The office was restarted."])


def environment(given: dict[str, Any], body: bytes) -> Answer:
    return Answer({"environment": dict(os.environ), "open": sorted(os.listdir("/proc/self/fd"))})


def check(given: dict[str, Any], body: bytes) -> Answer:
    good = {"ok": True, "seen": "here"}
    return Answer({"checks": {"display": good}, "screen": [1280, 720]})


def screenshot(given: dict[str, Any], body: bytes) -> Answer:
    if given["known"] == "f.1":
        return Answer({"id": "f.1", "rect": None})
    return Answer({"id": "f.1", "rect": [0, 0, 1, 1]}, b"BGRX")


def rights(given: dict[str, Any], body: bytes) -> Answer:
    return Answer(False)


VERBS = {
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
    serve(channel, VERBS, side_by_side=0)
