"""Starting a run: its configuration is made once, its directory locked, its machines opened and
closed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from host import Limits, Model, ToolSpec
from host.agents import agent_maker, check_agent
from host.config import Condition, Job, ModelConfig, RunConfig, adopt, locked
from host.errors import UsageError
from host.machines import MachineOptions, Source, open_machines
from host.model import LiteModel
from host.prompts import prompts_hash
from host.rows import Row
from host.runner import run_jobs
from host.show import Show
from tasks import Suite

__all__ = ["Wanted", "catalogue_hash", "default_folder", "launch"]


@dataclass(frozen=True)
class Wanted:
    """What is to be run, before it is known on what."""

    suite: Suite
    agents: tuple[str, ...]
    jobs: tuple[Job, ...]
    condition: Condition
    runs: int
    limits: Limits
    settle: float
    seed: int
    model: ModelConfig | None
    catalogue: Mapping[str, ToolSpec]


def launch(wanted: Wanted, folder: Path, options: MachineOptions) -> list[Row]:
    """Run what is not done yet in `folder` and return all its rows."""
    for agent in wanted.agents:
        theirs = {job.task for job in wanted.jobs if job.agent == agent}
        check_agent(
            agent,
            wanted.condition,
            tuple(task for task in wanted.suite.tasks if task.name in theirs),
        )
    if "model" in wanted.agents and wanted.model is None:
        raise UsageError("--agent model needs --model", hint="Such as --model openai/gpt-5.")
    title = f"{wanted.suite.name} {wanted.condition}"
    with ExitStack() as stack:
        stack.enter_context(locked(folder))
        show = stack.enter_context(Show(len(wanted.jobs), title))
        source = stack.enter_context(open_machines(options, show.said))
        config = _config(wanted, source)
        if adopt(folder, config):
            show.said(f"going on with the run in {folder}")
        return run_jobs(
            wanted.jobs,
            config,
            wanted.suite,
            folder,
            source.make,
            agent_maker(config, lambda: _model(config)),
            machines=options.machines,
            watcher=show,
        )


def catalogue_hash(catalogue: Mapping[str, ToolSpec]) -> str:
    """SHA-256 over the tools' descriptions."""
    said = [asdict(tool) for tool in catalogue.values()]
    return sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def default_folder(suite: Suite, agents: Sequence[str], condition: str) -> Path:
    """`runs/<when>-<suite>-<agent>-<condition>`."""
    when = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    agent = "prove" if len(agents) > 1 else agents[0].partition(":")[0].replace(".", "-")
    return Path("runs") / f"{when}-{suite.name}-{agent}-{condition}"


def _config(wanted: Wanted, source: Source) -> RunConfig:
    return RunConfig(
        version=_version(),
        suite=str(wanted.suite.folder.resolve()),
        tasks={task.name: task.hash for task in wanted.suite.tasks},
        agents=wanted.agents,
        condition=wanted.condition,
        runs=wanted.runs,
        limits=wanted.limits,
        settle=wanted.settle,
        seed=wanted.seed,
        model=wanted.model if "model" in wanted.agents else None,
        prompts=prompts_hash() if "model" in wanted.agents else "",
        provider=source.provider,
        image=source.image,
        catalogue=catalogue_hash(wanted.catalogue),
    )


def _model(config: RunConfig) -> Model:
    if config.model is None:
        raise UsageError("this run has no model")
    return LiteModel(config.model)


def _version() -> str:
    try:
        return version("ambidex")
    except PackageNotFoundError:
        return "source"
