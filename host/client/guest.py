"""What can be asked of a desktop: tools over MCP, everything else over the harness door of the same
endpoint."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ambidex.host import Frame, ToolCall, ToolResult, ToolSpec
from ambidex.host.client.answers import (
    FoundFile,
    GuestRefusalError,
    Health,
    Inventory,
    Listing,
    NoSuchFileError,
    NoSuchWindowError,
    Ran,
    Refusal,
    Started,
    Whole,
)
from ambidex.host.client.frames import Screen
from ambidex.host.errors import GuestError
from ambidex.host.untrusted import (
    LARGEST,
    Bound,
    LostError,
    MalformedError,
    TooLargeError,
    TooSlowError,
)
from ambidex.host.untrusted.parsing import json_value, model, text

if TYPE_CHECKING:
    from ambidex.host.untrusted.wire import Answer

__all__ = [
    "WRONG",
    "Guest",
]


WORK = 6
"""How many times as long as for a moving screen we wait for a program that is at work: under
emulation an office takes a quarter of a minute to save a file.
"""


FREEZES = 60.0
COLLECTS = 150.0
SURVEYS = 180.0
"""Seconds that the guest may take for these, over what any answer may take."""
FILE = 60.0
"""Seconds that a file may take over what any answer may."""
SLOWEST = 1 << 20
"""Bytes a second that a file goes into a guest at the least."""
EXPLAINED = 300
"""Characters of an answer that is no error of ours."""
WRONG = {
    "folder": "it is a folder",
    "link": "it is a symbolic link, which is not followed",
    "special": "it is a pipe, a socket or a device",
    "unreadable": "the desktop user may not read it",
    "too_large": "it is too large",
}
"""What is there instead of a file that can be read."""


@dataclass(frozen=True)
class Patience:
    """Seconds to wait for each kind of answer, over what the request itself may take."""

    answer: float = 30.0
    """To anything of the harness."""
    call: float = 300.0
    """To a tool call; the guest bounds each tool itself."""
    back: float = 20.0
    """For a lost guest to be back, before the trial is given up."""


class Guest:
    """One desktop, from one revert to the next. A context manager; raises `GuestError` where it
    does not answer.

    Reads are asked again when the connection is lost, actions never are: a tool call is re-asked
    under its id, and the guest then answers with what came of it.
    """

    def __init__(self, endpoint: str, token: str, *, patience: Patience = Patience()) -> None:
        from ambidex.host.client.mcp import Tools  # heavy: most verbs talk to no guest
        from ambidex.host.untrusted.wire import Wire

        self.endpoint = endpoint
        self.patience = patience
        self._exit = ExitStack()
        self._wire = self._exit.enter_context(Wire(endpoint, token))
        tools = Tools(f"{endpoint}/mcp", token, patience.call, self._wire.portal)
        self._tools = self._exit.enter_context(tools)
        self._stage: Stage | None = None
        self._screen = Screen()
        self._home = ""

    def __enter__(self) -> Guest:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connections; the desktop goes on."""
        self._exit.close()

    # What the agent does and sees

    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools the guest serves, in its order."""
        return self._tools.listed(self.left)

    def call(self, call: ToolCall) -> ToolResult:
        """Carry out a call at most once and return what came of it, errors of the tool included."""
        return self._tools.call(call, self.patience.back, self.left)

    def screenshot(self, *, settle: float = 0.0, still: float = 0.3) -> Frame:
        """The screen once it has been still for `still` seconds with no program at work, or after
        `settle` seconds at the latest; a program that is at work is given `WORK` times as long."""
        question = {
            "settle": f"{settle:g}",
            "work": f"{WORK * settle:g}",
            "still": f"{still:g}",
            "known": self._screen.known,
        }
        answer = self._read("/harness/screenshot", question, WORK * settle, "screenshot")
        header = answer.headers.get("Ambidex-Frame")
        return self._screen.update(answer.status == 304, header, answer.body)

    # What only the host may ask

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout: float = 60.0,
        background: bool = False,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        input: str | None = None,
    ) -> Ran:
        """Run a program as the desktop user in the session; never asked twice."""
        said = {
            "argv": list(argv),
            "cwd": cwd,
            "env": env or {},
            "input": input,
            "timeout": timeout,
            "background": background,
        }
        answer = self._once("POST", "/harness/run", timeout, "run", json=said)
        what = f"what the guest says of {argv[0]}"
        return model(Started if background else Whole, answer.body, what)

    def put(self, path: str, content: bytes) -> None:
        """Write a file as the desktop user; folders above it are made."""
        takes = FILE + len(content) / SLOWEST
        self._once("PUT", "/harness/file", takes, params={"path": path}, content=content)

    def get(self, path: str) -> bytes:
        """The content of a file; `NoSuchFileError` where there is none, `GuestRefusalError` where
        there is something else, or a file that the desktop user may not read."""
        found = self.find_file(path)
        if found.state == "absent":
            raise NoSuchFileError(f"no file {path} in the guest")
        if found.state != "file":
            raise GuestRefusalError(f"{path} in the guest cannot be read: {WRONG[found.state]}")
        return found.content

    # Read by the guest's collector, which is no process of the desktop user

    def freeze(self) -> None:
        """Stop every process of the desktop user. From then on only the evidence can be asked for,
        until the machine is reverted."""
        self._once("POST", "/harness/freeze", FREEZES)

    def thaw(self) -> None:
        """Let them run again, on a machine that is not reverted."""
        self._once("DELETE", "/harness/freeze", FREEZES)

    def find_file(self, path: str) -> FoundFile:
        """What is at a path, with its content where it is a file that the desktop user may read."""
        answer = self._read("/harness/evidence/file", {"path": path}, COLLECTS, "file")
        about = answer.headers.get("Ambidex-File", "")
        said = model(FoundFile, about, f"what the guest says of {path}")
        return said.model_copy(update={"content": answer.body})

    def list_folder(self, path: str) -> Listing:
        """Every path below a folder, folders with a slash at their end; of a list that is too large
        to be read, that there are more."""
        try:
            answer = self._read("/harness/evidence/list", {"path": path}, COLLECTS, "list")
            return model(Listing, answer.body, f"the list of {path}")
        except (TooLargeError, MalformedError):
            return Listing(there=True, paths=(), more=True)

    def inventory(self) -> Inventory:
        """Every file of the desktop user and of nobody in particular; of a list that is too large
        to be read, why it is refused."""
        try:
            answer = self._read("/harness/evidence/survey", {}, SURVEYS, "list")
            return model(Inventory, answer.body, "the list of files")
        except (TooLargeError, MalformedError) as error:
            return Inventory(files={}, refused=str(error))

    def ask_files(self, do: str, **given: object) -> Any:
        """What one of the questions of `guest.questions.ask` is answered by files alone."""
        said = {"do": do, "with": given}
        answer = self._once("POST", "/harness/evidence/ask", COLLECTS, "run", json=said)
        match json_value(answer.body, f"the answer to {do}"):
            case {"value": value}:
                return value
        raise MalformedError(f"the answer to {do} holds no value")

    def suite(
        self, source: bytes, *, address: str, modules: Sequence[str], function: str, within: float
    ) -> Any:
        """The report of a test suite, whose text is `source`, on the agent's code that listens at
        that address; see `guest.evidence.suite`."""
        given = {
            "address": address,
            "modules": ",".join(modules),
            "function": function,
            "within": f"{within:g}",
        }
        takes = within + FILE
        answer = self._once("POST", "/harness/suite", takes, "run", params=given, content=source)
        return json_value(answer.body, "the report of the tests")

    def wait_window(self, title: str, timeout: float = 60.0) -> None:
        """Return once a window whose title contains `title` is open; `NoSuchWindowError` says which
        are instead."""
        said = {"title": title, "timeout": timeout}
        answer = self._once("POST", "/harness/wait_window", timeout, allowed=(408,), json=said)
        if answer.status == 408:
            raise NoSuchWindowError(_explained(answer))

    def accessibility(self, *, depth: int = 30, nodes: int = 2000, seconds: float = 5.0) -> Any:
        """The accessibility tree within these bounds, as the guest's JSON: tree, truncated,
        nodes."""
        question = {"depth": str(depth), "nodes": str(nodes), "seconds": f"{seconds:g}"}
        answer = self._read("/harness/accessibility", question, seconds, "accessibility")
        # A node is an object, and its children are a list.
        return json_value(answer.body, "the accessibility tree", deepest=2 * depth + 10)

    def identity(self, **renewed: str | float) -> None:
        """Give a forked guest its own token, clock, entropy and machine-id; the old token is dead
        after it."""
        self._once("POST", "/harness/identity", 0.0, json=renewed)

    def journal(self) -> str:
        """The recent log of the guest's server."""
        return text(self._read("/harness/journal", {}, 0.0, "journal").body)

    def health(self) -> Health:
        """What the guest says of itself, ready or not."""
        answer = self._read("/harness/health", {}, 0.0, allowed=(503,))
        return model(Health, answer.body, "what the guest says of itself")

    def wait_ready(self, bound: float = 60.0) -> Health:
        """The health once it is good; `GuestError` says what was missing after `bound` seconds."""
        end = time.monotonic() + bound
        while True:
            try:
                health = self.health()
                seen = health.missing()
                if health.ready:
                    return health
            except GuestError as error:
                seen = str(error)
            if time.monotonic() > end:
                raise GuestError(f"the guest is not ready after {bound:g} s: {seen}")
            time.sleep(0.05)  # between looks at a condition with a bound

    @property
    def home(self) -> str:
        """The home directory of the desktop user."""
        if not self._home:
            self._home = self.run(["printenv", "HOME"]).stdout.strip()
            if not self._home:
                raise GuestError("the session of the desktop user has no HOME")
            if not self._home.startswith("/") or not self._home.isprintable():
                raise MalformedError(f"the desktop user's home is said to be {self._home[:80]!r}")
        return self._home

    def expanded(self, argv: Sequence[str]) -> list[str]:
        """Arguments with a leading `~/` made the home directory, since no shell sees them."""
        return [self.home + each[1:] if each.startswith("~/") else each for each in argv]

    def save(self, path: str, target: Path) -> None:
        """Fetch a file to `target`; `NoSuchFileError` where there is none."""
        target.write_bytes(self.get(path))

    @contextmanager
    def within(self, seconds: float, what: str) -> Iterator[None]:
        """Everything that is asked in the block has so much time together; `TooSlowError` names
        `what` when it is over. Of a block in a block the earlier end counts."""
        outer, end = self._stage, time.monotonic() + seconds
        if outer is None or end < outer.end:
            self._stage = Stage(end, f"{what} took longer than {seconds:g} s")
        try:
            yield
        finally:
            self._stage = outer

    @property
    def left(self) -> float | None:
        """Seconds until the end of the block under `within`; None outside of any. `TooSlowError`
        where it is over."""
        if self._stage is None:
            return None
        left = self._stage.end - time.monotonic()
        if left <= 0:
            raise TooSlowError(self._stage.over)
        return left

    # The wire

    def _read(
        self,
        path: str,
        params: dict[str, str],
        takes: float,
        kind: str = "report",
        *,
        allowed: Sequence[int] = (),
    ) -> Answer:
        """Ask for something that changes nothing: once more where the connection is lost."""
        try:
            return self._once("GET", path, takes, kind, allowed, params=params)
        except LostError:
            return self._once("GET", path, takes, kind, allowed, params=params)

    def _once(
        self,
        method: str,
        path: str,
        takes: float,
        kind: str = "report",
        allowed: Sequence[int] = (),
        **what: Any,
    ) -> Answer:
        within, left = self.patience.answer + takes, self.left
        bound = Bound(LARGEST[kind], within if left is None else min(within, left))
        try:
            answer = self._wire.ask(method, path, bound, **what)
        except TooSlowError:
            _ = self.left  # where the whole stage is over, that is what to say
            raise
        if answer.status in (200, 304) or answer.status in allowed:
            return answer
        failed = GuestRefusalError if answer.status == 400 else GuestError
        raise failed(f"{method} {path}: {answer.status} {_explained(answer)}")


@dataclass(frozen=True)
class Stage:
    """What has one bound for all that it asks of the guest."""

    end: float
    over: str
    """The message when it is over."""


def _explained(answer: Answer) -> str:
    try:
        error = model(Refusal, answer.body, "an error").error
    except MalformedError:
        return text(answer.body, EXPLAINED)
    return f"{error.message} {error.hint}".strip()[: 10 * EXPLAINED]
