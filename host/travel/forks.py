"""Forks: runs whose episodes start at steps of another run. They keep the parent's configuration,
except for what the caller overrides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from ambidex.host import ToolSpec
from ambidex.host.agents import roles_of
from ambidex.host.errors import UsageError
from ambidex.host.loop.branch_point import checkpoint_of, start_of
from ambidex.host.models.exposure import exposure_of
from ambidex.host.records.config import (
    Branch,
    CheckpointPolicy,
    Condition,
    Fork,
    Given,
    Modality,
    ModalityScope,
    ModelConfig,
    Policy,
    RunConfig,
    RunOptions,
    read_config,
)
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Row
from ambidex.host.records.trajectory import NAME as TRAJECTORY
from ambidex.host.runs.launch import RunRequest
from ambidex.tasks import Suite
from ambidex.tasks.load import load_suite
from ambidex.tasks.survey import Selection

__all__ = ["BranchOptions", "branch_jobs", "fork_of", "rows_from", "trial_of"]


@Parameter(name="*")
@dataclass(frozen=True)
class BranchOptions:
    """Options that a branch overrides; defaults are the parent's."""

    agent: Annotated[str, Parameter(help="Use another agent; see `run`.")] = ""
    model: Annotated[str, Parameter(help="Use another model, in the same dialect.")] = ""
    base_url: Annotated[str, Parameter(help="The server of that model, if not its vendor's.")] = ""
    dialect: Annotated[str, Parameter(help="Use another dialect; only from step 1.")] = ""
    condition: Annotated[
        Condition | None, Parameter(help="Use another condition from that step on.")
    ] = None
    exposure: Annotated[
        Policy | None, Parameter(help="Use another policy for the tools shown to the model.")
    ] = None
    top: Annotated[
        int,
        Parameter(help="The number of tools for --exposure retrieved.", validator=Number(gte=1)),
    ] = 20
    steps: Annotated[
        int | None,
        Parameter(
            help="The maximum number of steps of the whole episode.", validator=Number(gte=1)
        ),
    ] = None
    hint: Annotated[str, Parameter(help="A message to the agent at its first step.")] = ""


def trial_of(run: Path, task: str, trial: int) -> Path:
    """The directory of a trial, given its task and number, or its directory name as `task`. Raises
    `UsageError`, with the task's trials as hint, if none matches or several agents have that
    number."""
    every = sorted(path.parent for path in run.glob(f"*.*[0-9]/{TRAJECTORY}"))
    last = [path for path in every if "earlier-" not in path.name]
    if named := [path for path in last if path.name == task]:
        return named[0]
    of_task = [path for path in last if path.name.startswith(f"{task}.")]
    matches = [path for path in of_task if path.name.endswith(f".{trial}")]
    if len(matches) == 1:
        return matches[0]
    available = ", ".join(path.name for path in of_task) or "none"
    if matches:
        raise UsageError(
            f"{run} has {len(matches)} trials {trial} of {task}",
            hint=f"Give the directory name instead of the task: {available}.",
        )
    raise UsageError(
        f"{run} has no trial {trial} of {task}", hint=f"Trials of that task: {available}."
    )


def fork_of(
    run: Path,
    branches: Sequence[Branch],
    runs: int,
    catalogue: Mapping[str, ToolSpec],
    options: BranchOptions = BranchOptions(),
    *,
    hand: Modality | None = None,
    lasting: ModalityScope = "once",
    given: Given | None = None,
    keep: CheckpointPolicy | None = None,
) -> RunRequest:
    """Request a run of `runs` episodes from each of these branch points. Raises `UsageError` if a
    step has no checkpoint, if its task has changed since, or if the agent cannot take over the
    history before it."""
    config = read_config(run)
    starts = {branch.trial: start_of(run / branch.trial) for branch in branches}
    for branch in branches:
        checkpoint_of(run / branch.trial, branch.step)
    suite = _suite(config, starts, catalogue)
    agent = options.agent or _only_agent(starts)
    limits = replace(config.limits, steps=options.steps or config.limits.steps)
    if beyond := [branch.step for branch in branches if branch.step > limits.steps]:
        raise UsageError(f"a limit of {limits.steps} steps ends before step {beyond[0]}")
    exposure = config.exposure
    if options.exposure:
        exposure = exposure_of(options.exposure, options.top)
    request = RunRequest(
        suite=suite,
        agents=(agent,),
        jobs=branch_jobs(branches, starts, agent, runs),
        condition=options.condition or config.condition,
        options=RunOptions.of(config, runs=runs),
        limits=limits,
        catalogue=catalogue,
        exposure=exposure,
        keep=keep,
        fork=Fork(
            run=str(run.resolve()),
            branches=tuple(branches),
            hint=options.hint,
            hand=hand,
            lasting=lasting,
            given=given,
        ),
        model=_model(config, options),
        grounder=config.grounder,
    )
    if options.model and not roles_of(agent):
        raise UsageError(
            f"the agent {agent} does not use a model",
            hint="At step 1 another agent can be chosen: --agent model.",
        )
    if any(branch.step > 1 for branch in branches):
        _check_history(config, starts, request)
    return request


