"""The configuration of a run (`run.json`): one frozen value, written once and stored with the
results. A resumed run must have the same one."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationError, model_validator

from ambidex.evaluators.strict import Strict, explain
from ambidex.host import GUI, Limits, ToolSpec, is_gui
from ambidex.host.errors import BusyError, UsageError
from ambidex.host.records.colleagues import Colleagues
from ambidex.host.records.folders import make_folder
from ambidex.host.records.gateway_options import GatewayOptions
from ambidex.host.records.jury import Jury
from ambidex.tasks.spec import Facts
from ambidex.vm.whole_files import write_whole

__all__ = [
    "LOCK",
    "LONGEST_SETTLE",
    "MOST_RUNS",
    "Branch",
    "CheckpointPolicy",
    "Condition",
    "Effort",
    "Exposure",
    "Fork",
    "Modality",
    "ModalityScope",
    "ModelConfig",
    "Policy",
    "RunConfig",
    "Strict",
    "adopt",
    "bounded",
    "locked",
    "offered",
    "read_config",
    "refuse_another",
    "tools_of",
]

NAME = "run.json"
LOCK = "lock"

MOST_RUNS = 10_000
"""Maximum number of trials per task in one run."""
LONGEST_SETTLE = 120.0
"""Seconds the guest waits for its screen to settle at most."""
MOST_STEPS, LONGEST_EPISODE, MOST_DOLLARS = 100_000, 30 * 86400.0, 1_000_000.0


def bounded(limits: Limits) -> Limits:
    """Return the limits unchanged; `ValueError` names the first one that is out of range."""
    for name, value, least, most in (
        ("steps", limits.steps, 1, MOST_STEPS),
        ("seconds", limits.seconds, 0, LONGEST_EPISODE),
        ("cost", limits.cost, 0, MOST_DOLLARS),
        ("malformed", limits.malformed, 1, MOST_STEPS),
    ):
        if value is not None and not least <= value <= most:  # also true for NaN
            raise ValueError(f"the limit {name} must be between {least} and {most:g}, not {value}")
    return limits


Condition = Literal["gui", "tools", "hybrid"]
Policy = Literal["all", "app", "retrieved", "named", "gateway"]
Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
"""How much a model is asked to reason. Not every model takes every effort."""
Modality = Literal["gui", "tools"]
ModalityScope = Literal["once", "rest"]
"""For how long a fork restricts the modality: its first step only, or all its steps."""
Given = Literal["answer", "set"]
"""What a fork gives an agent behind a gateway of its task's useful tools: they come first in the
answer to its next search, or they are offered as they are, instead of the gateway."""


class ModelConfig(Strict):
    """A model, its endpoint and its request settings."""

    name: str
    """litellm's name for the model, or the name it has on the server at `base_url`."""
    base_url: str = ""
    key: str = ""
    """The environment variable with the API key, if it is not the vendor's usual one."""
    dialect: str = "functions"
    """See `host.dialects`."""
    effort: Effort | None = None
    """None: the model's default."""
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: Annotated[int, Field(ge=1)] = 4096
    """Per answer."""
    seeded: bool = False
    """Whether to send the trial's seed, for vendors that accept one."""
    images: Annotated[int, Field(ge=1)] = 3
    """How many of the latest screenshots the model still sees."""
    results: Annotated[int, Field(ge=100)] = 20_000
    """Maximum characters of one tool result that the model sees."""
    view: tuple[int, int] | None = None
    """Width and height to which screenshots are scaled; None: not scaled."""
    grid: int | None = None
    """Coordinates range from 0 to this in both directions, as some models are trained; None: pixels
    of the view."""
    timeout: Annotated[float, Field(gt=0)] = 180.0
    retries: Annotated[int, Field(ge=0)] = 5
    """How often a request is sent again after being refused for load or lost."""
    requests_per_minute: Annotated[float | None, Field(gt=0)] = None


