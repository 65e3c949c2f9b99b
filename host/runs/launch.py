"""Start a run: build its configuration, lock its directory, open its machines, and close them."""

from __future__ import annotations

import dataclasses
import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from ambidex.host import Limits, ToolSpec
from ambidex.host.agents import check_agent, roles_of
from ambidex.host.dialects import check_dialect, form_of
from ambidex.host.errors import UsageError
from ambidex.host.jury.judging import judge_run
from ambidex.host.loop.branch_point import checkpoint_of, host_of
from ambidex.host.models.effort import check_effort
from ambidex.host.models.exposure import check_exposure
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import Prices, read_prices
from ambidex.host.models.prompts import prompts_hash
from ambidex.host.records.code import installed_version
from ambidex.host.records.command import keep_command
from ambidex.host.records.config import NAME as CONFIG
from ambidex.host.records.config import (
    SCHEMA,
    CheckpointPolicy,
    Condition,
    Exposure,
    Fork,
    ModelConfig,
    RunConfig,
    RunOptions,
    adopt,
    bounded,
    locked,
    read_config,
    refuse_another,
)
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import NAME as RESULTS
from ambidex.host.records.rows import Row, finished, read_rows, unjudged
from ambidex.host.runs.first_request import ask_each_model
from ambidex.host.runs.lanes import LaneRequest, LaneSource, OpenLanes, RunParts, on_this_computer
from ambidex.host.runs.machine_checks import (
    BUILT_FROM_IMAGES,
    refuse_another_image,
    refuse_elsewhere,
    refuse_missing_colleagues,
    refuse_unforked,
    refuse_unsuited_machines,
)
from ambidex.host.runs.machines import MachineOptions, Source
from ambidex.host.runs.notices import left_out, missing_gateway
from ambidex.host.runs.offers import refuse_missing_tools, refuse_too_many_functions
from ambidex.host.runs.progress_lines import ProgressDisplay
from ambidex.host.runs.runner import run_on_lanes
from ambidex.host.runs.task_checks import refuse_unsuited_tasks
from ambidex.host.terminal import Terminal
from ambidex.host.toolsets.gateway import open_gateway
from ambidex.host.toolsets.toolset_tools import open_tools, toolsets_of
from ambidex.tasks import Suite
from ambidex.tasks.catalogue import catalogue_hash

__all__ = [
    "RunFunction",
    "RunRequest",
    "all_done",
    "ask_models",
    "check",
    "config_of",
    "default_folder",
    "launch",
    "on_machines",
    "parts_of",
]

RunFunction = Callable[["RunRequest", Path], list[Row]]
"""Runs the unfinished trials in a directory and returns all its rows."""


ALL = Exposure()


@dataclass(frozen=True)
class RunRequest:
    """A run as requested, before its machines are known."""

    suite: Suite
    agents: tuple[str, ...]
    jobs: tuple[Job, ...]
    limits: Limits
    catalogue: Mapping[str, ToolSpec]
    condition: Condition = "hybrid"
    options: RunOptions = RunOptions()
    exposure: Exposure = ALL
    checkpoints: tuple[int, ...] = ()
    repeats: int = 0
    """See `RunConfig.repeats`."""
    keep: CheckpointPolicy | None = None
    fork: Fork | None = None
    model: ModelConfig | None = None
    grounder: ModelConfig | None = None
    prices: Path | None = None
    """A price table that overrides the built-in one."""
    command: str = ""
    """The command line that requests it; empty: not kept."""

    def __post_init__(self) -> None:
        try:
            bounded(self.limits)
        except ValueError as error:
            raise UsageError(str(error)) from None

    def host_of(self, job: Job) -> str:
        """The host of a cluster that has the checkpoint which a trial starts from; empty if the
        trial can run anywhere, or if the checkpoint is on this computer."""
        if self.fork is None or job.branch is None:
            return ""
        return host_of(checkpoint_of(Path(self.fork.run) / job.branch.trial, job.branch.step))

    @property
    def hosts(self) -> set[str]:
        """`host_of` of every branch."""
        return {self.host_of(job) for job in self.jobs if job.branch}

    @property
    def models(self) -> tuple[ModelConfig, ...]:
        """Every model that it may ask."""
        models = (self.model, self.grounder, self.options.colleague_model)
        return tuple(model for model in models if model is not None)


