"""The command line. A verb is a function; its types and docstring are its help.

Exit codes: 0 as asked · 1 ran, and the answer is no (a proof that fails, a row `bug`, a changed
score) · 2 the request or the data is wrong · 3 a machine, a guest or a model failed, or trials
stayed void · 130 interrupted
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict
from json import dumps
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from rich.console import Console

from host import Limits
from host.config import Condition, ModelConfig, read_config
from host.errors import VOID, TaskError, UsageError
from host.launch import Wanted, default_folder, launch
from host.listing import proof_json, proof_table, suite_table, tool_table
from host.look import shell, watch
from host.machines import MachineOptions
from host.prove import agents_of, verdicts
from host.prove import jobs as proof_jobs
from host.report import as_json, lines, tables
from host.rows import Row, finished
from host.runner import plan
from host.score import rejudge, write_rescored
from host.trajectory import read_trajectory
from tasks.catalogue import read_catalogue
from tasks.load import load_suite

__all__ = ["app", "main"]

app = App(name="ambidex", help="A testbed for computer-use agents with two hands: GUI and tools.")

# Named, not imported: libvirt may be missing on a machine that only checks or reports.
app.command("host.doctor:doctor", name="doctor", help="What this machine offers, and the fixes.")
app.command("host.images:images", name="image", help="Build, list, import, provision images.")
app.command("toolgen.cli:toolgen", name="toolgen", help="Drafted tools pass a gate.")

app.command(watch)
app.command(shell)

MANY = Parameter(consume_multiple=True, negative="")
ON = Parameter(negative="")
Json = Annotated[bool, Parameter(negative="", help="print JSON")]


@app.command
def check(*suites: Path, json: Json = False) -> int:
    """Load every task, bind every check, hold every call against the tools: no machine, seconds.

    Parameters
    ----------
    suites
        Directories of tasks; without one, all that lie in tasks/.
    """
    catalogue = read_catalogue()
    loaded, problems = [], []
    for folder in suites or sorted(_in_tasks()):
        try:
            loaded.append(load_suite(folder, catalogue))
        except TaskError as error:
            problems += [*error.problems]
    if json:
        found = [task.name for suite in loaded for task in suite.tasks]
        _print_json(
            {"tasks": found, "tools": len(catalogue), "problems": [str(p) for p in problems]}
        )
    else:
        for suite in loaded:
            Console().print(suite_table(suite))
        for problem in problems:
            print(problem, file=sys.stderr)
        count = sum(len(suite.tasks) for suite in loaded)
        print(f"{count} tasks and {len(catalogue)} tools are well-formed, {len(problems)} problems")
    return 2 if problems else 0


@app.command
def run(
    suite: Path,
    *,
    agent: str = "oracle",
    model: str = "",
    base_url: str = "",
    condition: Condition = "hybrid",
    steps: int = 15,
    runs: int = 1,
    tasks: Annotated[tuple[str, ...], MANY] = (),
    out: Path | None = None,
    time_limit: float = 3600.0,
    cost_limit: float | None = None,
    settle: float = 5.0,
    seed: int = 0,
    temperature: float | None = None,
    images: int = 3,
    json: Json = False,
    machines: MachineOptions = MachineOptions(),  # noqa: B008 - a frozen value
) -> int:
    """Let an agent work on every task of a suite; the same command with the same --out goes on with
    a run.

    Parameters
    ----------
    suite
        A directory of tasks.
    agent
        oracle[:tools|:gui], noop, random, replay:DIR, model, or your own module:Class.
    model
        For --agent model: a name as litellm knows it, or as the server at --base-url calls it.
    base_url
        Any server that speaks OpenAI's chat API.
    condition
        The tools on offer: gui (mouse and keyboard), tools (all others), hybrid (both).
    steps
        Decisions an episode may take.
    runs
        Trials of each task.
    tasks
        Only these.
    out
        Directory of the run.
    time_limit
        Seconds an episode may take.
    cost_limit
        US dollars an episode may cost, where the model's price is known.
    settle
        Seconds the screen may take to come to rest after a step.
    images
        Screenshots that stay in a model's conversation.
    json
        Print the report as JSON.
    """
    catalogue = read_catalogue()
    loaded = load_suite(suite, catalogue, tasks)
    chosen = None
    if model:
        chosen = ModelConfig(name=model, base_url=base_url, temperature=temperature, images=images)
    wanted = Wanted(
        suite=loaded,
        agents=(agent,),
        jobs=plan((agent,), runs, loaded),
        condition=condition,
        runs=runs,
        limits=Limits(steps, time_limit, cost_limit),
        settle=settle,
        seed=seed,
        model=chosen,
        catalogue=catalogue,
    )
    folder = out or default_folder(loaded, wanted.agents, condition)
    rows = launch(wanted, folder, machines)
    if json:
        _print_json({"run": str(folder), "report": as_json(lines([folder]))})
    else:
        Console().print(tables(lines([folder])))
        print(f"rows, trajectories and evidence: {folder}")
    return _exit_code(rows)


@app.command
def prove(
    suite: Path,
    *,
    tasks: Annotated[tuple[str, ...], MANY] = (),
    out: Path | None = None,
    settle: float = 5.0,
    json: Json = False,
    machines: MachineOptions = MachineOptions(),  # noqa: B008 - a frozen value
) -> int:
    """Show that each task measures what it says: its oracles score 1, doing nothing and near-misses
    score 0."""
    catalogue = read_catalogue()
    loaded = load_suite(suite, catalogue, tasks)
    if bare := [task.name for task in loaded.tasks if not task.spec.oracle]:
        raise UsageError(f"nothing to prove without an oracle: {', '.join(bare)}")
    agents = tuple(sorted({agent for task in loaded.tasks for agent in agents_of(task)}))
    wanted = Wanted(
        suite=loaded,
        agents=agents,
        jobs=proof_jobs(loaded),
        condition="hybrid",
        runs=1,
        limits=Limits(steps=1000),
        settle=settle,
        seed=0,
        model=None,
        catalogue=catalogue,
    )
    folder = out or default_folder(loaded, agents, "hybrid")
    found = verdicts(loaded, launch(wanted, folder, machines))
    if json:
        _print_json(proof_json(found))
    else:
        Console().print(proof_table(loaded, found))
        print(f"{sum(v.holds for v in found)} of {len(found)} hold; evidence: {folder}")
    return 0 if all(v.holds for v in found) else 1


@app.command
def score(
    run: Path,
    *,
    suite: Path | None = None,
    json: Json = False,
) -> int:
    """Judge the stored evidence of a run again; the new scores are kept beside the old ones.

    Parameters
    ----------
    suite
        Where the tasks are now, if not where they were.
    """
    config = read_config(run)
    names = tuple(config.tasks)
    found = list(rejudge(run, load_suite(suite or Path(config.suite), read_catalogue(), names)))
    kept = write_rescored(run, found)
    changed = [each for each in found if each.differs]
    if json:
        _print_json([each.now.model_dump(mode="json") for each in found])
    else:
        for each in changed:
            row = each.before
            what = f"{row.task} {row.agent} #{row.trial}"
            print(f"{what}: {row.score:g} -> {each.now.score:g}: {each.now.reason}")
        edited = sum(each.task_changed for each in found)
        print(f"{len(found)} judged, {len(changed)} differ, {edited} of a changed task: {kept}")
    return 1 if changed else 0


@app.command
def report(
    *runs: Path,
    json: Json = False,
    rescored: Annotated[bool, ON] = False,
) -> int:
    """Accuracy, TIR and ACS of one or more runs.

    Parameters
    ----------
    rescored
        Take the scores that `ambidex score` found last.
    """
    if not runs:
        raise UsageError("which run?", hint="Name one or more directories.")
    found = lines(runs, rescored=rescored)
    if json:
        _print_json(as_json(found))
    else:
        Console().print(tables(found))
    return 0


@app.command
def tools(json: Json = False) -> int:
    """List the tools that the guest serves."""
    catalogue = read_catalogue()
    if json:
        _print_json([asdict(tool) for tool in catalogue.values()])
        return 0
    Console().print(tool_table(catalogue.values()))
    return 0


@app.command
def replay(
    trial: Path,
    *,
    out: Path | None = None,
    settle: float = 5.0,
    machines: MachineOptions = MachineOptions(),  # noqa: B008 - a frozen value
) -> int:
    """Play a recorded trial again on a fresh machine and judge it.

    Parameters
    ----------
    trial
        The directory of a trial: RUN/TASK.NUMBER.
    """
    config = read_config(trial.parent)
    first = next(read_trajectory(trial), None)
    if first is None:
        raise UsageError(f"{trial} holds no trajectory")
    catalogue = read_catalogue()
    loaded = load_suite(Path(config.suite), catalogue, (first["task"],))
    agent = f"replay:{trial}"
    wanted = Wanted(
        suite=loaded,
        agents=(agent,),
        jobs=plan((agent,), 1, loaded),
        condition=config.condition,
        runs=1,
        limits=config.limits,
        settle=settle,
        seed=first["seed"],
        model=None,
        catalogue=catalogue,
    )
    folder = out or default_folder(loaded, wanted.agents, config.condition)
    rows = launch(wanted, folder, machines)
    for row in rows:
        print(f"{row.task}: {row.fate} {row.score} {row.reason}")
    return _exit_code(rows)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a verb; errors of the known fates are one sentence and a hint, all others keep their
    traceback."""
    # A supervisor's SIGTERM ends a run as cleanly as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        code = app(arguments, result_action="return_value")
    except (TaskError, UsageError) as error:
        _say(error)
        sys.exit(2)
    except VOID as error:
        _say(error)
        sys.exit(3)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    sys.exit(code if isinstance(code, int) else 0)


def _say(error: Exception) -> None:
    print(f"ambidex: {error}", file=sys.stderr)
    if hint := getattr(error, "hint", ""):
        print(f"  {hint}", file=sys.stderr)


def _exit_code(rows: Sequence[Row]) -> int:
    latest = {row.key: row for row in rows}
    if any(row.fate == "bug" for row in latest.values()):
        return 1
    return 3 if latest.keys() - finished(rows).keys() else 0


def _print_json(said: object) -> None:
    print(dumps(said, indent=1, ensure_ascii=False))


def _in_tasks() -> list[Path]:
    return [path for path in Path("tasks").glob("*") if any(path.glob("*/task.toml"))]


if __name__ == "__main__":
    main()
