"""LiveMCPBench's released data, read again: its catalogue of tools, its judges against people, and
what its agent did."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict
from rich.console import Console
from rich.table import Table

from ambidex.host.errors import UsageError
from ambidex.host.report.agreement import (
    Confusion,
    any_agrees,
    confusion,
    kendall_tau_b,
    majority,
    mcnemar_exact,
)
from ambidex.host.report.metrics import wilson_interval
from ambidex.host.report.number_format import chance, percents
from ambidex.host.toolsets import McpExecution
from ambidex.host.toolsets.compiling import compile_sources
from ambidex.host.toolsets.sources import McpSource, Sources
from ambidex.tasks.assets import AssetStore
from ambidex.tasks.livemcpbench.catalogue import read_file
from ambidex.tasks.livemcpbench.released import (
    Conversation,
    StoredVerdict,
    activity,
    by_status_line,
    by_substring,
    read_conversations,
    read_labels,
    read_verdicts,
)
from bench.livemcpbench.liars import liar_table

__all__ = ["FILES", "Reading", "catalogue_counts", "livemcpbench", "readings", "tables"]

CATALOGUE = "tools.json"
CONVERSATIONS = "trajectories_claude-sonnet-4.json"
LABELS = "human_labels_claude-sonnet-4.json"
VERDICTS = "judge_verdicts_claude-sonnet-4.json"
PAPER = "paper_results.json"
FILES = (CATALOGUE, CONVERSATIONS, LABELS, VERDICTS, PAPER)
READINGS: dict[str, Callable[[StoredVerdict], bool]] = {
    "substring": by_substring,
    "status line": by_status_line,
}
RETRIEVAL = (("top 10 instead of 5", 0, 0), ("BGE-M3 instead of Qwen3", 11, 13))
"""The paper's comparisons of retrievers: tasks that only one of the two solved."""


class Model(BaseModel):
    """A model's success rates in the paper."""

    model_config = ConfigDict(extra="ignore")

    Overall: float


class Second(BaseModel):
    """A second judge's success rates in the paper."""

    model_config = ConfigDict(extra="ignore")

    judge: str
    rows: list[tuple[str, float, int]]
    """The model, its success rate, and its rank under the first judge."""


class Paper(BaseModel):
    """The paper's tables, as far as they are used here."""

    model_config = ConfigDict(extra="ignore")

    table2_success_rate: list[Model]
    """By rank."""
    table5_second_judge: Second

    @property
    def ranked(self) -> tuple[list[float], list[float]]:
        """The success rates of the ten models under both judges, in the order of the second."""
        rows = self.table5_second_judge.rows
        first = [self.table2_success_rate[rank - 1].Overall for _, _, rank in rows]
        return first, [rate for _, rate, _ in rows]


class Reading:
    """All verdicts in one reading."""

    def __init__(
        self,
        people: Mapping[str, bool],
        verdicts: Mapping[str, Sequence[StoredVerdict]],
        read: Callable[[StoredVerdict], bool],
    ) -> None:
        self.people = list(people.values())
        self.judges: dict[str, list[bool]] = {}
        for name, own in verdicts.items():
            by_task = {verdict.task_id: read(verdict) for verdict in own}
            self.judges[name] = [by_task[task] for task in people]

    def of_judge(self, name: str) -> Confusion:
        """One judge against people."""
        return confusion(self.people, self.judges[name])

    @property
    def votes(self) -> Confusion:
        """At least half of the judges against people."""
        half = len(self.judges) // 2
        return confusion(self.people, majority([*self.judges.values()], half))

    @property
    def best(self) -> list[bool]:
        """For each task, whether any judge agrees with people."""
        return any_agrees(self.people, [*self.judges.values()])


def readings(folder: Path) -> dict[str, Reading]:
    """The stored verdicts in both readings, by name."""
    people, verdicts = read_labels(folder / LABELS), read_verdicts(folder / VERDICTS)
    return {name: Reading(people, verdicts, read) for name, read in READINGS.items()}


def livemcpbench(folder: Path) -> None:
    """Count LiveMCPBench's servers and tools, compare its released judges with people, and count
    what its agent did.

    Parameters
    ----------
    folder
        The directory with the released files.
    """
    if absent := [name for name in FILES if not (folder / name).is_file()]:
        raise UsageError(f"{folder} lacks {', '.join(absent)}")
    console = Console(width=132)
    for table in tables(folder):
        console.print(table)


