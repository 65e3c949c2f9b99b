"""What an episode has come to so far, counted step by step."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from ambidex.host import GUI, Stop, ToolCall, ToolResult, ToolSpec, Usage
from ambidex.host.records.trajectory import Seconds, Step

__all__ = ["Begun", "Called", "Episode", "Said", "count"]


@dataclass(frozen=True)
class Called:
    """One call as the metrics see it."""

    tool: str
    app: str
    """Of the tool; empty where no such tool was offered."""
    error: str
    repeat: bool
    """See `CallCount.repeats`."""


@dataclass
class Episode:
    """What an episode came to, so far."""

    stop: Stop | None = None
    steps: int = 0
    answer: str | None = None
    calls: list[Called] = field(default_factory=list)
    offered: set[str] = field(default_factory=set)
    """Tools, not of the GUI, that were on offer at some step."""
    usage: Usage = field(default_factory=Usage)
    seconds: Seconds = field(default_factory=Seconds)
    malformed: int = 0
    """Malformed answers, and `in_a_row` of them at the end."""
    in_a_row: int = 0
    unsettled: int = 0
    """Steps after which the screen was not still within the bound."""


class Said:
    """What calls of tools have said since something last changed."""

    def __init__(self) -> None:
        self._said: dict[str, tuple[str, str]] = {}

    def again(self, call: ToolCall, tool: ToolSpec | None, result: ToolResult) -> bool:
        """Whether this call of a tool said what an equal one had said, with nothing changed in
        between; takes note of it."""
        if tool is None:
            return False
        key = json.dumps([call.name, call.arguments], sort_keys=True, default=str)
        now = (result.text, result.error)
        again = tool.app != GUI and not result.error and self._said.get(key) == now
        if not again and not tool.reads_only and not result.error:
            self._said.clear()
        self._said[key] = now
        return again


@dataclass
class Begun:
    """An episode whose first steps are done already, in another one."""

    episode: Episode = field(default_factory=Episode)
    said: Said = field(default_factory=Said)
    results: tuple[ToolResult, ...] = ()
    """Of the last step's calls; the agent has not seen them yet."""
    notes: tuple[str, ...] = ()
    """What the agent is told with the first screenshot."""
    elapsed: float = 0.0
    """Seconds of the agent's time that are used up."""


def count(episode: Episode, step: Step, allowed: Mapping[str, ToolSpec], said: Said) -> None:
    """Add a step to what an episode came to; `allowed` were the tools on offer, by name."""
    decision = step.decision
    episode.offered |= {tool.name for tool in allowed.values() if tool.app != GUI}
    episode.steps += 1
    episode.answer = decision.answer if decision.answer is not None else episode.answer
    for call, result in zip(decision.calls, step.results, strict=True):
        tool = allowed.get(call.name)
        repeat = said.again(call, tool, result)
        episode.calls.append(Called(call.name, tool.app if tool else "", result.error, repeat))
    episode.seconds += step.seconds
    episode.usage += decision.usage
    episode.malformed += bool(decision.malformed)
    episode.in_a_row = episode.in_a_row + 1 if decision.malformed else 0
    episode.unsettled += not step.still
