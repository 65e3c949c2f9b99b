"""Tables of what there is: tasks, tools, proofs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.table import Table
from rich.text import Text

from ambidex.host.models.tokens import COUNTED_AS
from ambidex.host.runs.experiment import Cell
from ambidex.host.runs.prove import Claim
from ambidex.host.travel.divergence import Parting, parted
from ambidex.tasks import Suite, ToolSpec

__all__ = [
    "experiment_table",
    "parting_table",
    "proof_json",
    "proof_table",
    "suite_table",
    "token_table",
    "tool_table",
]


def suite_table(suite: Suite) -> Table:
    """The tasks of a suite, one a line."""
    table = _table(
        str(suite.folder), "task", "apps", "tools help", "oracles", "near-misses", "checks"
    )
    for task in suite.tasks:
        spec = task.spec
        oracles = ", ".join(oracle.by for oracle in spec.oracle)
        table.add_row(
            task.name,
            ", ".join(spec.apps),
            "yes" if spec.tool_beneficial else "no",
            oracles if spec.feasible else f"{oracles} (infeasible)",
            str(len(spec.near_miss)),
            str(task.body.check_count),
        )
    return table


def tool_table(tools: Iterable[ToolSpec]) -> Table:
    """The tools of the guest; optional arguments have a question mark."""
    table = _table("", "app", "tool", "source", "only looks", "arguments", "what it does")
    for tool in tools:
        looks = "yes" if tool.reads_only else ""
        said = tool.description.split("\n")[0]
        table.add_row(tool.app, tool.name, tool.source, looks, _arguments(tool), said)
    return table


def token_table(tokens: Mapping[str, int], counts: Mapping[str, int]) -> Table:
    """How many tools each app has, and tokens of their descriptions and schemas."""
    table = _table(f"tokens, as {COUNTED_AS} counts them", "app", "tools", "tokens")
    for app, number in tokens.items():
        table.add_row(app, str(counts[app]), str(number))
    table.add_row("all", str(sum(counts.values())), str(sum(tokens.values())), style="bold")
    return table


def experiment_table(planned: Sequence[Cell]) -> Table:
    """The runs of an experiment and how many trials each takes."""
    table = Table(title="The runs of this experiment", title_justify="left")
    table.add_column("run", no_wrap=True)
    table.add_column("asks")
    table.add_column("tools shown")
    for name in ("steps", "checkpoints", "trials"):
        table.add_column(name, justify="right", no_wrap=True)
    for cell in planned:
        request = cell.request
        table.add_row(
            cell.name,
            request.model.name if request.model else request.agents[0],
            "none" if request.condition == "gui" else request.exposure.policy,
            str(request.limits.steps),
            ", ".join(map(str, request.checkpoints)) or "–",
            str(len(request.jobs)),
        )
    return table


def proof_table(suite: Suite, found: Sequence[Claim]) -> Table:
    """What was claimed of each task, and what came of it; the reason in full where it does not
    hold."""
    table = _table(f"Proof of {suite.name}", "task", "played", "claim", "score", "why")
    for v in found:
        scored = "–" if v.row is None else f"{v.row.score:g}"
        said = v.failure_message.partition(": ")[2] or v.failure_message
        why = Text(f"{said[:40]}…" if v.holds and len(said) > 40 else said)
        style = "green" if v.holds else "bold red"
        table.add_row(v.job.task, v.job.agent, f"{v.expected:g}", scored, why, style=style)
    return table


def proof_json(found: Sequence[Claim]) -> list[dict[str, object]]:
    """The same as data."""
    return [
        {
            "task": v.job.task,
            "agent": v.job.agent,
            "expected": v.expected,
            "score": v.row.score if v.row else None,
            "holds": v.holds,
            "said": v.failure_message,
        }
        for v in found
    ]


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title or None, title_justify="left")
    for name in columns:
        table.add_column(name, no_wrap=name in ("task", "tool", "played"))
    return table


def _arguments(tool: ToolSpec) -> str:
    required = tool.parameters.get("required", ())
    names = tool.parameters.get("properties", {})
    return ", ".join(name if name in required else f"{name}?" for name in names)


def parting_table(found: Sequence[Parting]) -> Table:
    """Where the screens of a recorded episode and of its replay part."""
    first = parted(found)
    if first is None:
        title = f"The screens are the same after all {len(found)} steps"
    else:
        title = f"The screens part at step {first.step}"
    table = _table(title, "step", "did", "differs", "where")
    for each in found:
        share = "no screen to compare" if each.share is None else f"{100 * each.share:.2f} %"
        where = "x {0} to {2}, y {1} to {3}".format(*each.box) if each.box else ""
        table.add_row(str(each.step), each.done, share, where, style="" if each.same else "yellow")
    return table
