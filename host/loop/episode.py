"""The loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from ambidex.host import (
    Agent,
    Decision,
    Frame,
    Limits,
    Observation,
    Stop,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from ambidex.host.client.guest import Guest
from ambidex.host.loop.progress import Begun, Episode, count
from ambidex.host.loop.supervision import NOBODY, Person
from ambidex.host.models.exposure import Offer
from ambidex.host.records.trajectory import Seconds, Step, Trajectory

__all__ = ["InterruptedEpisodeError", "aliases", "by_our_names", "run_episode"]


class InterruptedEpisodeError(Exception):
    """The run is being ended from outside: the trial has no result."""


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
    begun: Begun | None = None,
    keep: Callable[[int], str] = lambda number: "",
    after: Callable[[Episode], None] = lambda episode: None,
) -> Episode:
    """Let the agent act until it stops or a limit is reached.

    `tools` are those of the condition, `offer` says which of them may be called at a step (all):
    any other name is refused here, before the guest hears of it; a tool's alias stands for its
    name, here, in what is recorded and in what is counted. `person` is asked before every step and
    may hold it, tell the agent something, act, or end the episode. `keep` is called with the number
    of every step before the agent decides, and says where the machine is kept; `after` is called
    after every step that is not the last. The time of none of them is the agent's. `begun` is an
    episode to go on with: limits hold for the whole of it. `GuestError` and `ModelError` end it,
    `InterruptedEpisodeError` where `interrupted` says so; the step under way is written all the
    same.
    """
    begun = begun or Begun()
    episode, said, results, notes = begun.episode, begun.said, begun.results, begun.notes
    began = time.monotonic() - begun.elapsed
    offer = offer or (lambda frame: tuple(tools.values()))
    with _clock(episode.seconds, "guest"):
        frame = guest.screenshot(settle=settle)
    _split(episode.seconds, frame)
    before = trajectory.frame(frame)
    names = aliases(tools.values())
    while episode.stop is None:
        if interrupted():
            raise InterruptedEpisodeError
        told = person.turn(episode.steps, before)
        began += told.held
        if told.frame is not None:
            frame, before = told.frame, trajectory.frame(told.frame)
        if told.stop is not None:
            episode.stop = told.stop
            break
        number = episode.steps + person.steps + 1
        paused = time.monotonic()
        kept = keep(number)
        start, seconds = time.monotonic(), Seconds()
        began += start - paused
        offered = offer(frame)
        allowed = {tool.name: tool for tool in offered}
        seen = Observation(frame, results, offered, (*notes, *told.notes))
        with _clock(seconds, "model"):
            decision = by_our_names(agent.step(seen), names)
        apps = [allowed[call.name].app if call.name in allowed else None for call in decision.calls]
        name = trajectory.offer(list(allowed))
        step = Step(number, before, decision, apps, name, seconds=seconds, kept=kept)
        step.focused, step.notes = frame.focused, seen.notes
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
        results, notes = tuple(step.results), ()
        count(episode, step, allowed, said)
        episode.stop = decision.stop or _limit(episode, limits, time.monotonic() - began)
        if episode.stop is None:
            paused = time.monotonic()
            after(episode)
            began += time.monotonic() - paused
    return episode


def _carry_out(call: ToolCall, guest: Guest, tools: Mapping[str, ToolSpec]) -> ToolResult:
    if call.name not in tools:
        return ToolResult(call.id, f"There is no tool {call.name!r} here.", "unknown_tool")
    return guest.call(call)


def aliases(tools: Iterable[ToolSpec]) -> dict[str, str]:
    """The name of the tool that each alias stands for."""
    return {alias: tool.name for tool in tools for alias in tool.aliases}


def by_our_names(decision: Decision, names: Mapping[str, str]) -> Decision:
    """The decision with every tool that was called by an alias under its own name; `names` are
    those of aliases."""
    calls = tuple(replace(each, name=names.get(each.name, each.name)) for each in decision.calls)
    return replace(decision, calls=calls)


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
