"""The beginning of a recorded episode, gone through again by an agent that is to go on from there.

What an agent remembers is not stored. A new one is shown what was seen and told what came of it,
while its models give the answers they gave then (`host.models.recorded_answers`); what it decides
must be what was decided. So any dialect and any agent gets its state back, and one that does not
decide the same again is found out. No machine is needed for it, and no model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from ambidex.host import Agent, Decision, Frame, Observation, ToolSpec
from ambidex.host.errors import RehearsalError
from ambidex.host.loop.branch_point import Origin
from ambidex.host.loop.episode import aliases, by_our_names
from ambidex.host.loop.progress import Begun, count
from ambidex.host.loop.supervision import HELPS, hinted
from ambidex.host.records.recorded_steps import load_frame, load_step
from ambidex.host.records.trajectory import AGENT, Step, Trajectory, read_trajectory

__all__ = ["Recalls", "Rehearsed", "rehearse"]


@runtime_checkable
class Recalls(Protocol):
    """An agent that is told what it decided; one that is not of this kind is asked again."""

    def recall(self, observation: Observation, decision: Decision) -> Decision:
        """Take in a step that was taken; what it was taken for."""


@dataclass
class Rehearsed:
    """What has been gone through."""

    begun: Begun = field(default_factory=Begun)
    human: int = 0
    """Steps that a person took."""
    assisted: bool = False
    """Whether a person helped in it."""


def rehearse(
    agent: Agent, origin: Origin, served: Sequence[ToolSpec], trajectory: Trajectory
) -> Rehearsed:
    """Bring the agent to where it was before the step of its origin, and write what comes before
    the step into the trajectory.

    `served` are the tools of the guest. `RehearsalError` where the agent decides otherwise than it
    did, or where the record is not whole.
    """
    found, offers = Rehearsed(), dict[str, list[str]]()
    tools = {tool.name: tool for tool in served}
    for line in read_trajectory(origin.trial):
        match line:
            case {"kind": "offer"}:
                offers[line["name"]] = line["tools"]
            case {"kind": "person"}:
                found.assisted |= line["order"] in HELPS
                trajectory.person(**{key: said for key, said in line.items() if key != "kind"})
            case {"kind": "step"}:
                taken, frames = _recorded(origin.trial, line)
                if taken.number >= origin.step:
                    found.begun.notes = taken.notes
                    break
                _write(taken, frames, line["actor"], offers, trajectory)
                if line["actor"] == AGENT:
                    offered = _specs(taken, offers, tools)
                    _take(agent, frames[taken.before], taken, offered, found.begun)
                else:
                    found.human += 1
    if origin.fork.hint:
        found.begun.notes += (hinted(origin.fork.hint),)
    return found


def _recorded(trial: Path, line: Mapping[str, Any]) -> tuple[Step, dict[str, Frame]]:
    """The step of a line, and the frames before and after it by their hashes."""
    try:
        taken = load_step(trial, line)
        names = filter(None, (taken.before, taken.after))
        return taken, {name: load_frame(trial, name) for name in names}
    except (OSError, ValueError) as error:
        raise RehearsalError(f"the record of {trial} is not whole: {error}") from None


def _write(
    taken: Step,
    frames: Mapping[str, Frame],
    actor: str,
    offers: Mapping[str, list[str]],
    trajectory: Trajectory,
) -> None:
    for frame in frames.values():
        trajectory.frame(frame)
    if taken.offered:
        trajectory.offer(offers[taken.offered])
    trajectory.step(taken, actor)


def _take(
    agent: Agent, frame: Frame, taken: Step, offered: Mapping[str, ToolSpec], begun: Begun
) -> None:
    frame = replace(frame, focused=taken.focused)
    seen = Observation(frame, begun.results, tuple(offered.values()), taken.notes)
    try:
        again = _decided(agent, seen, taken.decision)
    except RehearsalError as error:
        raise _differs(taken, str(error)) from None
    again = by_our_names(again, aliases(offered.values()))
    if (said := _essence(again)) != (then := _essence(taken.decision)):
        raise _differs(taken, f"it was {_short(then)}, and is {_short(said)}")
    count(begun.episode, taken, offered, begun.said)
    begun.elapsed += sum(vars(taken.seconds).values())
    begun.results = tuple(
        replace(result, call=call.id)
        for call, result in zip(again.calls, taken.results, strict=False)
    )


def _decided(agent: Agent, seen: Observation, decision: Decision) -> Decision:
    if isinstance(agent, Recalls):
        return agent.recall(seen, decision)
    return agent.step(seen)


def _specs(
    taken: Step, offers: Mapping[str, list[str]], tools: Mapping[str, ToolSpec]
) -> dict[str, ToolSpec]:
    names = offers[taken.offered]
    if gone := [name for name in names if name not in tools]:
        raise RehearsalError(f"step {taken.number} had the tool {gone[0]}, which the guest has not")
    return {name: tools[name] for name in names}


def _essence(decision: Decision) -> dict[str, Any]:
    """What a decision does: what is thought with it, and the ids of its calls, may differ."""
    said = {
        "calls": [[call.name, call.arguments] for call in decision.calls],
        "stop": decision.stop,
        "answer": decision.answer,
        "malformed": bool(decision.malformed),
    }
    plain: dict[str, Any] = json.loads(json.dumps(said, default=str))
    return plain


def _short(essence: Mapping[str, Any]) -> str:
    return json.dumps({key: said for key, said in essence.items() if said}, ensure_ascii=False)


def _differs(taken: Step, how: str) -> RehearsalError:
    return RehearsalError(
        f"the agent does not decide step {taken.number} as it did: {how}",
        hint="Only an agent that decides the same again, given what it saw and what its models"
        " answered, can go on from a step. One of yours may have a method recall: docs/agents.md.",
    )
