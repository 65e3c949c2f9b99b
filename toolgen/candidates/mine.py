"""Mines recorded runs for sequences of GUI calls that agents repeat, as wishes for tools.

A sequence has no tool call in it. Two sequences are the same if they differ only in texts and
coordinates. A sequence counts once per trial. One that occurs only as a part of a longer one is not
returned in addition to it.
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

__all__ = ["GuiCall", "RepeatedSequence", "mine", "sequences", "wish_of"]

SHORTEST, LONGEST = 3, 15
EXAMPLES = 5
READ_ONLY = frozenset({"computer_wait", "computer_screenshot", "computer_window_list"})
"""Calls that change nothing."""
COORDINATES = frozenset({"x", "y", "start_x", "start_y", "end_x", "end_y", "from_x", "from_y"})


@dataclass(frozen=True)
class GuiCall:
    """One GUI call."""

    call: str
    arguments: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """The call without its texts and coordinates: equal for calls that count as the same."""
        masked = {
            name: "…" if name in COORDINATES or name in ("text", "title") else value
            for name, value in sorted(self.arguments.items())
        }
        return f"{self.call} {json.dumps(masked, ensure_ascii=False)}"


@dataclass(frozen=True)
class RepeatedSequence:
    """A sequence of GUI calls that several trials have in common."""

    app: str
    kinds: tuple[str, ...]
    trials: tuple[str, ...]
    """The trials' directories."""
    examples: tuple[tuple[GuiCall, ...], ...]
    """The calls of each trial."""

    @property
    def saved(self) -> int:
        """Steps that a single call would have saved in these trials."""
        return (len(self.kinds) - 1) * len(self.trials)


def mine(runs: Sequence[Path], *, least: int = 3, top: int = 10) -> list[RepeatedSequence]:
    """The `top` sequences that at least `least` solved trials of one app have in common, those that
    would have saved most steps first. `UsageError` if there is no solved trial of a single app."""
    trials_of: dict[tuple[str, tuple[str, ...]], dict[str, tuple[GuiCall, ...]]] = defaultdict(dict)
    solved = 0
    for run in runs:
        for row, folder in _solved(run):
            solved += 1
            for calls in sequences(folder):
                kinds = [call.kind for call in calls]
                for size in range(SHORTEST, min(LONGEST, len(kinds)) + 1):
                    for at in range(len(kinds) - size + 1):
                        key = (row.domain, tuple(kinds[at : at + size]))
                        trials_of[key].setdefault(str(folder), tuple(calls[at : at + size]))
    if not solved:
        names = ", ".join(map(str, runs))
        raise UsageError(
            f"no solved trial of a single application in {names}", hint="See `ambidex report`."
        )
    frequent = [
        RepeatedSequence(app, kinds, tuple(trials), tuple(trials.values()))
        for (app, kinds), trials in trials_of.items()
        if len(trials) >= least
    ]
    longest = [
        sequence for sequence in frequent if not any(_within(sequence, other) for other in frequent)
    ]
    return sorted(longest, key=lambda sequence: (-sequence.saved, sequence.kinds))[:top]


def sequences(folder: Path) -> Iterator[list[GuiCall]]:
    """The uninterrupted sequences of GUI calls of a trial. A tool call ends a sequence; a GUI call
    that changes nothing is skipped."""
    sequence: list[GuiCall] = []
    for line in read_trajectory(folder):
        if line["kind"] != "step" or line.get("actor", "agent") != "agent":
            continue
        for call, app in zip(line["decision"]["calls"], line["apps"], strict=True):
            if app == GUI and call["name"] in READ_ONLY:
                continue
            if app == GUI:
                sequence.append(GuiCall(call["name"], call["arguments"]))
            elif sequence:
                yield sequence
                sequence = []
    if sequence:
        yield sequence


def wish_of(sequence: RepeatedSequence) -> str:
    """The purpose of a tool that replaces the sequence, in words: its calls, and the arguments that
    differed between trials."""
    lines = []
    for at, call in enumerate(sequence.examples[0]):
        values = {
            name: sorted({str(example[at].arguments.get(name)) for example in sequence.examples})
            for name in call.arguments
        }
        line = written(call.call, call.arguments)
        differing = [
            f"{name} was {', '.join(texts[:4])}" for name, texts in values.items() if len(texts) > 1
        ]
        if differing:
            line += f"   [differs: {'; '.join(differing)}]"
        lines.append(f"{at + 1}. {line}")
    return (
        f"Do in one call what was done through the GUI in {len(lines)} steps, in "
        f"{len(sequence.trials)} recorded trials that succeeded:\n" + "\n".join(lines)
    )


def _solved(run: Path) -> Iterator[tuple[Row, Path]]:
    for row in finished(read_rows(run)).values():
        folder = run / row.folder
        if row.success and row.domain not in ("", "multi") and (folder / NAME).exists():
            yield row, folder


def _within(part: RepeatedSequence, whole: RepeatedSequence) -> bool:
    """Whether `part` occurs only as a part of `whole`."""
    if part is whole or part.app != whole.app or len(part.kinds) >= len(whole.kinds):
        return False
    size = len(part.kinds)
    inside = any(
        whole.kinds[at : at + size] == part.kinds for at in range(len(whole.kinds) - size + 1)
    )
    return inside and set(part.trials) <= set(whole.trials)
