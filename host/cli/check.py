"""The commands that need no machine and no run: check and tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ambidex.host import ROOT
from ambidex.host.cli import livemcpbench_coverage, mcpmark_coverage, osworld_coverage
from ambidex.host.cli.listing import suite_table, token_table, tool_list
from ambidex.host.cli.options import Json, SelectionOptions
from ambidex.host.models.tokens import tokens_by_app
from ambidex.host.terminal import Terminal, counted, echo, print_json
from ambidex.tasks import Problem, Suite, TaskError, Verbs
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.difficulty import derived_difficulty
from ambidex.tasks.livemcpbench import suite as livemcpbench
from ambidex.tasks.livemcpbench.catalogue import checkout_of
from ambidex.tasks.load import load_suite
from ambidex.tasks.mcpmark import suite as mcpmark
from ambidex.tasks.osworld.suite import survey

__all__ = ["check", "tools"]

ON = Parameter(negative="")


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
    loaded: list[Suite] = []
    problems: list[Problem] = []
    for folder in suites or sorted(_in_tasks()):
        try:
            loaded.append(load_suite(folder, catalogue, selection=selection))
            problems += _misstated(loaded[-1])
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
        well_formed = f"{counted(count, 'task')} and {len(catalogue)} tools are well-formed"
        echo(f"{well_formed}, {counted(len(problems), 'problem')}")
    return 2 if problems else 0


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
    Terminal().print(tool_list(catalogue.values()))
    return 0


def _misstated(suite: Suite) -> Iterator[Problem]:
    """Tasks that state another difficulty than the rule gives."""
    for task in suite.tasks:
        stated = task.spec.difficulty
        if stated and task.spec.oracle and isinstance(task.body, Verbs):
            derived = {derived_difficulty(instance.spec) for instance in task.instances}
            if derived != {stated}:
                by_rule = " or ".join(sorted(derived))
                message = f"is {stated!r}, but by the rule its oracles make it {by_rule}"
                yield Problem(task.body.folder / "task.toml", "difficulty", message)


def _in_tasks() -> list[Path]:
    for folder in (Path("tasks"), ROOT / "tasks"):
        if suites := [path for path in folder.glob("*") if any(path.glob("*/task.toml"))]:
            return suites
    return []