def launch(
    request: RunRequest,
    folder: Path,
    options: MachineOptions,
    *,
    models_answer: bool = False,
    open_lanes: OpenLanes = on_this_computer,
) -> list[Row]:
    """Run the unfinished trials in `folder` and return all its rows. The models are asked first
    whether they answer, unless it is known (`models_answer`). `open_lanes` says where trials run.
    """
    _check_ready(request, options)
    refuse_elsewhere(request.hosts, local=open_lanes is on_this_computer)
    with ExitStack() as stack:
        stack.enter_context(locked(folder))
        display = stack.enter_context(_display(request))
        if open_lanes is on_this_computer:  # a cluster's image is known when a host has answered
            _check_resumable(request, folder, options, display.message)
        if not models_answer:
            ask_models([(request, folder)], display.message)
        left = {job.key for job in request.jobs} - finished(_rows(folder)).keys()
        options = dataclasses.replace(options, trials=len(left))
        source = stack.enter_context(open_lanes(options, parts_of(request), display.message))
        return _run(request, folder, source, options.machines, display)


@contextmanager
def on_machines(
    options: MachineOptions, open_lanes: OpenLanes = on_this_computer
) -> Iterator[RunFunction]:
    """Yield a function that runs requests one after another on the same machines. The machines are
    opened by the first request that has something to run."""
    local = open_lanes is on_this_computer
    with ExitStack() as stack:
        opened: list[LaneSource] = []

        def run(request: RunRequest, folder: Path) -> list[Row]:
            _check_ready(request, options)
            if rows := all_done(request, folder):
                return rows
            refuse_elsewhere(request.hosts, local=local)
            with locked(folder), _display(request) as display:
                if local:
                    _check_resumable(request, folder, options, display.message)
                if not opened:
                    ask_models([(request, folder)], display.message)
                    lanes = open_lanes(options, parts_of(request), display.message)
                    opened.append(stack.enter_context(lanes))
                return _run(request, folder, opened[0], options.machines, display)

        yield run


def _check_ready(request: RunRequest, options: MachineOptions) -> None:
    check(request, options)
    for model in request.models:
        if model.key and not os.environ.get(model.key):
            raise UsageError(f"the environment variable {model.key} (the API key) is not set")


def _check_resumable(
    request: RunRequest, folder: Path, options: MachineOptions, say: Callable[[str], None]
) -> None:
    """`UsageError` if the run in `folder` has another configuration, as far as that is known before
    its machines are opened."""
    if not (folder / CONFIG).is_file():
        return
    before = read_config(folder)
    machines: dict[str, object] = {"provider": before.provider, "image": before.image}
    machines |= {"network": options.network}
    if options.provider in BUILT_FROM_IMAGES:
        from ambidex.vm.building.image import open_image

        machines["provider"] = options.provider
        if before.image.rpartition(":")[0] != options.image:
            machines["image"] = options.image
        else:
            image = open_image(options.image, say=say)
            machines["image"] = f"{image.base.name}:{image.id}"
    config = config_of(request, read_prices(request.prices))
    refuse_another(folder, config.model_copy(update=machines))


def ask_models(runs: Sequence[tuple[RunRequest, Path]], say: Callable[[str], None]) -> None:
    """Send one small request to each model that these runs, each with its directory, still have to
    ask. Raises `ModelError` if one does not answer."""
    asked: dict[str, ModelConfig] = {}
    for request, folder in runs:
        if all_done(request, folder):
            continue
        prices = read_prices(request.prices)
        config = config_of(request, prices)
        models = (config.model, config.grounder, config.colleague_model)
        new = [model for model in models if model and model.model_dump_json() not in asked]
        ask_each_model(new, prices, say)
        asked |= {model.model_dump_json(): model for model in new}


def all_done(request: RunRequest, folder: Path) -> list[Row]:
    """The rows in `folder` if every requested trial has a score there, otherwise an empty list."""
    rows = _rows(folder)
    return rows if {job.key for job in request.jobs} <= finished(rows).keys() else []


def _rows(folder: Path) -> list[Row]:
    return read_rows(folder) if (folder / RESULTS).is_file() else []


def _run(
    request: RunRequest, folder: Path, source: LaneSource, machines: int, display: ProgressDisplay
) -> list[Row]:
    prices = read_prices(request.prices)
    config = config_of(request, prices, source)
    if request.fork:
        refuse_another_image(Path(request.fork.run), source.image)
    for line in (*left_out(request.suite), *missing_gateway(request.suite, request.exposure)):
        display.message(line)
    if adopt(folder, config):
        display.message(f"resuming the run in {folder}")
    if request.command:
        keep_command(folder, request.command)

    stopped = threading.Event()

    def make_model(model: ModelConfig) -> LiteModel:
        return LiteModel(model, prices, stopped)

    lane_request = LaneRequest(config, request.suite, folder, make_model, stopped, display.message)
    with source.lanes(lane_request) as lanes:
        rows = run_on_lanes(
            request.jobs,
            folder,
            lanes,
            count=machines,
            watcher=display,
            stop=stopped,
            host_of=request.host_of,
        )
    if unjudged(rows):
        rows = judge_run(folder, request.suite, config.jury, make_model, display.message)
    return rows


