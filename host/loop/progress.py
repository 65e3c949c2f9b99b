"""The state of an episode, counted step by step."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from ambidex.host import GATEWAY, Stop, ToolCall, ToolResult, ToolSpec, Usage, is_gui
from ambidex.host.records.trajectory import Seconds, Step

__all__ = ["CallRecord", "Episode", "EpisodeStart", "RepeatDetector", "count"]


@dataclass(frozen=True)
class CallRecord:
    """One call as the metrics see it."""

    tool: str
    app: str
    """The tool's app; empty where no such tool was offered."""
    error: str
    repeat: bool
    """See `CallCount.repeats`."""


@dataclass
class Episode:
    """An episode's counts so far."""

    stop: Stop | None = None
    steps: int = 0
    answer: str | None = None
    calls: list[CallRecord] = field(default_factory=list)
    offered: set[str] = field(default_factory=set)
    """Tools, other than the GUI's and a gateway's, that were on offer at any step."""
    usage: Usage = field(default_factory=Usage)
    seconds: Seconds = field(default_factory=Seconds)
    malformed: int = 0
    """Malformed answers in all."""
    malformed_in_a_row: int = 0
    """Malformed answers since the last well-formed one."""
    unsettled: int = 0
    """Steps after which the screen was not still within the time limit."""


class RepeatDetector:
    """Recognises a tool call that repeats an earlier one: same arguments, same result, and no call
    in between that could have changed anything."""

    def __init__(self) -> None:
        self._results: dict[str, tuple[str, str]] = {}

    def repeats(self, call: ToolCall, tool: ToolSpec | None, result: ToolResult) -> bool:
        """Record the call; return whether it repeated an earlier one."""
        if tool is None:
            return False
        key = json.dumps([call.name, call.arguments], sort_keys=True, default=str)
        latest = (result.text, result.error)
        repeat = not is_gui(tool.app) and not result.error and self._results.get(key) == latest
        if not repeat and not tool.reads_only and not result.error:
            self._results.clear()
        self._results[key] = latest
        return repeat


@dataclass
class EpisodeStart:
    """Where an episode starts: from nothing, or after the first steps of a recorded one."""

    episode: Episode = field(default_factory=Episode)
    repeats: RepeatDetector = field(default_factory=RepeatDetector)
    results: tuple[ToolResult, ...] = ()
    """Results of the last recorded step, which the agent has not seen yet."""
    notes: tuple[str, ...] = ()
    """Notes for the agent with the first screenshot."""
    elapsed: float = 0.0
    """Seconds of the agent's time already used."""


def count(
    episode: Episode, step: Step, allowed: Mapping[str, ToolSpec], repeats: RepeatDetector
) -> None:
    """Add a step to the episode's counts; `allowed` are the tools that were on offer, by name."""
    decision = step.decision
    episode.offered |= {
        tool.name for tool in allowed.values() if not is_gui(tool.app) and tool.app != GATEWAY
    }
    episode.steps += 1
    episode.answer = decision.answer if decision.answer is not None else episode.answer
    for call, result in zip(decision.calls, step.results, strict=True):
        tool = allowed.get(call.name)
        repeat = repeats.repeats(call, tool, result)
        episode.calls.append(CallRecord(call.name, tool.app if tool else "", result.error, repeat))
    for behind, result in zip(step.executed, step.results, strict=False):
        if behind:
            episode.calls.append(CallRecord(behind.tool, behind.server, result.error, False))
    episode.seconds += step.seconds
    episode.usage += decision.usage
    episode.malformed += bool(decision.malformed)
    episode.malformed_in_a_row = episode.malformed_in_a_row + 1 if decision.malformed else 0
    episode.unsettled += not step.still
