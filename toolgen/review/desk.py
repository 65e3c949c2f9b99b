"""A sandbox desktop for each reviewer, to try a draft on. The draft runs there and nowhere else."""

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
from ambidex.toolgen.guests import RunnerAnswer, install, run_draft
from ambidex.vm import READY, Machine

__all__ = ["Desk", "Desks", "Preparation", "TriedDraft"]

IDLE = 900.0
"""Seconds without a request after which a desktop is ended."""

Preparation = Callable[[Guest], None]
"""Prepares a fresh desktop, as a task's setup does."""


@dataclass(frozen=True)
class TriedDraft:
    """The draft that a reviewer tries."""

    candidate: str
    draft: int
    app: str
    tool: str
    """The text of the draft."""


@dataclass
class Desk:
    """One reviewer's desktop. All work on its machine happens in a thread of its own."""

    source: Callable[[], Source]
    folder: Path
    """Identifies the lease of its keyboard."""
    draft: TriedDraft
    state: str = "starting"
    """`starting`, `ready`, `calling` or `failed`."""
    note: str = ""
    tools: list[dict[str, Any]] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    marks: list[dict[str, Any]] = field(default_factory=list)
    vnc: tuple[str, str] = ("", "")
    last_request: float = field(default_factory=time.monotonic)
    """Monotonic time of the reviewer's last request."""
    _machine: Machine | None = None
    _guest: Guest | None = None
    _exit: ExitStack = field(default_factory=ExitStack)
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))

    def status(self) -> dict[str, Any]:
        """The desktop's status as JSON for the page."""
        return {
            "state": self.state,
            "candidate": self.draft.candidate,
            "draft": self.draft.draft,
            "note": self.note,
            "tools": self.tools,
            "calls": self.calls,
            "marks": self.marks,
            "screen": bool(self.vnc[0]),
        }

    def start(self, draft: TriedDraft, prepare: Preparation | None) -> Future[None]:
        """Start afresh with a draft."""
        self.draft, self.state, self.note = draft, "starting", "Starting a fresh desktop."
        self.tools, self.calls, self.marks, self.vnc = [], [], [], ("", "")
        return self._thread.submit(self._guarded, lambda: self._start(prepare))

    def call(self, arguments: Mapping[str, Any]) -> Future[None]:
        """Call the draft's tool. The result is added to `calls`."""
        if self.state != "ready":
            raise UsageError(f"the desktop is not ready: {self.note or self.state}")
        self.state = "calling"
        return self._thread.submit(self._guarded, lambda: self._call(dict(arguments)))

    def close(self) -> None:
        """End the desktop once its present work is done."""
        self._thread.submit(self._exit.close).result()
        self._thread.shutdown()

    def _start(self, prepare: Preparation | None) -> None:
        if self._machine is None:
            self._machine = self._exit.enter_context(closing(self.source().make()))
        if self._guest is not None:
            self._guest.close()
        self._machine.revert(READY)
        self._guest = self._exit.enter_context(Guest(self._machine.endpoint, self._machine.token))
        self._guest.wait_ready()
        self.vnc = self._machine.vnc or ("", "")
        if prepare:
            self.note = "Running the task's setup."
            prepare(self._guest)
        install(self._guest)
        answer = self._run([])
        self.tools = answer.tools
        if answer.load:
            raise UsageError(f"the guest cannot load the draft: {answer.load.message}")
        if not answer.tools:
            raise UsageError("the draft declares no tool")
        self.state, self.note = "ready", ""

    def _call(self, arguments: dict[str, Any]) -> None:
        name = self.tools[0]["name"]
        answer = self._run([{"call": name, "with": arguments}])
        error = answer.load or answer.calls[0].error
        result = answer.calls[0] if answer.calls else None
        self.calls.insert(
            0,
            {
                "with": arguments,
                "call": name,
                "value": result.value if result else None,
                "error": f"{error.code}: {error.message}" if error else "",
                "bug": bool(error and error.kind == "bug"),
                "seconds": result.seconds if result else 0.0,
            },
        )
        self.state = "ready"

    def _run(self, calls: list[dict[str, Any]]) -> RunnerAnswer:
        assert self._guest is not None
        answer = run_draft(self._guest, self.draft.app, self.draft.tool, calls)
        self.marks += [violation.model_dump() for violation in answer.marks]
        return answer

    def _guarded(self, work: Callable[[], None]) -> None:
        """Do work in the desktop's thread; a failure becomes its state and note."""
        try:
            work()
        except (*VOID, UsageError) as error:
            self.state, self.note = "failed", f"{error} {getattr(error, 'hint', '')}".strip()
        except BaseException as error:
            self.state, self.note = "failed", f"{type(error).__name__}: {error}"
            # A bug of ours: nothing else would report where.
            echo(traceback.format_exc(), error=True, end="")
            raise


@dataclass
class Desks:
    """The desktops of all reviewers, at most `most` at a time. The provider is opened when the
    first desktop is started."""

    machines: Callable[[], AbstractContextManager[Source]]
    most: int = 2
    leases: Leases = field(default_factory=Leases)
    _open: dict[str, Desk] = field(default_factory=dict)
    _source: Source | None = None
    _exit: ExitStack = field(default_factory=ExitStack)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, reviewer: str) -> Desk | None:
        """A reviewer's desktop, or None. Counts as a request for it."""
        desk = self._open.get(reviewer)
        if desk:
            desk.last_request = time.monotonic()
        return desk

    def start(self, reviewer: str, draft: TriedDraft, prepare: Preparation | None) -> Future[None]:
        """Start a fresh desktop. `UsageError` if all are in use or the reviewer's is busy."""
        desk = self._open.get(reviewer)
        if desk is None:
            if len(self._open) >= self.most:
                raise UsageError(
                    f"all {self.most} desktops are in use",
                    hint="Wait until somebody ends theirs, or allow more with --desktops.",
                )
            folder = Path(self._exit.enter_context(tempfile.TemporaryDirectory()))
            desk = self._open[reviewer] = Desk(self._machines, folder, draft)
        elif desk.state in ("starting", "calling"):
            raise UsageError("the desktop is busy; end it, or wait")
        return desk.start(draft, prepare)

    def end(self, reviewer: str) -> None:
        """End a reviewer's desktop, if they have one."""
        desk = self._open.pop(reviewer, None)
        if desk:
            if viewer := self.leases.holder(desk.folder):
                self.leases.give(desk.folder, viewer)
            desk.close()

    def end_idle(self) -> None:
        """End the desktops without a request for `IDLE` seconds."""
        now = time.monotonic()
        for reviewer, desk in list(self._open.items()):
            if now - desk.last_request > IDLE:
                self.end(reviewer)

    def close(self) -> None:
        """End all desktops."""
        self.leases.close()
        for reviewer in list(self._open):
            self.end(reviewer)
        self._exit.close()

    def _machines(self) -> Source:
        with self._lock:
            if self._source is None:
                self._source = self._exit.enter_context(self.machines())
            return self._source
