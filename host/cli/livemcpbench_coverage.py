"""Coverage of a checkout of LiveMCPBench, as text and JSON: which tasks load, which can run here,
and what the others need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ambidex.host.cli.coverage import count_table
from ambidex.host.terminal import Terminal, echo, print_json
from ambidex.tasks.livemcpbench.suite import LiveMCPBenchTask

__all__ = ["as_json", "print_coverage", "summary"]

COLUMNS = ("tasks", "key points", "tools", "load", "net", "missing", "ready")
LEGEND = """\
tools: those that the annotators used. net: they open web sites, and run only
with --net web. missing: a server, tool or file cannot be had. ready: runs now."""


def print_coverage(tasks: Sequence[LiveMCPBenchTask], json: bool, verbose: bool) -> int:
    """Print the coverage and return the exit code: 2 if a task does not load."""
    problems = [problem for task in tasks for problem in task.problems]
    if json:
        print_json(as_json(tasks))
        return 2 if problems else 0
    for task in tasks if verbose else ():
        echo(f"{task.name} ({task.net}): {task.why_not or 'ready'}")
    table = count_table(
        "LiveMCPBench's tasks by category",
        "category",
        COLUMNS,
        tasks,
        lambda task: task.category,
        _counts,
    )
    Terminal().print(table, LEGEND, "", highlight=False)
    reasons = Counter(task.why_not for task in tasks if task.why_not and not task.problems)
    for reason, count in reasons.most_common():
        echo(f"{count} left out: {reason}")
    for problem in problems:
        echo(problem, error=True)
    echo(summary(tasks))
    return 2 if problems else 0


def summary(tasks: Sequence[LiveMCPBenchTask]) -> str:
    """The coverage in one sentence."""
    ready = sum(not task.why_not for task in tasks)
    return f"{len(tasks)} tasks with {sum(task.points for task in tasks)} key points, {ready} ready"


def as_json(tasks: Sequence[LiveMCPBenchTask]) -> dict[str, object]:
    """The coverage as a JSON object."""
    return {
        "tasks": [
            {
                "name": task.name,
                "id": task.id,
                "category": task.category,
                "hash": task.task.hash if task.task else None,
                "key_points": task.points,
                "tools": list(task.tools),
                "net": task.net,
                "needs": list(task.needs),
                "problems": [str(problem) for problem in task.problems],
                "ready": not task.why_not,
            }
            for task in tasks
        ],
        "summary": summary(tasks),
    }


def _counts(tasks: Sequence[LiveMCPBenchTask]) -> tuple[int, ...]:
    return (
        len(tasks),
        sum(task.points for task in tasks),
        sum(len(task.tools) for task in tasks),
        sum(not task.problems for task in tasks),
        sum(any("--net" in need for need in task.needs) for task in tasks),
        sum(any("--net" not in need for need in task.needs) for task in tasks),
        sum(not task.why_not for task in tasks),
    )
