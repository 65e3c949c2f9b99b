"""Starting a run: its configuration is made once, its directory locked, its machines opened and
closed."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from ambidex.host import Limits, ToolSpec
from ambidex.host.agents import agent_maker, check_agent, roles_of
from ambidex.host.dialects import check_dialect
from ambidex.host.errors import UsageError
from ambidex.host.models.exposure import check_exposure
from ambidex.host.models.model import LiteModel
from ambidex.host.models.prices import Prices, read_prices
from ambidex.host.models.prompts import prompts_hash
from ambidex.host.records.config import (
    SCHEMA,
    Condition,
    Exposure,
    Fork,
    Job,
    Keep,
    ModelConfig,
    RunConfig,
    RunOptions,
    adopt,
    bounded,
    installed_version,
    locked,
    read_config,
)
from ambidex.host.records.rows import NAME as RESULTS
from ambidex.host.records.rows import Row, finished, read_rows
from ambidex.host.runs.machines import MachineOptions, Source, open_machines, provider_named
from ambidex.host.runs.progress_lines import Show
from ambidex.host.runs.runner import run_jobs
from ambidex.tasks import Suite

__all__ = [
    "Play",
    "RunRequest",
    "all_done",
    "catalogue_hash",
    "check",
    "config_of",
    "default_folder",
    "launch",
    "left_out",
    "on_machines",
    "refuse_another_image",
    "refuse_unforked",
]

Play = Callable[["RunRequest", Path], list[Row]]
"""Runs what is not done yet in a directory and returns all its rows."""


ALL = Exposure()


@dataclass(frozen=True)
class RunRequest:
    """A run as it was asked for, before it is known on which machines."""

    suite: Suite
    agents: tuple[str, ...]
    jobs: tuple[Job, ...]
    limits: Limits
    catalogue: Mapping[str, ToolSpec]
    condition: Condition = "hybrid"
    options: RunOptions = RunOptions()
    exposure: Exposure = ALL
    checkpoints: tuple[int, ...] = ()
    keep: Keep | None = None
    fork: Fork | None = None
    model: ModelConfig | None = None
    grounder: ModelConfig | None = None
    prices: Path | None = None
    """A price table of one's own."""

    def __post_init__(self) -> None:
        try:
            bounded(self.limits)
        except ValueError as error:
            raise UsageError(str(error)) from None


def launch(request: RunRequest, folder: Path, options: MachineOptions) -> list[Row]:
    """Run what is not done yet in `folder` and return all its rows."""
    _ready(request, options)
    with ExitStack() as stack:
        stack.enter_context(locked(folder))
        show = stack.enter_context(Show(len(request.jobs), _title(request)))
        source = stack.enter_context(open_machines(options, show.said))
        return _run(request, folder, source, options.machines, show)


@contextmanager
def on_machines(options: MachineOptions) -> Iterator[Play]:
    """Runs, one after another, on machines that stay; none is made before the first run that has
    something to do."""
    with ExitStack() as stack:
        opened: list[Source] = []

        def play(request: RunRequest, folder: Path) -> list[Row]:
            _ready(request, options)
            if done := all_done(request, folder):
                return done
            with locked(folder), Show(len(request.jobs), _title(request)) as show:
                if not opened:
                    opened.append(stack.enter_context(open_machines(options, show.said)))
                return _run(request, folder, opened[0], options.machines, show)

        yield play


def _ready(request: RunRequest, options: MachineOptions) -> None:
    check(request, options.provider)
    for model in (request.model, request.grounder):
        if model is not None and model.key and not os.environ.get(model.key):
            raise UsageError(f"the environment variable {model.key} with the key is not set")


def all_done(request: RunRequest, folder: Path) -> list[Row]:
    """The rows in `folder`, if every trial that is request has a score there."""
    rows = read_rows(folder) if (folder / RESULTS).is_file() else []
    return rows if {job.key for job in request.jobs} <= finished(rows).keys() else []