def tables(folder: Path) -> Iterator[Table]:
    """The tables that the command prints."""
    yield _catalogue(folder)
    both = readings(folder)
    for name, reading in both.items():
        yield _judges(name, reading)
    yield _differences(both["substring"], both["status line"])
    yield _tests(read_file(folder / PAPER, Paper))
    conversations = read_conversations(folder / CONVERSATIONS)
    yield liar_table(conversations)
    yield _activity(conversations)


def catalogue_counts(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Servers, tools and distinct names of tools by category, and of `all`."""
    with tempfile.TemporaryDirectory() as scratch:
        sources = Sources(source=(McpSource(kind="mcp", path=CATALOGUE),))
        store = AssetStore(Path(scratch) / "store")
        toolset = compile_sources(sources, folder, store, Path(scratch) / "catalogue.toolset")
        servers = toolset.servers
        tools = [
            (servers[tool.server].category, tool.execution.tool)
            for tool in toolset
            if isinstance(tool.execution, McpExecution)
        ]
    counts = {}
    for category in (*sorted({server.category for server in servers.values()}), "all"):
        names = [name for own, name in tools if category in (own, "all")]
        own = [server for server in servers.values() if category in (server.category, "all")]
        counts[category] = (len(own), len(names), len(set(names)))
    return counts


def _catalogue(folder: Path) -> Table:
    table = Table(title="The catalogue, compiled to a toolset", title_justify="left")
    table.add_column("category")
    for column in ("servers", "tools", "distinct names"):
        table.add_column(column, justify="right")
    for category, counts in catalogue_counts(folder).items():
        table.add_row(category, *map(str, counts))
    return table


def _judges(name: str, reading: Reading) -> Table:
    table = Table(title=f"Judges against people, verdicts read by {name}", title_justify="left")
    table.add_column("judge", no_wrap=True)
    columns = ("success", "agreement", "95 %", "precision", "recall", "F1", "95 %", "TP FP FN TN")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for judge in sorted(reading.judges, key=lambda judge: -reading.of_judge(judge).agreement):
        table.add_row(judge, *_cells(reading.of_judge(judge)))
    table.add_section()
    table.add_row("at least half of them", *_cells(reading.votes))
    agreed, n = sum(reading.best), len(reading.best)
    interval = percents(wilson_interval(agreed, n))
    table.add_row("any of them", "", _percent(agreed / n), interval)
    return table


def _cells(counts: Confusion) -> list[str]:
    return [
        _percent(counts.success),
        _percent(counts.agreement),
        percents(counts.agreement_interval),
        _percent(counts.precision),
        _percent(counts.recall),
        _percent(counts.f1),
        percents(counts.f1_interval()),
        f"{counts.tp} {counts.fp} {counts.fn} {counts.tn}",
    ]


def _differences(substring: Reading, strict: Reading) -> Table:
    table = Table(title="The two readings of the same verdicts", title_justify="left")
    table.add_column("judge", no_wrap=True)
    for column in ("read differently", "only substring: success", "only line: success", "p"):
        table.add_column(column, justify="right")
    for name, verdicts in substring.judges.items():
        test = mcnemar_exact(zip(verdicts, strict.judges[name], strict=True))
        counts = (test.only_first + test.only_second, test.only_first, test.only_second)
        table.add_row(name, *map(str, counts), chance(test.p))
    return table


def _tests(paper: Paper) -> Table:
    table = Table(title="Tests", title_justify="left")
    for column in ("test", "result"):
        table.add_column(column)
    tau = kendall_tau_b(*paper.ranked)
    judge = paper.table5_second_judge.judge
    table.add_row(
        f"Kendall's tau-b of the ranking under {judge}", f"{tau.tau_b:.4f}, p {tau.p:.4f}"
    )
    for name, first, second in RETRIEVAL:
        pairs = [(True, False)] * first + [(False, True)] * second
        test = mcnemar_exact(pairs)
        table.add_row(f"exact McNemar, {name} ({first}, {second})", f"p {test.p:.3f}")
    return table


def _activity(conversations: Sequence[Conversation]) -> Table:
    means = activity(conversations)
    title = f"What the agent did per task, means over {means.tasks} conversations"
    table = Table(title=title, title_justify="left")
    for column in ("messages", "agent's turns", "different tools", "execute-tool", "route"):
        table.add_column(column, justify="right")
    values = (means.messages, means.turns, means.tools, means.executions, means.routes)
    table.add_row(*(f"{value:.2f}" for value in values))
    return table


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.2f}"
