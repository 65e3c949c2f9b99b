"""The body of a task that is judged by a program.

Before the episode the host prepares `state` and carries out `setup`. After it, the host lays out
`files()` and `MESSAGES` in a folder that the agent cannot reach, runs what `command` returns there,
and stores the outcome as `verify.json` and its output as `verify.out` in the evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import StrictBool, StrictInt, ValidationError

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.bounded import BoundsError, parse_json
from ambidex.evaluators.evidence import MIB, read
from ambidex.evaluators.strict import Strict, explain
from ambidex.tasks import Verdict
from ambidex.tasks.assets import AssetStore
from ambidex.tasks.hashing import files_of
from ambidex.tasks.mcpmark.libraries import libraries_of
from ambidex.tasks.mcpmark.services import StateFile, StateKind
from ambidex.tasks.spec import Setup

__all__ = ["MESSAGES", "OUTCOME", "OUTPUT", "Command", "Outcome", "ProgramBody", "State"]

OUTCOME = "verify.json"
OUTPUT = "verify.out"
"""Standard output and standard error of the verifier."""
MESSAGES = "messages.json"
"""The conversation, in the working directory; see `tasks.mcpmark.messages`."""
LARGEST_OUTCOME = 64 * 1024
LARGEST_OUTPUT = 16 * MIB
QUOTED_LINES = 5
QUOTED = 500
"""Characters of the output in a reason."""


class Outcome(Strict):
    """How the verifier ended."""

    exit: StrictInt | None
    """Its exit status; None if it had none, because it was stopped or could not be started."""
    timed_out: StrictBool
    seconds: float


@dataclass(frozen=True)
class Command:
    """How to run a program of the task, in a folder with `files()`."""

    argv: list[str]
    environment: dict[str, str]
    folders: dict[str, str]
    """Further variables, with folders of the guest: the program gets copies of them."""


@dataclass(frozen=True)
class State:
    """The initial state of a task's service."""

    kind: StateKind
    name: str
    """The category's name."""
    url: str = ""
    """Where upstream shows or keeps it, if that is known."""
    files: tuple[StateFile, ...] = ()
    """The files to make it from, in order of preference; one is enough. Without any, the folder or
    database is empty."""
    public: bool = False
    """Whether a repository is public and may run workflows."""
    prepare: str = ""
    """A Python program among the task's files that then fills it, with the verifier's variables."""


@dataclass(frozen=True)
class ProgramBody:
    """The verifier of a task, what it is told, and the state that the task starts from."""

    root: Path
    """The folder of services."""
    folder: Path
    """The task's own folder, with the files that `put` names."""
    upstream_id: str
    """Category and task according to `meta.json`, by which upstream names its results."""
    program: str
    """The file name of the verifier."""
    state: State
    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    """Templates of the verifier's variables; see `command`."""
    folders: Mapping[str, str]
    """Templates of its variables with folders of the guest."""
    keys: tuple[str, ...]
    """Environment variables of the host that fill the templates."""
    seconds: float
    """The time limit of the verifier."""
    setup: tuple[Setup, ...]
    shared: tuple[Path, ...]
    """Files outside the task's folder that its programs import."""
    store: AssetStore

    @property
    def check_count(self) -> int:
        """One: the program."""
        return 1

    @property
    def place(self) -> str:
        """The task's folder among `files()`, such as `tasks/filesystem/easy/papers/counting`."""
        return self._place_of(self.folder)

    def files(self) -> Iterator[tuple[str, Path]]:
        """The files that its programs need: the relative path in the guest, and the file here.
        The working directory is the folder to which the paths are relative."""
        for path in (*self.shared, *files_of(self.folder)):
            yield self._place_of(path), path

    @property
    def libraries(self) -> tuple[str, ...]:
        """The modules that its programs import and that are neither Python's own nor its files."""
        programs = [self.folder / name for name in (self.program, self.state.prepare) if name]
        return libraries_of(programs, [path for _, path in self.files()])

    def command(self, values: Mapping[str, str]) -> Command:
        """How to run the verifier. `values` gives what the templates name; `ValueError` names one
        that is missing."""
        return self._command(self.program, self.arguments, values)

    def prepare_command(self, values: Mapping[str, str]) -> Command | None:
        """How to run the program that fills the initial state, if there is one."""
        if not self.state.prepare:
            return None
        return self._command(self.state.prepare, (), values)

    def _command(
        self, program: str, arguments: tuple[str, ...], values: Mapping[str, str]
    ) -> Command:
        path = f"{self.place}/{program}"
        start = ["/usr/bin/python3", path] if program.endswith(".py") else [path]
        try:
            return Command(
                [*start, *(argument.format_map(values) for argument in arguments)],
                {name: text.format_map(values) for name, text in self.environment.items()},
                {name: text.format_map(values) for name, text in self.folders.items()},
            )
        except KeyError as error:
            raise ValueError(f"no value for {error} of a program in {self.folder}") from None

    @property
    def url_choices(self) -> tuple[tuple[str, ...], ...]:
        """For each file that it needs, the URLs of which one is enough."""
        urls = tuple(file.url for file in self.state.files)
        return (urls,) if urls else ()

    @property
    def state_file(self) -> StateFile | None:
        """The file to make its state from, if it needs one and the store has it."""
        return next((file for file in self.state.files if self.store.at(file.url)), None)

    def missing(self) -> list[str]:
        """The URL of the file to fetch, unless the store has one or none is needed."""
        return [] if self.state_file else [urls[0] for urls in self.url_choices]

    def assets_digest(self) -> str:
        """SHA-256 over the URL and hash of the file that its state is made from; empty if none."""
        return self.store.digest([self.state_file.url] if self.state_file else [])

    def judge(self, evidence: Path) -> Verdict:
        """1 if the verifier exited with status 0, else 0 with the end of its output."""
        try:
            outcome = _read_outcome(evidence)
        except UnreadableError as error:
            return Verdict(Score(0.0, f"the verifier's outcome is unknown: {error}"))
        if outcome.timed_out:
            how = f"the verifier took longer than {self.seconds:g} s"
        elif outcome.exit is None:
            how = "the verifier ended without an exit status"
        elif outcome.exit == 0:
            return Verdict(Score(1.0, f"{self.program} passed"))
        else:
            how = f"{self.program} exited with status {outcome.exit}"
        return Verdict(Score(0.0, f"{how}: {_end_of_output(evidence)}"))

    def _place_of(self, path: Path) -> str:
        return f"tasks/{path.relative_to(self.root).as_posix()}"


def _read_outcome(evidence: Path) -> Outcome:
    try:
        return Outcome.model_validate(parse_json(read(evidence, OUTCOME, LARGEST_OUTCOME)))
    except BoundsError as error:
        raise UnreadableError(f"{OUTCOME}: {error}") from None
    except ValidationError as error:
        raise UnreadableError(f"{OUTCOME}: {explain(error)}") from None


def _end_of_output(evidence: Path) -> str:
    try:
        text = read(evidence, OUTPUT, LARGEST_OUTPUT).decode("utf-8", errors="replace")
    except UnreadableError as error:
        return str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    end = " / ".join(lines[-QUOTED_LINES:])
    return f"…{end[-QUOTED:]}" if len(end) > QUOTED else end or "no output"
