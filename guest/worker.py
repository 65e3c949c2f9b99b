"""The main program of a worker: it runs tools, serves the host, or reads the evidence.

A worker is a copy of `guest.forkserver` and holds no secrets. It answers the door's messages on a
socket until that closes. The tools of one worker run one after another, in the main thread.
Requests of the host (worker `harness`) run in parallel, since one may wait for a window while
another takes a screenshot.
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

from ambidex.guest import (
    AS_ACCOUNT,
    COLLECTOR,
    FREEZER,
    HARNESS,
    HEADLESS,
    SUITE,
    THAWER,
    VERIFIER,
    HarnessError,
    commands,
    wire,
)
from ambidex.guest.desktop.session import wait_for_session
from ambidex.guest.wire import WorkerReply
from ambidex.mcp_tools import App, Picture, Tool, ToolError, catalogue

__all__ = ["main"]

SESSION_WITHIN = 600.0
"""Seconds to wait for the desktop: a first boot under emulation takes minutes."""


Operation = Callable[[dict[str, Any], bytes], WorkerReply]
"""Executes a request: from its arguments and body to a reply."""


def import_function(path: str) -> Callable[[], str]:
    """Import the function that an app names as "module:function"."""
    module, _, name = path.partition(":")
    function: Callable[[], str] = getattr(importlib.import_module(module), name)
    return function


def tool_operation(tool: Tool) -> Operation:
    """The operation that calls a tool: arguments are validated, the result is converted to JSON."""

    def run(given: dict[str, Any], body: bytes) -> WorkerReply:
        value = tool.function(**tool.arguments(given))
        if isinstance(value, Picture):
            return WorkerReply({"picture": True}, value.png)
        return WorkerReply({"result": tool.returns.dump_python(value, mode="json")})

    return run


def tool_operations(apps: list[App]) -> dict[str, Operation]:
    """An operation for each tool of the apps, and `recover`, which the door calls after a kill."""

    def recover(given: dict[str, Any], body: bytes) -> WorkerReply:
        return WorkerReply([import_function(app.recover)() for app in apps if app.recover])

    operations = {name: tool_operation(tool) for app in apps for name, tool in app.tools.items()}
    return {**operations, "recover": recover}


def describe_error(error: BaseException) -> dict[str, Any]:
    """The JSON form of an error; its kind is `tool` for the model, `harness` for the host, or `bug`
    for the journal.
    """
    if isinstance(error, ToolError):
        return {
            "kind": "tool",
            "code": error.code,
            "message": error.message,
            "hint": error.hint,
        }
    if isinstance(error, HarnessError):
        fields = {"code": error.code, "message": error.message, "hint": error.hint}
        return {"kind": "harness", "status": error.status, **fields}
    message = traceback.format_exception_only(type(error), error)[-1].strip()
    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    return {"kind": "bug", "code": "bug", "message": message, "hint": "", "traceback": trace}


class Channel:
    """The socket to the door; several threads may send replies."""

    def __init__(self, fd: int) -> None:
        self._socket = socket.socket(fileno=fd)
        self._writing = threading.Lock()

    def read(self) -> wire.Message:
        """Read the next request."""
        return wire.read(self._socket)

    def send(self, head: dict[str, Any], body: bytes | bytearray | memoryview = b"") -> None:
        """Write one message."""
        with self._writing:
            self._socket.sendall(wire.pack(head, body))

    def stage(self, text: str) -> None:
        """Tell the door which stage of its start the worker has reached."""
        self.send({"id": 0, "stage": text})


def answer(channel: Channel, operations: dict[str, Operation], message: wire.Message) -> None:
    """Execute a request and reply, with an error if it fails."""
    head = message.head
    try:
        operation = operations.get(head["do"])
        if operation is None:
            message_text = f"not an operation of this worker: {head['do']!r}"
            raise HarnessError(message_text, code="unknown", status=404)
        reply = operation(head["with"], message.body)
        packed = ({"id": head["id"], "value": reply.value}, reply.body)
    except Exception as error:  # noqa: BLE001  the border: the door decides what each failure means
        packed = ({"id": head["id"], "error": describe_error(error)}, b"")
    channel.send(*packed)


def serve(channel: Channel, operations: dict[str, Operation], threads: int) -> None:
    """Answer requests until the door closes its end: in `threads` threads, or if 0, in this one."""
    pool: Optional[ThreadPoolExecutor] = None
    if threads:
        pool = ThreadPoolExecutor(threads)
    while True:
        try:
            message = channel.read()
        except (wire.ConnectionLostError, ConnectionError):
            # Exit at once, whatever other threads are doing: nobody can receive their replies.
            os._exit(0)
        if pool:
            pool.submit(answer, channel, operations, message)
        else:
            answer(channel, operations, message)


def main(name: str, fd: int) -> None:
    """Prepare, send the hello message and serve."""
    channel = Channel(fd)
    desktop = not os.environ.pop(HEADLESS, "")
    if name == HARNESS and desktop:
        variables = ("HOME", "USER", "LOGNAME", "SHELL", "PATH")
        own = {variable: os.environ[variable] for variable in variables}
        session = wait_for_session(SESSION_WITHIN, channel.stage)
        os.environ.update({**session, **own})
        os.environ.pop("PYTHONPATH", None)
        from ambidex.guest.desktop import harness_verbs  # needs the session: it opens the display

        channel.stage("opening the display")
        operations = harness_verbs.operations()
        channel.send({"id": 0, "value": {"session": dict(os.environ), "prepared": []}})
        serve(channel, operations, threads=8)
    elif name == HARNESS:
        channel.send({"id": 0, "value": {"prepared": []}})
        serve(channel, {**commands.without_desktop(), **commands.operations()}, threads=8)
    elif name == COLLECTOR:
        from ambidex.guest.account import Account
        from ambidex.guest.evidence import collector

        channel.send({"id": 0, "value": {"prepared": []}})
        serve(channel, collector.operations(Account.named(os.environ["USER"])), threads=0)
    elif name == SUITE:
        from ambidex.guest.evidence import suite

        serve(channel, {"run": lambda given, body: WorkerReply(suite.run(given, body))}, threads=0)
    elif name == VERIFIER:
        from ambidex.guest.evidence import verification

        serve(channel, {"verify": verification.verify}, threads=0)
    elif name.startswith(AS_ACCOUNT):
        from ambidex.guest.evidence import exporting
        from ambidex.guest.service_questions import questions

        serve(channel, {"export": exporting.export, "questions": questions}, threads=0)
    elif name in (FREEZER, THAWER):
        signal_all(signal.SIGSTOP if name == FREEZER else signal.SIGCONT)
    else:
        apps = list(catalogue.installed(desktop=desktop, worker=name).values())
        prepared = []
        for app in apps:
            if app.prepare:
                channel.stage(f"preparing {app.name}")
                prepared.append(import_function(app.prepare)())
        channel.send({"id": 0, "value": {"prepared": prepared}})
        serve(channel, tool_operations(apps), threads=0)


def signal_all(number: signal.Signals) -> None:
    """Signal every process of the desktop user at once, and with them the worker `harness`.

    RuntimeError if this process's user ids would let the signal reach others too.
    """
    real, effective, saved = os.getresuid()
    if real in (0, effective) or real != saved:
        raise RuntimeError(f"users {real}, {effective} and {saved} would signal too many processes")
    os.kill(-1, number)
