"""A run's configuration: one frozen value, made once, stored with the results, and the same on
every resume."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationError

from ambidex.evaluators.strict import Strict, explain
from ambidex.host import GUI, ROOT, Limits, ToolSpec
from ambidex.host.errors import UsageError

__all__ = [
    "LONGEST_SETTLE",
    "MOST_RUNS",
    "Branch",
    "Condition",
    "Exposure",
    "Fork",
    "Hand",
    "Job",
    "Keep",
    "Lasting",
    "ModelConfig",
    "Policy",
    "RunConfig",
    "Strict",
    "adopt",
    "bounded",
    "code_hash",
    "installed_version",
    "locked",
    "offered",
    "read_config",
]

NAME = "run.json"

MOST_RUNS = 10_000
"""Trials of each task in one run."""
LONGEST_SETTLE = 120.0
"""Seconds: the guest waits no longer for its screen."""
MOST_STEPS, LONGEST_EPISODE, MOST_DOLLARS = 100_000, 30 * 86400.0, 1_000_000.0


def bounded(limits: Limits) -> Limits:
    """Those limits; `ValueError` names the one that is out of range."""
    for name, value, least, most in (
        ("steps", limits.steps, 1, MOST_STEPS),
        ("seconds", limits.seconds, 0, LONGEST_EPISODE),
        ("cost", limits.cost, 0, MOST_DOLLARS),
        ("malformed", limits.malformed, 1, MOST_STEPS),
    ):
        if value is not None and not least <= value <= most:  # NaN is in no range
            raise ValueError(f"the limit {name} is {value}, and goes from {least} to {most:g}")
    return limits


Condition = Literal["gui", "tools", "hybrid"]
Policy = Literal["all", "app", "retrieved", "named"]
Hand = Literal["gui", "tools"]
Lasting = Literal["once", "rest"]


class ModelConfig(Strict):
    """Which model, where, and how it is asked."""

    name: str
    """As litellm knows it, or as the server at `base_url` calls it."""
    base_url: str = ""
    key: str = ""
    """The environment variable that holds the key, where it is not the vendor's usual one."""
    dialect: str = "functions"
    """See `host.dialects`."""
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: Annotated[int, Field(ge=1)] = 4096
    """Of one answer."""
    seeded: bool = False
    """Whether the trial's seed is passed on, for vendors that take one."""
    images: Annotated[int, Field(ge=1)] = 3
    """How many of the last screenshots the model still sees."""
    results: Annotated[int, Field(ge=100)] = 20_000
    """Characters of one tool result that the model sees."""
    view: tuple[int, int] | None = None
    """Width and height to which screenshots are scaled; as they are where none is given."""
    grid: int | None = None
    """Coordinates run from 0 to this in both directions, as some models are trained; pixels of
    the view where none is given."""
    timeout: Annotated[float, Field(gt=0)] = 180.0
    retries: Annotated[int, Field(ge=0)] = 5
    """How often a request that was refused for load or lost is sent again."""
    requests_per_minute: Annotated[float | None, Field(gt=0)] = None


class Exposure(Strict):
    """Which of a condition's tools the model is shown at a step; mouse and keyboard always are."""

    policy: Policy = "all"
    """`app`: those of the application in front, and those that belong to none; `retrieved`: the
    `top` that suit the instruction best; `named`: those that the task calls useful."""
    top: Annotated[int, Field(ge=1)] = 20
    embedder: str = ""
    """`module:function` that turns texts into vectors, instead of BM25."""
    distractors: Annotated[int, Field(ge=0)] = 0
    """For `named`: so many others beside them, drawn by the trial's seed."""
    order: Literal["name", "shuffled"] = "name"
    reference_only: bool = False
    """Only the tools that OSWorld-MCP has."""


class Keep(Strict):
    """Before which steps the machine's state is kept, so that one can go on from there."""

    every: Annotated[int, Field(ge=1)] = 1
    """Before step 1 and each so many steps after it."""
    last: Annotated[int | None, Field(ge=1)] = None
    """Of an episode only the last so many stay; all where nothing is given."""
    budget: Annotated[float | None, Field(gt=0)] = None
    """Gigabytes that those of one episode may take."""


class Branch(Strict):
    """A step of a recorded trial: the machine as it was before it, and the agent too."""

    trial: str
    """The trial's directory in its run."""
    step: Annotated[int, Field(ge=1)]


class Fork(Strict):
    """What makes a run go on from steps of another."""

    run: str
    """Directory of that run."""
    branches: Annotated[tuple[Branch, ...], Field(min_length=1)]
    """Each is gone on from `runs` times."""
    hint: str = ""
    """What the agent is told at the first step of its own."""
    hand: Hand | None = None
    """The only tools that are on offer then: mouse and keyboard, or all others."""
    lasting: Lasting = "once"
    """Whether that holds for the first step or for all the rest."""


SCHEMA = 2
"""Of `run.json` and of rows as they are written now. Files without a number are 1: they lack fields
that came later, each of which has a default."""
SchemaNumber = Annotated[int, Field(ge=1, le=SCHEMA)]


