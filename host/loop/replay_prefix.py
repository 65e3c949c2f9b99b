"""Replaying the start of a recorded episode to an agent, so that it can continue from there.

An agent's memory is not stored. A new agent is shown the recorded observations while its models
give the recorded answers (`host.models.recorded_answers`); its decisions must be the recorded ones.
That restores the state of any agent in any dialect, and detects an agent that decides otherwise. It
needs neither a machine nor a model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from ambidex.host import Agent, Decision, Frame, Observation, ToolSpec
from ambidex.host.errors import RehearsalError
from ambidex.host.loop.branch_point import BranchPoint
from ambidex.host.loop.episode import aliases, resolve_aliases
from ambidex.host.loop.progress import EpisodeStart, count
from ambidex.host.loop.supervision import HELPS, hint_note
from ambidex.host.records.recorded_steps import load_frame, load_step
from ambidex.host.records.trajectory import AGENT, Step, Trajectory, read_trajectory

__all__ = ["Recalls", "ReplayedPrefix", "offered_before", "replay_prefix"]


@runtime_checkable
class Recalls(Protocol):
    """An agent whose state can be restored from a recorded decision. Any other agent is asked
    again through `step`."""

    def recall(self, observation: Observation, decision: Decision) -> Decision:
        """Take in a recorded step; return the decision that the agent holds for it."""


@dataclass
class ReplayedPrefix:
    """The replayed steps."""

    start: EpisodeStart = field(default_factory=EpisodeStart)
    human: int = 0
    """Steps taken by a person."""
    assisted: bool = False
    """Whether a person helped."""


def replay_prefix(
    agent: Agent, point: BranchPoint, served: Sequence[ToolSpec], trajectory: Trajectory
) -> ReplayedPrefix:
    """Bring the agent to its state before the branch point, and copy the steps before it into the
    trajectory.

    `served` are the guest's tools. `RehearsalError` where the agent decides otherwise than
    recorded, or where the recording is damaged.
    """
    prefix, offers = ReplayedPrefix(), dict[str, list[str]]()
    tools = {tool.name: tool for tool in served}
    for line in read_trajectory(point.trial):
        match line:
            case {"kind": "offer"}:
                offers[line["name"]] = line["tools"]
            case {"kind": "person"}:
                prefix.assisted |= line["order"] in HELPS
                trajectory.person(**{key: value for key, value in line.items() if key != "kind"})
            case {"kind": "step"}:
                step, frames = _recorded(point.trial, line)
                if step.number >= point.step:
                    prefix.start.notes = step.notes
                    break
                _copy(step, frames, line["actor"], offers, trajectory)
                if line["actor"] == AGENT:
                    offered = _specs(step, offers, tools)
                    _replay(agent, frames.get(step.before), step, offered, prefix.start)
                else:
                    prefix.human += 1
    if point.fork.hint:
        prefix.start.notes += (hint_note(point.fork.hint),)
    return prefix


def offered_before(point: BranchPoint) -> set[str]:
    """The names of all tools that were on offer up to the step that branches start from."""
    offers: dict[str, list[str]] = {}
    names: set[str] = set()
    for line in read_trajectory(point.trial):
        if line["kind"] == "offer":
            offers[line["name"]] = line["tools"]
        elif line["kind"] == "step" and line["number"] <= point.step and line["offered"]:
            names |= set(offers[line["offered"]])
    return names


def _recorded(trial: Path, line: Mapping[str, Any]) -> tuple[Step, dict[str, Frame]]:
    """The step of a line, and the frames before and after it by their hashes."""
    try:
        step = load_step(trial, line)
        names = filter(None, (step.before, step.after))
        return step, {name: load_frame(trial, name) for name in names}
    except (OSError, ValueError) as error:
        raise RehearsalError(f"the recording of {trial} is damaged: {error}") from None


def _copy(
    step: Step,
    frames: Mapping[str, Frame],
    actor: str,
    offers: Mapping[str, list[str]],
    trajectory: Trajectory,
) -> None:
    for frame in frames.values():
        trajectory.frame(frame)
    if step.offered:
        trajectory.offer(offers[step.offered])
    trajectory.step(step, actor)


def _replay(
    agent: Agent,
    frame: Frame | None,
    step: Step,
    offered: Mapping[str, ToolSpec],
    start: EpisodeStart,
) -> None:
    seen = replace(frame, focused=step.focused) if frame else None
    observation = Observation(seen, start.results, tuple(offered.values()), step.notes)
    try:
        decision = _decide(agent, observation, step.decision)
    except RehearsalError as error:
        raise _divergence(step, str(error)) from None
    decision = resolve_aliases(decision, aliases(offered.values()))
    if (replayed := _essence(decision)) != (recorded := _essence(step.decision)):
        raise _divergence(step, f"it was {_short(recorded)}, and is {_short(replayed)}")
    count(start.episode, step, offered, start.repeats)
    start.elapsed += sum(vars(step.seconds).values())
    start.results = tuple(
        replace(result, call=call.id)
        for call, result in zip(decision.calls, step.results, strict=False)
    )


def _decide(agent: Agent, observation: Observation, recorded: Decision) -> Decision:
    if isinstance(agent, Recalls):
        return agent.recall(observation, recorded)
    return agent.step(observation)


def _specs(
    step: Step, offers: Mapping[str, list[str]], tools: Mapping[str, ToolSpec]
) -> dict[str, ToolSpec]:
    names = offers[step.offered]
    if missing := [name for name in names if name not in tools]:
        raise RehearsalError(
            f"step {step.number} offered the tool {missing[0]}, which the guest does not have"
        )
    return {name: tools[name] for name in names}


def _essence(decision: Decision) -> dict[str, Any]:
    """What a decision does. Its thoughts, and the ids of its calls, may differ."""
    essence = {
        "calls": [[call.name, call.arguments] for call in decision.calls],
        "stop": decision.stop,
        "answer": decision.answer,
        "malformed": bool(decision.malformed),
    }
    plain: dict[str, Any] = json.loads(json.dumps(essence, default=str))
    return plain


def _short(essence: Mapping[str, Any]) -> str:
    return json.dumps({key: value for key, value in essence.items() if value}, ensure_ascii=False)


def _divergence(step: Step, how: str) -> RehearsalError:
    return RehearsalError(
        f"the agent does not decide step {step.number} as it did: {how}",
        hint="A branch needs an agent that decides the same again, given the same observations and"
        " the same answers of its models. Your own agent may have a method recall: docs/agents.md.",
    )
