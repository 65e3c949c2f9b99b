"""Trees of trials: a trial, the branches from its steps, their branches, and so on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["StepKinds", "lanes", "parent_of"]

Name = tuple[str, str]
"""A trial: the name of its run in the room, or the run's path if it is not here; its directory."""
OF_TRIAL = ("task", "agent", "state", "score", "solved", "reason", "parent")
OF_RUN = ("model", "condition", "fork")
StepKinds = Callable[[str, str], Sequence[str]]
"""The kind of each step of a trial in this room; see `host.room.live_trajectory.brief`."""


def parent_of(parent: Mapping[str, Any] | None, runs: Mapping[str, Path]) -> dict[str, Any] | None:
    """The run, trial and step of a branch point, from `Row.parent` or the first line of a
    trajectory; None for a trial that is not a branch."""
    if parent is None:
        return None
    where = Path(parent["run"]).resolve()
    name = next((name for name, run in runs.items() if run.resolve() == where), str(where))
    return {"run": name, "trial": parent["trial"], "step": parent["step"]}


@dataclass
class Member:
    """One trial of a tree."""

    entry: Mapping[str, Any]
    """Its entry on the wall; empty if it has none."""
    parent: Name | None
    step: int
    """Its first step after the branch point; 1 without a parent."""
    branches: list[Name] = field(default_factory=list)
    """The trials that branch from its own steps."""


def lanes(
    runs: Sequence[Mapping[str, Any]],
    live: Sequence[Mapping[str, Any]],
    name: Name,
    step_kinds: StepKinds,
) -> list[dict[str, Any]]:
    """The tree of a trial as lanes in drawing order: each branch after its parent, later branch
    points first, so that no lines cross. `runs` and `live` are the wall's summaries.

    `on` is the index of the lane that a branch leaves at `step`. A branch repeats its parent's
    steps, so if its branch point is before the parent's own first step, that lane is an ancestor's.
    """
    of_run = {run["run"]: run for run in runs}
    known = {(entry["run"], entry["trial"]): entry for entry in _trials(runs, live)}
    family = {key: _member(known.get(key, {})) for key in _family(name, known)}
    for key, member in family.items():
        if member.parent:
            family[_lane_of_branch_point(key, family)].branches.append(key)
    return [
        {
            "run": key[0],
            "trial": key[1],
            "here": key[0] in of_run,
            "on": on,
            "step": family[key].step,
            "did": [
                *(
                    step_kinds(*key)
                    if key[0] in of_run
                    else _inherited_steps(key, family, step_kinds)
                )
            ],
            **{name: family[key].entry.get(name) for name in OF_TRIAL},
            **{name: of_run.get(key[0], {}).get(name) for name in OF_RUN},
        }
        for key, on in _in_drawing_order(family)
    ]


def _trials(
    runs: Sequence[Mapping[str, Any]], live: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """All trials, with the last of several attempts."""
    for run in runs:
        for row in run["rows"]:
            yield {**row, "run": run["run"], "state": row["fate"]}
    for trial in live:
        yield {**trial, "score": None, "solved": False, "reason": ""}


def _family(name: Name, known: Mapping[Name, Mapping[str, Any]]) -> list[Name]:
    """All members of a trial's tree, unordered, including ancestors that are not in this room."""
    below: dict[Name, list[Name]] = {}
    for key, entry in known.items():
        if parent := _parent_name(entry):
            below.setdefault(parent, []).append(key)
    while parent := _parent_name(known.get(name)):
        name = parent
    names = [name]
    for key in names:  # grows while iterating
        names += below.get(key, ())
    return names


def _parent_name(entry: Mapping[str, Any] | None) -> Name | None:
    parent = entry["parent"] if entry else None
    return (parent["run"], parent["trial"]) if parent else None


def _member(entry: Mapping[str, Any]) -> Member:
    parent = _parent_name(entry)
    return Member(entry, parent, entry["parent"]["step"] if parent else 1)


def _inherited_steps(
    key: Name, family: Mapping[Name, Member], step_kinds: StepKinds
) -> Sequence[str]:
    """The step kinds of a trial that is not in this room, taken from its branches."""
    below = [(child, member.step) for child, member in family.items() if member.parent == key]
    return max((step_kinds(*child)[: step - 1] for child, step in below), key=len, default=())


def _lane_of_branch_point(key: Name, family: Mapping[Name, Member]) -> Name:
    """The trial that itself took the step at which a branch starts."""
    step, above = family[key].step, family[key].parent
    while above and step <= family[above].step and family[above].parent:
        above = family[above].parent
    assert above
    return above


def _in_drawing_order(family: Mapping[Name, Member]) -> Iterator[tuple[Name, int | None]]:
    """The trials in drawing order, each with the index of the lane that it leaves."""
    count = itertools.count()

    def walk(key: Name, on: int | None) -> Iterator[tuple[Name, int | None]]:
        at = next(count)
        yield key, on
        for child in sorted(family[key].branches, key=lambda name: (-family[name].step, name)):
            yield from walk(child, at)

    (root,) = (key for key, member in family.items() if member.parent is None)
    return walk(root, None)
