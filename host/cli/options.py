"""Options that several commands share: which tasks to use, and when to save checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Group, Parameter

from ambidex.host.errors import UsageError
from ambidex.host.records.config import CheckpointPolicy
from ambidex.host.runs.lanes import OpenLanes, on_this_computer
from ambidex.tasks.survey import Net, Selection

__all__ = [
    "EPISODES",
    "MANY",
    "MODEL",
    "OFFER",
    "OUTPUT",
    "TASKS",
    "WIDTH",
    "CheckpointOptions",
    "ClusterAddress",
    "Json",
    "SelectionOptions",
    "lanes_at",
]

MANY = Parameter(consume_multiple=True, negative="")
WIDTH = 120
"""Columns of a wide table where the output is not a terminal."""
Json = Annotated[bool, Parameter(negative="", help="Print JSON.")]

TASKS = Group("Tasks", sort_key=1)
MODEL = Group("Agent and model", sort_key=2)
OFFER = Group("Tools on offer", sort_key=3)
EPISODES = Group("Trials and episodes", sort_key=4)
CHECKPOINTS = Group("Checkpoints", sort_key=5)
MACHINES = Group("Machines", sort_key=6)
OUTPUT = Group("Output", sort_key=7)
"""Groups of options in a command's help, in this order."""


ClusterAddress = Annotated[
    str,
    Parameter(
        group=MACHINES,
        help="Use the hosts of a Ray cluster: auto, HOST:PORT or ray://HOST:10001.",
    ),
]


def lanes_at(cluster: str) -> OpenLanes:
    """Where the trials of a run are executed: on this computer if `cluster` is empty."""
    if not cluster:
        return on_this_computer
    from ambidex.host.cluster.lanes import on_cluster

    return on_cluster(cluster)


@Parameter(name="*", group=TASKS)
@dataclass(frozen=True)
class SelectionOptions:
    """Which tasks of a benchmark to use. Each benchmark refuses the options of others."""

    list: Annotated[
        Path | None, Parameter(help="Only the tasks in an OSWorld list such as test_all.json.")
    ] = None
    net: Annotated[
        tuple[Net, ...],
        Parameter(
            consume_multiple=True,
            negative="",
            help="Only tasks that need these networks; MCPMark's that need one must be asked for.",
        ),
    ] = ()
    annotations: Annotated[
        Path | None, Parameter(help="Notes on OSWorld's tasks, as written by `tasks annotate`.")
    ] = None
    service: Annotated[
        tuple[str, ...],
        Parameter(
            consume_multiple=True,
            negative="",
            help="Only MCPMark's tasks on these services, such as filesystem.",
        ),
    ] = ()
    task_suite: Annotated[
        tuple[str, ...],
        Parameter(
            consume_multiple=True,
            negative="",
            help="Only these suites of MCPMark: standard, easy.",
        ),
    ] = ()
    category: Annotated[
        tuple[str, ...],
        Parameter(consume_multiple=True, negative="", help="Only these of MCPMark's categories."),
    ] = ()

    def with_tasks(self, tasks: Sequence[str]) -> Selection:
        """The selection, with these task names."""
        return Selection(
            tuple(tasks),
            self.list,
            self.net,
            self.annotations,
            self.service,
            self.task_suite,
            self.category,
        )


@Parameter(name="*", group=CHECKPOINTS)
@dataclass(frozen=True)
class CheckpointOptions:
    """When to save checkpoints of the machine during an episode."""

    checkpoint: Annotated[
        str,
        Parameter(
            help="Save the machine before `every` step, before each Kth (a number), or none."
        ),
    ] = "none"
    checkpoint_last: Annotated[
        int | None, Parameter(help="Keep only this many checkpoints of each episode, the latest.")
    ] = None
    checkpoint_budget: Annotated[
        float | None, Parameter(help="Gigabytes that the checkpoints of one episode may use.")
    ] = None

    def keep(self) -> CheckpointPolicy | None:
        """The setting for `run.json`; `UsageError` for an invalid value."""
        if self.checkpoint == "none":
            return None
        every = 1 if self.checkpoint == "every" else 0
        if self.checkpoint.isdecimal():
            every = int(self.checkpoint)
        if every < 1:
            raise UsageError(
                f"invalid value for --checkpoint: {self.checkpoint!r}",
                hint="--checkpoint takes every, a number, or none.",
            )
        for name, value in (("last", self.checkpoint_last), ("budget", self.checkpoint_budget)):
            if value is not None and value <= 0:
                raise UsageError(f"--checkpoint-{name} {value} would keep no checkpoint")
        return CheckpointPolicy(
            every=every, last=self.checkpoint_last, budget=self.checkpoint_budget
        )
