"""Tables of tasks, tools, tokens, experiments, proofs and replays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ambidex.host.models.tokens import COUNTED_AS
from ambidex.host.runs.experiment import Cell
from ambidex.host.runs.launch import RunRequest
from ambidex.host.runs.prove import Claim
from ambidex.host.travel.divergence import StepComparison, first_difference
from ambidex.tasks import Suite, ToolSpec

__all__ = [
    "experiment_table",
    "proof_json",
    "proof_table",
    "replay_table",
    "suite_table",
    "token_table",
    "tool_list",
]


def suite_table(suite: Suite) -> Table:
    """The tasks of a suite, one per row. Difficulty and instances have columns where there are
    any."""
    columns = ["task", "apps", "tools help", "oracles", "near-misses", "checks"]
    graded = any(task.spec.difficulty for task in suite.tasks)
    several = any(task.others for task in suite.tasks)
    columns += ["difficulty"] * graded + ["instances"] * several
    table = _table(str(suite.folder), *columns)
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
            *[spec.difficulty or "–"] * graded,
            *[str(len(task.instances))] * several,
        )
    return table


def tool_list(tools: Iterable[ToolSpec]) -> Group:
    """The tools of the guest by application; optional arguments are marked with a question mark."""
    lines: list[RenderableType] = []
    for app, of_app in groupby(tools, key=lambda tool: tool.app):
        if lines:
            lines.append(Text())
        lines.append(Text(app, "bold underline"))
        for tool in of_app:
            facts = f"{tool.source}, read-only" if tool.reads_only else tool.source
            summary = tool.description.split("\n")[0]
            lines.append(Text.assemble("  ", (tool.name, "bold"), f" ({facts})"))
            for text in (summary, _arguments(tool)):
                if text:
                    lines.append(Padding(Text(text), (0, 0, 0, 4), expand=False))
    return Group(*lines)


def token_table(tokens: Mapping[str, int], counts: Mapping[str, int]) -> Table:
    """The number of tools of each app, and the tokens of their descriptions and schemas."""
    table = _table(f"tokens, as counted by {COUNTED_AS}", "app", "tools", "tokens")
    for app, number in tokens.items():
        table.add_row(app, str(counts[app]), str(number))
    table.add_row("all", str(sum(counts.values())), str(sum(tokens.values())), style="bold")
    return table


def experiment_table(planned: Sequence[Cell]) -> Table:
    """The runs of an experiment, and the number of trials of each."""
    table = Table(title="Runs of this experiment", title_justify="left")
    table.add_column("run", no_wrap=True)
    table.add_column("model or agent")
    table.add_column("tools shown")
    for name in ("steps", "checkpoints", "trials"):
        table.add_column(name, justify="right", no_wrap=True)
    for cell in planned:
        request = cell.request
        table.add_row(
            cell.name,
            _player(request),
            "none" if request.condition == "gui" else request.exposure.policy,
            str(request.limits.steps),
            ", ".join(map(str, request.checkpoints)) or "–",
            str(len(request.jobs)),
        )
    return table


def _player(request: RunRequest) -> str:
    if request.model is None:
        return request.agents[0]
    return f"{request.model.name} {request.model.effort or ''}".rstrip()


def proof_table(suite: Suite, verdicts: Sequence[Claim]) -> Table:
    """The expected and the actual score of each proof; the reason is in full where they differ."""
    table = _table(f"Proof of {suite.name}", "task", "played", "expected", "score", "reason")
    several = any(v.job.trial > 1 for v in verdicts)
    for v in verdicts:
        scored = "–" if v.row is None else f"{v.row.score:g}"
        message = v.failure_message.partition(": ")[2] or v.failure_message
        reason = Text(f"{message[:40]}…" if v.holds and len(message) > 40 else message)
        style = "green" if v.holds else "bold red"
        played = f"{v.job.agent} ({v.differs})" if v.differs else v.job.agent
        task = f"{v.job.task} #{v.job.trial}" if several else v.job.task
        table.add_row(task, played, f"{v.expected:g}", scored, reason, style=style)
    return table


def proof_json(verdicts: Sequence[Claim]) -> list[dict[str, object]]:
    """The verdicts of a proof as JSON objects."""
    return [
        {
            "task": v.job.task,
            "instance": v.job.trial,
            "agent": v.job.agent,
            "differs": v.differs,
            "expected": v.expected,
            "score": v.row.score if v.row else None,
            "holds": v.holds,
            "said": v.failure_message,
        }
        for v in verdicts
    ]


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title or None, title_justify="left")
    for name in columns:
        table.add_column(name, no_wrap=name == "tool", min_width=len(name), overflow="fold")
    return table


def _arguments(tool: ToolSpec) -> str:
    required = tool.parameters.get("required", ())
    names = tool.parameters.get("properties", {})
    return ", ".join(name if name in required else f"{name}?" for name in names)


def replay_table(steps: Sequence[StepComparison]) -> Table:
    """How the screens of a recorded episode and of its replay compare, step by step."""
    first = first_difference(steps)
    if not steps:
        title = "There are no screens to compare"
    elif first is None:
        title = f"The screens are equal after all {len(steps)} steps"
    else:
        title = f"The screens differ from step {first.step} on"
    table = _table(title, "step", "calls", "differs", "where")
    for step in steps:
        share = "no screen to compare" if step.share is None else f"{100 * step.share:.2f} %"
        where = "x {0} to {2}, y {1} to {3}".format(*step.box) if step.box else ""
        table.add_row(str(step.step), step.done, share, where, style="" if step.same else "yellow")
    return table
