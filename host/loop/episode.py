"""The loop: observe, decide, call, record."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Protocol

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
from ambidex.host.errors import ContextLimitError
from ambidex.host.loop.progress import Episode, EpisodeStart, count
from ambidex.host.loop.supervision import NOBODY, Person
from ambidex.host.models.exposure import Offer
from ambidex.host.records.trajectory import ExecutedTool, Seconds, Step, Trajectory
from ambidex.host.toolsets.toolset_tools import Send

__all__ = [
    "Answers",
    "Hooks",
    "InterruptedEpisodeError",
    "aliases",
    "resolve_aliases",
    "run_episode",
]


class InterruptedEpisodeError(Exception):
    """The run is shutting down: the trial has no result."""


@dataclass(frozen=True)
class Hooks:
    """What happens between an agent's steps. Its time does not count against the agent's limit."""

    interrupted: Callable[[], bool] = lambda: False
    """Whether the run is shutting down."""
    person: Person = NOBODY
    """Asked before every step: may hold it, tell the agent something, act, or end the episode."""
    save_checkpoint: Callable[[int], str] = lambda number: ""
    """Given the number of the step to come; returns `Step.kept`."""
    after_step: Callable[[Episode], None] = lambda episode: None
    """Called after every step that is not the last."""


class Answers(Protocol):
    """Answers calls of other tools than the guest's: a gateway, the tools of toolsets, or those of
    a remote MCP server."""

    def answers(self, name: str) -> bool:
        """Whether calls of that name are answered here."""

    def answer(self, call: ToolCall, send: Send) -> tuple[ToolResult, ExecutedTool | None]:
        """The result of a call, and the tool behind it that was executed, if any. `send` carries
        out a call in the guest."""


NEAREST = 3
"""How many tools are named to a model that called one that is not on offer."""
NO_HOOKS = Hooks()


def run_episode(
    agent: Agent,
    guest: Guest,
    tools: Mapping[str, ToolSpec],
    limits: Limits,
    trajectory: Trajectory,
    *,
    offer: Offer | None = None,
    others: Sequence[Answers] = (),
    settle: float = 5.0,
    hooks: Hooks = NO_HOOKS,
    start: EpisodeStart | None = None,
) -> Episode:
    """Let the agent act until it stops or reaches a limit.

    `tools` are the condition's; `offer` selects those that may be called at a step (default: all).
    Any other name is refused here, before the guest sees it. A tool's alias is replaced by its name
    before it is recorded and counted. `others` answers calls that are not the guest's to answer.
    `settle` is how many seconds the screen gets to become still.
    `start` resumes after recorded steps; limits cover the whole episode. A request that the model
    rejects as too long is the last step (`CONTEXT_LIMIT`). Raises `GuestError`, `ModelError` and
    `InterruptedEpisodeError`; the step in progress is recorded all the same.
    """
    start = start or EpisodeStart()
    episode, results, notes = start.episode, start.results, start.notes
    offer = offer or (lambda frame: tuple(tools.values()))
    names, clock = aliases(tools.values()), Stopwatch(start.elapsed)
    frame = _observe(guest, settle, episode.seconds)
    frame_hash = trajectory.frame(frame)
    while episode.stop is None:
        if hooks.interrupted():
            raise InterruptedEpisodeError
        with clock.paused():
            intervention = hooks.person.turn(episode.steps, frame_hash)
            if intervention.frame is not None:
                frame, frame_hash = intervention.frame, trajectory.frame(intervention.frame)
            if intervention.stop is not None:
                episode.stop = intervention.stop
                break
            number = episode.steps + hooks.person.steps + 1
            checkpoint = hooks.save_checkpoint(number)
        began, seconds = time.monotonic(), Seconds()
        offered = offer(frame)
        allowed = {tool.name: tool for tool in offered}
        observation = Observation(frame, results, offered, (*notes, *intervention.notes))
        with _timed(seconds, "model"):
            decision = resolve_aliases(_decide(agent, observation), names)
        apps = [allowed[call.name].app if call.name in allowed else None for call in decision.calls]
        offer_name = trajectory.offer(list(allowed))
        step = Step(number, frame_hash, decision, apps, offer_name, seconds=seconds)
        step.notes, step.kept = observation.notes, checkpoint
        step.focused = frame.focused if frame else ""
        try:
            for call in decision.calls:
                with _timed(seconds, "guest"):
                    result, executed = _execute(call, guest, allowed, others)
                step.results.append(result)
                step.executed.append(executed)
            if decision.stop is None:
                frame = _observe(guest, settle, seconds)
                frame_hash = step.after = trajectory.frame(frame)
                step.still = frame is None or frame.still
        finally:
            known = seconds.model + seconds.guest + seconds.settle
            seconds.harness = time.monotonic() - began - known
            trajectory.step(step)
        results, notes = tuple(step.results), ()
        count(episode, step, allowed, start.repeats)
        episode.stop = decision.stop or _limit(episode, limits, clock.elapsed())
        if episode.stop is None:
            with clock.paused():
                hooks.after_step(episode)
    return episode


def _decide(agent: Agent, observation: Observation) -> Decision:
    """The agent's decision, or the end of the episode if its conversation has become too long."""
    try:
        return agent.step(observation)
    except ContextLimitError as error:
        return Decision(thought=str(error), stop=Stop.CONTEXT_LIMIT)


