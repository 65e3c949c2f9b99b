"""Words that verbs of the command line share: which tasks of OSWorld they are for, and which steps
are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ambidex.host.errors import UsageError
from ambidex.host.records.config import Keep
from ambidex.tasks.osworld.network import Net
from ambidex.tasks.osworld.suite import Selection

__all__ = ["Chosen", "KeepOptions"]


@Parameter(name="*")
@dataclass(frozen=True)
class Chosen:
    """Of OSWorld's tasks, and what is known of them."""

    list: Annotated[
        Path | None, Parameter(help="only those in a list of OSWorld's, such as test_all.json")
    ] = None
    net: Annotated[
        tuple[Net, ...],
        Parameter(
            consume_multiple=True, negative="", help="only OSWorld's tasks that need these networks"
        ),
    ] = ()
    annotations: Annotated[
        Path | None, Parameter(help="what is known of OSWorld's tasks: see `tasks annotate`")
    ] = None

    def with_tasks(self, tasks: Sequence[str]) -> Selection:
        """The whole choice."""
        return Selection(tuple(tasks), self.list, self.net, self.annotations)


@Parameter(name="*")
@dataclass(frozen=True)
class KeepOptions:
    """Before which steps of an episode the machine is kept."""

    checkpoint: Annotated[
        str, Parameter(help="keep the machine before `every` step, each Kth (a number), or none")
    ] = "none"
    checkpoint_last: Annotated[
        int | None, Parameter(help="of an episode only so many, the last ones")
    ] = None
    checkpoint_budget: Annotated[
        float | None, Parameter(help="gigabytes that those of one episode may take")
    ] = None

    def keep(self) -> Keep | None:
        """As a run's configuration says it; `UsageError` where it makes no sense."""
        if self.checkpoint == "none":
            return None
        every = 1 if self.checkpoint == "every" else 0
        if self.checkpoint.isdecimal():
            every = int(self.checkpoint)
        if every < 1:
            raise UsageError(
                f"no steps to keep are called {self.checkpoint!r}",
                hint="--checkpoint takes every, a number, or none.",
            )
        for name, value in (("last", self.checkpoint_last), ("budget", self.checkpoint_budget)):
            if value is not None and value <= 0:
                raise UsageError(f"--checkpoint-{name} {value} keeps nothing")
        return Keep(every=every, last=self.checkpoint_last, budget=self.checkpoint_budget)
