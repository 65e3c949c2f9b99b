"""The client of a guest: tools over MCP, all else over the harness endpoint of the same server."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ambidex.host import Frame, ToolCall, ToolResult, ToolSpec
from ambidex.host.client.answers import (
    UNREADABLE,
    CommandResult,
    CompletedCommand,
    ErrorResponse,
    FoundFile,
    GuestRefusalError,
    Health,
    Inventory,
    Listing,
    NoSuchFileError,
    NoSuchWindowError,
    Questions,
    StartedProcess,
    Verification,
)
from ambidex.host.client.frames import Screen
from ambidex.host.client.limits import (
    COLLECTS,
    EXPORTS,
    FILE,
    FREEZES,
    PATIENCE,
    SLOWEST,
    SURVEYS,
    WORK,
    Deadline,
    Patience,
)
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
from ambidex.vm.closing import Closing

if TYPE_CHECKING:
    from ambidex.host.untrusted.wire import Answer

__all__ = ["Guest"]

MESSAGE_LIMIT = 300
"""Characters that are quoted from an answer that is not an error in our format."""


class Guest(Closing):
    """A connection to one guest, valid until the machine is reverted. A context manager; raises
    `GuestError` if the guest does not answer.

    Reads are repeated if the connection is lost; actions never are. A lost tool call is asked for
    again by its id, and the guest answers with the stored result.
    """

    def __init__(self, endpoint: str, token: str, *, patience: Patience = PATIENCE) -> None:
        from ambidex.host.client.mcp import Tools  # heavy, and most commands need no guest
        from ambidex.host.untrusted.wire import Wire

        self.endpoint = endpoint
        self.patience = patience
        self._exit = ExitStack()
        self._wire = self._exit.enter_context(Wire(endpoint, token))
        tools = Tools(f"{endpoint}/mcp", token, patience.call, self._wire.portal)
        self._tools = self._exit.enter_context(tools)
        self._deadline: Deadline | None = None
        self._screen = Screen()
        self._has_screen: bool | None = None
        self._home = ""

    def close(self) -> None:
        """Close the connections; the desktop keeps running."""
        self._exit.close()

    # For the agent

    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools the guest serves, in its order."""
        return self._tools.list_tools(self.left)

    def call(self, call: ToolCall) -> ToolResult:
        """Carry out a call at most once and return its result, errors of the tool included."""
        return self._tools.call(call, self.patience.back, self.left)

    def screenshot(self, *, settle: float = 0.0, still: float = 0.3) -> Frame:
        """The screen, once it has been unchanged for `still` seconds while no program was busy, or
        after `settle` seconds at the latest (`WORK` times as long while a program is busy)."""
        query = {
            "settle": f"{settle:g}",
            "work": f"{WORK * settle:g}",
            "still": f"{still:g}",
            "known": self._screen.known,
        }
        answer = self._read("/harness/screenshot", query, WORK * settle, "screenshot")
        header = answer.headers.get("Ambidex-Frame")
        return self._screen.update(answer.status == 304, header, answer.body)

    def observe(self, *, settle: float = 0.0) -> Frame | None:
        """Like `screenshot`; None, without waiting, if the guest has no desktop."""
        if self._has_screen is None:
            self.health()
        return None if self._has_screen is False else self.screenshot(settle=settle)

    # For the host only

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout: float = 60.0,
        background: bool = False,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        input: str | None = None,
    ) -> CommandResult:
        """Run a program as the desktop user in the session. Never retried."""
        request = {
            "argv": list(argv),
            "cwd": cwd,
            "env": env or {},
            "input": input,
            "timeout": timeout,
            "background": background,
        }
        body = self._once("POST", "/harness/run", timeout, "run", json=request).body
        kind = StartedProcess if background else CompletedCommand
        return model(kind, body, f"the guest's answer about {argv[0]}")

    def put(self, path: str, content: bytes) -> None:
        """Write a file as the desktop user, creating its parent folders."""
        takes = FILE + len(content) / SLOWEST
        self._once("PUT", "/harness/file", takes, params={"path": path}, content=content)

    def get(self, path: str) -> bytes:
        """The content of a file. `NoSuchFileError` if there is none, `GuestRefusalError` if it is
        not a file that the desktop user may read."""
        file = self.find_file(path)
        if file.state == "absent":
            raise NoSuchFileError(f"no such file in the guest: {path}")
        if file.state != "file":
            raise GuestRefusalError(f"cannot read {path} in the guest: {UNREADABLE[file.state]}")
        return file.content

    # Answered by the guest's collector, which does not run as the desktop user

    def freeze(self) -> None:
        """Stop every process of the desktop user. After that, the guest only answers requests for
        evidence until the machine is reverted."""
        self._once("POST", "/harness/freeze", FREEZES)

    def thaw(self) -> None:
        """Undo `freeze`, for machines that are not reverted."""
        self._once("DELETE", "/harness/freeze", FREEZES)

    def sync(self) -> None:
        """Have the guest write everything that is only in its memory to its disk."""
        self._once("POST", "/harness/sync", FREEZES)

    def find_file(self, path: str) -> FoundFile:
        """The state of a path, with the content if it is a file that the desktop user may read."""
        answer = self._read("/harness/evidence/file", {"path": path}, COLLECTS, "file")
        header = answer.headers.get("Ambidex-File", "")
        file = model(FoundFile, header, f"the guest's answer about {path}")
        return file.model_copy(update={"content": answer.body})

    def list_folder(self, path: str) -> Listing:
        """Every path below a folder; those of folders end in a slash. A list that is too large to
        read is returned as empty and incomplete."""
        try:
            answer = self._read("/harness/evidence/list", {"path": path}, COLLECTS, "list")
            return model(Listing, answer.body, f"the list of {path}")
        except (TooLargeError, MalformedError):
            return Listing(there=True, paths=(), more=True)

    def export(self, service: str) -> tuple[bytes, bool]:
        """The state of a service, as its own program exports it, and whether that is all of it."""
        answer = self._once("POST", "/harness/export", EXPORTS, "run", params={"service": service})
        return answer.body, answer.headers.get("Ambidex-Truncated") == "no"

    def questions(self, answers: Sequence[Mapping[str, str]] = (), wait: float = 0.0) -> Questions:
        """Pass `answers` on, each with `service`, `id` and `text`, and return the open questions of
        services (`guest.service_questions`), waiting up to `wait` seconds if there are none."""
        given = {"answers": list(answers), "wait": wait}
        body = self._once("POST", "/harness/questions", wait, json=given).body
        return model(Questions, body, "the questions of the guest's services")

    def verify(
        self,
        program: bytes,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str],
        folders: Mapping[str, str],
        within: float,
    ) -> tuple[Verification, bytes]:
        """Run a verification program, the tar archive `program`, and return how it ended and its
        output; see `guest.evidence.verification`. The desktop must be frozen."""
        request = {
            "argv": list(argv),
            "environment": dict(environment),
            "folders": dict(folders),
            "within": within,
        }
        answer = self._once(
            "POST",
            "/harness/verify",
            within + FILE,
            "run",
            params={"request": json.dumps(request)},
            content=program,
        )
        header = answer.headers.get("Ambidex-Verification", "")
        return model(Verification, header, "the guest's answer about a verification"), answer.body

    def inventory(self) -> Inventory:
        """Every file of the desktop user or of no particular user. A list that is too large to read
        is returned as empty, with the reason in `refused`."""
        try:
            answer = self._read("/harness/evidence/survey", {}, SURVEYS, "list")
            return model(Inventory, answer.body, "the list of files")
        except (TooLargeError, MalformedError) as error:
            return Inventory(files={}, refused=str(error))

    def ask_files(self, do: str, **arguments: object) -> Any:
        """The answer to a question of `guest.questions.ask` from files alone."""
        request = {"do": do, "with": arguments}
        answer = self._once("POST", "/harness/evidence/ask", COLLECTS, "run", json=request)
        match json_value(answer.body, f"the answer to {do}"):
            case {"value": value}:
                return value
        raise MalformedError(f"the answer to {do} has no value")

    def suite(
        self, source: bytes, *, address: str, modules: Sequence[str], function: str, within: float
    ) -> Any:
        """Run a test suite with the source code `source` against the agent's code that listens at
        `address`, and return its report; see `guest.evidence.suite`."""
        query = {
            "address": address,
            "modules": ",".join(modules),
            "function": function,
            "within": f"{within:g}",
        }
        takes = within + FILE
        answer = self._once("POST", "/harness/suite", takes, "run", params=query, content=source)
        return json_value(answer.body, "the report of the tests")

    def wait_window(self, title: str, timeout: float = 60.0) -> None:
        """Wait for a window whose title contains `title`; `NoSuchWindowError` lists the open
        windows if none opens in time."""
        request = {"title": title, "timeout": timeout}
        answer = self._once("POST", "/harness/wait_window", timeout, allowed=(408,), json=request)
        if answer.status == 408:
            raise NoSuchWindowError(_error_message(answer))

    def accessibility(self, *, depth: int = 30, nodes: int = 2000, seconds: float = 5.0) -> Any:
        """The accessibility tree within these limits, in JSON: tree, truncated, nodes."""
        query = {"depth": str(depth), "nodes": str(nodes), "seconds": f"{seconds:g}"}
        answer = self._read("/harness/accessibility", query, seconds, "accessibility")
        # Two levels of JSON per node: the node is an object and its children are a list.
        return json_value(answer.body, "the accessibility tree", deepest=2 * depth + 10)

    def admit_to_tools(self, token: str) -> None:
        """Admit a second token, to the MCP server and nothing else, until the next revert."""
        self._once("POST", "/harness/tools_token", 0.0, json={"token": token})

    def set_clock(self, clock: float) -> None:
        """Set the clock of a virtual machine, in seconds since 1970."""
        self._once("POST", "/harness/clock", 0.0, json={"clock": clock})

    def journal(self) -> str:
        """The recent log of the guest's server."""
        return text(self._read("/harness/journal", {}, 0.0, "journal").body)

    def health(self) -> Health:
        """The guest's health report, ready or not."""
        answer = self._read("/harness/health", {}, 0.0, allowed=(503,))
        health = model(Health, answer.body, "the guest's health report")
        if health.ready:
            self._has_screen = health.screen is not None
        return health

    def wait_ready(self, bound: float = 60.0) -> Health:
        """Wait until the guest is ready and return its health; `GuestError` says what was missing
        after `bound` seconds."""
        end = time.monotonic() + bound
        while True:
            try:
                health = self.health()
                problem = health.missing()
                if health.ready:
                    return health
            except GuestError as error:
                problem = str(error)
            if time.monotonic() > end:
                raise GuestError(f"the guest is not ready after {bound:g} s: {problem}")
            time.sleep(0.05)  # polling interval; the wait is bounded

    @property
    def home(self) -> str:
        """The home directory of the desktop user."""
        if not self._home:
            self._home = self.run(["printenv", "HOME"]).stdout.strip()
            if not self._home:
                raise GuestError("the session of the desktop user has no HOME")
            if not self._home.startswith("/") or not self._home.isprintable():
                raise MalformedError(f"not a home directory: {self._home[:80]!r}")
        return self._home

    def expanded(self, argv: Sequence[str]) -> list[str]:
        """The arguments with a leading `~/` replaced by the home directory: no shell does it."""
        return [self.home + word[1:] if word.startswith("~/") else word for word in argv]

    def save(self, path: str, target: Path) -> None:
        """Download a file to `target`; errors as for `get`."""
        target.write_bytes(self.get(path))

    @contextmanager
    def within(self, seconds: float, what: str) -> Iterator[None]:
        """Limit the total time of all requests in the block. `TooSlowError` names `what` when the
        time is up. For nested blocks the earlier deadline applies."""
        outer, end = self._deadline, time.monotonic() + seconds
        if outer is None or end < outer.end:
            self._deadline = Deadline(end, f"{what} took longer than {seconds:g} s")
        try:
            yield
        finally:
            self._deadline = outer

    @property
    def left(self) -> float | None:
        """Seconds until the deadline set by `within`; None outside of such a block. `TooSlowError`
        if it has passed."""
        if self._deadline is None:
            return None
        left = self._deadline.end - time.monotonic()
        if left <= 0:
            raise TooSlowError(self._deadline.message)
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
        """Send a request that changes nothing, and repeat it once if the connection is lost."""
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
        **content: Any,
    ) -> Answer:
        within, left = self.patience.answer + takes, self.left
        bound = Bound(LARGEST[kind], within if left is None else min(within, left))
        try:
            answer = self._wire.ask(method, path, bound, **content)
        except TooSlowError:
            _ = self.left  # raises the message of `within` if its time is up as well
            raise
        if answer.status in (200, 304) or answer.status in allowed:
            return answer
        error = GuestRefusalError if answer.status == 400 else GuestError
        raise error(f"{method} {path}: {answer.status} {_error_message(answer)}")


def _error_message(answer: Answer) -> str:
    try:
        error = model(ErrorResponse, answer.body, "an error").error
    except MalformedError:
        return text(answer.body, MESSAGE_LIMIT)
    return f"{error.message} {error.hint}".strip()[: 10 * MESSAGE_LIMIT]
