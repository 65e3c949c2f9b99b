"""`ambidex null`: what agents score that do no task."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number
from rich.table import Table

from ambidex.host import Limits
from ambidex.host.agents.null import NULL_AGENTS, SAYS_INFEASIBLE
from ambidex.host.cli.options import EPISODES, MANY, OUTPUT, TASKS, WIDTH, SelectionOptions
from ambidex.host.cli.run import Options, exit_code
from ambidex.host.errors import UsageError
from ambidex.host.records.command import this_command
from ambidex.host.records.config import Exposure, RunOptions
from ambidex.host.records.rows import Row
from ambidex.host.report.number_format import NONE
from ambidex.host.runs.launch import RunRequest, default_folder, launch
from ambidex.host.runs.machines import MachineOptions
from ambidex.host.runs.null import NullRun, is_null_agent, read_null_run
from ambidex.host.runs.runner import plan
from ambidex.host.terminal import Terminal, echo, print_json
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite

__all__ = ["null"]


def null(
    suite: Path,
    *,
    tasks: Annotated[tuple[str, ...], Parameter(group=TASKS), MANY] = (),
    of: SelectionOptions = SelectionOptions(),
    agents: Annotated[tuple[str, ...], MANY] = NULL_AGENTS,
    steps: Annotated[int, Parameter(validator=Number(gte=1), group=EPISODES)] = 15,
    toolsets: Annotated[tuple[str, ...], Parameter(group=EPISODES), MANY] = (),
    options: Options = RunOptions(),
    machines: MachineOptions = MachineOptions(),
    out: Annotated[Path | None, Parameter(group=OUTPUT)] = None,
    json: Annotated[bool, Parameter(negative="", group=OUTPUT)] = False,
) -> int:
    """Play agents that do no task, and print what each scores on each task: it should be 0.

    The exit code is 1 if one of them solved a task, other than by calling an infeasible task
    infeasible. The same command with the same --out resumes the run.

    Parameters
    ----------
    suite
        A directory of tasks, or a checkout of OSWorld, MCPMark or LiveMCPBench.
    tasks
        Only these tasks, by name; as in `ambidex run`.
    agents
        Only these null agents; tamperer:ATTACK is one attack alone.
    steps
        The maximum number of steps in an episode.
    toolsets
        Compiled toolsets whose tools the agents may call.
    out
        Directory of the run; by default a new one in runs/.
    json
        Print the scores as JSON.
    """
    if others := [name for name in agents if not is_null_agent(name)]:
        raise UsageError(
            f"not a null agent: {', '.join(others)}", hint=f"Known: {', '.join(NULL_AGENTS)}."
        )
    catalogue = read_catalogue()
    loaded = load_suite(suite, catalogue, selection=of.with_tasks(tasks))
    folder = out or default_folder(loaded, ("null",), "hybrid")
    request = RunRequest(
        suite=loaded,
        agents=agents,
        jobs=plan(agents, options.runs, loaded),
        options=options,
        limits=Limits(steps),
        exposure=Exposure(toolsets=toolsets),
        catalogue=catalogue,
        command=this_command() if out else this_command("--out", str(folder)),
    )
    rows = launch(request, folder, machines)
    results = read_null_run(folder)
    if json:
        print_json(scores_json(results))
    else:
        width = None if Terminal().is_terminal else WIDTH
        Terminal(width=width).print(scores_table(results))
        for sentence in sentences(results):
            echo(sentence)
        echo(f"rows, trajectories and evidence: {folder}")
    return 1 if results.solvable else exit_code(rows)


def scores_table(run: NullRun) -> Table:
    """The score of each null agent on each task: the highest, if there are several trials."""
    table = Table(title=f"Null agents on {Path(run.config.suite).name}", title_justify="left")
    table.add_column("task", overflow="fold")
    for agent in run.config.agents:
        table.add_column(agent.replace("_", "_\n"), justify="right")
    scored, passive, solvable = run.scored, run.passive, run.solvable
    for task in run.config.tasks:
        cells = [
            shown_score(scored.get((task, agent), ()), made_no_call=(task, agent) in passive)
            for agent in run.config.agents
        ]
        table.add_row(task, *cells, style="bold red" if task in solvable else "")
    table.add_section()
    table.add_row("solved", *(str(_solved(run, agent)) for agent in run.config.agents))
    return table


def shown_score(rows: Sequence[Row], *, made_no_call: bool = False) -> str:
    """The best score, with the strict one behind it where there are two verdicts."""
    if not rows:
        return NONE
    best = max(rows, key=lambda row: (row.score or 0.0, row.strict or 0.0))
    strict = "" if best.strict is None else f" / {best.strict:.3g}"
    return f"{best.score or 0.0:.3g}{strict}{'*' if made_no_call else ''}"


def _solved(run: NullRun, agent: str) -> int:
    """Tasks that the agent solved, infeasible ones that it called infeasible among them."""
    named = {task for task, agents in run.solvable.items() if agent in agents}
    return len(named | set(run.rightly_infeasible if agent == SAYS_INFEASIBLE else ()))


def sentences(run: NullRun) -> list[str]:
    """What the table means."""
    texts = []
    if run.infeasible:
        rightly, all_of_them = len(run.rightly_infeasible), len(run.infeasible)
        texts.append(
            f"{SAYS_INFEASIBLE} solved {rightly} of {all_of_them} infeasible tasks"
            f" ({', '.join(run.infeasible)}), which is right and not counted below"
        )
    solvable = run.solvable
    tried = sum(not run.untried(task) for task in run.config.tasks)
    texts.append(f"solved by doing nothing: {len(solvable)} of {tried} tasks that all agents tried")
    texts += [f"  {task}: {', '.join(agents)}" for task, agents in solvable.items()]
    if run.rewarded:
        texts.append("partial points for doing nothing:")
        texts += [f"  {task}: {', '.join(agents)}" for task, agents in run.rewarded.items()]
    if any(run.untried(task) for task in run.config.tasks):
        texts.append("– means no score: the same command plays those trials again")
    if run.passive:
        texts.append("* means that no tool was on offer that the agent could attack with")
    if any(row.strict is not None for row in run.rows):
        texts.append("two verdicts are given as score / strict")
    if run.config.left_out:
        texts.append(f"left out: {len(run.config.left_out)} tasks that cannot run here")
    return texts


def scores_json(run: NullRun) -> dict[str, object]:
    """The scores as JSON."""
    scored = run.scored
    return {
        "run": str(run.folder),
        "scores": {
            task: {
                agent: [
                    {"score": row.score, "strict": row.strict, "reason": row.reason}
                    for row in scored.get((task, agent), ())
                ]
                for agent in run.config.agents
            }
            for task in run.config.tasks
        },
        "solved_by_doing_nothing": {task: list(by) for task, by in run.solvable.items()},
        "partial_points": {task: list(by) for task, by in run.rewarded.items()},
        "rightly_called_infeasible": list(run.rightly_infeasible),
    }
