"""The recorded attempts of a run, and an attempt's counts as its trajectory gives them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ambidex.host import Stop, ToolSpec
from ambidex.host.loop.outcomes import outcome_of
from ambidex.host.loop.progress import Episode, RepeatDetector, count
from ambidex.host.records.recorded_steps import load_step
from ambidex.host.records.rows import Row, read_rows
from ambidex.host.records.trajectory import AGENT, NAME, read_trajectory

__all__ = ["COUNTS", "RecordedAttempt", "recorded_attempts", "recount", "text_of"]

COUNTS = (
    "steps",
    "malformed",
    "unsettled",
    "calls",
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "reasoning_tokens",
    "cost",
    "requests",
    "retries",
)
"""The fields of a row that follow from its trajectory."""


@dataclass(frozen=True)
class RecordedAttempt:
    """A row with the directory of its trajectory."""

    row: Row
    folder: Path
    lines: tuple[dict[str, Any], ...]
    """Of the trajectory; empty if the attempt ended before its episode."""


def recorded_attempts(run: Path) -> list[RecordedAttempt]:
    """All attempts of a run, in the order of its rows."""
    rows = read_rows(run)
    left: dict[str, list[Path]] = defaultdict(list)
    for name in {row.folder for row in rows}:
        number = 1
        while (aside := run / f"{name}.earlier-{number}").exists():
            left[name].append(aside)
            number += 1
        left[name].append(run / name)
    later = {name: sum(row.folder == name for row in rows) for name in left}
    attempts = []
    for row in rows:
        # Attempts that were interrupted have a directory and no row: count from the last one.
        folders = left[row.folder]
        folder = folders[-later[row.folder]] if later[row.folder] <= len(folders) else folders[0]
        later[row.folder] -= 1
        lines = tuple(read_trajectory(folder)) if (folder / NAME).is_file() else ()
        attempts.append(RecordedAttempt(row, folder, lines))
    return attempts


def recount(
    folder: Path, lines: Iterable[Mapping[str, Any]], repeats: Mapping[str, int]
) -> dict[str, Any]:
    """The `COUNTS` of a row from the lines of its trajectory. Which successful calls were repeats
    depends on the tools, so their number is given, by the tool's name."""
    episode = Episode()
    for line in lines:
        if line["kind"] == "step" and line["actor"] == AGENT:
            results = [{**result, "images": []} for result in line["results"]]
            step = load_step(folder, {**line, "results": results})
            tools = {
                call.name: ToolSpec(call.name, app, "", {}, reads_only=False)
                for call, app in zip(step.decision.calls, step.apps, strict=True)
                if app is not None
            }
            count(episode, step, tools, RepeatDetector())
    outcome = outcome_of(episode, None, Stop.DONE)
    calls = tuple(
        call.model_copy(update={"repeats": repeats.get(call.tool, 0)}) for call in outcome.calls
    )
    return {**{name: getattr(outcome, name) for name in COUNTS}, "calls": calls}


def text_of(answer: Mapping[str, Any]) -> str:
    """The text of a model's recorded answer, in the format that grounders are asked in."""
    match answer:
        case {"choices": [{"message": {"content": str(text)}}, *_]}:
            return text
    return ""
