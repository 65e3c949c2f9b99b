"""Trials that belong together: one, those that went on from its steps, those that went on from
these.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Did", "lanes", "parent_of"]

Name = tuple[str, str]
"""A trial: its run as the room calls it, or as a path where that is not here; its directory."""
TOLD = ("task", "agent", "state", "score", "solved", "reason", "parent")
OF_RUN = ("model", "condition", "fork")
Did = Callable[[str, str], Sequence[str]]
"""What a trial here did, step by step; see `host.room.live_trajectory.brief`."""


def parent_of(said: Mapping[str, Any] | None, runs: Mapping[str, Path]) -> dict[str, Any] | None:
    """Run, trial and step that a branch began at, from `Row.parent` or the first line of its
    trajectory; None for a trial that is no branch."""
    if said is None:
        return None
    where = Path(said["run"]).resolve()
    name = next((name for name, run in runs.items() if run.resolve() == where), str(where))
    return {"run": name, "trial": said["trial"], "step": said["step"]}


@dataclass
class Member:
    """One of the family."""

    said: Mapping[str, Any]
    """As the wall tells it; empty where it tells nothing."""
    parent: Name | None
    step: int
    """Its first step of its own; 1 without a parent."""
    begun: list[Name] = field(default_factory=list)
    """Those that go on from a step of its own."""


def lanes(
    runs: Sequence[Mapping[str, Any]], live: Sequence[Mapping[str, Any]], name: Name, did: Did
) -> list[dict[str, Any]]:
    """The family of a trial, in the order in which it is drawn: each after the one that it left,
    later steps first, so that no line crosses another. `runs` and `live` are as the wall tells
    them.

    `on` is the place in the list of the lane that a branch leaves at `step`. A branch has the
    steps of its parent, so where it began before its parent's first own step, that is the parent
    of the parent.
    """
    of_run = {run["run"]: run for run in runs}
    known = {(each["run"], each["trial"]): each for each in _trials(runs, live)}
    family = {key: _member(known.get(key, {})) for key in _family(name, known)}
    for key, member in family.items():
        if member.parent:
            family[_left(key, family)].begun.append(key)
    return [
        {
            "run": key[0],
            "trial": key[1],
            "here": key[0] in of_run,
            "on": on,
            "step": family[key].step,
            "did": [*(did(*key) if key[0] in of_run else _told(key, family, did))],
            **{name: family[key].said.get(name) for name in TOLD},
            **{name: of_run.get(key[0], {}).get(name) for name in OF_RUN},
        }
        for key, on in _drawn(family)
    ]


def _trials(
    runs: Sequence[Mapping[str, Any]], live: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """All trials; of several attempts the last."""
    for run in runs:
        for row in run["rows"]:
            yield {**row, "run": run["run"], "state": row["fate"]}
    for each in live:
        yield {**each, "score": None, "solved": False, "reason": ""}


def _family(name: Name, known: Mapping[Name, Mapping[str, Any]]) -> list[Name]:
    """Everybody, in no order; an ancestor that is not here is one, too."""
    below: dict[Name, list[Name]] = {}
    for key, said in known.items():
        if above := _above(said):
            below.setdefault(above, []).append(key)
    while above := _above(known.get(name)):
        name = above
    found = [name]
    for key in found:  # it grows
        found += below.get(key, ())
    return found


def _above(said: Mapping[str, Any] | None) -> Name | None:
    parent = said["parent"] if said else None
    return (parent["run"], parent["trial"]) if parent else None


def _member(said: Mapping[str, Any]) -> Member:
    above = _above(said)
    return Member(said, above, said["parent"]["step"] if above else 1)


def _told(key: Name, family: Mapping[Name, Member], did: Did) -> Sequence[str]:
    """What one did that is not here: its branches have its steps."""
    below = [(each, member.step) for each, member in family.items() if member.parent == key]
    return max((did(*each)[: step - 1] for each, step in below), key=len, default=())


def _left(key: Name, family: Mapping[Name, Member]) -> Name:
    """The one whose own step it was that a branch began at."""
    step, above = family[key].step, family[key].parent
    while above and step <= family[above].step and family[above].parent:
        above = family[above].parent
    assert above
    return above


def _drawn(family: Mapping[Name, Member]) -> Iterator[tuple[Name, int | None]]:
    """Each with the place of the one that it left."""
    count = itertools.count()

    def drawn(key: Name, on: int | None) -> Iterator[tuple[Name, int | None]]:
        at = next(count)
        yield key, on
        for each in sorted(family[key].begun, key=lambda each: (-family[each].step, each)):
            yield from drawn(each, at)

    (root,) = (key for key, member in family.items() if member.parent is None)
    return drawn(root, None)
