"""Coverage of an OSWorld checkout, as tables and JSON: which tasks load, need assets or a network,
cannot run, and which irregularities were tolerated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rich.table import Table

from ambidex.host.cli.coverage import count_table
from ambidex.host.terminal import Terminal, echo, print_json
from ambidex.tasks.osworld.oddities import KINDS
from ambidex.tasks.osworld.suite import OSWorldTask
from ambidex.tasks.survey import OFFLINE

__all__ = ["as_json", "print_coverage", "summary"]

COLUMNS = ("tasks", "load", "infeas.", "tools", "offline", "net", "assets", "never", "ready")
LEGEND = """\
load: every step, getter and metric is implemented. infeas.: the right answer is that the task is
infeasible. tools: tools help, according to the annotations. offline, net: by the network needed.
assets: files are missing from the store. never: has unavailable requirements. ready: runs now."""


def _counts(tasks: Sequence[OSWorldTask]) -> tuple[int, ...]:
    loaded = [task for task in tasks if task.task is not None]
    return (
        len(tasks),
        len(loaded),
        sum(task.task is not None and not task.task.spec.feasible for task in tasks),
        sum(bool(task.tools) for task in tasks),
        sum(task.net in OFFLINE for task in tasks),
        sum(task.net not in OFFLINE for task in tasks),
        sum(bool(task.missing) for task in tasks),
        sum(bool(task.needs) for task in tasks),
        sum(not task.why_not for task in tasks),
    )


def _task_table(tasks: Iterable[OSWorldTask]) -> Table:
    """One row per task."""
    table = Table(title="OSWorld's tasks", title_justify="left")
    for name in ("task", "network", "tools", "checks", "missing", "tolerated", "cannot run"):
        table.add_column(name, no_wrap=name == "task")
    for task in tasks:
        kinds = Counter(oddity.kind for oddity in task.oddities)
        table.add_row(
            task.name,
            task.net,
            "" if task.tools is None else str(task.tools),
            str(task.task.body.check_count) if task.task else "–",
            str(len(task.missing)) if task.missing else "",
            ", ".join(f"{kind} ({n})" if n > 1 else kind for kind, n in kinds.items()),
            task.why_not,
        )
    return table


def _odd(found: Iterable[OSWorldTask]) -> Table:
    """The tolerated irregularities: how often each occurs, and its meaning."""
    table = Table(title="Tolerated, as OSWorld does", title_justify="left")
    for name in ("kind", "times", "tasks", "meaning"):
        table.add_column(name, no_wrap=name == "kind")
    times: Counter[str] = Counter()
    tasks: Counter[str] = Counter()
    for entry in found:
        kinds = Counter(oddity.kind for oddity in entry.oddities)
        times += kinds
        tasks.update(kinds.keys())
    for kind, number in times.most_common():
        table.add_row(kind, str(number), str(tasks[kind]), KINDS[kind])
    return table


def summary(tasks: Sequence[OSWorldTask]) -> str:
    """The coverage in one sentence."""
    nets = Counter(task.net for task in tasks)
    ready = sum(not task.why_not for task in tasks)
    missing = {url for task in tasks for url in task.missing}
    networks = ", ".join(f"{net} {number}" for net, number in nets.most_common())
    return (
        f"{sum(task.task is not None for task in tasks)} of {len(tasks)} tasks load, {ready} can"
        f" run now; {len(missing)} assets are not in the store; by network: {networks}"
    )


def _unmet(tasks: Iterable[OSWorldTask]) -> list[str]:
    """Every problem, as text with its file and key."""
    return [str(problem) for task in tasks for problem in task.problems]


def print_coverage(tasks: Sequence[OSWorldTask], json: bool, verbose: bool) -> int:
    """Print the coverage and return the exit code: 2 if a task does not load."""
    problems = _unmet(tasks)
    if json:
        print_json(as_json(tasks))
        return 2 if problems else 0
    console = Terminal()
    if verbose:
        console.print(_task_table(tasks))
    table = count_table(
        "OSWorld's tasks by domain", "domain", COLUMNS, tasks, lambda task: task.domain, _counts
    )
    console.print(table, LEGEND, "", _odd(tasks), highlight=False)
    for problem in problems:
        echo(problem, error=True)
    echo(summary(tasks))
    return 2 if problems else 0


def as_json(tasks: Sequence[OSWorldTask]) -> dict[str, object]:
    """The coverage as a JSON object."""
    return {
        "tasks": [
            {
                "name": task.name,
                "domain": task.domain,
                "id": task.id,
                "hash": task.task.hash if task.task else None,
                "loads": task.task is not None,
                "feasible": task.task.spec.feasible if task.task else None,
                "net": task.net,
                "tools": task.tools,
                "missing": list(task.missing),
                "needs": list(task.needs),
                "problems": [str(problem) for problem in task.problems],
                "oddities": [vars(oddity) for oddity in task.oddities],
                "ready": not task.why_not,
            }
            for task in tasks
        ],
        "summary": summary(tasks),
    }
