"""The schema of a `task.toml`: keys, types and defaults."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    Discriminator,
    Field,
    JsonValue,
    Tag,
    model_validator,
)

from ambidex.evaluators.registry import SHARED
from ambidex.evaluators.strict import Strict

__all__ = [
    "Call",
    "CallCollect",
    "ChangesCollect",
    "Check",
    "Collect",
    "Difficulty",
    "ExportCollect",
    "Facts",
    "Get",
    "ListCollect",
    "NearMiss",
    "Oracle",
    "Put",
    "Run",
    "RunCollect",
    "Setup",
    "TaskSpec",
    "missing_files",
]


Difficulty = Literal["easy", "medium", "hard"]

RESERVED = ("answer.txt", "evidence.json")
"""Reserved names in the evidence directory: the agent's answer and the manifest."""


def _guest_path(path: str) -> str:
    if not path.startswith(("~/", "/")):
        raise ValueError("a path in the guest must start with ~/ or /")
    return path


def _snapshot_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name):
        raise ValueError(
            "a snapshot's name consists of letters, digits, dots, hyphens and underscores"
        )
    return name


def _plain_name(name: str) -> str:
    if PurePosixPath(name).name != name or name in ("", ".", "..", *RESERVED):
        raise ValueError(
            "must be a plain file name in the evidence directory, "
            f"other than {' and '.join(RESERVED)}"
        )
    return name


GuestPath = Annotated[str, AfterValidator(_guest_path)]
"""A path in the guest: absolute, or `~/` for the desktop user's home."""

EvidenceFile = Annotated[str, AfterValidator(_plain_name)]
"""The name of a file in the evidence directory."""

Argv = Annotated[list[str], Field(min_length=1)]
"""A program and its arguments, run as the desktop user in the session; a leading `~/` stands for
the home folder."""

Seconds = Annotated[float, Field(gt=0, le=600)]


class Put(Strict):
    """Copy a file of the task to the guest."""

    put: str
    to: GuestPath


class Run(Strict):
    """Run a program in the guest; with `wait_window`, leave it open and wait for its window."""

    run: Argv
    wait_window: str = ""
    background: bool = False
    timeout: Seconds = 60


class Call(Strict):
    """Call a tool of the guest."""

    call: str
    with_: dict[str, JsonValue] = Field(default={}, alias="with")


class Get(Strict):
    """Fetch a file of the guest; checks can see if it is absent or not a file."""

    get: GuestPath
    to: EvidenceFile | None = None

    @model_validator(mode="after")
    def _check_name(self) -> Get:
        try:
            _plain_name(self.kept_as)
        except ValueError as error:
            raise ValueError(
                f"{self.get!r} would be stored as {self.kept_as!r}: {error}; "
                "set another name with `to`"
            ) from None
        return self

    @property
    def kept_as(self) -> str:
        """The name in the evidence directory: `to`, or the file's own name."""
        return self.to or PurePosixPath(self.get).name


class ListCollect(Strict):
    """List the paths of all files in a folder of the guest, one per line; with `folders`, those of
    folders too."""

    list: GuestPath
    to: EvidenceFile
    folders: bool = False

    @property
    def kept_as(self) -> str:
        """The name in the evidence directory."""
        return self.to


class RunCollect(Strict):
    """Run a program in the agent's session and collect its standard output. With an exit status
    other than `exits`, the evidence cannot be judged."""

    run: Argv
    to: EvidenceFile
    timeout: Seconds = 60
    exits: tuple[int, ...] = (0,)

    @property
    def kept_as(self) -> str:
        """The name in the evidence directory."""
        return self.to


class CallCollect(Call):
    """Call a tool in the agent's session and collect its result as JSON."""

    to: EvidenceFile

    @property
    def kept_as(self) -> str:
        """The name in the evidence directory."""
        return self.to


class ExportCollect(Strict):
    """Collect the state of a service, as its own program exports it."""

    export: str
    to: EvidenceFile | None = None

    @property
    def kept_as(self) -> str:
        """The name in the evidence directory: `to`, or the service's name with `.json`."""
        return self.to or f"{self.export}.json"


class ChangesCollect(Strict):
    """Collect the files and settings that changed since setup. The settings are read through the
    agent's session."""

    changes: EvidenceFile

    @property
    def kept_as(self) -> str:
        """The name in the evidence directory."""
        return self.changes


def _kind_of(*kinds: str) -> Callable[[object], str | None]:
    def which(item: object) -> str | None:
        if isinstance(item, dict):
            present = [kind for kind in kinds if kind in item]
            return present[0] if len(present) == 1 else None
        return next((kind for kind in kinds if hasattr(item, kind)), None)

    return which


def _one_of(*kinds: str) -> Discriminator:
    return Discriminator(
        _kind_of(*kinds),
        custom_error_type="kind",
        custom_error_message=f"must have exactly one of {', '.join(kinds)}",
    )


Setup = Annotated[
    Annotated[Put, Tag("put")] | Annotated[Run, Tag("run")] | Annotated[Call, Tag("call")],
    _one_of("put", "run", "call"),
]
Collect = Annotated[
    Annotated[Get, Tag("get")]
    | Annotated[ListCollect, Tag("list")]
    | Annotated[RunCollect, Tag("run")]
    | Annotated[CallCollect, Tag("call")]
    | Annotated[ExportCollect, Tag("export")]
    | Annotated[ChangesCollect, Tag("changes")],
    _one_of("get", "list", "run", "call", "export", "changes"),
]


