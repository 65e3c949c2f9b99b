"""The agent that attacks its verdict instead of doing its task.

tamperer          reaches for the harness, changes the clock, leaves huge and malformed documents
                  and links, and replaces the programs that read evidence
tamperer:ATTACK   one attack alone, see `attacks`
"""

from __future__ import annotations

from ambidex.host.agents.kind import AgentKind
from ambidex.host.agents.null.attacks import ATTACKS, TOGETHER
from ambidex.host.agents.null.scripted import Scripted
from ambidex.host.errors import UsageError
from ambidex.host.records.config import RunConfig
from ambidex.tasks import Task

__all__ = ["AGENT"]


def _check(detail: str, config: RunConfig, tasks: tuple[Task, ...]) -> None:
    if detail and detail not in ATTACKS:
        raise UsageError(f"unknown attack: {detail!r}", hint=f"Known: {', '.join(ATTACKS)}.")


AGENT = AgentKind(
    lambda request: Scripted(ATTACKS[request.detail] if request.detail else TOGETHER), _check
)
