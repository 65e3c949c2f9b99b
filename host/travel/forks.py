"""A run that goes on from steps of another: what is the parent's stays, unless something else is
asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from ambidex.host import ToolSpec
from ambidex.host.agents import roles_of
from ambidex.host.errors import UsageError
from ambidex.host.loop.branch_point import checkpoint_of, start_of
from ambidex.host.records.config import (
    Branch,
    CheckpointPolicy,
    Condition,
    Exposure,
    Fork,
    Job,
    Modality,
    ModalityScope,
    ModelConfig,
    Policy,
    RunConfig,
    RunOptions,
    read_config,
)
from ambidex.host.records.trajectory import NAME as TRAJECTORY
from ambidex.host.runs.launch import RunRequest
from ambidex.tasks import Suite
from ambidex.tasks.load import load_suite
from ambidex.tasks.osworld.suite import Selection

__all__ = ["Onward", "branch_jobs", "fork_of", "trial_of"]


@Parameter(name="*")
@dataclass(frozen=True)
class Onward:
    """How a branch goes on; what is not given is the parent's."""

    agent: Annotated[str, Parameter(help="Use another agent; see `run`.")] = ""
    model: Annotated[str, Parameter(help="Use another model, in the same dialect.")] = ""
    base_url: Annotated[str, Parameter(help="The server of that model, if not its vendor's.")] = ""
    dialect: Annotated[str, Parameter(help="Use another dialect; only from step 1.")] = ""
    condition: Annotated[
        Condition | None, Parameter(help="Offer other tools from that step on.")
    ] = None
    exposure: Annotated[
        Policy | None, Parameter(help="Show the model another choice of tools.")
    ] = None
    top: Annotated[int, Parameter(help="The number of tools for --exposure retrieved.")] = 20
    steps: Annotated[
        int | None, Parameter(help="The maximum number of steps of the whole episode.")
    ] = None
    hint: Annotated[str, Parameter(help="A message to the agent at its first step.")] = ""


def trial_of(run: Path, task: str, trial: int) -> Path:
    """The directory of a trial, by its task and number or by the directory's own name in place of
    the task's. `UsageError` names those of the task that there are, and also where several agents
    have that number."""
    every = sorted(path.parent for path in run.glob(f"*.*[0-9]/{TRAJECTORY}"))
    last = [path for path in every if "earlier-" not in path.name]
    if named := [path for path in last if path.name == task]:
        return named[0]
    own = [path for path in last if path.name.startswith(f"{task}.")]
    chosen = [path for path in own if path.name.endswith(f".{trial}")]
    if len(chosen) == 1:
        return chosen[0]
    there = ", ".join(path.name for path in own) or "none"
    if chosen:
        raise UsageError(
            f"{run} holds {len(chosen)} trials {trial} of {task}",
            hint=f"Name one by its directory, in place of the task: {there}.",
        )
    raise UsageError(f"{run} has no trial {trial} of {task}", hint=f"Trials of that task: {there}.")


