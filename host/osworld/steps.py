"""Runs the steps of an OSWorld task in the guest.

Before the episode, a step that cannot be run is a `StageError`: the attempt is void, not scored 0.
The exit status of a command is only recorded, as in OSWorld. After the episode, nothing that an
agent may have caused ends the attempt.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ambidex.host.client.answers import CommandResult, GuestRefusalError
from ambidex.host.client.guest import Guest
from ambidex.host.errors import StageError
from ambidex.host.osworld import history
from ambidex.host.osworld.pyautogui_keys import PYTHON, calls_of, play
from ambidex.host.osworld.questions import CODE, QuestionRefusedError, ask
from ambidex.host.osworld.shutdown import prepare_shutdown, wait_for_exit
from ambidex.host.osworld.waiting import MAPPED, Waiting
from ambidex.tasks.assets import AssetStore
from ambidex.tasks.osworld.getter_types import CommandOutput
from ambidex.tasks.osworld.getters import Getter
from ambidex.tasks.osworld.setup_steps import (
    ActivateWindow,
    BrowseHistory,
    CloseTabs,
    CloseWindow,
    Download,
    Execute,
    GoogleDrive,
    Launch,
    Login,
    Open,
    OpenTabs,
    Sleep,
    Step,
    argv_of,
)

__all__ = ["StepOutcome", "StepRunner", "programs_of"]

RUNS_WITHIN = 120.0
"""Seconds that OSWorld allows for a command."""
OPENS_WITHIN = 120.0
"""Seconds for a file's window to open: LibreOffice takes one minute under emulation."""
TRIES = 5
PASSWORD = "password"
TITLES = (("Google Chrome", "Chromium"),)
"""Program names in the window titles that tasks use, and their replacements in our images."""
TITLED = 10.0
"""Seconds for an open window to get its title."""


@dataclass(frozen=True)
class StepOutcome:
    """The outcome of one step, for the trial's record."""

    kind: str
    said: str
    seconds: float
    fails: bool = False
    """Whether OSWorld would have raised an exception."""


class SetupStepError(Exception):
    """A step at which OSWorld would raise an exception."""


