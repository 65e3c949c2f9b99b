"""Mining: what agents did by hand over and over, found in recorded runs and offered as wishes.

A sequence is of GUI calls without a tool call between; two are the same where keys are the same and
texts and places stand at the same steps. One counts once for each trial that has it. A sequence
that is only ever seen as a part of a longer one is not offered beside it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ambidex.host import GUI
from ambidex.host.errors import UsageError
from ambidex.host.records.orders import written
from ambidex.host.records.rows import Row, finished, read_rows
from ambidex.host.records.trajectory import NAME, read_trajectory

__all__ = ["Act", "Repeated", "mine", "sequences", "wish_of"]

SHORTEST, LONGEST = 3, 15
EXAMPLES = 5
LOOKS = frozenset({"computer_wait", "computer_screenshot", "computer_window_list"})
"""Calls that change nothing."""
PLACES = frozenset({"x", "y", "start_x", "start_y", "end_x", "end_y", "from_x", "from_y"})


@dataclass(frozen=True)
class Act:
    """One GUI call."""

    call: str
    arguments: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """What makes two calls the same step: texts and places may differ."""
        kept = {
            name: "…" if name in PLACES or name in ("text", "title") else value
            for name, value in sorted(self.arguments.items())
        }
        return f"{self.call} {json.dumps(kept, ensure_ascii=False)}"


@dataclass(frozen=True)
class Repeated:
    """A sequence that several trials have."""

    app: str
    kinds: tuple[str, ...]
    trials: tuple[str, ...]
    """Directories."""
    examples: tuple[tuple[Act, ...], ...]
    """One for each trial."""

    @property
    def saved(self) -> int:
        """Steps that one call instead would have saved."""
        return (len(self.kinds) - 1) * len(self.trials)


def mine(runs: Sequence[Path], *, least: int = 3, top: int = 10) -> list[Repeated]:
    """The sequences that at least `least` solved trials of one app have, those that would have
    saved most steps first."""
    found: dict[tuple[str, tuple[str, ...]], dict[str, tuple[Act, ...]]] = defaultdict(dict)
    seen = 0
    for run in runs:
        for row, folder in _solved(run):
            seen += 1
            for stretch in sequences(folder):
                kinds = [act.kind for act in stretch]
                for size in range(SHORTEST, min(LONGEST, len(kinds)) + 1):
                    for at in range(len(kinds) - size + 1):
                        key = (row.domain, tuple(kinds[at : at + size]))
                        found[key].setdefault(str(folder), tuple(stretch[at : at + size]))
    if not seen:
        named = ", ".join(map(str, runs))
        raise UsageError(f"no solved trial of one application in {named}", hint="See `report`.")
    often = [
        Repeated(app, kinds, tuple(trials), tuple(trials.values()))
        for (app, kinds), trials in found.items()
        if len(trials) >= least
    ]
    whole = [each for each in often if not any(_within(each, other) for other in often)]
    return sorted(whole, key=lambda each: (-each.saved, each.kinds))[:top]


def sequences(folder: Path) -> Iterator[list[Act]]:
    """The stretches of GUI calls of a trial; a tool call ends one, a look does not."""
    stretch: list[Act] = []
    for line in read_trajectory(folder):
        if line["kind"] != "step" or line.get("actor", "agent") != "agent":
            continue
        for call, app in zip(line["decision"]["calls"], line["apps"], strict=True):
            if app == GUI and call["name"] in LOOKS:
                continue
            if app == GUI:
                stretch.append(Act(call["name"], call["arguments"]))
            elif stretch:
                yield stretch
                stretch = []
    if stretch:
        yield stretch


def wish_of(found: Repeated) -> str:
    """What a tool instead would be for, in words, with what differed from trial to trial."""
    steps = []
    for at, act in enumerate(found.examples[0]):
        values = {
            name: {str(e[at].arguments.get(name)) for e in found.examples} for name in act.arguments
        }
        differ = {name: sorted(each) for name, each in values.items() if len(each) > 1}
        said = written(act.call, act.arguments)
        if differ:
            named = "; ".join(f"{name} was {', '.join(each[:4])}" for name, each in differ.items())
            said += f"   [differs: {named}]"
        steps.append(f"{at + 1}. {said}")
    return (
        f"Do in one call what was done by hand in {len(steps)} steps, in {len(found.trials)} "
        "recorded trials that ended well:\n" + "\n".join(steps)
    )


def _solved(run: Path) -> Iterator[tuple[Row, Path]]:
    for row in finished(read_rows(run)).values():
        folder = run / row.folder
        if row.success and row.domain not in ("", "multi") and (folder / NAME).exists():
            yield row, folder


def _within(part: Repeated, whole: Repeated) -> bool:
    """Whether it is only ever seen as a part of the other."""
    if part is whole or part.app != whole.app or len(part.kinds) >= len(whole.kinds):
        return False
    size = len(part.kinds)
    inside = any(
        whole.kinds[at : at + size] == part.kinds for at in range(len(whole.kinds) - size + 1)
    )
    return inside and set(part.trials) <= set(whole.trials)
