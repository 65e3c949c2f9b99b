"""The commands that return to a step of a recorded episode: fork, counterfactual, pivot and
desktop-diff."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from ambidex.host.cli.options import (
    MANY,
    CheckpointOptions,
    ClusterAddress,
    Json,
    lanes_at,
)
from ambidex.host.cli.run import exit_code
from ambidex.host.client.guest import Guest
from ambidex.host.client.survey import as_evidence
from ambidex.host.errors import UsageError
from ambidex.host.loop.branch_point import checkpoint_of, checkpointed_steps, host_of
from ambidex.host.records.command import this_command
from ambidex.host.records.config import Branch, Modality, ModalityScope
from ambidex.host.records.recorded_steps import describe_steps
from ambidex.host.records.rows import Row
from ambidex.host.report.csv_file import write_csv_file
from ambidex.host.report.text_report import as_json, lines, tables
from ambidex.host.runs.launch import RunFunction, default_folder, launch, on_machines
from ambidex.host.runs.machine_checks import (
    refuse_another_image,
    refuse_elsewhere,
    refuse_unforked,
)
from ambidex.host.runs.machines import MachineOptions, open_machines
from ambidex.host.terminal import Terminal, echo, one_line, print_json
from ambidex.host.travel import counterfactual as counterfactuals
from ambidex.host.travel import gateway_regret as gateways
from ambidex.host.travel.desktop_diff import desktop_diff as compare_desktops
from ambidex.host.travel.forks import BranchOptions, fork_of, trial_of
from ambidex.host.travel.pivot import Probe
from ambidex.host.travel.pivot import pivot as find_pivot
from ambidex.host.travel.tables import (
    GATEWAY_REGRET,
    REGRET,
    change_table,
    decided_table,
    gateway_table,
    pivot_table,
    regret_table,
    searched_table,
)
from ambidex.tasks.catalogue import read_catalogue

__all__ = ["counterfactual", "desktop_diff", "fork", "pivot"]

MACHINES = MachineOptions()
N = Annotated[int, Parameter(name="-n", help="Episodes from each step.", validator=Number(gte=1))]


def fork(
    run: Path,
    task: str,
    step: int,
    *,
    trial: int = 1,
    n: Annotated[int, Parameter(name=("-n", "--best-of"), validator=Number(gte=1))] = 1,
    onward: BranchOptions = BranchOptions(),
    hand: Modality | None = None,
    lasting: ModalityScope = "once",
    kept: CheckpointOptions = CheckpointOptions(),
    out: Path | None = None,
    json: Json = False,
    machines: MachineOptions = MACHINES,
    cluster: ClusterAddress = "",
) -> int:
    """Start new episodes from a step of a recorded trial. The machine starts in the state it had
    before that step, and the agent with its history. The same command with the same --out resumes.

    Parameters
    ----------
    run
        A run that was made with --checkpoint.
    task
        The name of a task, or the directory of a trial (needed where several agents ran it).
    step
        The first step that the agent decides anew.
    trial
        The number of the task's trial.
    n
        How many episodes to run; the best one is printed.
    hand
        Restrict the agent to gui (mouse and keyboard) or to tools (all others).
    lasting
        Restrict that step only (once), or the rest of the episode (rest).
    out
        Directory of the new run.
    """
    branch = Branch(trial=trial_of(run, task, trial).name, step=step)
    request = fork_of(
        run, [branch], n, read_catalogue(), onward, hand=hand, lasting=lasting, keep=kept.keep()
    )
    folder = out or default_folder(request.suite, request.agents, f"fork-{step}")
    command = this_command() if out else this_command("--out", str(folder))
    request = replace(request, command=command)
    rows = launch(request, folder, machines, open_lanes=lanes_at(cluster))
    if json:
        print_json({"run": str(folder), "report": as_json(lines([folder]))})
        return exit_code(rows)
    Terminal().print(tables(lines([folder])))
    if best := _best(rows):
        outcome = one_line(f"score {best.score:g} after {best.steps} steps: {best.reason}")
        echo(f"best of {n} from step {step}: {folder / best.folder}, {outcome}")
    echo(f"rows, trajectories and evidence: {folder}")
    return exit_code(rows)


def counterfactual(
    run: Path,
    *,
    compare: Literal["modality", "gateway"] = "modality",
    tasks: Annotated[tuple[str, ...], MANY] = (),
    decisions: str = "all",
    at: Annotated[tuple[int, ...], MANY] = (),
    n: N = 1,
    force: ModalityScope = "once",
    out: Path | None = None,
    html: Path | None = None,
    csv: Path | None = None,
    json: Json = False,
    machines: MachineOptions = MACHINES,
    cluster: ClusterAddress = "",
) -> int:
    """Measure what the agent's choice between GUI and tools cost: at recorded steps, run the same
    agent once restricted to mouse and keyboard and once restricted to tools. Or what searching for
    tools cost it: at the searches of unsolved trials, run it as it was, with the right tools in the
    answer, and with the right tools on offer.

    Parameters
    ----------
    run
        A run that was made with --checkpoint, and with --condition hybrid or --exposure gateway.
    compare
        modality: GUI against tools; gateway: what an agent behind a gateway is given.
    tasks
        Only these tasks.
    decisions
        all, or how many steps of each trial, evenly spaced. Not with --compare gateway.
    at
        Only these steps.
    force
        Restrict the agent at that step only (once), or for the rest of the episode (rest). Not with
        --compare gateway.
    out
        Directory for the branches, one run per restriction; the same command resumes them.
    html
        Write an HTML page with both tables, a plot and the settings. Not with --compare gateway.
    csv
        Write a CSV file with a row for each decision or search.
    """
    for path in filter(None, (html, csv)):
        if not path.parent.is_dir():
            raise UsageError(f"{path} cannot be written: there is no directory {path.parent}")
    folder = out or Path(f"{run}.counterfactual")
    if compare == "gateway":
        if html or decisions != "all" or force != "once":
            raise UsageError("--html, --decisions and --force are for --compare modality")
        with on_machines(machines, lanes_at(cluster)) as play:
            return _compare_searches(run, tasks, at, n, folder, csv, json, play)
    selected = counterfactuals.decisions(run, tasks, at, _number(decisions))
    with on_machines(machines, lanes_at(cluster)) as play:
        compared = counterfactuals.compare(run, selected, n, force, read_catalogue(), folder, play)
    regrets = counterfactuals.regrets(compared)
    records = counterfactuals.records(run, compared)
    if html:
        from ambidex.host.travel.regret_page import write_regret  # heavy: it draws

        write_regret(run, folder, compared, regrets, html)
    if csv:
        write_csv_file(csv, list(records[0]), records)
    if json:
        print_json({"decisions": records, "regret": [asdict(group) for group in regrets]})
    else:
        Terminal().print(decided_table(compared), regret_table(regrets), REGRET)
        echo(f"the branches: {folder}; `ambidex report {folder}` compares them as runs")
    return 0 if all(decision.gui.n and decision.tools.n for decision in compared) else 3


def _compare_searches(
    run: Path,
    tasks: Sequence[str],
    at: Sequence[int],
    n: int,
    folder: Path,
    csv: Path | None,
    json: bool,
    play: RunFunction,
) -> int:
    selected = gateways.searches(run, tasks, at)
    compared = gateways.compare_searches(run, selected, n, read_catalogue(), folder, play)
    total = gateways.gateway_regret(compared)
    records = gateways.search_records(run, compared)
    if csv:
        write_csv_file(csv, list(records[0]), records)
    if json:
        print_json({"searches": records, "regret": asdict(total)})
    else:
        Terminal().print(searched_table(compared), gateway_table(total), GATEWAY_REGRET)
        echo(f"the branches: {folder}; `ambidex report {folder}` compares them as runs")
    return 0 if all(search.known for search in compared) else 3


def pivot(
    run: Path,
    task: str,
    *,
    trial: int = 1,
    n: N = 1,
    onward: BranchOptions = BranchOptions(),
    out: Path | None = None,
    json: Json = False,
    machines: MachineOptions = MACHINES,
    cluster: ClusterAddress = "",
) -> int:
    """Find, by bisection, the last step of a trial from which the task could still be solved.

    Parameters
    ----------
    run
        A run that was made with --checkpoint.
    task
        The name of a task, or the directory of a trial (needed where several agents ran it).
    trial
        The number of the task's trial.
    out
        Directory for the branches, one run per probed step; the same command resumes them.
    """
    recorded, catalogue = trial_of(run, task, trial), read_catalogue()
    steps = checkpointed_steps(recorded)
    if not steps:
        raise UsageError(
            f"{recorded} has no checkpoints", hint="`run --checkpoint every` saves them."
        )
    folder = out or Path(f"{run}.pivot") / recorded.name

    with on_machines(machines, lanes_at(cluster)) as play:

        def probe(step: int) -> Probe:
            branch = Branch(trial=recorded.name, step=step)
            rows = play(fork_of(run, [branch], n, catalogue, onward), folder / str(step))
            scored = [row for row in rows if row.fate == "scored"]
            return Probe(step, sum(row.success for row in scored), len(scored))

        result = find_pivot(steps, probe)
    if json:
        print_json(asdict(result))
    else:
        Terminal().print(pivot_table(result, describe_steps(recorded)))
        echo(f"the branches: {folder}")
    return 0 if all(probe.n == n for probe in result.probes) else 3


def desktop_diff(
    run: Path,
    task: str,
    before: int,
    after: int,
    *,
    trial: int = 1,
    json: Json = False,
    machines: MachineOptions = MACHINES,
) -> int:
    """Compare the desktop at two steps of a recorded trial: files, settings, windows, processes
    and the text of documents.

    Parameters
    ----------
    run
        A run that was made with --checkpoint.
    task
        The name of a task, or the directory of a trial (needed where several agents ran it).
    before
        A step with a checkpoint.
    after
        A later step with a checkpoint.
    trial
        The number of the task's trial.
    json
        Print the differences as the evidence that `changes.only` judges.
    """
    recorded = trial_of(run, task, trial)
    places = checkpoint_of(recorded, before), checkpoint_of(recorded, after)
    refuse_unforked(machines)
    refuse_elsewhere({host_of(place) for place in places}, local=True)
    with (
        open_machines(machines, Terminal(stderr=True).print) as source,
        closing(source.make()) as machine,
    ):
        refuse_another_image(run, source.image)
        differences = compare_desktops(machine, *places)
        if json:
            with Guest(machine.endpoint, machine.token) as guest:
                echo(as_evidence(differences, guest.home))
            return 0
    Terminal().print(change_table(differences, before, after))
    return 0


def _best(rows: Sequence[Row]) -> Row | None:
    scored = [row for row in rows if row.fate == "scored"]
    return max(scored, key=lambda row: (row.score or 0.0, -row.steps), default=None)


def _number(decisions: str) -> int | None:
    if decisions == "all":
        return None
    if decisions.isdecimal() and int(decisions):
        return int(decisions)
    raise UsageError(
        f"invalid value for --decisions: {decisions!r}", hint="--decisions takes all or a number."
    )