class Exposure(Strict):
    """Which of a condition's tools the model is shown at a step. Mouse and keyboard always are."""

    policy: Policy = "all"
    """`app`: the tools of the focused application, and those that belong to none; `retrieved`: the
    `top` tools that match the instruction best; `named`: those that the task lists as
    useful; `gateway`: the two tools of a gateway instead of the guest's own."""
    top: Annotated[int, Field(ge=1)] = 20
    embedder: str = ""
    """`module:function` or `module:Class` that turns texts into vectors, used instead of BM25."""
    distractors: Annotated[int, Field(ge=0)] = 0
    """For `named`: number of other tools to add, drawn with the trial's seed."""
    order: Literal["name", "shuffled"] = "name"
    reference_only: bool = False
    """Only the tools that OSWorld-MCP has."""
    gateway: GatewayOptions | None = None
    """For `gateway`, which requires it: what it searches, and how."""
    toolsets: tuple[str, ...] = ()
    """Paths of compiled toolsets whose tools are offered like the guest's own; not for `gateway`,
    which has those that it searches."""

    @model_validator(mode="after")
    def _gateway_goes_with_its_policy(self) -> Exposure:
        if (self.policy == "gateway") != (self.gateway is not None):
            raise ValueError("policy = 'gateway' and a table `gateway` require each other")
        if self.gateway and self.toolsets:
            raise ValueError("a gateway's toolsets belong into its table: gateway.toolsets")
        return self


class CheckpointPolicy(Strict):
    """When checkpoints of the machine are taken during an episode, and how many are retained."""

    every: Annotated[int, Field(ge=1)] = 1
    """Take a checkpoint before step 1 and before every `every`-th step after it."""
    last: Annotated[int | None, Field(ge=1)] = None
    """Retain only the last N checkpoints of an episode; None: all."""
    budget: Annotated[float | None, Field(gt=0)] = None
    """Gigabytes that the checkpoints of one episode may take."""


class Branch(Strict):
    """A branch point: a step of a recorded trial. The branch starts from the machine and the agent
    as they were before that step."""

    trial: str
    """The trial's directory in its run."""
    step: Annotated[int, Field(ge=1)]


class Fork(Strict):
    """The branch points of another run that the trials of a run start from."""

    run: str
    """Directory of the parent run."""
    branches: Annotated[tuple[Branch, ...], Field(min_length=1)]
    """`runs` episodes are started from each."""
    hint: str = ""
    """A text that the agent is told at the branch's first own step."""
    hand: Modality | None = None
    """The only modality on offer from that step on; None: those of the condition."""
    lasting: ModalityScope = "once"
    """Whether `hand` applies to that step only or to all the rest."""
    given: Given | None = None
    """What the agent is given of the task's useful tools; None: it has to find them."""


SCHEMA = 2
"""Current schema number of `run.json` and of rows. Files without a number count as 1: they lack
fields that were added later, each of which has a default."""
SchemaNumber = Annotated[int, Field(ge=1, le=SCHEMA)]


class RunOptions(Strict):
    """Options that single runs and experiments share. Each is a flag of `ambidex run`, a key of an
    experiment file and a field of `run.json`, and is declared only here."""

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
    no_stage_cache: Annotated[
        bool,
        Field(
            description="Execute a task's setup in every trial, instead of restoring the stage "
            "that earlier trials saved."
        ),
    ] = False
    jury: Jury = Jury()
    """The judges of tasks with key points."""
    colleagues: Colleagues = Colleagues()
    """Who answers as the colleagues in a firm's chat."""

    @classmethod
    def of(cls, larger: RunOptions, **changed: object) -> RunOptions:
        """The options contained in a configuration or an experiment, with some of them changed."""
        return cls.model_validate(
            {name: getattr(larger, name) for name in cls.model_fields} | changed
        )

    @property
    def colleague_model(self) -> ModelConfig | None:
        """The model behind the colleagues; None if they follow their scripts."""
        asked = self.colleagues
        if not asked.model:
            return None
        return ModelConfig(
            name=asked.model,
            base_url=asked.base_url,
            key=asked.key,
            temperature=asked.temperature,
            max_tokens=asked.max_tokens,
        )


