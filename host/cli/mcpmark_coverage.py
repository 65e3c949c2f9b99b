"""Coverage of a checkout of MCPMark, as text and JSON: which tasks load, which can run here, and
what the others need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from ambidex.host.cli.coverage import count_table
from ambidex.host.terminal import Terminal, echo, print_json
from ambidex.tasks.mcpmark.suite import MCPMarkTask

__all__ = ["as_json", "print_coverage", "summary"]

COLUMNS = ("tasks", "easy", "load", "net", "needs", "state", "ready")
LEGEND = """\
net: needs a network and is left out without --net. needs: environment variables
are not set, or something Ambidex does not prepare. state: the file with the
initial state is not in the asset store. ready: runs now."""


def print_coverage(tasks: Sequence[MCPMarkTask], json: bool, verbose: bool) -> int:
    """Print the coverage and return the exit code: 2 if a task does not load."""
    problems = [problem for task in tasks for problem in task.problems]
    if json:
        print_json(as_json(tasks))
        return 2 if problems else 0
    for task in tasks if verbose else ():
        echo(f"{task.name} ({task.net}): {task.why_not or 'ready'}")
    table = count_table(
        "MCPMark's tasks by service", "service", COLUMNS, tasks, lambda task: task.service, _counts
    )
    Terminal().print(table, LEGEND, "", highlight=False)
    for reason, count in Counter(_reasons(tasks)).most_common():
        echo(f"{count} left out: {reason}")
    for task in tasks:
        if task.difference:
            echo(f"{task.service}/{task.task_suite}: {task.difference}")
    for problem in problems:
        echo(problem, error=True)
    echo(summary(tasks))
    return 2 if problems else 0


def summary(tasks: Sequence[MCPMarkTask]) -> str:
    """The coverage in one sentence."""
    loaded = sum(task.task is not None for task in tasks)
    ready = sum(not task.why_not for task in tasks)
    differ = sum(bool(task.difference) for task in tasks)
    return (
        f"{loaded} of {len(tasks)} tasks load, {ready} can run now; "
        f"the ids of {differ} differ from their folders"
    )


def as_json(tasks: Sequence[MCPMarkTask]) -> dict[str, object]:
    """The coverage as a JSON object."""
    return {
        "tasks": [
            {
                "name": task.name,
                "service": task.service,
                "suite": task.task_suite,
                "category": task.category,
                "folder": task.folder_name,
                "category_id": task.category_id,
                "id": task.id,
                "hash": task.task.hash if task.task else None,
                "loads": task.task is not None,
                "net": task.net,
                "missing": list(task.missing),
                "needs": list(task.needs),
                "problems": [str(problem) for problem in task.problems],
                "ready": not task.why_not,
            }
            for task in tasks
        ],
        "summary": summary(tasks),
    }


def _counts(tasks: Sequence[MCPMarkTask]) -> tuple[int, ...]:
    needs = [[need for need in task.needs if "--net" not in need] for task in tasks]
    return (
        len(tasks),
        sum(task.task_suite == "easy" for task in tasks),
        sum(task.task is not None for task in tasks),
        sum(any("--net" in need for need in task.needs) for task in tasks),
        sum(map(bool, needs)),
        sum(bool(task.missing) for task in tasks),
        sum(not task.why_not for task in tasks),
    )


def _reasons(tasks: Sequence[MCPMarkTask]) -> Iterator[str]:
    """Why tasks that load cannot run, with their service."""
    for task in tasks:
        if task.why_not and not task.problems:
            detail = f": {', '.join(task.missing)}" if task.missing and not task.needs else ""
            yield f"{task.service}: {task.why_not}{detail}"
