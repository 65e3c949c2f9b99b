"""From an episode and its verdict to the numbers of a row."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from ambidex.host import Stop
from ambidex.host.loop.progress import Episode
from ambidex.host.records.call_counts import CallCount
from ambidex.host.records.rows import Outcome
from ambidex.tasks import Verdict
from ambidex.tasks.points import written_checkpoints

__all__ = ["outcome_of", "scores_of", "write_score"]


def scores_of(verdict: Verdict) -> dict[str, Any]:
    """The verdict as fields of a row."""
    strict = verdict.strict
    return {
        "score": verdict.score.value,
        "reason": verdict.score.reason,
        "strict": strict.value if strict else None,
        "strict_reason": strict.reason if strict else "",
        "collateral": None if verdict.collateral is None else dict(verdict.collateral),
    }


def outcome_of(episode: Episode, verdict: Verdict | None, stop: Stop) -> Outcome:
    """The episode's counts, with this verdict; without a score if there is none yet."""
    calls = Counter((call.tool, call.app) for call in episode.calls)
    errors = Counter((call.tool, call.app) for call in episode.calls if call.error)
    repeats = Counter((call.tool, call.app) for call in episode.calls if call.repeat)
    return Outcome(
        **(scores_of(verdict) if verdict else {}),
        stop=stop,
        steps=episode.steps,
        malformed=episode.malformed,
        unsettled=episode.unsettled,
        calls=tuple(
            CallCount(tool=key[0], app=key[1], calls=n, errors=errors[key], repeats=repeats[key])
            for key, n in calls.items()
        ),
        input_tokens=episode.usage.input_tokens,
        output_tokens=episode.usage.output_tokens,
        cached_tokens=episode.usage.cached_tokens,
        reasoning_tokens=episode.usage.reasoning_tokens,
        cost=episode.usage.cost,
        requests=episode.usage.requests,
        retries=episode.usage.retries,
    )


def write_score(folder: Path, verdict: Verdict, stop: Stop, threshold: float) -> None:
    """Store the verdict in the trial's directory, as `score.json`."""
    scores = scores_of(verdict)
    score = {"value": scores.pop("score"), "reason": scores.pop("reason"), "stop": stop}
    kept = scores if verdict.strict is not None else {}
    score |= {name: value for name, value in kept.items() if name != "collateral"}
    if verdict.collateral is not None:
        score["collateral"] = dict(verdict.collateral)
    if threshold != 1.0:
        score["threshold"] = threshold
    if points := verdict.score.points:
        score |= {"titles": [one.title for one in points], **written_checkpoints(points)}
    (folder / "score.json").write_text(json.dumps(score) + "\n", encoding="utf-8")
