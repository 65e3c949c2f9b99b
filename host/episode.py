"""The loop."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from host import (
    GUI,
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
from host.exposure import Offer
from host.guest import Guest
from host.person import NOBODY, Person
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


def run_episode(
    agent: Agent,
    guest: Guest,
    tools: Mapping[str, ToolSpec],
    limits: Limits,
    trajectory: Trajectory,
    *,
    offer: Offer | None = None,
    settle: float = 5.0,
    interrupted: Callable[[], bool] = lambda: False,
    person: Person = NOBODY,
    after: Callable[[Episode], None] = lambda episode: None,
) -> Episode:
    """Let the agent act until it stops or a limit is reached.

    `tools` are those of the condition, `offer` says which of them may be called at a step (all):
    any other name is refused here, before the guest hears of it; a tool's alias stands for its
    name, here, in what is recorded and in what is counted. `person` is asked before every step and
    may hold it, tell the agent something, act, or end the episode. `after` is called after every
    step that is not the last. The time of neither is the agent's. `GuestError` and `ModelError` end
    it, `Interrupted` where `interrupted` says so; the step under way is written all the same.
    """
    episode, began = Episode(), time.monotonic()
    said = Said()
    offer = offer or (lambda frame: tuple(tools.values()))
    with _clock(episode.seconds, "guest"):
        frame = guest.screenshot(settle=settle)
    _split(episode.seconds, frame)
    results: tuple[ToolResult, ...] = ()
    before = trajectory.frame(frame)
    names = {alias: tool.name for tool in tools.values() for alias in tool.aliases}
    while episode.stop is None:
        if interrupted():
            raise Interrupted
        told = person.turn(episode.steps, before)
        began += told.held
        if told.frame is not None:
            frame, before = told.frame, trajectory.frame(told.frame)
        if told.stop is not None:
            episode.stop = told.stop
            break
        start, seconds = time.monotonic(), Seconds()
        offered = offer(frame)
        allowed = {tool.name: tool for tool in offered}
        episode.offered |= {tool.name for tool in offered if tool.app != GUI}
        seen = Observation(frame, results, offered, told.notes)
        with _clock(seconds, "model"):
            decision = _by_our_names(agent.step(seen), names)
        apps = [allowed[call.name].app if call.name in allowed else None for call in decision.calls]
        name = trajectory.offer(list(allowed))
        number = episode.steps + person.steps + 1
        step = Step(number, before, decision, apps, name, seconds=seconds)
        try:
            for call in decision.calls:
                with _clock(seconds, "guest"):
                    step.results.append(_carry_out(call, guest, allowed))
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
        _count(episode, step, allowed, said)
        episode.stop = decision.stop or _limit(episode, limits, time.monotonic() - began)
        if episode.stop is None:
            paused = time.monotonic()
            after(episode)
            began += time.monotonic() - paused
    return episode


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


def _carry_out(call: ToolCall, guest: Guest, tools: Mapping[str, ToolSpec]) -> ToolResult:
    if call.name not in tools:
        return ToolResult(call.id, f"There is no tool {call.name!r} here.", "unknown_tool")
    return guest.call(call)


def _by_our_names(decision: Decision, names: Mapping[str, str]) -> Decision:
    calls = tuple(replace(each, name=names.get(each.name, each.name)) for each in decision.calls)
    return replace(decision, calls=calls)


def _count(episode: Episode, step: Step, allowed: Mapping[str, ToolSpec], said: Said) -> None:
    decision = step.decision
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