def _observe(guest: Guest, settle: float, seconds: Seconds) -> Frame | None:
    """A new frame, if the guest has a screen. Waiting for it to become still counts as `settle`,
    fetching it as `guest`."""
    with _timed(seconds, "guest"):
        frame = guest.observe(settle=settle)
    waited = frame.waited if frame else 0.0
    seconds.guest -= waited
    seconds.settle += waited
    return frame


def _execute(
    call: ToolCall, guest: Guest, allowed: Mapping[str, ToolSpec], others: Sequence[Answers]
) -> tuple[ToolResult, ExecutedTool | None]:
    if call.name not in allowed:
        nearest = ", ".join(get_close_matches(call.name, allowed, NEAREST, cutoff=0.0))
        hint = f" The nearest are {nearest}." if nearest else ""
        text = f"There is no tool {call.name!r} here.{hint}"
        return ToolResult(call.id, text, "unknown_tool"), None
    for other in others:
        if other.answers(call.name):
            return other.answer(call, guest.call)
    return guest.call(call), None


def aliases(tools: Iterable[ToolSpec]) -> dict[str, str]:
    """Map every alias to the name of its tool."""
    return {alias: tool.name for tool in tools for alias in tool.aliases}


def resolve_aliases(decision: Decision, names: Mapping[str, str]) -> Decision:
    """The decision with aliases of tools replaced by their names; `names` maps one to the other."""
    calls = tuple(replace(call, name=names.get(call.name, call.name)) for call in decision.calls)
    return replace(decision, calls=calls)


def _limit(episode: Episode, limits: Limits, elapsed: float) -> Stop | None:
    if episode.malformed_in_a_row >= limits.malformed:
        return Stop.PARSE_LIMIT
    if limits.cost is not None and (episode.usage.cost or 0.0) >= limits.cost:
        return Stop.COST_LIMIT
    if elapsed >= limits.seconds:
        return Stop.TIME_LIMIT
    if episode.steps >= limits.steps:
        return Stop.STEP_LIMIT
    return None


class Stopwatch:
    """Measures the agent's time; `elapsed` seconds are already used."""

    def __init__(self, elapsed: float) -> None:
        self._began = time.monotonic() - elapsed

    def elapsed(self) -> float:
        """Seconds, without those in which it was paused."""
        return time.monotonic() - self._began

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Do not count the time of the block."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._began += time.monotonic() - began


@contextmanager
def _timed(seconds: Seconds, part: str) -> Iterator[None]:
    """Add the block's duration to one of the parts."""
    began = time.monotonic()
    try:
        yield
    finally:
        setattr(seconds, part, getattr(seconds, part) + time.monotonic() - began)
