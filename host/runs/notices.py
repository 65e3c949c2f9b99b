"""What is said about a run before it starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ambidex.host.records.config import Exposure
from ambidex.tasks import Suite
from ambidex.tasks.livemcpbench.body import KeyPointBody

__all__ = ["left_out", "missing_gateway"]


def left_out(suite: Suite) -> Iterator[str]:
    """Messages about requested tasks that cannot be run: one per reason, with the number of
    tasks."""
    reasons = Counter(task.why for task in suite.left_out)
    for why, number in reasons.most_common():
        first = next(task.name for task in suite.left_out if task.why == why)
        others = f" and {number - 1} others" if number > 1 else ""
        yield f"left out: {first}{others}: {why}"


def missing_gateway(suite: Suite, exposure: Exposure) -> Iterator[str]:
    """A warning if tasks were written for the tools of a gateway and the run has none."""
    written = [t.name for t in suite.tasks if isinstance(t.body, KeyPointBody)]
    if written and exposure.gateway is None:
        yield (
            f"warning: {written[0]} and the other tasks of {suite.name} were written for "
            "tools behind a gateway, and this run has none (--exposure gateway): the agent has "
            "only the guest's own tools"
        )
