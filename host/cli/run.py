"""The commands that run episodes on machines: run, experiment and replay."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from ambidex.host import Limits
from ambidex.host.agents import refuse_unused_model
from ambidex.host.cli.listing import experiment_table, replay_table
from ambidex.host.cli.machines import watched
from ambidex.host.cli.options import (
    EPISODES,
    MANY,
    MODEL,
    OFFER,
    OUTPUT,
    TASKS,
    CheckpointOptions,
    ClusterAddress,
    SelectionOptions,
    lanes_at,
)
from ambidex.host.errors import UsageError
from ambidex.host.models.exposure import exposure_of
from ambidex.host.records.command import keep_command, this_command
from ambidex.host.records.config import (
    LONGEST_SETTLE,
    Condition,
    Effort,
    Exposure,
    ModelConfig,
    Policy,
    RunOptions,
    read_config,
)
from ambidex.host.records.experiment_plan import keep_plan
from ambidex.host.records.gateway_options import GatewayForm, RetrieverKind
from ambidex.host.records.jobs import Job
from ambidex.host.records.rows import Row, finished
from ambidex.host.records.trajectory import NAME as TRAJECTORY
from ambidex.host.records.trajectory import read_trajectory
from ambidex.host.report.text_report import as_json, headline, lines, tables
from ambidex.host.report.trial_tables import outcome_table
from ambidex.host.runs.experiment import cells, read_experiment
from ambidex.host.runs.launch import RunRequest, ask_models, check, default_folder, launch
from ambidex.host.runs.machines import MachineOptions
from ambidex.host.runs.offers import default_exposure
from ambidex.host.runs.runner import plan
from ambidex.host.terminal import Terminal, echo, one_line, print_json
from ambidex.host.travel.divergence import compare_episodes
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite

__all__ = ["Options", "Settle", "exit_code", "experiment", "replay", "run"]

Settle = Annotated[float, Parameter(validator=Number(gte=0, lte=LONGEST_SETTLE))]
IN_MODEL, IN_OFFER, IN_EPISODES, IN_OUTPUT = (
    Parameter(group=group) for group in (MODEL, OFFER, EPISODES, OUTPUT)
)
Options = Annotated[
    RunOptions, Parameter(name="*", negative="", consume_multiple=True, group=EPISODES)
]


def run(
    suite: Path,
    *,
    tasks: Annotated[tuple[str, ...], Parameter(group=TASKS), MANY] = (),
    of: SelectionOptions = SelectionOptions(),
    agent: Annotated[str, IN_MODEL] = "",
    model: Annotated[str, IN_MODEL] = "",
    base_url: Annotated[str, IN_MODEL] = "",
    dialect: Annotated[str, IN_MODEL] = "functions",
    effort: Annotated[Effort | None, IN_MODEL] = None,
    temperature: Annotated[float | None, IN_MODEL] = None,
    images: Annotated[int, Parameter(validator=Number(gte=1), group=MODEL)] = 3,
    condition: Annotated[Condition, IN_OFFER] = "hybrid",
    exposure: Annotated[Policy | None, IN_OFFER] = None,
    top: Annotated[int, Parameter(validator=Number(gte=1), group=OFFER)] = 20,
    gateway: Annotated[GatewayForm, IN_OFFER] = "find",
    toolsets: Annotated[tuple[str, ...], IN_OFFER, MANY] = (),
    retriever: Annotated[RetrieverKind, IN_OFFER] = "bm25",
    steps: Annotated[int, Parameter(validator=Number(gte=1), group=EPISODES)] = 15,
    time_limit: Annotated[float, IN_EPISODES] = 3600.0,
    cost_limit: Annotated[float | None, IN_EPISODES] = None,
    options: Options = RunOptions(),
    kept: CheckpointOptions = CheckpointOptions(),
    machines: MachineOptions = MachineOptions(),
    cluster: ClusterAddress = "",
    out: Annotated[Path | None, IN_OUTPUT] = None,
    watch: Annotated[bool, Parameter(negative="", group=OUTPUT)] = False,
    details: Annotated[bool, Parameter(negative="", group=OUTPUT)] = False,
    json: Annotated[bool, Parameter(negative="", group=OUTPUT)] = False,
) -> int:
    """Run an agent on every task of a suite. The same command with the same --out resumes the run.

    Parameters
    ----------
    suite
        A directory of tasks, or a checkout of OSWorld, MCPMark or LiveMCPBench; detected from its
        files.
    agent
        oracle[:tools|:gui], random, replay:DIR, model, a null agent (see `ambidex null`), or your
        own module:Class. By default model if --model is given, otherwise oracle.
    model
        The model's name in litellm, or on the server at --base-url. Implies --agent model.
    base_url
        A server with OpenAI's chat completions API.
    condition
        Which tools the agent gets: gui (mouse and keyboard), tools (all others) or hybrid (both).
    steps
        The maximum number of steps in an episode.
    tasks
        Only these tasks, by name; OSWorld's also by domain or prefix of their id, MCPMark's also
        by service, category or category/task.
    out
        Directory of the run; by default a new one in runs/.
    time_limit
        The maximum length of an episode, in seconds.
    cost_limit
        The maximum cost of an episode in US dollars; needs a known price of the model.
    dialect
        The format of requests and answers: functions, paper, anthropic, openai, pyautogui, or your
        own module:Class.
    effort
        How much the model is asked to reason; by default, what its vendor decides.
    temperature
        The sampling temperature; by default the vendor's.
    images
        How many of the latest screenshots stay in the model's conversation.
    exposure
        Which tools the model sees at each step: all; app (those of the focused application);
        retrieved (the `--top` best matches for the instruction); named (those the task lists);
        gateway (two tools that search and execute those of --toolsets). By default all, or
        retrieved if a model is asked and not every vendor's API takes that many in one request.
    top
        The number of tools for --exposure retrieved.
    gateway
        For --exposure gateway: find (find_tools, call_tool) or route (route, execute-tool).
    toolsets
        Compiled toolsets: those that --exposure gateway searches; with another exposure, their
        tools are offered like the guest's own.
    retriever
        How the gateway ranks tools: bm25 (by words), embedder (by vectors), product (by vectors of
        servers and tools, as LiveMCPBench does) or fused (bm25 and embedder).
    json
        Print the report as JSON.
    watch
        Serve the control room during the run; its address is printed first.
    details
        At the end, list every trial and print every table of `ambidex report`; by default only the
        trials that were not solved, with their causes, and the metrics.
    """
    catalogue = read_catalogue()
    loaded = load_suite(suite, catalogue, selection=of.with_tasks(tasks))
    model_config = None
    agent = agent or ("model" if model else "oracle")
    if not model and (base_url or effort or temperature is not None):
        raise UsageError("--base-url, --effort and --temperature require --model")
    if model:
        model_config = ModelConfig(
            name=model,
            base_url=base_url,
            dialect=dialect,
            effort=effort,
            temperature=temperature,
            images=images,
        )
    refuse_unused_model(agent, model_config)
    if exposure:
        shown = exposure_of(exposure, top, gateway, toolsets, retriever)
    else:
        everything = Exposure(toolsets=toolsets)
        shown = default_exposure(
            loaded, catalogue, condition, model_config, machines.image, everything, top
        )
        if shown.policy == "retrieved":
            echo(
                f"Each task is offered the {shown.top} tools that match it best: not every"
                " vendor's API takes all in one request. --exposure selects others.",
                error=True,
            )
    request = RunRequest(
        suite=loaded,
        agents=(agent,),
        jobs=plan((agent,), options.runs, loaded),
        condition=condition,
        options=options,
        limits=Limits(steps, time_limit, cost_limit),
        exposure=shown,
        model=model_config,
        catalogue=catalogue,
        keep=kept.keep(),
    )
    folder = out or default_folder(loaded, request.agents, condition)
    command = this_command() if out else this_command("--out", str(folder))
    request = dataclasses.replace(request, command=command)
    with watched(folder) if watch else nullcontext():
        rows = launch(request, folder, machines, open_lanes=lanes_at(cluster))
    if json:
        print_json({"run": str(folder), "report": as_json(lines([folder]))})
    else:
        print_results([folder], details)
        echo(f"rows, trajectories and evidence: {folder}")
    return exit_code(rows)


def experiment(
    file: Path,
    *,
    out: Path | None = None,
    dry: Annotated[bool, Parameter(negative="")] = False,
    details: Annotated[bool, Parameter(negative="")] = False,
    machines: MachineOptions = MachineOptions(),
    cluster: ClusterAddress = "",
) -> int:
    """Run every combination of the agents, conditions, exposures and limits in a TOML file. The
    same command with the same --out resumes the experiment.

    Parameters
    ----------
    file
        The experiment file; see docs/experiments.md and examples/.
    out
        Directory of the experiment; each run gets a directory in it.
    dry
        Check everything and list the runs; no machine, no model.
    details
        At the end, list every trial and print every table of `ambidex report`.
    """
    plan_file = read_experiment(file)
    planned = cells(plan_file, file.parent, read_catalogue(), forks=machines.forks)
    for cell in planned:
        check(cell.request, machines)
    Terminal().print(experiment_table(planned))
    if dry:
        return 0
    folder = out or Path("runs") / file.stem
    keep_plan(folder, {cell.name: cell.plan for cell in planned})
    keep_command(folder, this_command())
    ask_models(
        [(cell.request, folder / cell.name) for cell in planned],
        lambda text: echo(text, error=True),
    )
    codes = []
    for number, cell in enumerate(planned, 1):
        echo(f"{number} of {len(planned)}: {cell.name}")
        request = dataclasses.replace(cell.request, command=this_command())
        run_folder, lanes = folder / cell.name, lanes_at(cluster)
        rows = launch(request, run_folder, machines, models_answer=True, open_lanes=lanes)
        codes.append(exit_code(rows))
    print_results([folder / cell.name for cell in planned], details)
    echo(f"rows, trajectories and evidence: {folder}; `ambidex report {folder} --html FILE`")
    return 1 if 1 in codes else max(codes)


def replay(
    run: Path,
    task: str = "",
    *,
    on: str = "",
    out: Path | None = None,
    settle: Settle = 5.0,
    machines: MachineOptions = MachineOptions(),
) -> int:
    """Replay a recorded trial on a fresh machine, judge it, and report where the screens differ.

    Parameters
    ----------
    run
        The directory of a run (then name a task), or of one trial: RUN/TASK.NUMBER.
    task
        The task whose first trial is replayed.
    on
        The provider of the machine, instead of --provider.
    out
        Directory of the new run; by default one in runs/.
    settle
        The maximum time the screen may take to settle after a step, in seconds.
    """
    if not run.is_dir():
        raise UsageError(f"not a run directory: {run}")
    trial = _trial_of(run, task)
    config = read_config(trial.parent)
    lines = list(read_trajectory(trial))
    if not lines:
        raise UsageError(f"not a trial directory (it has no trajectory): {trial}")
    catalogue = read_catalogue()
    loaded = load_suite(Path(config.suite), catalogue, (lines[0]["task"],))
    instance = loaded.tasks[0].at_instance(lines[0].get("instance", 1)).instance
    agent = f"replay:{trial}"
    # A person's steps are replayed too, and did not count against the agent's limit.
    steps = max(config.limits.steps, sum(line["kind"] == "step" for line in lines) + 1)
    request = RunRequest(
        suite=loaded,
        agents=(agent,),
        jobs=(Job(loaded.tasks[0].name, agent, 1, instance=instance),),
        # The steps before a fork may have used tools that the fork itself does not offer.
        condition="hybrid" if config.fork else config.condition,
        options=RunOptions(settle=settle, seed=lines[0]["seed"]),
        limits=dataclasses.replace(config.limits, steps=steps),
        catalogue=catalogue,
    )
    folder = out or default_folder(loaded, request.agents, config.condition)
    options = dataclasses.replace(machines, provider=on) if on else machines
    rows = launch(request, folder, options)
    for row in rows:
        echo(one_line(f"{row.task}: {row.fate} {row.score} {row.reason}"))
        if row.fate == "scored":
            Terminal().print(replay_table(compare_episodes(trial, folder / row.folder)))
    return exit_code(rows)


def print_results(runs: Sequence[Path], details: bool) -> None:
    """Print the results of these runs: trials that were not solved and the metrics; with `details`,
    every trial and every table."""
    found = lines(runs)
    if outcomes := outcome_table(found, everything=details):
        Terminal().print(outcomes)
    Terminal().print(tables(found) if details else headline(found))


def _trial_of(run: Path, task: str) -> Path:
    if not task:
        return run
    trials = sorted(path.parent for path in run.glob(f"{task}.*[0-9]/{TRAJECTORY}"))
    if not trials:
        raise UsageError(f"{run} has no trial of {task}")
    return trials[0]


def exit_code(rows: Sequence[Row]) -> int:
    """The exit code of a command that ran these rows; see `host.cli.main`."""
    latest = {row.key: row for row in rows}
    if any(row.fate == "bug" for row in latest.values()):
        return 1
    return 3 if latest.keys() - finished(rows).keys() else 0