class Check(Strict):
    """One check of the evidence; `use` names an evaluator."""

    title: str = ""
    """What it is about, in a task whose checks are worth points."""
    points: int = Field(0, ge=0)
    """What it is worth. Either all checks of a task are worth points, or none."""
    use: str
    with_: dict[str, Any] = Field(default={}, alias="with")


class ScriptedCall(Call):
    """A call of an oracle or a near miss. A text `$NAME` among its arguments stands for the value
    that an earlier call has kept under that name: ids that a service chooses are not known
    before."""

    keep: dict[str, str] = Field(default_factory=dict)
    """By name, the place of a value in the call's result: keys and indices, as in
    `chunk.0.event_id`."""


class Oracle(Strict):
    """A reference solution: calls that reach the expected end state, or `stop = "infeasible"`."""

    by: Literal["tools", "gui"]
    variant: str = ""
    """What differs from the task's first oracle, if this is another end state that is accepted."""
    calls: list[ScriptedCall] = Field(default_factory=list)
    stop: Literal["done", "infeasible"] = "done"
    answer: str | None = None


class NearMiss(Strict):
    """A plausible wrong end state, reached by these calls, which must score 0 or, in a task with
    points, miss these checks and no others."""

    reason: str
    misses: list[str] = Field(default_factory=list)
    """The titles of the checks that it misses."""
    calls: list[ScriptedCall]
    stop: Literal["done", "infeasible"] = "done"
    answer: str | None = None


class Facts(Strict):
    """The properties of every task, whatever the form of its setup and checks."""

    instruction: Annotated[str, Field(min_length=1)]
    tool_beneficial: bool
    useful_tools: list[str] = Field(default_factory=list)
    feasible: bool = True
    apps: list[str] = Field(default_factory=list)
    difficulty: Difficulty | None = None
    """How much work it is, see `ambidex.tasks.difficulty`; None: not stated."""
    domain: str = ""
    """Its category in the benchmark; otherwise the application, or `multi` for several."""
    tool_apps: list[str] = Field(default_factory=list)
    """The apps whose tools are offered, in addition to the GUI; if empty, all that are served."""
    snapshot: Annotated[str, AfterValidator(_snapshot_name)] = "ready"
    reproducible: bool = True
    """Whether every setup gives the same stage; if not, as with a setup that writes the present
    time, the stage is never restored from the cache."""
    services: list[str] = Field(default_factory=list)
    """Services of the image that the task needs; a sandbox starts no others."""
    network: bool = False
    """Whether it needs a network. Guests have none by default, and a run refuses such a task then.
    """
    oracle: list[Oracle] = Field(default_factory=list)
    near_miss: list[NearMiss] = Field(default_factory=list)

    @model_validator(mode="after")
    def _check_stop_of_oracles(self) -> Facts:
        for oracle in self.oracle:
            if (oracle.stop == "infeasible") is self.feasible:
                raise ValueError(
                    "an oracle must have stop = 'infeasible' if the task is infeasible, else not"
                )
        return self


class TaskSpec(Facts):
    """A whole `task.toml`."""

    no_gui_oracle: str = ""
    """Why the task has no oracle by gui, if it has none."""
    setup: list[Setup] = Field(default_factory=list)
    collect: list[Collect] = Field(default_factory=list)
    check: list[Check] = Field(default_factory=list)

    @model_validator(mode="after")
    def _check_consistency(self) -> TaskSpec:
        if self.feasible and not self.check:
            raise ValueError("a feasible task needs at least one check")
        self._check_points()
        if self.tool_beneficial and not self.useful_tools:
            raise ValueError("a tool-beneficial task must name its useful_tools")
        if self.no_gui_oracle and any(oracle.by == "gui" for oracle in self.oracle):
            raise ValueError("no_gui_oracle says why there is none, but there is an oracle by gui")
        for item in self.collect:
            if isinstance(item, ExportCollect) and item.export not in self.services:
                raise ValueError(f"the service {item.export!r} is exported but not in services")
        names = [item.kept_as for item in self.collect]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ValueError(
                f"several items are collected under the same name: {', '.join(sorted(twice))}"
            )
        return self

    def _check_points(self) -> None:
        titles = [check.title for check in self.check if check.points]
        if titles and (len(titles) < len(self.check) or len({*titles, ""}) <= len(titles)):
            raise ValueError("each check must be worth points and have a title of its own, or none")
        for miss in self.near_miss:
            if bool(miss.misses) is not bool(titles) or not {*miss.misses} <= {*titles}:
                raise ValueError(
                    "a near miss names the titles of the checks that it misses if the checks are "
                    f"worth points, else none: {miss.reason}"
                )


def missing_files(setup: Iterable[Setup], folder: Path) -> Iterator[tuple[str, str]]:
    """Yield each `put` of a file that is neither in the task's directory nor, as `../shared/…`, in
    the suite's directory of shared files, as key and message."""
    for index, step in enumerate(setup):
        if isinstance(step, Put):
            shared = step.put.startswith(SHARED)
            root = folder.parent / "shared" if shared else folder
            path = (folder / step.put).resolve()
            if not (path.is_relative_to(root.resolve()) and path.is_file()):
                place = "suite's shared files" if shared else "task's directory"
                yield f"setup[{index}].put", f"no file {step.put!r} in the {place}"
