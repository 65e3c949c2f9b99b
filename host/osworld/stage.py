"""Stages of an OSWorld task in the guest: setup before the episode, then steps and getters."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path

from ambidex.evaluators.manifest import Source
from ambidex.host.client.evidence_files import EvidenceFiles
from ambidex.host.client.guest import Guest
from ambidex.host.errors import StageError
from ambidex.host.osworld.collecting import Collector
from ambidex.host.osworld.questions import ask
from ambidex.host.osworld.steps import StepRunner, programs_of
from ambidex.host.osworld.waiting import STILL, Waiting
from ambidex.host.osworld.watched_files import watched_files
from ambidex.tasks.osworld.evidence import NAME, Record
from ambidex.tasks.osworld.task import OSWorldBody

__all__ = ["STEPS", "collect", "set_stage"]

STEPS = "steps.jsonl"
"""File with the outcome of every step, in the directory of files that the setup stores."""
HOME = "/home/user"
"""The home directory that OSWorld's tasks assume."""


def set_stage(name: str, body: OSWorldBody, guest: Guest, kept: Path, literal: bool) -> None:
    """Run the setup. Raises `StageError` if a program is missing in the guest or a step failed."""
    if guest.home != HOME:
        raise StageError(f"{name}: the desktop user's home must be {HOME}, but is {guest.home}")
    _check_programs(name, body, guest)
    kept.mkdir(parents=True, exist_ok=True)
    waiting = Waiting(guest, literal=literal)
    runner = StepRunner(guest, body.store, kept, waiting)
    with (kept / STEPS).open("w", encoding="utf-8") as record:
        for index, step in enumerate(body.config):
            outcome = runner.do(step)
            record.write(json.dumps({"when": "config", **asdict(outcome)}) + "\n")
            if outcome.fails:
                raise StageError(f"{name}: config[{index}] ({outcome.kind}): {outcome.said}")
        record.write(json.dumps({"when": "config", "said": waiting.settled(STILL)}) + "\n")


def _check_programs(name: str, body: OSWorldBody, guest: Guest) -> None:
    """Raise `StageError` if a program is missing: every agent would score 0 or, worse, 1."""
    programs = programs_of([*body.config, *body.post, *body.getters])
    if programs and (lacking := ask(guest, "lacking", programs=programs)):
        raise StageError(
            f"{name}: the guest has no {', '.join(lacking)}",
            hint="Use an image for OSWorld's tasks; see docs/osworld.md.",
        )


def collect(
    name: str,
    body: OSWorldBody,
    guest: Guest,
    evidence: Path,
    kept: Path,
    literal: bool,
    fresh: Callable[[], AbstractContextManager[Guest]],
    open_files: Callable[[], AbstractContextManager[EvidenceFiles]],
) -> dict[str, Source]:
    """Run the steps after the episode and all getters, and store their answers in `evidence`.
    Files are read through `open_files`. Returns the source of each answer."""
    clock = str(ask(guest, "clock"))
    waiting = Waiting(guest, literal=literal, written=watched_files(body))
    after = evidence / "steps"
    runner = StepRunner(guest, body.store, after, waiting)
    failed = ""
    with (evidence / STEPS).open("w", encoding="utf-8") as record:
        for index, step in enumerate(body.post):
            outcome = runner.do(step)
            record.write(json.dumps({"when": "postconfig", **asdict(outcome)}) + "\n")
            if outcome.fails:
                failed = f"postconfig[{index}] ({outcome.kind}): {outcome.said}"
                break
    if body.post and not literal:
        waiting.settled(STILL)
    collector = Collector(body, guest, evidence, (after, kept), waiting, clock)
    results, expected = collector.all(open_files)
    results = collector.run_apart(results, expected, fresh)
    answers = Record(results=results, expected=expected, failed_step=failed, clock=clock)
    (evidence / NAME).write_text(answers.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return collector.sources
