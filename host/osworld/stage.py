"""An OSWorld task in the guest: its setup before the episode, its steps and getters after it."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path

from ambidex.evaluators.manifest import Source
from ambidex.host.client.guest import Guest
from ambidex.host.errors import StageError
from ambidex.host.osworld.collecting import Collector
from ambidex.host.osworld.questions import ask
from ambidex.host.osworld.steps import Stagehand, programs_of
from ambidex.host.osworld.waiting import STILL, Waiting
from ambidex.host.osworld.watched_files import watched_files
from ambidex.tasks.osworld.evidence import NAME, Record
from ambidex.tasks.osworld.task import OSWorldBody

__all__ = ["STEPS", "collect", "set_stage"]

STEPS = "steps.jsonl"
"""What became of every step, in the directory of what the setup keeps."""
HOME = "/home/user"
"""Where OSWorld's tasks expect everything."""


def set_stage(name: str, body: OSWorldBody, guest: Guest, kept: Path, literal: bool) -> None:
    """Carry out the setup; `StageError` names what the guest lacks, or the step that failed."""
    if guest.home != HOME:
        raise StageError(f"{name}: the desktop user's home is {guest.home}, and not {HOME}")
    _refuse_what_is_lacking(name, body, guest)
    kept.mkdir(parents=True, exist_ok=True)
    waiting = Waiting(guest, literal=literal)
    stagehand = Stagehand(guest, body.store, kept, waiting)
    with (kept / STEPS).open("w", encoding="utf-8") as record:
        for index, step in enumerate(body.config):
            done = stagehand.do(step)
            record.write(json.dumps({"when": "config", **asdict(done)}) + "\n")
            if done.fails:
                raise StageError(f"{name}: config[{index}] ({done.kind}): {done.said}")
        record.write(json.dumps({"when": "config", "said": waiting.settled(STILL)}) + "\n")


def _refuse_what_is_lacking(name: str, body: OSWorldBody, guest: Guest) -> None:
    """A program that is not there would be a 0 for every agent, or worse, a 1."""
    programs = programs_of([*body.config, *body.post, *body.getters])
    if programs and (lacking := ask(guest, "lacking", programs=programs)):
        raise StageError(
            f"{name}: the guest has no {', '.join(lacking)}",
            hint="An image for OSWorld's tasks has them: docs/osworld.md.",
        )


def collect(
    name: str,
    body: OSWorldBody,
    guest: Guest,
    evidence: Path,
    kept: Path,
    literal: bool,
    fresh: Callable[[], AbstractContextManager[Guest]],
) -> dict[str, Source]:
    """Carry out the steps after the episode and all getters; what they gave is in `evidence`.
    Returns where each answer came from."""
    clock = str(ask(guest, "clock"))
    waiting = Waiting(guest, literal=literal, written=watched_files(body))
    after = evidence / "steps"
    stagehand = Stagehand(guest, body.store, after, waiting)
    failed = ""
    with (evidence / STEPS).open("w", encoding="utf-8") as record:
        for index, step in enumerate(body.post):
            done = stagehand.do(step)
            record.write(json.dumps({"when": "postconfig", **asdict(done)}) + "\n")
            if done.fails:
                failed = f"postconfig[{index}] ({done.kind}): {done.said}"
                break
    if body.post and not literal:
        waiting.settled(STILL)
    collector = Collector(body, guest, evidence, (after, kept), waiting, clock)
    results, expected = collector.all()
    results = collector.run_apart(results, expected, fresh)
    said = Record(results=results, expected=expected, failed_step=failed, clock=clock)
    (evidence / NAME).write_text(said.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return collector.sources
