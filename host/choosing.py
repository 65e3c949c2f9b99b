"""Which tasks of OSWorld a verb of the command line is for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from tasks.osworld_network import Net
from tasks.osworld_suite import Selection

__all__ = ["Chosen"]


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
