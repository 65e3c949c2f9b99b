"""A trial's verdict: its score, its checks with what they expected and found, and its evidence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.manifest import NAME as MANIFEST
from ambidex.evaluators.manifest import read_manifest
from ambidex.host.box.client import box
from ambidex.host.errors import HintedError, TaskError, UsageError
from ambidex.host.loop.branch_point import start_of
from ambidex.host.records.config import RunConfig, read_config
from ambidex.host.room.desk.transcript import catalogue
from ambidex.tasks import Task, Verbs
from ambidex.tasks.load import load_suite

__all__ = ["EVIDENCE", "checks_of", "evidence_of", "score_of"]

EVIDENCE = "evidence"
"""Name of the directory with a trial's evidence."""


def score_of(trial: Path) -> dict[str, Any]:
    """The stored verdict (`score.json`); empty if there is none yet."""
    with suppress(FileNotFoundError, ValueError):
        score = json.loads((trial / "score.json").read_text(encoding="utf-8"))
        if isinstance(score, dict):
            return score
    return {}


def evidence_of(trial: Path) -> list[dict[str, Any]]:
    """The files of the evidence and what the manifest says about each, as JSON."""
    folder = trial / EVIDENCE
    if not folder.is_dir():
        return []
    try:
        sources = read_manifest(folder).sources
    except UnreadableError:
        sources = {}
    found = {
        str(path.relative_to(folder)): path.stat().st_size
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and path.name != MANIFEST
    }
    return [
        {
            "name": name,
            "size": found.get(name),
            **(sources[name].model_dump(include={"by", "asked", "state", "flaw"})
               if name in sources else {"by": "", "asked": "", "state": "file", "flaw": ""}),
        }
        for name in dict.fromkeys((*found, *sources))
    ]  # fmt: skip


def checks_of(trial: Path, name: str) -> dict[str, Any]:
    """Each check of a task with a `task.toml`, with what it expects and what it finds in the
    evidence when it judges it again. `note` says why there are none, or what has changed."""
    config = read_config(trial.parent)
    try:
        task = _task(config, name).at_instance(start_of(trial).get("instance", 1))
    except (UsageError, TaskError) as error:
        return {"checks": [], "note": f"The task cannot be loaded: {error}"}
    if not isinstance(task.body, Verbs):
        return {"checks": [], "note": "This benchmark's verdict has no separate checks."}
    if not (trial / EVIDENCE).is_dir():
        return {"checks": [], "note": "There is no evidence yet."}
    changed = config.tasks.get(name) != task.hash
    note = "The task has changed since the run: these are today's checks." if changed else ""
    return {"checks": [*_judged(task.body, trial / EVIDENCE)], "note": note}


def _task(config: RunConfig, name: str) -> Task:
    suite = load_suite(Path(config.suite), catalogue(), (name,))
    if not suite.tasks:
        raise UsageError(suite.left_out[0].why if suite.left_out else f"no task {name}")
    return suite.tasks[0]


def _judged(body: Verbs, evidence: Path) -> Iterator[dict[str, Any]]:
    for check, bound in zip(body.spec.check, body.checks, strict=True):
        one = replace(body, checks=(bound,))
        told = {"use": check.use, "expected": check.with_}
        try:
            score = box().judge(one.judge, evidence, reads=body.reads).score
        except HintedError as error:
            yield told | {"score": None, "found": str(error)}
        else:
            yield told | {"score": score.value, "found": score.reason}
