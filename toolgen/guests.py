"""Guests that drafts run in. They are reverted before each use and have no network.

The programs in `toolgen.inside` are copied into the guest and started by the harness as the desktop
user. Drafts are executed nowhere else.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import PurePosixPath
from typing import Any

from pydantic import BaseModel, ConfigDict

from ambidex.host.client.answers import CommandResult
from ambidex.host.client.guest import Guest
from ambidex.host.runs.machines import Source
from ambidex.host.untrusted.parsing import model
from ambidex.toolgen.inside import PROGRAMS
from ambidex.vm import READY, Machine
from ambidex.vm.closing import Closing

__all__ = [
    "CallResult",
    "DraftMachine",
    "Fault",
    "RunnerAnswer",
    "TestOutcome",
    "Violation",
    "install",
    "run_code",
    "run_draft",
]

WHERE = PurePosixPath("/tmp/ambidex-foundry")
PYTHON = {"PYTHONPATH": "/opt:/opt/ambidex/site", "PYTHONDONTWRITEBYTECODE": "1"}
"""Where the guest's Python imports the tools from."""
DOOR = 8770
"""The port of the guest's server, which drafts must not reach."""
CODE_WITHIN = 90.0
"""Time limit for a model's code, in seconds."""
PROGRAMS_ALLOWED = (
    "soffice", "vlc", "gsettings", "dconf", "gdbus", "busctl", "gio", "ffmpeg", "ffprobe",
    "git", "nautilus", "gnome-terminal", "code", "chromium", "pactl", "wpctl", "xdg-open",
    "fc-list", "fc-match", "ldconfig", "rm", "cp", "mv", "mkdir", "cat", "ls",
)  # fmt: skip
"""Programs that a tool, or its tests, may start: programs of the desktop, but no shell and nothing
that uses a network."""
LOOPBACK_APPS = ("chrome", "code")
"""Apps whose tools reach their program through a socket on the loopback interface."""


class Answer(BaseModel):
    """Base of the JSON that the programs in the guest print."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Fault(Answer):
    """Why a call failed. Kind `tool`: an error that the tool raised for the model to read. Kind
    `bug`: anything else, with a traceback."""

    kind: str
    code: str
    message: str
    traceback: str = ""


class CallResult(Answer):
    """The result of one call."""

    value: Any = None
    error: Fault | None = None
    seconds: float = 0.0


class Violation(Answer):
    """Something that the draft tried to access and may not."""

    rule: str
    what: str


class TestOutcome(Answer):
    """The outcome of one of the draft's tests."""

    name: str
    passed: bool
    why: str


class RunnerAnswer(Answer):
    """The whole answer of inside/runner.py."""

    tools: list[dict[str, Any]] = []
    calls: list[CallResult] = []
    tests: list[TestOutcome] = []
    marks: list[Violation] = []
    load: Fault | None = None


class DraftMachine(Closing):
    """The machine that drafts run on, reverted for each use. A context manager; the machine is made
    when it is first needed."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._exit = ExitStack()
        self._machine: Machine | None = None

    def close(self) -> None:
        """Close the machine."""
        self._exit.close()

    @property
    def image(self) -> str:
        """The image that the guest runs."""
        return self._source.image

    @contextmanager
    def fresh(self, snapshot: str = READY) -> Iterator[Guest]:
        """Revert the machine and yield its guest, ready, with our programs installed."""
        if self._machine is None:
            self._machine = self._exit.enter_context(closing(self._source.make()))
        self._machine.revert(snapshot)
        with Guest(self._machine.endpoint, self._machine.token) as guest:
            guest.wait_ready()
            install(guest)
            yield guest


def install(guest: Guest) -> None:
    """Copy our programs into the guest."""
    for path in PROGRAMS:
        guest.put(str(WHERE / path.name), path.read_bytes())


def run_code(guest: Guest, language: str, code: str) -> CommandResult:
    """Run a model's code as the desktop user, in the home folder."""
    program = {"python": "python3", "bash": "bash"}[language]
    file = WHERE / f"code.{language}"
    guest.put(str(file), code.encode())
    argv = [program, str(file)]
    return guest.run(argv, timeout=CODE_WITHIN, cwd=guest.home, env=PYTHON)


def run_draft(
    guest: Guest,
    app: str,
    tool: str,
    calls: Sequence[Mapping[str, Any]] = (),
    test: str = "",
    *,
    within: float = 180.0,
) -> RunnerAnswer:
    """Load the draft in the guest, make `calls` of its tool, run its tests, and return the results.

    A runner that crashes or takes longer than `within` seconds is reported as a `load` fault.
    """
    draft, tests = WHERE / "tool.py", WHERE / "test_tool.py"
    guest.put(str(draft), tool.encode())
    mark = secrets.token_hex(16)
    request: dict[str, Any] = {
        "mark": mark,
        "draft": str(draft),
        "calls": list(calls),
        "allowance": {
            "door": DOOR,
            "programs": PROGRAMS_ALLOWED,
            "loopback": app in LOOPBACK_APPS,
        },
    }
    if test:
        guest.put(str(tests), test.encode())
        request["tests"] = str(tests)
    argv = ["python3", str(WHERE / "runner.py")]
    output = guest.run(argv, timeout=within, env=PYTHON, input=json.dumps(request))
    if output.timed_out:
        fault = Fault(kind="bug", code="timeout", message=f"not done after {within:g} s")
        return RunnerAnswer(load=fault)
    _, separator, answer = output.stdout.rpartition(mark)
    if not separator:
        last = f"{output.stderr.strip()[-1500:]} (exit status {output.returncode})"
        return RunnerAnswer(load=Fault(kind="bug", code="crashed", message=last))
    return model(RunnerAnswer, answer.partition("\n")[0], "the answer of the draft runner")
