"""The loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from host import (
    Agent,
    Decision,
    Frame,
    Limits,
    Observation,
    Stop,
    ToolCall,
    ToolResult,
    ToolSpec,
    Usage,
)
from host.guest import Guest
from host.trajectory import Seconds, Step, Trajectory

__all__ = ["Called", "Episode", "Interrupted", "run_episode"]


class Interrupted(Exception):
    """The run is being ended from outside: the trial has no result."""


@dataclass(frozen=True)
class Called:
    """One call as the metrics see it."""

    tool: str
    app: str
    """Of the tool; empty where no such tool was offered."""
    error: str


@dataclass
class Episode:
    """What an episode came to."""

    stop: Stop | None = None
    steps: int = 0
    answer: str | None = None
    calls: list[Called] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    seconds: Seconds = field(default_factory=Seconds)
    malformed: int = 0
    """Malformed answers, and `in_a_row` of them at the end."""
    in_a_row: int = 0
    unsettled: int = 0
    """Steps after which the screen was not still within the bound."""


def run_episode(
    agent: Agent,
    guest: Guest,
    tools: Mapping[str, ToolSpec],
    limits: Limits,
    trajectory: Trajectory,
    *,
    settle: float = 5.0,
    interrupted: Callable[[], bool] = lambda: False,
) -> Episode:
    """Let the agent act until it stops or a limit is reached.

    `tools` are those the agent may call: any other name is refused here, before the guest hears of
    it; a tool's alias stands for its name, here, in what is recorded and in what is counted.
    `GuestError` and `ModelError` end it, `Interrupted` where `interrupted` says so; the step
    under way is written all the same.
    """
    episode, began = Episode(), time.monotonic()
    with _clock(episode.seconds, "guest"):
        frame = guest.screenshot(settle=settle)
    _split(episode.seconds, frame)
    results: tuple[ToolResult, ...] = ()
    before = trajectory.frame(frame)
    names = {alias: tool.name for tool in tools.values() for alias in tool.aliases}
    while episode.stop is None:
        if interrupted():
            raise Interrupted
        start, seconds = time.monotonic(), Seconds()
        with _clock(seconds, "model"):
            decision = _by_our_names(agent.step(Observation(frame, results)), names)
        step = Step(episode.steps + 1, before, decision, _apps(decision, tools), seconds=seconds)
        try:
            for call in decision.calls:
                with _clock(seconds, "guest"):
                    step.results.append(_carry_out(call, guest, tools))
            if decision.stop is None:
                with _clock(seconds, "guest"):
                    frame = guest.screenshot(settle=settle)
                _split(seconds, frame)
                before = step.after = trajectory.frame(frame)
                step.still = frame.still
        finally:
            spent = seconds.model + seconds.guest + seconds.settle
            seconds.harness = time.monotonic() - start - spent
            trajectory.step(step)
        results = tuple(step.results)
        _count(episode, step)
        episode.stop = decision.stop or _limit(episode, limits, time.monotonic() - began)
    return episode


def _carry_out(call: ToolCall, guest: Guest, tools: Mapping[str, ToolSpec]) -> ToolResult:
    if call.name not in tools:
        return ToolResult(call.id, f"There is no tool {call.name!r} here.", "unknown_tool")
    return guest.call(call)


def _by_our_names(decision: Decision, names: Mapping[str, str]) -> Decision:
    calls = tuple(replace(each, name=names.get(each.name, each.name)) for each in decision.calls)
    return replace(decision, calls=calls)


def _apps(decision: Decision, tools: Mapping[str, ToolSpec]) -> list[str | None]:
    return [tools[call.name].app if call.name in tools else None for call in decision.calls]


def _count(episode: Episode, step: Step) -> None:
    decision = step.decision
    episode.steps += 1
    episode.answer = decision.answer if decision.answer is not None else episode.answer
    episode.calls += [
        Called(call.name, app or "", result.error)
        for call, app, result in zip(decision.calls, step.apps, step.results, strict=True)
    ]
    episode.seconds += step.seconds
    episode.usage = _sum(episode.usage, decision.usage)
    episode.malformed += bool(decision.malformed)
    episode.in_a_row = episode.in_a_row + 1 if decision.malformed else 0
    episode.unsettled += not step.still


def _sum(one: Usage, two: Usage) -> Usage:
    known = [each.cost for each in (one, two) if each.cost is not None]
    return Usage(
        one.input_tokens + two.input_tokens,
        one.output_tokens + two.output_tokens,
        sum(known) if known else None,
    )


def _limit(episode: Episode, limits: Limits, elapsed: float) -> Stop | None:
    if episode.in_a_row >= limits.malformed:
        return Stop.PARSE_LIMIT
    if limits.cost is not None and (episode.usage.cost or 0.0) >= limits.cost:
        return Stop.COST_LIMIT
    if elapsed >= limits.seconds:
        return Stop.TIME_LIMIT
    if episode.steps >= limits.steps:
        return Stop.STEP_LIMIT
    return None


def _split(seconds: Seconds, frame: Frame) -> None:
    """What the guest waited for its screen is not time that it worked."""
    seconds.guest -= frame.waited
    seconds.settle += frame.waited


@contextmanager
def _clock(seconds: Seconds, part: str) -> Iterator[None]:
    start = time.monotonic()
    try:
        yield
    finally:
        setattr(seconds, part, getattr(seconds, part) + time.monotonic() - start)
