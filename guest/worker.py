"""A worker, a copy of `guest.forkserver`: it runs tools, serves the host, or reads the evidence. It
holds no secret.

Answers the door's messages on the socket FD until that closes. Tools of one worker run one after
another, in the main thread; the host's requests (worker `harness`) run side by side, as one may
wait for a window while another looks.
"""

from __future__ import annotations

import importlib
import os
import signal
import socket
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Optional

from ambidex.guest import COLLECTOR, FREEZER, HARNESS, SUITE, THAWER, HarnessError, wire
from ambidex.guest.desktop.session import wait_for_session
from ambidex.guest.wire import Answer
from ambidex.mcp_tools import App, Picture, Tool, ToolError, catalogue

__all__ = ["main"]

SESSION_WITHIN = 600.0
"""Seconds to wait for the desktop: a first boot under emulation takes minutes."""


Verb = Callable[[dict[str, Any], bytes], Answer]


def named(path: str) -> Callable[[], str]:
    """The function an app names as "module:function"."""
    module, _, function = path.partition(":")
    found: Callable[[], str] = getattr(importlib.import_module(module), function)
    return found


def tool_verb(tool: Tool) -> Verb:
    """The tool as a verb: arguments checked into the types the function takes, its result as
    JSON.
    """

    def run(given: dict[str, Any], body: bytes) -> Answer:
        value = tool.function(**tool.arguments(given))
        if isinstance(value, Picture):
            return Answer({"picture": True}, value.png)
        return Answer({"result": tool.returns.dump_python(value, mode="json")})

    return run


def tool_verbs(apps: list[App]) -> dict[str, Verb]:
    """Every tool of the apps by name, and `recover`, which runs what the apps want after a kill."""

    def recover(given: dict[str, Any], body: bytes) -> Answer:
        return Answer([named(app.recover)() for app in apps if app.recover])

    verbs = {name: tool_verb(tool) for app in apps for name, tool in app.tools.items()}
    return {**verbs, "recover": recover}


def error_of(error: BaseException) -> dict[str, Any]:
    """How a failure travels: `tool` for the model, `harness` for the host, `bug` for the
    journal.
    """
    if isinstance(error, ToolError):
        return {
            "kind": "tool",
            "code": error.code,
            "message": error.message,
            "hint": error.hint,
        }
    if isinstance(error, HarnessError):
        said = {"code": error.code, "message": error.message, "hint": error.hint}
        return {"kind": "harness", "status": error.status, **said}
    last = traceback.format_exception_only(type(error), error)[-1].strip()
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return {"kind": "bug", "code": "bug", "message": last, "hint": "", "traceback": trace}


class Channel:
    """The socket to the door; replies of several threads do not mix."""

    def __init__(self, fd: int) -> None:
        self._socket = socket.socket(fileno=fd)
        self._writing = threading.Lock()

    def read(self) -> wire.Message:
        """The next request."""
        return wire.read(self._socket)

    def send(self, head: dict[str, Any], body: bytes | bytearray | memoryview = b"") -> None:
        """Write one message whole."""
        with self._writing:
            self._socket.sendall(wire.pack(head, body))

    def stage(self, text: str) -> None:
        """Tell the door how far the worker is before it is ready."""
        self.send({"id": 0, "stage": text})


def answer(channel: Channel, verbs: dict[str, Verb], message: wire.Message) -> None:
    """Do what a message asks and reply, whatever happens."""
    head = message.head
    try:
        verb = verbs.get(head["do"])
        if verb is None:
            raise HarnessError(f"this worker has no {head['do']!r}", code="unknown", status=404)
        reply = verb(head["with"], message.body)
        packed = ({"id": head["id"], "value": reply.value}, reply.body)
    except Exception as error:  # noqa: BLE001  the border: the door decides what each failure means
        packed = ({"id": head["id"], "error": error_of(error)}, b"")
    channel.send(*packed)


def serve(channel: Channel, verbs: dict[str, Verb], side_by_side: int) -> None:
    """Answer until the door closes its end. With `side_by_side` of 0 in this thread, else in that
    many others.
    """
    pool: Optional[ThreadPoolExecutor] = None
    if side_by_side:
        pool = ThreadPoolExecutor(side_by_side)
    while True:
        try:
            message = channel.read()
        except (wire.ConnectionLostError, ConnectionError):
            # At once, whatever other threads still do: nobody is left to hear of it.
            os._exit(0)
        if pool:
            pool.submit(answer, channel, verbs, message)
        else:
            answer(channel, verbs, message)


def main(name: str, fd: int) -> None:
    """Become ready, say hello, serve."""
    channel = Channel(fd)
    if name == HARNESS:
        own = {each: os.environ[each] for each in ("HOME", "USER", "LOGNAME", "SHELL", "PATH")}
        session = wait_for_session(SESSION_WITHIN, channel.stage)
        os.environ.update({**session, **own})
        os.environ.pop("PYTHONPATH", None)
        from ambidex.guest.desktop import harness_verbs  # needs the session: it opens the display

        channel.stage("opening the display")
        verbs = harness_verbs.verbs()
        channel.send({"id": 0, "value": {"session": dict(os.environ), "prepared": []}})
        serve(channel, verbs, side_by_side=8)
    elif name == COLLECTOR:
        from ambidex.guest.account import Account
        from ambidex.guest.evidence import collector

        channel.send({"id": 0, "value": {"prepared": []}})
        serve(channel, collector.verbs(Account.named(os.environ["USER"])), side_by_side=0)
    elif name == SUITE:
        from ambidex.guest.evidence import suite

        serve(channel, {"run": lambda given, body: Answer(suite.run(given, body))}, side_by_side=0)
    elif name in (FREEZER, THAWER):
        signal_everybody(signal.SIGSTOP if name == FREEZER else signal.SIGCONT)
    else:
        apps = list(catalogue.apps(name).values())
        prepared = []
        for app in apps:
            if app.prepare:
                channel.stage(f"preparing {app.name}")
                prepared.append(named(app.prepare)())
        channel.send({"id": 0, "value": {"prepared": prepared}})
        serve(channel, tool_verbs(apps), side_by_side=0)


def signal_everybody(what: signal.Signals) -> None:
    """Signal every process that the desktop user may signal, all at one moment, and with them the
    worker that serves the host. RuntimeError where others would be hit as well.
    """
    real, effective, saved = os.getresuid()
    if real in (0, effective) or real != saved:
        raise RuntimeError(f"users {real}, {effective} and {saved} signal too many")
    os.kill(-1, what)
