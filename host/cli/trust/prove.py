"""`ambidex prove`: tasks by their oracles and near misses, and evaluators by everything known."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from ambidex.host import Limits
from ambidex.host.cli.listing import proof_json, proof_table
from ambidex.host.cli.options import MANY, WIDTH, ClusterAddress, Json, SelectionOptions, lanes_at
from ambidex.host.cli.run import Settle
from ambidex.host.cli.trust.matrix_tables import matrix_json, matrix_table, wrong_table
from ambidex.host.errors import UsageError
from ambidex.host.records.config import Exposure, RunOptions
from ambidex.host.runs.launch import RunRequest, all_done, default_folder, launch
from ambidex.host.runs.machines import MachineOptions
from ambidex.host.runs.matrix import matrix as judge_evaluators
from ambidex.host.runs.null import read_null_run
from ambidex.host.runs.prove import agents_of, failed_calls, verdicts
from ambidex.host.runs.prove import jobs as proof_jobs
from ambidex.host.terminal import Terminal, echo, print_json
from ambidex.tasks import Verbs
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite

__all__ = ["prove"]


def prove(
    suite: Path,
    *,
    tasks: Annotated[tuple[str, ...], MANY] = (),
    of: SelectionOptions = SelectionOptions(),
    instances: Literal["first", "all"] = "first",
    repeats: Annotated[int, Parameter(validator=Number(gte=0))] = 0,
    out: Path | None = None,
    settle: Settle = 5.0,
    json: Json = False,
    toolsets: Annotated[tuple[str, ...], MANY] = (),
    matrix: Annotated[bool, Parameter(negative="")] = False,
    null: Path | None = None,
    stage_cache: Annotated[bool, Parameter(negative="")] = False,
    machines: MachineOptions = MachineOptions(),
    cluster: ClusterAddress = "",
) -> int:
    """Prove tasks: each oracle must score 1; doing nothing, and each near miss, must score 0.

    Parameters
    ----------
    suite
        A directory of tasks, or a checkout of OSWorld or MCPMark.
    tasks
        Only these tasks, by name.
    instances
        Prove the first instance of each task, or all of them: instance N as trial N.
    repeats
        Repeat each verdict on this many forks of the machine, and on a virtual machine once more
        with the clock a year on: all must be the same.
    out
        Directory of the run; by default a new one in runs/.
    settle
        The maximum time the screen may take to settle after a step, in seconds.
    toolsets
        Compiled toolsets whose tools the tasks call.
    matrix
        Also print how often each evaluator is wrong: over oracles, near misses, null agents, and
        mutations of the oracles' evidence. Of a finished proof (--out) it needs no machine.
    null
        A run of `ambidex null` on the same suite, whose end states --matrix includes.
    stage_cache
        Start from a task's saved stage once two of its setups were alike, as runs do. By default
        the setup is executed for every claim, as it is a part of what is proved.
    """
    if null and not matrix:
        raise UsageError("--null is for --matrix", hint="Add --matrix.")
    nulls = read_null_run(null) if null else None
    catalogue = read_catalogue()
    loaded = load_suite(suite, catalogue, selection=of.with_tasks(tasks))
    without_oracle = [task.name for task in loaded.tasks if not task.spec.oracle]
    if without_oracle and any(isinstance(task.body, Verbs) for task in loaded.tasks):
        raise UsageError(f"tasks without an oracle cannot be proved: {', '.join(without_oracle)}")
    if without_oracle:
        echo(f"{len(without_oracle)} tasks have no oracle: for them, only doing nothing is checked")
    agents = tuple(sorted({agent for task in loaded.tasks for agent in agents_of(task)}))
    planned = proof_jobs(loaded, every_instance=instances == "all")
    request = RunRequest(
        suite=loaded,
        agents=agents,
        jobs=planned,
        options=RunOptions(
            runs=max(job.trial for job in planned), settle=settle, no_stage_cache=not stage_cache
        ),
        repeats=repeats,
        limits=Limits(steps=1000),
        exposure=Exposure(toolsets=toolsets),
        catalogue=catalogue,
    )
    folder = out or default_folder(loaded, agents, "hybrid")
    rows = all_done(request, folder) if matrix else []
    rows = rows or launch(request, folder, machines, open_lanes=lanes_at(cluster))
    proofs = verdicts(loaded, rows, planned)
    qualities, wrong = judge_evaluators(loaded, folder, nulls) if matrix else ((), ())
    if json:
        claims = proof_json(proofs)
        print_json({"claims": claims, **matrix_json(qualities, wrong)} if matrix else claims)
    else:
        Terminal().print(proof_table(loaded, proofs))
        for failed in failed_calls(proofs, folder):
            echo(failed, error=True)
        echo(f"{sum(v.holds for v in proofs)} of {len(proofs)} hold; evidence: {folder}")
        if matrix:
            width = None if Terminal().is_terminal else WIDTH
            Terminal(width=width).print(matrix_table(loaded, qualities), wrong_table(wrong))
    return 0 if all(v.holds for v in proofs) and not wrong else 1
