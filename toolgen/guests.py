"""Guests to run drafts in: each reverted before it is used, none with a network.

Programs of `toolgen.inside` are put into the guest and started by the harness as the desktop user;
nothing of a draft is executed anywhere else.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import PurePosixPath
from types import TracebackType
from typing import Any

from pydantic import BaseModel, ConfigDict

from ambidex.host.client.answers import CommandResult
from ambidex.host.client.guest import Guest
from ambidex.host.runs.machines import Source
from ambidex.host.untrusted.parsing import model
from ambidex.toolgen.inside import PROGRAMS
from ambidex.vm import READY, Machine

__all__ = [
    "Answered",
    "Mark",
    "Said",
    "TestOutcome",
    "Workplace",
    "ask_draft",
    "install",
    "run_code",
]

WHERE = PurePosixPath("/tmp/ambidex-foundry")
PYTHON = {"PYTHONPATH": "/opt:/opt/ambidex/site", "PYTHONDONTWRITEBYTECODE": "1"}
"""What tools are imported from in a guest."""
DOOR = 8770
CODE_WITHIN = 90.0
"""Seconds that a model's code may take."""
PROGRAMS_ALLOWED = (
    "soffice", "vlc", "gsettings", "dconf", "gdbus", "busctl", "gio", "ffmpeg", "ffprobe",
    "git", "nautilus", "gnome-terminal", "code", "chromium", "pactl", "wpctl", "xdg-open",
    "fc-list", "fc-match", "ldconfig", "rm", "cp", "mv", "mkdir", "cat", "ls",
)  # fmt: skip
"""Programs that a tool, or its tests, may start: those of the desktop, no shell and nothing that
speaks to a network."""
SPEAKS_TO_ITS_APP = ("chrome", "code")
"""Apps whose tools reach their program through a socket of this machine."""


class Answer(BaseModel):
    """What the guest's programs print."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Fault(Answer):
    """Why a call failed: `tool` is for the model to read, `bug` is a traceback."""

    kind: str
    code: str
    message: str
    traceback: str = ""


class Said(Answer):
    """What came of one call."""

    value: Any = None
    error: Fault | None = None
    seconds: float = 0.0


class Mark(Answer):
    """Something that the draft reached for and may not have."""

    rule: str
    what: str


class TestOutcome(Answer):
    """One of the draft's tests."""

    name: str
    passed: bool
    why: str


class Answered(Answer):
    """The runner's whole answer."""

    tools: list[dict[str, Any]] = []
    calls: list[Said] = []
    tests: list[TestOutcome] = []
    marks: list[Mark] = []
    load: Fault | None = None


class Workplace:
    """Machines to be had one after the other. A context manager; a machine is made when the first
    is asked for."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._exit = ExitStack()
        self._machine: Machine | None = None

    def __enter__(self) -> Workplace:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._exit.close()

    @property
    def image(self) -> str:
        """What the guests run, for the record."""
        return self._source.image

    @contextmanager
    def fresh(self, snapshot: str = READY) -> Iterator[Guest]:
        """A guest as new, ready, with our programs in it."""
        if self._machine is None:
            self._machine = self._exit.enter_context(closing(self._source.make()))
        self._machine.revert(snapshot)
        with Guest(self._machine.endpoint, self._machine.token) as guest:
            guest.wait_ready()
            install(guest)
            yield guest


def install(guest: Guest) -> None:
    """Put our programs into it."""
    for path in PROGRAMS:
        guest.put(str(WHERE / path.name), path.read_bytes())


def run_code(guest: Guest, language: str, code: str) -> CommandResult:
    """Run a model's code as the desktop user, in the home folder."""
    program = {"python": "python3", "bash": "bash"}[language]
    file = WHERE / f"code.{language}"
    guest.put(str(file), code.encode())
    argv = [program, str(file)]
    return guest.run(argv, timeout=CODE_WITHIN, cwd=guest.home, env=PYTHON)


def ask_draft(
    guest: Guest,
    app: str,
    tool: str,
    calls: Sequence[Mapping[str, Any]] = (),
    test: str = "",
    *,
    within: float = 180.0,
) -> Answered:
    """Load the draft in the guest, make those calls of it, run those tests, and say what came of
    it."""
    draft, tests = WHERE / "tool.py", WHERE / "test_tool.py"
    guest.put(str(draft), tool.encode())
    mark = secrets.token_hex(16)
    asked: dict[str, Any] = {
        "mark": mark,
        "draft": str(draft),
        "calls": list(calls),
        "allowance": {
            "door": DOOR,
            "programs": PROGRAMS_ALLOWED,
            "loopback": app in SPEAKS_TO_ITS_APP,
        },
    }
    if test:
        guest.put(str(tests), test.encode())
        asked["tests"] = str(tests)
    argv = ["python3", str(WHERE / "runner.py")]
    ran = guest.run(argv, timeout=within, env=PYTHON, input=json.dumps(asked))
    if ran.timed_out:
        fault = Fault(kind="bug", code="timeout", message=f"not done after {within:g} s")
        return Answered(load=fault)
    _, found, said = ran.stdout.rpartition(mark)
    if not found:
        last = f"{ran.stderr.strip()[-1500:]} (exit status {ran.returncode})"
        return Answered(load=Fault(kind="bug", code="crashed", message=last))
    return model(Answered, said.partition("\n")[0], "the answer of the program that runs drafts")