class RunOptions(Strict):
    """The options of a run that mean the same everywhere: each is a flag of `ambidex run`, a key of
    an experiment's file and a field of `run.json`, and this is the only place that names it."""

    runs: Annotated[int, Field(ge=1, le=MOST_RUNS, description="Trials of each task.")] = 1
    threshold: Annotated[
        float, Field(ge=0, le=1, description="The lowest score that counts as solved.")
    ] = 1.0
    settle: Annotated[
        float,
        Field(
            ge=0,
            le=LONGEST_SETTLE,
            description="The maximum time the screen may take to settle after a step, in seconds.",
        ),
    ] = 5.0
    seed: Annotated[
        int, Field(description="The seed of all random choices of agents and tools.")
    ] = 0
    literal_sleeps: Annotated[
        bool,
        Field(
            description="Sleep for as long as an OSWorld task says, instead of waiting for the "
            "condition that the pause stands for."
        ),
    ] = False

    @classmethod
    def of(cls, larger: RunOptions, **changed: object) -> RunOptions:
        """The options in a configuration or an experiment, some of them changed."""
        return cls.model_validate(
            {name: getattr(larger, name) for name in cls.model_fields} | changed
        )


class RunConfig(RunOptions):
    """Everything that a result depends on. How many machines work on it is not part of it."""

    schema_number: SchemaNumber = 1
    version: str
    suite: str
    tasks: dict[str, str]
    """Content hash by name."""
    agents: tuple[str, ...]
    condition: Condition
    exposure: Exposure = Exposure()
    limits: Annotated[Limits, AfterValidator(bounded)]
    left_out: dict[str, str] = Field(default_factory=dict)
    """Tasks that were asked for and could not be run, and why."""
    annotations: str = ""
    """The file with what was known of the tasks beside what they say, and after a blank its
    hash."""
    checkpoints: tuple[int, ...] = ()
    """Steps after which a copy of the machine is judged, as if the limit had been there."""
    keep: Keep | None = None
    """Which steps of an episode can be gone back to; none where nothing is given."""
    fork: Fork | None = None
    """Where its trials begin, if not with the stage of their task."""
    model: ModelConfig | None = None
    grounder: ModelConfig | None = None
    """For the planner: the model that finds on the screen what the planner describes."""
    prompts: str = ""
    """Hash of the prompt files, where a model is asked."""
    prices: str = ""
    """Hash of the price table, where a model is asked."""
    provider: str = ""
    image: str = ""
    catalogue: str = ""
    """Hash of the tools' descriptions."""

    @property
    def hash(self) -> str:
        """SHA-256 of the whole value."""
        return sha256(self.model_dump_json().encode()).hexdigest()


@dataclass(frozen=True)
class Job:
    """One trial to be done: a task, who plays, and which time."""

    task: str
    agent: str
    trial: int
    branch: Branch | None = None
    """Where it begins, in a run that is a fork."""

    @property
    def key(self) -> tuple[str, str, int]:
        """As `Row.key`."""
        return (self.task, self.agent, self.trial)


def offered(tools: tuple[ToolSpec, ...], condition: Condition) -> dict[str, ToolSpec]:
    """The tools of a condition, by name: a filter over the app and nothing else."""
    match condition:
        case "gui":
            return {tool.name: tool for tool in tools if tool.app == GUI}
        case "tools":
            return {tool.name: tool for tool in tools if tool.app != GUI}
        case "hybrid":
            return {tool.name: tool for tool in tools}


def adopt(folder: Path, config: RunConfig) -> bool:
    """Make `folder` the directory of this run; true where it already was. `UsageError` names every
    difference."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    if path.exists():
        before = read_config(folder)
        if differences := list(_differences(before, config)):
            raise UsageError(
                f"{folder} holds a run with another configuration: {'; '.join(differences)}",
                hint="Resume it as it was begun, or give another --out.",
            )
        return True
    staging = path.with_suffix(".new")
    with staging.open("w", encoding="utf-8") as file:
        file.write(config.model_dump_json(indent=1) + "\n")
        file.flush()
        os.fsync(file.fileno())
    staging.rename(path)
    return False


def read_config(folder: Path) -> RunConfig:
    """The stored configuration of a run."""
    try:
        return RunConfig.model_validate_json((folder / NAME).read_bytes())
    except FileNotFoundError:
        raise UsageError(f"not a run directory ({NAME} is missing): {folder}") from None
    except ValidationError as error:
        raise UsageError(f"{folder / NAME} cannot be read: {explain(error)}") from None


def code_hash() -> str:
    """SHA-256 over the sources that run and judge a trial."""
    root, total = ROOT, sha256()
    sources = [
        *root.glob("host/**/*"),
        *root.glob("evaluators/**/*.py"),
        *root.glob("tasks/*.py"),
        *root.glob("tasks/osworld/*.py"),
    ]
    for path in sorted(path for path in sources if path.suffix in (".py", ".md")):
        total.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def installed_version() -> str:
    """The version of Ambidex in pyproject.toml; "source" where the package is not installed."""
    try:
        return version("ambidex")
    except PackageNotFoundError:
        return "source"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a run's directory alone; `UsageError` where another runner has it. The lock dies with
    its process."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise UsageError(
                f"another runner (process {file.read().strip() or 'unknown'}) works in {folder}",
                hint="Wait for it, or give another --out.",
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


def _differences(before: RunConfig, now: RunConfig) -> Iterator[str]:
    old, new = before.model_dump(mode="json"), now.model_dump(mode="json")
    for key in old:
        if key == "schema_number":
            continue
        if key == "tasks":
            changed = {
                name
                for name in old[key].keys() | new[key].keys()
                if old[key].get(name) != new[key].get(name)
            }
            if changed:
                yield f"tasks changed, new or missing: {', '.join(sorted(changed))}"
        elif old[key] != new[key]:
            yield f"{key} was {old[key]!r}, is {new[key]!r}"
