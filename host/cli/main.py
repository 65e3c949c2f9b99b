"""The command line. Each command is a function; its types and docstring are its help text.

Exit codes: 0 success · 1 the command ran and the answer is no (a failed proof, a `bug` row, a
changed score) · 2 invalid arguments or data · 3 not now: a machine, a guest or a model failed, a
run or a port is in use, trials remained void or unjudged, or a report is incomplete ·
130 interrupted
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import App, CycloptsError, CycloptsPanel, Parameter
from pydantic import ValidationError

from ambidex.evaluators.strict import problems_of
from ambidex.host import ROOT
from ambidex.host.box.client import box
from ambidex.host.cli import livemcpbench_coverage, mcpmark_coverage, osworld_coverage
from ambidex.host.cli.bridge import bridge
from ambidex.host.cli.export import export, import_
from ambidex.host.cli.jury import jury
from ambidex.host.cli.listing import suite_table, token_table, tool_table
from ambidex.host.cli.machines import shell, vnc, watch
from ambidex.host.cli.options import SelectionOptions
from ambidex.host.cli.report import report
from ambidex.host.cli.run import Json, experiment, print_json, prove, replay, run
from ambidex.host.cli.serve import serve
from ambidex.host.cli.travel import counterfactual, desktop_diff, fork, pivot
from ambidex.host.errors import VOID, BusyError, TaskError, UsageError
from ambidex.host.models.tokens import tokens_by_app
from ambidex.host.records.config import installed_version, read_config
from ambidex.host.runs.rescoring import rejudge, write_rescored
from ambidex.host.terminal import Terminal, echo, one_line
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.livemcpbench import suite as livemcpbench
from ambidex.tasks.livemcpbench.catalogue import checkout_of
from ambidex.tasks.load import load_suite
from ambidex.tasks.mcpmark import suite as mcpmark
from ambidex.tasks.osworld.suite import survey
from ambidex.tasks.survey import Selection

__all__ = ["app", "main"]

app = App(
    name="ambidex",
    help="A testbed for computer-use agents that combine GUI and tools.",
    version=installed_version,
)

# Given by name and imported on use: libvirt may be missing where only checks or reports run.
app.command(
    "ambidex.host.cli.doctor:doctor",
    name="doctor",
    help="Check this computer and print how to fix what is missing.",
)
app.command(
    "ambidex.host.cli.images:images", name="image", help="Build, list, import and provision images."
)
app.command(
    "ambidex.host.cli.assets:assets",
    name="assets",
    help="Fetch, import and verify the files that tasks of OSWorld and MCPMark need.",
)
app.command(
    "ambidex.host.cli.osworld_tasks:tasks",
    name="tasks",
    help="Compare and annotate OSWorld's tasks.",
)
app.command(
    "ambidex.host.cli.toolset:toolset",
    name="toolset",
    help="Compile, search and lock catalogues of thousands of tools.",
)
app.command(
    "ambidex.toolgen.cli:toolgen",
    name="toolgen",
    help="Generate, test, review and admit new tools.",
)

app.command(run)
app.command(experiment)
app.command(prove)
app.command(replay)
app.command(fork)
app.command(counterfactual)
app.command(pivot)
app.command(desktop_diff)
app.command(jury)
app.command(report)
app.command(watch)
app.command(serve)
app.command(bridge)
app.command(vnc)
app.command(export)
app.command(import_, name="import")
app.command(shell)

ON = Parameter(negative="")


@app.command
def check(
    *suites: Path,
    osworld: Path | None = None,
    tasks: Annotated[tuple[str, ...], Parameter(consume_multiple=True, negative="")] = (),
    of: SelectionOptions = SelectionOptions(),
    verbose: Annotated[bool, ON] = False,
    json: Json = False,
) -> int:
    """Validate tasks: their files, their checks, and every tool call against the tools' schemas.
    Takes seconds and needs no machine.

    Parameters
    ----------
    suites
        Task directories, or a checkout of MCPMark or LiveMCPBench, to report what each of its tasks
        needs; by default every suite in tasks/, or Ambidex's own suites if there is no tasks/.
    osworld
        An OSWorld checkout: report what each task needs, and which irregularities were accepted.
    tasks
        Only these tasks, as for `run`.
    verbose
        Print a line for each task of the benchmark.
    """
    catalogue = read_catalogue()
    if osworld is not None:
        return osworld_coverage.print_coverage(
            survey(osworld, catalogue, of.with_tasks(tasks)), json, verbose
        )
    selection = of.with_tasks(tasks)
    if len(suites) == 1 and mcpmark.services_of(suites[0]) is not None:
        return mcpmark_coverage.print_coverage(
            mcpmark.survey(suites[0], catalogue, selection), json, verbose
        )
    if len(suites) == 1 and checkout_of(suites[0]) is not None:
        return livemcpbench_coverage.print_coverage(
            livemcpbench.survey(suites[0], catalogue, selection), json, verbose
        )
    loaded, problems = [], []
    for folder in suites or sorted(_in_tasks()):
        try:
            loaded.append(load_suite(folder, catalogue, selection=selection))
        except TaskError as error:
            problems += [*error.problems]
    if json:
        names = [task.name for suite in loaded for task in suite.tasks]
        print_json(
            {"tasks": names, "tools": len(catalogue), "problems": [str(p) for p in problems]}
        )
    else:
        for suite in loaded:
            Terminal().print(suite_table(suite))
        for problem in problems:
            echo(problem, error=True)
        count = sum(len(suite.tasks) for suite in loaded)
        echo(f"{count} tasks and {len(catalogue)} tools are well-formed, {len(problems)} problems")
    return 2 if problems else 0


@app.command
def score(
    run: Path,
    *,
    suite: Path | None = None,
    json: Json = False,
) -> int:
    """Judge the stored evidence of a run again. The new scores are stored alongside the old ones.

    Parameters
    ----------
    suite
        Where the tasks are now, if they have moved since the run.
    """
    config = read_config(run)
    names = tuple(config.tasks)
    # The files of a task's setup are not needed to judge it.
    selection = Selection(names, unready=True)
    where = suite or Path(config.suite)
    judged = list(rejudge(run, load_suite(where, read_catalogue(), selection=selection)))
    path = write_rescored(run, judged)
    changed = [trial for trial in judged if trial.differs]
    if json:
        print_json([trial.now.model_dump(mode="json") for trial in judged])
    else:
        for trial in changed:
            row = trial.before
            name = f"{row.task} {row.agent} #{row.trial}"
            echo(one_line(f"{name}: {row.score:g} -> {trial.now.score:g}: {trial.now.reason}"))
        edited = sum(trial.task_changed for trial in judged)
        echo(f"{len(judged)} judged, {len(changed)} differ, {edited} of a changed task: {path}")
    return 1 if changed else 0


@app.command
def tools(*, tokens: Annotated[bool, ON] = False, json: Json = False) -> int:
    """List the tools that the guest serves.

    Parameters
    ----------
    tokens
        Print how many tokens the tools' descriptions cost a model, by application.
    """
    catalogue = read_catalogue()
    if tokens:
        counted = tokens_by_app(catalogue.values())
        if json:
            print_json(counted)
        else:
            counts = Counter(tool.app for tool in catalogue.values())
            Terminal().print(token_table(counted, counts))
        return 0
    if json:
        print_json([asdict(tool) for tool in catalogue.values()])
        return 0
    Terminal().print(tool_table(catalogue.values()))
    return 0


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command: the one of this process, whose box ends with it, or the one in `arguments`.
    Expected errors are printed as one sentence with a hint; all others keep their traceback."""
    # A supervisor's SIGTERM ends a run as cleanly as Ctrl-C does.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # Runs, snapshots and sockets contain desktop data: other users must not be able to read them.
    before = os.umask(0o077)
    try:
        code = app(arguments, result_action="return_value", exit_on_error=False, print_error=False)
    except (TaskError, UsageError) as error:
        _say(error)
        sys.exit(3 if isinstance(error, BusyError) else 2)
    except CycloptsError as error:
        if not isinstance(error.__cause__, ValidationError):
            app.error_console.print(CycloptsPanel(error))
            sys.exit(2)
        for place, message in problems_of(error.__cause__):
            flag = "--" + "-".join(map(str, place)).replace("_", "-")
            echo(f"ambidex: {flag} {message}", error=True)
        sys.exit(2)
    except VOID as error:
        _say(error)
        sys.exit(3)
    except KeyboardInterrupt:
        echo("interrupted", error=True)
        sys.exit(130)
    except Exception:  # noqa: BLE001 - printed in full, but without terminal control sequences
        echo(traceback.format_exc(), error=True, end="")
        sys.exit(1)
    finally:
        os.umask(before)
        if arguments is None:
            box().close()
    sys.exit(code if isinstance(code, int) else 0)


def _say(error: Exception) -> None:
    echo(f"ambidex: {error}", error=True)
    if hint := getattr(error, "hint", ""):
        echo(f"  {hint}", error=True)


def _in_tasks() -> list[Path]:
    for folder in (Path("tasks"), ROOT / "tasks"):
        if suites := [path for path in folder.glob("*") if any(path.glob("*/task.toml"))]:
            return suites
    return []


if __name__ == "__main__":
    main()
