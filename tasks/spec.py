"""The form of a `task.toml`, and nothing else: what may be said, under which keys, with which
defaults."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    Discriminator,
    Field,
    JsonValue,
    Tag,
    model_validator,
)

from ambidex.evaluators.strict import Strict

__all__ = [
    "Call",
    "CallCollect",
    "ChangesCollect",
    "Check",
    "Collect",
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
]


TAKEN = ("answer.txt", "evidence.json")
"""Names in the evidence directory: the agent's answer, and the record of what was collected."""


def _guest_path(path: str) -> str:
    if not path.startswith(("~/", "/")):
        raise ValueError("a path in the guest starts with ~/ or /")
    return path


def _snapshot_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name):
        raise ValueError("a snapshot's name: letters, digits, dots, hyphens and underscores")
    return name


def _plain_name(name: str) -> str:
    if PurePosixPath(name).name != name or name in ("", ".", "..", *TAKEN):
        raise ValueError(f"a plain file name in the evidence directory, and none of {TAKEN}")
    return name


GuestPath = Annotated[str, AfterValidator(_guest_path)]
"""A path in the guest: absolute, or `~/` for the desktop user's home."""

EvidenceFile = Annotated[str, AfterValidator(_plain_name)]
"""The name under which something is kept in the evidence directory."""

Argv = Annotated[list[str], Field(min_length=1)]
"""A program and its arguments, run as the desktop user in the session; a leading `~/` is the
home."""

Seconds = Annotated[float, Field(gt=0, le=600)]


class Put(Strict):
    """Copy a file of the task to the guest."""

    put: str
    to: GuestPath


class Run(Strict):
    """Run a program in the guest; with `wait_window` it stays open and its window is waited for."""

    run: Argv
    wait_window: str = ""
    background: bool = False
    timeout: Seconds = 60


class Call(Strict):
    """Call a tool of the guest."""

    call: str
    with_: dict[str, JsonValue] = Field(default={}, alias="with")


class Get(Strict):
    """Fetch a file of the guest; if it is absent, or no file, the check sees that."""

    get: GuestPath
    to: EvidenceFile | None = None

    @model_validator(mode="after")
    def _is_kept_under_a_plain_name(self) -> Get:
        try:
            _plain_name(self.kept_as)
        except ValueError as error:
            raise ValueError(
                f"{self.get!r} is kept as {self.kept_as!r}, which is not {error}; "
                "name another one with `to`"
            ) from None
        return self

    @property
    def kept_as(self) -> str:
        """The name in the evidence directory: `to`, else the file's own."""
        return self.to or PurePosixPath(self.get).name


class ListCollect(Strict):
    """Keep the paths below a folder of the guest, one a line; of the files alone unless said
    otherwise."""

    list: GuestPath
    to: EvidenceFile
    folders: bool = False

    @property
    def kept_as(self) -> str:
        """The name in the evidence directory."""
        return self.to


class RunCollect(Strict):
    """Run a program in the agent's session and keep what it writes to standard output; an exit
    status that is not one of `exits` is evidence that cannot be judged."""

    run: Argv
    to: EvidenceFile
    timeout: Seconds = 60
    exits: tuple[int, ...] = (0,)

    @property
    def kept_as(self) -> str:
        """The name in the evidence directory."""
        return self.to


class CallCollect(Call):
    """Call a tool in the agent's session and keep its result as JSON."""

    to: EvidenceFile

    @property
    def kept_as(self) -> str:
        """The name in the evidence directory."""
        return self.to


class ChangesCollect(Strict):
    """Collect the files and settings that changed since setup. The agent's session tells the
    settings."""

    changes: EvidenceFile

    @property
    def kept_as(self) -> str:
        """The name in the evidence directory."""
        return self.changes


def _verb(*verbs: str) -> Callable[[object], str | None]:
    def which(item: object) -> str | None:
        if isinstance(item, dict):
            said = [verb for verb in verbs if verb in item]
            return said[0] if len(said) == 1 else None
        return next((verb for verb in verbs if hasattr(item, verb)), None)

    return which


def _one_of(*verbs: str) -> Discriminator:
    return Discriminator(
        _verb(*verbs),
        custom_error_type="verb",
        custom_error_message=f"says exactly one of {', '.join(verbs)}",
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
    | Annotated[ChangesCollect, Tag("changes")],
    _one_of("get", "list", "run", "call", "changes"),
]


class Check(Strict):
    """One question to the evidence; `use` names an evaluator."""

    use: str
    with_: dict[str, Any] = Field(default={}, alias="with")


class Oracle(Strict):
    """A reference solution: calls that bring the end state about, or the statement that there is
    none."""

    by: Literal["tools", "gui"]
    calls: list[Call] = Field(default_factory=list)
    stop: Literal["done", "infeasible"] = "done"
    answer: str | None = None


class NearMiss(Strict):
    """A plausible wrong end state, reached by these calls, that must score 0."""

    reason: str
    calls: list[Call]
    stop: Literal["done", "infeasible"] = "done"
    answer: str | None = None


class Facts(Strict):
    """What is known of every task, whatever form its setup and its checks have."""

    instruction: Annotated[str, Field(min_length=1)]
    tool_beneficial: bool
    useful_tools: list[str] = Field(default_factory=list)
    feasible: bool = True
    apps: list[str] = Field(default_factory=list)
    domain: str = ""
    """As its benchmark files it; else the application, or `multi` where there are several."""
    snapshot: Annotated[str, AfterValidator(_snapshot_name)] = "ready"
    oracle: list[Oracle] = Field(default_factory=list)
    near_miss: list[NearMiss] = Field(default_factory=list)

    @model_validator(mode="after")
    def _has_oracles_that_end_rightly(self) -> Facts:
        for oracle in self.oracle:
            if (oracle.stop == "infeasible") is self.feasible:
                raise ValueError(
                    "the oracle of an infeasible task, and only that, has stop = 'infeasible'"
                )
        return self


class TaskSpec(Facts):
    """A whole `task.toml`."""

    setup: list[Setup] = Field(default_factory=list)
    collect: list[Collect] = Field(default_factory=list)
    check: list[Check] = Field(default_factory=list)

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> TaskSpec:
        if self.feasible and not self.check:
            raise ValueError("a feasible task has at least one check")
        if self.tool_beneficial and not self.useful_tools:
            raise ValueError("a tool-beneficial task names its useful_tools")
        names = [each.kept_as for each in self.collect]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"collected twice under one name: {', '.join(sorted(twice))}")
        return self