def _run(request: RunRequest, folder: Path, source: Source, machines: int, show: Show) -> list[Row]:
    prices = read_prices(request.prices)
    config = config_of(request, prices, source)
    if request.fork:
        refuse_another_image(Path(request.fork.run), source.image)
    for said in left_out(request.suite):
        show.said(said)
    if adopt(folder, config):
        show.said(f"going on with the run in {folder}")
    return run_jobs(
        request.jobs,
        config,
        request.suite,
        folder,
        source.make,
        agent_maker(config, lambda asked: LiteModel(asked, prices)),
        machines=machines,
        watcher=show,
    )


def _title(request: RunRequest) -> str:
    return f"{request.suite.name} {request.condition}"


def check(request: RunRequest, provider: str) -> None:
    """`UsageError` where it cannot be run as it is request; no machine is touched."""
    config = config_of(request, read_prices(request.prices))
    for agent in request.agents:
        theirs = {job.task for job in request.jobs if job.agent == agent}
        check_agent(agent, config, tuple(t for t in request.suite.tasks if t.name in theirs))
    for model in (request.model, request.grounder):
        if model is not None:
            check_dialect(model.dialect)
    check_exposure(request.exposure)
    if request.keep or request.fork:
        refuse_unforked(provider)
    if request.checkpoints and not provider_named(provider).forks:
        raise UsageError(
            f"checkpoints need a provider that forks a running machine, and {provider} does not",
            hint="Run each limit of steps by itself, or take --provider libvirt.",
        )
    if beyond := [steps for steps in request.checkpoints if not 0 < steps < request.limits.steps]:
        raise UsageError(f"no checkpoint after {beyond[0]} of {request.limits.steps} steps")


def refuse_unforked(provider: str) -> None:
    """`UsageError` where machines of that provider are not kept while they run."""
    if not provider_named(provider).forks:
        raise UsageError(
            f"a machine of the provider {provider} cannot be kept at a step, nor go back to one",
            hint="Take --provider libvirt, or leave --checkpoint out.",
        )


def refuse_another_image(run: Path, image: str) -> None:
    """`UsageError` where what is kept of that run was made from another image than this."""
    if (made := read_config(run).image) != image:
        raise UsageError(
            f"the machines of {run} were made from {made or 'no image'}, these from {image}",
            hint="Name the same --image; one that was changed since cannot be gone back to.",
        )


def left_out(suite: Suite) -> Iterator[str]:
    """What is to be said of tasks that were asked for and are not run: each reason once, with how
    many it keeps out."""
    reasons = Counter(each.why for each in suite.left_out)
    for why, number in reasons.most_common():
        first = next(each.name for each in suite.left_out if each.why == why)
        others = f" and {number - 1} others" if number > 1 else ""
        yield f"left out: {first}{others}: {why}"


def catalogue_hash(catalogue: Mapping[str, ToolSpec]) -> str:
    """SHA-256 over the tools' descriptions."""
    said = [asdict(tool) for tool in catalogue.values()]
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def default_folder(suite: Suite, agents: Sequence[str], condition: str) -> Path:
    """`runs/<when>-<suite>-<agent>-<condition>`."""
    when = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    agent = "prove" if len(agents) > 1 else agents[0].partition(":")[0].replace(".", "-")
    return Path("runs") / f"{when}-{suite.name}-{agent}-{condition}"


def config_of(request: RunRequest, prices: Prices, source: Source | None = None) -> RunConfig:
    """The configuration of that run, on machines from that source."""
    asked = {role for agent in request.agents for role in roles_of(agent)}
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
        left_out={each.name: each.why for each in request.suite.left_out},
        annotations=_known(request.suite.annotations),
        checkpoints=request.checkpoints,
        keep=request.keep,
        fork=request.fork,
        model=request.model if "model" in asked else None,
        grounder=request.grounder if "grounder" in asked else None,
        prompts=prompts_hash() if asked else "",
        prices=prices.hash if asked else "",
        provider=source.provider if source else "",
        image=source.image if source else "",
        catalogue=catalogue_hash(request.catalogue),
    )


def _known(annotations: Path | None) -> str:
    if annotations is None:
        return ""
    return f"{annotations.resolve()} {sha256(annotations.read_bytes()).hexdigest()}"