def fork_of(
    run: Path,
    branches: Sequence[Branch],
    runs: int,
    catalogue: Mapping[str, ToolSpec],
    onward: Onward = Onward(),
    *,
    hand: Modality | None = None,
    lasting: ModalityScope = "once",
    keep: CheckpointPolicy | None = None,
) -> RunRequest:
    """Each of these branches, so many times. `UsageError` where a step was not kept, where its task
    is another one by now, or where the agent could not be told what happened before it."""
    config = read_config(run)
    starts = {branch.trial: start_of(run / branch.trial) for branch in branches}
    for branch in branches:
        checkpoint_of(run / branch.trial, branch.step)
    suite = _suite(config, starts, catalogue)
    agent = onward.agent or _only_agent(starts)
    limits = replace(config.limits, steps=onward.steps or config.limits.steps)
    if beyond := [branch.step for branch in branches if branch.step > limits.steps]:
        raise UsageError(f"a limit of {limits.steps} steps ends before step {beyond[0]}")
    exposure = config.exposure
    if onward.exposure:
        exposure = Exposure(policy=onward.exposure, top=onward.top)
    request = RunRequest(
        suite=suite,
        agents=(agent,),
        jobs=branch_jobs(
            branches, {name: said["task"] for name, said in starts.items()}, agent, runs
        ),
        condition=onward.condition or config.condition,
        options=RunOptions.of(config, runs=runs),
        limits=limits,
        catalogue=catalogue,
        exposure=exposure,
        keep=keep,
        fork=Fork(
            run=str(run.resolve()),
            branches=tuple(branches),
            hint=onward.hint,
            hand=hand,
            lasting=lasting,
        ),
        model=_model(config, onward),
        grounder=config.grounder,
    )
    if onward.model and not roles_of(agent):
        raise UsageError(
            f"the agent {agent} asks no model", hint="From step 1 another one may: --agent model."
        )
    if any(branch.step > 1 for branch in branches):
        _refuse_what_cannot_be_told(config, starts, request)
    return request


def branch_jobs(
    branches: Sequence[Branch], tasks: Mapping[str, str], agent: str, runs: int
) -> tuple[Job, ...]:
    """Whole rounds over the branches; trials of a task are numbered on. `tasks` are those of the
    parent's trials."""
    number: Counter[str] = Counter()

    def jobs() -> Iterator[Job]:
        for _ in range(runs):
            for branch in branches:
                task = tasks[branch.trial]
                number[task] += 1
                yield Job(task, agent, number[task], branch)

    return tuple(jobs())


def _suite(
    config: RunConfig, starts: Mapping[str, Mapping[str, Any]], catalogue: Mapping[str, ToolSpec]
) -> Suite:
    names = tuple(dict.fromkeys(said["task"] for said in starts.values()))
    known = config.annotations.rpartition(" ")[0]
    selection = Selection(names, annotations=Path(known) if known else None)
    suite = load_suite(Path(config.suite), catalogue, selection=selection)
    now = {task.name: task.hash for task in suite.tasks}
    for trial, said in starts.items():
        if now.get(said["task"]) != said["task_hash"]:
            raise UsageError(
                f"the task {said['task']} is another one than {trial} was played with",
                hint="Play it again, or bring the task back to what it was.",
            )
    return suite


def _only_agent(starts: Mapping[str, Mapping[str, Any]]) -> str:
    agents = sorted({said["agent"] for said in starts.values()})
    if len(agents) > 1:
        raise UsageError(
            f"these trials were played by several agents: {', '.join(agents)}",
            hint="A proof has several. `ambidex run --agent` plays the suite with one.",
        )
    return str(agents[0])


def _model(config: RunConfig, onward: Onward) -> ModelConfig | None:
    other = {"dialect": onward.dialect} if onward.dialect else {}
    if onward.model:
        other |= {"name": onward.model, "base_url": onward.base_url, "key": ""}
        return (config.model or ModelConfig(name="")).model_copy(update=other)
    return config.model and config.model.model_copy(update=other)


def _refuse_what_cannot_be_told(
    config: RunConfig, starts: Mapping[str, Mapping[str, Any]], request: RunRequest
) -> None:
    """A model's history is made of its answers: where none were recorded, or by another kind of
    agent, there is nothing to make it of."""
    before, now = _only_agent(starts), request.agents[0]
    if roles_of(now) and before != now:
        raise UsageError(
            f"what {before} did cannot be told to the agent {now} as its own history",
            hint="Fork at step 1, or a trial that the same agent played.",
        )
    then, asked = config.model, request.model
    if roles_of(now) and then and asked and then.dialect != asked.dialect:
        raise UsageError(
            f"answers in the dialect {then.dialect} cannot be read in {asked.dialect}",
            hint="Fork at step 1, or keep the dialect.",
        )