class StepRunner:
    """Runs steps, one after the other."""

    def __init__(self, guest: Guest, store: AssetStore, kept: Path, waiting: Waiting) -> None:
        self._guest = guest
        self._store = store
        self._kept = kept
        """Folder for the files that steps store."""
        self._waiting = waiting
        self._size = guest.health().screen or (1920, 1080)
        self._tools = {tool.name: tool for tool in guest.tools()}

    def do(self, step: Step) -> StepOutcome:
        """Run one step; `StageError` if it cannot be run."""
        started = time.monotonic()
        try:
            message, fails = self._do(step), False
        except SetupStepError as error:
            message, fails = str(error), True
        return StepOutcome(step.type, message, round(time.monotonic() - started, 3), fails)

    def _do(self, step: Step) -> str:
        match step:
            case Download():
                return self._download(step)
            case Launch():
                return self._launch(argv_of(step.command, step.shell, launched=True))
            case Execute():
                return self._execute(step)
            case Open():
                return self._open(step.path)
            case ActivateWindow():
                return self._activate(step)
            case CloseWindow():
                arguments = (step.window_name, step.strict, step.by_class)
                title = ask(
                    self._guest,
                    "close",
                    name=arguments[0],
                    strict=arguments[1],
                    by_class=arguments[2],
                )
                return f"closed {title!r}" if title else "no such window"
            case OpenTabs():
                return self._tabs("open_tabs", step.urls_to_open)
            case CloseTabs():
                return self._tabs("close_tabs", step.urls_to_close)
            case Sleep():
                return self._waiting.pause(step.seconds)
            case BrowseHistory():
                history.install_history(self._guest, self._store, step)
                return f"{len(step.history)} visits"
            case GoogleDrive() | Login():
                raise StageError(f"{step.type} needs a Google account, which is not available")

    def _download(self, step: Download) -> str:
        for file in step.files:
            path = self._store.at(file.url)
            if path is None:
                hint = "Use `ambidex assets fetch` or `ambidex assets import`."
                raise StageError(f"the asset {file.url} is not in the store", hint=hint)
            self._guest.put(self.place(file.path), path.read_bytes())
        return f"{len(step.files)} files"

    def place(self, path: str) -> str:
        """A path in the guest; relative ones start at the home directory."""
        return path if path.startswith(("/", "~")) else f"{self._guest.home}/{path}"

    def _launch(self, argv: list[str]) -> str:
        words = argv[2] if argv[:2] == ["/bin/sh", "-c"] else shlex.join(argv)
        ending = prepare_shutdown(self._guest, words)
        try:
            result = self._guest.run(self._expanded(argv), background=True)
        except GuestRefusalError as error:
            return f"did not start: {error}"
        if ending:
            return wait_for_exit(self._guest, self._waiting, ending)
        self._waiting.started(_program(words))
        return f"process {result.pid}"

    def _execute(self, step: Execute) -> str:
        command = self._filled(step.command)
        argv = argv_of(command, step.shell)
        calls = None if self._waiting.literal else calls_of(argv, self._tools, self._size)
        if calls is not None:
            errors = play(self._guest, calls, self._waiting)
            return "; ".join(errors) or f"{len(calls)} calls of the mouse and the keyboard"
        ending = prepare_shutdown(self._guest, argv[-1] if step.shell else shlex.join(argv))
        tries = 0
        while True:
            tries += 1
            ran = self._run(argv)
            self._keep(step, ran)
            until = step.until
            if ran is not None and (
                until is None
                or not until.asked
                or until.holds(ran.returncode, ran.stdout, ran.stderr)
            ):
                break
            if until is None or not until.asked or tries >= TRIES:
                break
            self._waiting.settled(0.3)
        if ending:
            wait_for_exit(self._guest, self._waiting, ending)
        if ran is None:
            return "did not start, or did not finish in time"
        words = ran.stderr.strip().splitlines() if ran.returncode else []
        return f"exit {ran.returncode}" + (f": {words[-1][:200]}" if words else "")

    def _run(self, argv: list[str]) -> CommandResult | None:
        env = {}
        if argv and argv[0] in PYTHON and "pyautogui" in argv[-1]:
            # Makes only the guest's own pyautogui importable, and nothing else of ours.
            env = {"PYTHONPATH": f"{CODE}/site"}
            argv = ["python3", *argv[1:]]
        try:
            ran = self._guest.run(self._expanded(argv), timeout=RUNS_WITHIN, env=env)
        except GuestRefusalError:
            return None
        return None if ran.timed_out else ran

    def _expanded(self, argv: Sequence[str]) -> list[str]:
        return self._guest.expanded(argv)

    def _filled(self, command: str | list[str]) -> str | list[str]:
        """The command with OSWorld's placeholders filled in. OSWorld does this only for commands
        that it waits for."""
        width, height = self._size
        names = {
            "{CLIENT_PASSWORD}": PASSWORD,
            "{SCREEN_WIDTH_HALF}": str(width // 2),
            "{SCREEN_HEIGHT_HALF}": str(height // 2),
            "{SCREEN_WIDTH}": str(width),
            "{SCREEN_HEIGHT}": str(height),
        }

        def fill(text: str) -> str:
            for name, value in names.items():
                text = text.replace(name, value)
            return text

        return fill(command) if isinstance(command, str) else [fill(part) for part in command]

    def _keep(self, step: Execute, ran: CommandResult | None) -> None:
        if ran is None:
            return
        for name, text in ((step.stdout, ran.stdout), (step.stderr, ran.stderr)):
            if name:
                self._kept.mkdir(parents=True, exist_ok=True)
                (self._kept / PurePosixPath(name).name).write_text(text, encoding="utf-8")

    def _open(self, path: str) -> str:
        place = self.place(path)
        exists = self._guest.run(["test", "-e", *self._expanded([place])]).returncode == 0
        if not exists and ask(self._guest, "lacking", programs=[path]):
            raise SetupStepError(f"neither a file nor a program: {path}")
        argv = ["xdg-open", *self._expanded([place])] if exists else [path]
        self._guest.run(argv, background=True)
        name = PurePosixPath(path).name
        names = [name, PurePosixPath(path).stem]
        title = ask(self._guest, "shown_as", takes=OPENS_WITHIN, names=names, within=OPENS_WITHIN)
        if title:
            self._waiting.settled()
            return f"shown as {title!r}"
        raise SetupStepError(f"no window shows {name} within {OPENS_WITHIN:g} s")

    def _activate(self, step: ActivateWindow) -> str:
        # Windows of programs started just before appear while waiting here; others exist or not.
        window_expected = bool(self._waiting.expected)
        self._waiting.settled()
        names = [step.window_name]
        names += [
            step.window_name.replace(*title_pair)
            for title_pair in TITLES
            if title_pair[0] in step.window_name
        ]
        title = None
        for number, name in enumerate(names):
            within = TITLED if window_expected and number == len(names) - 1 else 1.0
            title = title or ask(
                self._guest,
                "activate",
                takes=within + 5,
                name=name,
                strict=step.strict,
                by_class=step.by_class,
                within=within,
            )
        self._waiting.settled()
        return f"in front: {title!r}" if title else "no such window"

    def _tabs(self, do: str, urls: list[str]) -> str:
        if not ask(self._guest, "answering", takes=MAPPED, within=MAPPED):
            raise SetupStepError(f"the browser did not respond within {MAPPED:g} s")
        self._waiting.settled()
        takes = 65.0 * len(urls) + 30
        arguments: dict[str, object] = {"urls": urls}
        if do == "open_tabs":
            arguments["within"] = 60.0
        try:
            failed = ask(self._guest, do, takes=takes, **arguments)
        except QuestionRefusedError as refused:
            raise SetupStepError(str(refused)) from None
        self._waiting.settled()
        return f"not loaded: {', '.join(failed)}" if failed and do == "open_tabs" else "done"


def _program(words: str) -> str:
    """The name of the program that a command line starts."""
    try:
        parts = shlex.split(words)
    except ValueError:
        parts = words.split()
    named = [part for part in parts if "=" not in part.partition("/")[0]]
    return PurePosixPath(named[0]).name if named else ""


def programs_of(parts: Iterable[Step | Getter]) -> list[str]:
    """The programs that steps and getters name directly; shell command lines are not parsed."""
    programs = []
    for part in parts:
        if isinstance(part, Execute | Launch | CommandOutput):
            argv = argv_of(part.command, part.shell, launched=isinstance(part, Launch))
            presses_keys = argv[0] in PYTHON and "pyautogui" in argv[-1]
            if argv[0] != "/bin/sh" and not presses_keys and not argv[0].startswith((".", "~")):
                programs.append(argv[0])
    return list(dict.fromkeys(programs))