def branch_jobs(
    branches: Sequence[Branch], starts: Mapping[str, Mapping[str, Any]], agent: str, runs: int
) -> tuple[Job, ...]:
    """`runs` rounds over the branches, as jobs; trials are numbered consecutively per task, and
    play the instance that their parent played. `starts` has the first line of each parent's
    trajectory."""
    count: Counter[str] = Counter()

    def jobs() -> Iterator[Job]:
        for _ in range(runs):
            for branch in branches:
                start = starts[branch.trial]
                task = start["task"]
                count[task] += 1
                yield Job(task, agent, count[task], branch, start.get("instance", 1))

    return tuple(jobs())


def rows_from(rows: Sequence[Row], branch: Branch) -> list[Row]:
    """Those of a fork's rows that started from this branch point."""
    return [
        row
        for row in rows
        if row.parent and (row.parent.trial, row.parent.step) == (branch.trial, branch.step)
    ]


def _suite(
    config: RunConfig, starts: Mapping[str, Mapping[str, Any]], catalogue: Mapping[str, ToolSpec]
) -> Suite:
    names = tuple(dict.fromkeys(start["task"] for start in starts.values()))
    known = config.annotations.rpartition(" ")[0]
    selection = Selection(names, annotations=Path(known) if known else None)
    suite = load_suite(Path(config.suite), catalogue, selection=selection)
    now = {task.name: task.hash for task in suite.tasks}
    for trial, start in starts.items():
        if now.get(start["task"]) != start["task_hash"]:
            raise UsageError(
                f"the task {start['task']} has changed since {trial} was recorded",
                hint="Run it again, or restore the task's earlier version.",
            )
    return suite


def _only_agent(starts: Mapping[str, Mapping[str, Any]]) -> str:
    agents = sorted({start["agent"] for start in starts.values()})
    if len(agents) > 1:
        raise UsageError(
            f"these trials have several agents: {', '.join(agents)}",
            hint="`ambidex prove` uses several agents. Fork a run made by `ambidex run --agent`.",
        )
    return str(agents[0])


def _model(config: RunConfig, options: BranchOptions) -> ModelConfig | None:
    overrides = {"dialect": options.dialect} if options.dialect else {}
    if options.model:
        overrides |= {"name": options.model, "base_url": options.base_url, "key": ""}
        return (config.model or ModelConfig(name="")).model_copy(update=overrides)
    return config.model and config.model.model_copy(update=overrides)


def _check_history(
    config: RunConfig, starts: Mapping[str, Mapping[str, Any]], request: RunRequest
) -> None:
    """Raise `UsageError` if a model agent could not take over the recorded history: it is built
    from recorded answers, which only the same agent in the same dialect leaves."""
    before, now = _only_agent(starts), request.agents[0]
    if roles_of(now) and before != now:
        raise UsageError(
            f"the agent {now} cannot take over the history of {before}",
            hint="Fork at step 1, or fork a trial of the same agent.",
        )
    then, requested = config.model, request.model
    if roles_of(now) and then and requested and then.dialect != requested.dialect:
        raise UsageError(
            f"answers in the dialect {then.dialect} cannot be read in {requested.dialect}",
            hint="Fork at step 1, or keep the dialect.",
        )