class RunConfig(RunOptions):
    """Everything that a result depends on. The number of machines is not part of it."""

    schema_number: SchemaNumber = 1
    version: str
    suite: str
    tasks: dict[str, str]
    """Content hash by task name."""
    agents: tuple[str, ...]
    condition: Condition
    exposure: Exposure = Exposure()
    limits: Annotated[Limits, AfterValidator(bounded)]
    left_out: dict[str, str] = Field(default_factory=dict)
    """Requested tasks that could not be run, with the reason."""
    annotations: str = ""
    """Path of the file with annotations of the tasks, a space, and the file's hash."""
    checkpoints: tuple[int, ...] = ()
    """Steps after which a copy of the machine gets an interim verdict, as if the limit had been
    there."""
    repeats: int = 0
    """On how many forks of the machine each verdict is repeated, to see that it is the same."""
    keep: CheckpointPolicy | None = None
    """Which checkpoints of an episode are taken; None: none."""
    fork: Fork | None = None
    """The branch points that trials start from; None: they start with the setup of their task."""
    model: ModelConfig | None = None
    grounder: ModelConfig | None = None
    """For the planner: the model that locates on the screen what the planner describes."""
    prompts: str = ""
    """Hash of the prompt files; empty if no model is asked."""
    prices: str = ""
    """Hash of the price table; empty if no model is asked."""
    provider: str = ""
    image: str = ""
    network: bool = False
    """Whether the guests had a network."""
    catalogue: str = ""
    """Hash of the tools' descriptions."""
    toolsets: dict[str, str] = Field(default_factory=dict)
    """Hash of each toolset behind the gateway, by its path."""

    @property
    def hash(self) -> str:
        """SHA-256 of the whole configuration."""
        return sha256(self.model_dump_json().encode()).hexdigest()


def tools_of(task: Facts, tools: Iterable[ToolSpec]) -> tuple[ToolSpec, ...]:
    """Those of a guest's tools that a task offers."""
    return tuple(
        tool
        for tool in tools
        if tool.service in ("", *task.services)
        and (not task.tool_apps or tool.app in (GUI, *task.tool_apps))
    )


def offered(tools: tuple[ToolSpec, ...], condition: Condition) -> dict[str, ToolSpec]:
    """The tools of a condition, by name. The app alone decides."""
    match condition:
        case "gui":
            return {tool.name: tool for tool in tools if is_gui(tool.app)}
        case "tools":
            return {tool.name: tool for tool in tools if not is_gui(tool.app)}
        case "hybrid":
            return {tool.name: tool for tool in tools}


def adopt(folder: Path, config: RunConfig) -> bool:
    """Make `folder` the directory of this run, and return whether it already was. `UsageError`
    lists the differences if it belongs to a run with another configuration."""
    make_folder(folder)
    path = folder / NAME
    if path.exists():
        refuse_another(folder, config)
        return True
    write_whole(path, config.model_dump_json(indent=1) + "\n")
    return False


def refuse_another(folder: Path, config: RunConfig) -> None:
    """`UsageError` lists the differences if the run in this directory has another configuration."""
    if differences := list(_differences(read_config(folder), config)):
        raise UsageError(
            f"{folder} holds a run with another configuration: {'; '.join(differences)}",
            hint="Resume it with its original options, or choose another --out.",
        )


def read_config(folder: Path) -> RunConfig:
    """Read the configuration of a run; `UsageError` if it is missing or invalid."""
    try:
        return RunConfig.model_validate_json((folder / NAME).read_bytes())
    except FileNotFoundError:
        raise UsageError(f"not a run directory ({NAME} is missing): {folder}") from None
    except ValidationError as error:
        raise UsageError(f"{folder / NAME} cannot be read: {explain(error)}") from None


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a run's directory for this process; `BusyError` if another runner holds the lock. The
    lock ends with its process."""
    make_folder(folder)
    with (folder / LOCK).open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            owner = file.read().strip() or "unknown"
            raise BusyError(
                f"{folder} is in use by another runner (process {owner})",
                hint="Wait for it, or choose another --out.",
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