def parts_of(request: RunRequest) -> RunParts:
    """What other hosts need to run it."""
    gateway = request.exposure.gateway
    references = [*request.agents, request.exposure.embedder, *(m.dialect for m in request.models)]
    if gateway:
        references.append(gateway.embedder)
    toolsets = gateway.toolsets if gateway else request.exposure.toolsets
    return RunParts(request.suite, tuple(references), toolsets)


def _display(request: RunRequest) -> ProgressDisplay:
    title = f"{request.suite.name} {request.condition}"
    several = len(request.agents) > 1  # of `prove`: near misses and doing nothing must fail
    return ProgressDisplay(len(request.jobs), title, request.limits, proof=several)


def check(request: RunRequest, machines: MachineOptions) -> None:
    """`UsageError` if the request cannot be run; touches no machine."""
    config = config_of(request, read_prices(request.prices))
    for agent in request.agents:
        names = {job.task for job in request.jobs if job.agent == agent}
        check_agent(agent, config, tuple(t for t in request.suite.tasks if t.name in names))
    for model in (request.model, request.grounder):
        if model is not None:
            check_dialect(model.dialect)
            check_effort(model, "chat" if model is request.grounder else form_of(model.dialect))
    check_exposure(request.exposure)
    if config.model is not None:
        refuse_too_many_functions(
            request.suite,
            request.catalogue,
            request.condition,
            config.model,
            request.exposure,
            machines.image,
        )
    refuse_missing_tools(request.suite, request.condition, request.exposure)
    if more := open_tools(request.exposure, request.condition, machines.image):
        more.refuse_names(request.catalogue)
        more.check_executions()
    say = Terminal(stderr=True).print
    gateway = open_gateway(request.exposure, request.condition, machines.image, say)
    if gateway:
        gateway.tools.check_executions()
    if gateway and gateway.options.direct_calls and request.fork:
        raise UsageError("a fork cannot offer the tools that a gateway found before its step")
    refuse_unsuited_machines(request.suite, machines)
    if config.colleague_model:
        refuse_missing_colleagues(machines)
    refuse_unsuited_tasks(
        request.suite,
        several_verdicts=bool(request.checkpoints or request.repeats),
        branches=bool(request.fork),
    )
    if request.keep or request.fork or request.repeats:
        refuse_unforked(machines)
    if request.checkpoints and not machines.forks:
        raise UsageError(
            "interim verdicts need a provider that can fork running machines; "
            f"{machines.provider} cannot fork those of {machines.image}",
            hint="Run each step limit separately, or use --provider libvirt.",
        )
    if outside := [steps for steps in request.checkpoints if not 0 < steps < request.limits.steps]:
        raise UsageError(
            f"an interim verdict after {outside[0]} steps is outside the limit of "
            f"{request.limits.steps} steps"
        )


def default_folder(suite: Suite, agents: Sequence[str], condition: str) -> Path:
    """The default directory of a run: `runs/<time>-<suite>-<agent>-<condition>`."""
    when = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    agent = "prove" if len(agents) > 1 else agents[0].partition(":")[0].replace(".", "-")
    return Path("runs") / f"{when}-{suite.name}-{agent}-{condition}"


def config_of(
    request: RunRequest, prices: Prices, source: LaneSource | Source | None = None
) -> RunConfig:
    """The configuration of a requested run; `source` is None before its machines are known."""
    roles = {role for agent in request.agents for role in roles_of(agent)}
    asks = bool(roles or request.options.colleague_model)
    return RunConfig(
        **dict(request.options),
        schema_number=SCHEMA,
        version=installed_version(),
        suite=str(request.suite.folder.resolve()),
        tasks={task.name: task.hash for task in request.suite.tasks},
        agents=request.agents,
        condition=request.condition,
        exposure=request.exposure,
        limits=request.limits,
        left_out={task.name: task.why for task in request.suite.left_out},
        annotations=_path_and_hash(request.suite.annotations),
        checkpoints=request.checkpoints,
        repeats=request.repeats,
        keep=request.keep,
        fork=request.fork,
        model=request.model if "model" in roles else None,
        grounder=request.grounder if "grounder" in roles else None,
        prompts=prompts_hash() if asks else "",
        prices=prices.hash if asks else "",
        provider=source.provider if source else "",
        image=source.image if source else "",
        network=source.network if source else False,
        catalogue=catalogue_hash(request.catalogue),
        toolsets={
            toolset.path.as_posix(): toolset.hash for toolset in toolsets_of(request.exposure)
        },
    )


def _path_and_hash(annotations: Path | None) -> str:
    if annotations is None:
        return ""
    return f"{annotations.resolve()} {sha256(annotations.read_bytes()).hexdigest()}"
