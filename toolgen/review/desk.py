"""A sandbox desktop of a reviewer's own, on which they try a draft. What a model wrote runs there
and nowhere else."""

from __future__ import annotations

import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ambidex.host.client.guest import Guest
from ambidex.host.errors import VOID, UsageError
from ambidex.host.room.lease import Leases
from ambidex.host.runs.machines import Source
from ambidex.host.terminal import echo
from ambidex.toolgen.guests import Answered, ask_draft, install
from ambidex.vm import READY, Machine

__all__ = ["Desk", "Desks", "Scene", "Tried"]

IDLE = 900.0
"""Seconds that nobody asks for a desktop, until it is ended."""

Scene = Callable[[Guest], None]
"""Sets the stage on a fresh desktop, as a task does."""


@dataclass(frozen=True)
class Tried:
    """What is tried."""

    candidate: str
    draft: int
    app: str
    tool: str
    """The text of the draft."""


@dataclass
class Desk:
    """One reviewer's desktop. Its machine is asked from one thread of its own."""

    source: Callable[[], Source]
    folder: Path
    """For the lease of its keyboard."""
    tried: Tried
    state: str = "starting"
    """`starting`, `ready`, `calling`, `failed`"""
    note: str = ""
    tools: list[dict[str, Any]] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    marks: list[dict[str, Any]] = field(default_factory=list)
    vnc: tuple[str, str] = ("", "")
    asked: float = field(default_factory=time.monotonic)
    _machine: Machine | None = None
    _guest: Guest | None = None
    _exit: ExitStack = field(default_factory=ExitStack)
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))

    def told(self) -> dict[str, Any]:
        """As the page shows it."""
        return {
            "state": self.state,
            "candidate": self.tried.candidate,
            "draft": self.tried.draft,
            "note": self.note,
            "tools": self.tools,
            "calls": self.calls,
            "marks": self.marks,
            "screen": bool(self.vnc[0]),
        }

    def start(self, tried: Tried, scene: Scene | None) -> Future[None]:
        """A fresh desktop for that draft."""
        self.tried, self.state, self.note = tried, "starting", "A fresh desktop is being started."
        self.tools, self.calls, self.marks, self.vnc = [], [], [], ("", "")
        return self._thread.submit(self._failing, lambda: self._start(scene))

    def call(self, arguments: Mapping[str, Any]) -> Future[None]:
        """Call the draft's tool; what came of it is in `calls`."""
        if self.state != "ready":
            raise UsageError(f"the desktop is not ready: {self.note or self.state}")
        self.state = "calling"
        said: dict[str, Any] = {"with": dict(arguments)}
        return self._thread.submit(self._failing, lambda: self._call(said))

    def close(self) -> None:
        """End it, after what it is at."""
        self._thread.submit(self._exit.close).result()
        self._thread.shutdown()

    def _start(self, scene: Scene | None) -> None:
        if self._machine is None:
            self._machine = self._exit.enter_context(closing(self.source().make()))
        if self._guest is not None:
            self._guest.close()
        self._machine.revert(READY)
        self._guest = self._exit.enter_context(Guest(self._machine.endpoint, self._machine.token))
        self._guest.wait_ready()
        self.vnc = self._machine.vnc
        if scene:
            self.note = "The stage of the task is being set."
            scene(self._guest)
        install(self._guest)
        said = self._ask([])
        self.tools = said.tools
        if said.load:
            raise UsageError(f"the guest cannot load the draft: {said.load.message}")
        if not said.tools:
            raise UsageError("the draft declares no tool")
        self.state, self.note = "ready", ""

    def _call(self, said: dict[str, Any]) -> None:
        name = self.tools[0]["name"]
        answered = self._ask([{"call": name, "with": said["with"]}])
        error = answered.load or answered.calls[0].error
        done = answered.calls[0] if answered.calls else None
        self.calls.insert(
            0,
            {
                **said,
                "call": name,
                "value": done.value if done else None,
                "error": f"{error.code}: {error.message}" if error else "",
                "bug": bool(error and error.kind == "bug"),
                "seconds": done.seconds if done else 0.0,
            },
        )
        self.state = "ready"

    def _ask(self, calls: list[dict[str, Any]]) -> Answered:
        assert self._guest is not None
        said = ask_draft(self._guest, self.tried.app, self.tried.tool, calls)
        self.marks += [each.model_dump() for each in said.marks]
        return said

    def _failing(self, work: Callable[[], None]) -> None:
        try:
            work()
        except (*VOID, UsageError) as error:
            self.state, self.note = "failed", f"{error} {getattr(error, 'hint', '')}".strip()
        except BaseException as error:
            self.state, self.note = "failed", f"{type(error).__name__}: {error}"
            # A bug of ours: nobody else would see where.
            echo(traceback.format_exc(), error=True, end="")
            raise


@dataclass
class Desks:
    """The desktops of all reviewers, at most `most` at a time. Machines are made when the first is
    asked for."""

    machines: Callable[[], AbstractContextManager[Source]]
    most: int = 2
    leases: Leases = field(default_factory=Leases)
    _open: dict[str, Desk] = field(default_factory=dict)
    _source: Source | None = None
    _exit: ExitStack = field(default_factory=ExitStack)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, reviewer: str) -> Desk | None:
        """A reviewer's; None where they have none."""
        desk = self._open.get(reviewer)
        if desk:
            desk.asked = time.monotonic()
        return desk

    def start(self, reviewer: str, tried: Tried, scene: Scene | None) -> Future[None]:
        """A fresh desktop; `UsageError` where all are in use."""
        desk = self._open.get(reviewer)
        if desk is None:
            if len(self._open) >= self.most:
                raise UsageError(
                    f"all {self.most} desktops are in use",
                    hint="Wait until somebody ends theirs, or serve more with --desktops.",
                )
            folder = Path(self._exit.enter_context(tempfile.TemporaryDirectory()))
            desk = self._open[reviewer] = Desk(self._machines, folder, tried)
        elif desk.state in ("starting", "calling"):
            raise UsageError("the desktop is at work; end it, or wait")
        return desk.start(tried, scene)

    def end(self, reviewer: str) -> None:
        """End a reviewer's desktop, if they have one."""
        desk = self._open.pop(reviewer, None)
        if desk:
            if viewer := self.leases.holder(desk.folder):
                self.leases.give(desk.folder, viewer)
            desk.close()

    def end_idle(self) -> None:
        """End those that nobody has asked for since long."""
        now = time.monotonic()
        for reviewer, desk in list(self._open.items()):
            if now - desk.asked > IDLE:
                self.end(reviewer)

    def close(self) -> None:
        """End them all."""
        self.leases.close()
        for reviewer in list(self._open):
            self.end(reviewer)
        self._exit.close()

    def _machines(self) -> Source:
        with self._lock:
            if self._source is None:
                self._source = self._exit.enter_context(self.machines())
            return self._source
