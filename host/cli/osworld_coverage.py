"""What a checkout of OSWorld's tasks needs, in tables and as data: which load, which want assets or
a network, which cannot be run here, and what was tolerated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from rich.table import Table

from ambidex.host.terminal import Terminal, echo, print_json
from ambidex.tasks.osworld.oddities import KINDS
from ambidex.tasks.osworld.suite import SurveyedTask

__all__ = ["as_json", "domains", "summary", "tell"]

OFFLINE = ("offline", "prebake")
COLUMNS = ("tasks", "load", "infeas.", "tools", "offline", "net", "assets", "never", "ready")
LEGEND = """\
load: every step, getter and metric is bound. infeas.: right is to say that it cannot be done.
tools: tools help, by the annotations. offline, net: by the network that it needs.
assets: files are missing in the store. never: needs what cannot be had here. ready: can run now."""


def domains(found: Sequence[SurveyedTask]) -> Table:
    """A line for each domain, and one for all."""
    table = Table(title="OSWorld's tasks by domain", title_justify="left")
    table.add_column("domain", no_wrap=True)
    for column in COLUMNS:
        table.add_column(column, justify="right", no_wrap=True)
    names = list(dict.fromkeys(each.domain for each in found))
    for name in names:
        table.add_row(name, *_counts([each for each in found if each.domain == name]))
    table.add_row("all", *_counts(found), style="bold")
    return table


def _counts(found: Sequence[SurveyedTask]) -> list[str]:
    loaded = [each for each in found if each.task is not None]
    counts = (
        len(found),
        len(loaded),
        sum(each.task is not None and not each.task.spec.feasible for each in found),
        sum(bool(each.tools) for each in found),
        sum(each.net in OFFLINE for each in found),
        sum(each.net not in OFFLINE for each in found),
        sum(bool(each.missing) for each in found),
        sum(bool(each.needs) for each in found),
        sum(not each.why_not for each in found),
    )
    return [str(count) for count in counts]


def _each(found: Iterable[SurveyedTask]) -> Table:
    """A line for each task."""
    table = Table(title="OSWorld's tasks", title_justify="left")
    for name in ("task", "network", "tools", "asks", "lacks", "tolerated", "cannot run, because"):
        table.add_column(name, no_wrap=name == "task")
    for one in found:
        kinds = Counter(oddity.kind for oddity in one.oddities)
        table.add_row(
            one.name,
            one.net,
            "" if one.tools is None else str(one.tools),
            str(one.task.body.check_count) if one.task else "–",
            str(len(one.missing)) if one.missing else "",
            ", ".join(f"{kind} ({n})" if n > 1 else kind for kind, n in kinds.items()),
            one.why_not,
        )
    return table


def _odd(found: Iterable[SurveyedTask]) -> Table:
    """What was tolerated: how often, and what it means."""
    table = Table(title="Tolerated, as OSWorld does", title_justify="left")
    for name in ("kind", "times", "tasks", "what it is"):
        table.add_column(name, no_wrap=name == "kind")
    times: Counter[str] = Counter()
    tasks: Counter[str] = Counter()
    for one in found:
        kinds = Counter(oddity.kind for oddity in one.oddities)
        times += kinds
        tasks.update(kinds.keys())
    for kind, number in times.most_common():
        table.add_row(kind, str(number), str(tasks[kind]), KINDS[kind])
    return table


def summary(found: Sequence[SurveyedTask]) -> str:
    """All in one sentence."""
    nets = Counter(one.net for one in found)
    ready = sum(not one.why_not for one in found)
    missing = {url for one in found for url in one.missing}
    networks = ", ".join(f"{net} {number}" for net, number in nets.most_common())
    return (
        f"{sum(one.task is not None for one in found)} of {len(found)} tasks load, {ready} can run "
        f"now; {len(missing)} assets are not in the store; by network: {networks}"
    )


def _unmet(found: Iterable[SurveyedTask]) -> list[str]:
    """Every problem, with its file and key."""
    return [str(problem) for one in found for problem in one.problems]


def tell(found: Sequence[SurveyedTask], json: bool, verbose: bool) -> int:
    """Print it all; 2 where a task does not load."""
    problems = _unmet(found)
    if json:
        print_json(as_json(found))
        return 2 if problems else 0
    console = Terminal()
    if verbose:
        console.print(_each(found))
    console.print(domains(found), LEGEND, "", _odd(found), highlight=False)
    for problem in problems:
        echo(problem, error=True)
    echo(summary(found))
    return 2 if problems else 0


def as_json(found: Sequence[SurveyedTask]) -> dict[str, object]:
    """The same as data."""
    return {
        "tasks": [
            {
                "name": one.name,
                "domain": one.domain,
                "id": one.id,
                "hash": one.task.hash if one.task else None,
                "loads": one.task is not None,
                "feasible": one.task.spec.feasible if one.task else None,
                "net": one.net,
                "tools": one.tools,
                "missing": list(one.missing),
                "needs": list(one.needs),
                "problems": [str(problem) for problem in one.problems],
                "oddities": [vars(oddity) for oddity in one.oddities],
                "ready": not one.why_not,
            }
            for one in found
        ],
        "summary": summary(found),
    }
