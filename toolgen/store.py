"""The foundry on disk: one directory per candidate, every write whole or absent.

<foundry>/<candidate>/
  candidate.json                  what it came from, never rewritten
  drafts/<n>/{tool.py, test_tool.py, draft.json}
  stages/<order>-<stage>.json     how each stage ended last; before that: stages/earlier/
  exchanges/<nnnn>.json           every model exchange, as sent and as answered
  pictures/, evidence/            what stages saw
  reviews/<draft>-<reviewer>.json
  admitted.json, retired.json
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ambidex.evaluators.strict import explain
from ambidex.host.errors import UsageError
from ambidex.toolgen import (
    ORDER,
    STAGES,
    Admission,
    Candidate,
    Draft,
    Outcome,
    Retirement,
    Review,
    Stage,
    StageResult,
)

__all__ = [
    "FOUNDRY",
    "Folder",
    "digest",
    "folders",
    "now",
    "open_candidate",
    "start",
    "write_whole",
]

FOUNDRY = Path("foundry")
TOOL, TEST = "tool.py", "test_tool.py"

M = TypeVar("M", bound=BaseModel)


def now() -> str:
    """This moment in UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def digest(tool: str, test: str) -> str:
    """SHA-256 over a draft's two files: what a verdict is about."""
    found = sha256()
    for text in (tool, test):
        content = text.encode()
        found.update(len(content).to_bytes(8, "big") + content)
    return found.hexdigest()


def write_whole(file: Path, content: bytes) -> None:
    """Write beside, then rename: a reader sees the old file or the new one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    beside.write_bytes(content)
    beside.replace(file)


def start(foundry: Path, candidate: Candidate) -> Folder:
    """The directory of a new candidate; `UsageError` where the name is taken."""
    folder = Folder(foundry / candidate.name)
    if folder.file.exists():
        raise UsageError(
            f"{foundry} has a candidate {candidate.name!r} already", hint="Use another name."
        )
    _write(folder.file, candidate)
    return folder


def open_candidate(foundry: Path, name: str) -> Folder:
    """The directory of that candidate; `UsageError` names those there are."""
    folder = Folder(foundry / name)
    if "/" in name or not folder.file.exists():
        known = ", ".join(each.path.name for each in folders(foundry)) or "none"
        raise UsageError(f"{foundry} has no candidate {name!r}", hint=f"There are: {known}.")
    return folder


def folders(foundry: Path) -> list[Folder]:
    """All candidates, by name."""
    return [Folder(file.parent) for file in sorted(foundry.glob("*/candidate.json"))]


@dataclass(frozen=True)
class Folder:
    """A candidate's directory."""

    path: Path

    @property
    def file(self) -> Path:
        """What it came from."""
        return self.path / "candidate.json"

    def candidate(self) -> Candidate:
        """What it came from."""
        return _read(self.file, Candidate)

    # Drafts

    def drafts(self) -> list[Draft]:
        """In the order they were made. One that was not written to its end is none."""
        found = self.path.glob("drafts/*/draft.json")
        return sorted((_read(file, Draft) for file in found), key=lambda draft: draft.n)

    def latest(self) -> Draft | None:
        """The draft that all further stages are about."""
        drafts = self.drafts()
        return drafts[-1] if drafts else None

    def text(self, draft: int) -> tuple[str, str]:
        """A draft's tool and tests, as text; nothing here ever runs them."""
        folder = self.path / "drafts" / str(draft)
        return (folder / TOOL).read_text("utf-8"), (folder / TEST).read_text("utf-8")

    def beside(self, draft: int, name: str) -> Any:
        """Data that was kept beside a draft; an empty list where there is none."""
        file = self.path / "drafts" / str(draft) / name
        return json.loads(file.read_bytes()) if file.exists() else []

    def add_draft(self, tool: str, test: str, by: str, beside: Mapping[str, object] = {}) -> Draft:
        """Keep a new draft, with data beside it by file name; the former ones stay."""
        last = self.latest()
        if last and last.sha256 == digest(tool, test):
            return last  # a stage that was killed after it had written it
        draft = Draft.model_validate(
            {"n": last.n + 1 if last else 1, "from": by, "sha256": digest(tool, test)}
        )
        folder = self.path / "drafts" / str(draft.n)
        write_whole(folder / TOOL, tool.encode())
        write_whole(folder / TEST, test.encode())
        for name, said in beside.items():
            write_whole(folder / name, json.dumps(said, ensure_ascii=False, indent=1).encode())
        _write(folder / "draft.json", draft)  # the last: it says that the others are whole
        return draft

    # Stages

    def result(self, stage: Stage) -> StageResult | None:
        """How the stage ended last; None where it was not reached."""
        file = self._stage_file(stage)
        return _read(file, StageResult) if file.exists() else None

    def results(self) -> list[StageResult]:
        """Of all stages that were reached, in order."""
        return [found for stage in STAGES if (found := self.result(stage))]

    def last(self) -> StageResult | None:
        """Where it is: what it waits for, or else the furthest stage that it reached."""
        results = self.results()
        if not results:
            return None
        newest = max(results, key=lambda result: result.ended)
        waits = newest.outcome in (Outcome.WAITING, Outcome.ERROR)
        return newest if waits else results[-1]

    def earlier(self) -> list[StageResult]:
        """What stages said before, oldest first."""
        found = [_read(file, StageResult) for file in self.path.glob("stages/earlier/*.json")]
        return sorted(found, key=lambda result: result.ended)

    def keep(self, result: StageResult) -> None:
        """Write how a stage ended; what else it said before is kept under stages/earlier/."""
        before = self.result(result.stage)
        moments = {"started": result.started, "ended": result.ended}
        if before and before.model_copy(update=moments) != result:
            self._aside(result.stage)
        _write(self._stage_file(result.stage), result)

    def reopen(self, stage: Stage) -> None:
        """Have a stage done again: what it said, and what came after it, is kept as earlier."""
        for each in STAGES[STAGES.index(stage) :]:
            if self._stage_file(each).exists():
                self._aside(each)
                self._stage_file(each).unlink()

    def _aside(self, stage: Stage) -> None:
        file = self._stage_file(stage)
        before = self.path / "stages" / "earlier"
        before.mkdir(exist_ok=True)
        number = len(list(before.glob(f"{file.stem}-*.json"))) + 1
        os.link(file, before / f"{file.stem}-{number}.json")

    def _stage_file(self, stage: Stage) -> Path:
        return self.path / "stages" / f"{ORDER[stage]}-{stage}.json"

    # Exchanges, and what stages saw

    def exchanges(self) -> list[dict[str, Any]]:
        """Every exchange with a model, in order."""
        files = sorted(self.path.glob("exchanges/[0-9]*.json"))
        return [json.loads(file.read_text(encoding="utf-8")) for file in files]

    def add_exchange(self, said: Mapping[str, Any]) -> int:
        """Keep one exchange; returns its number."""
        number = len(list(self.path.glob("exchanges/[0-9]*.json"))) + 1
        self.answer_exchange(number, said)
        return number

    def answer_exchange(self, number: int, said: Mapping[str, Any]) -> None:
        """Write an exchange again, now that it was answered."""
        text = json.dumps(said, ensure_ascii=False, indent=1)
        write_whole(self.path / "exchanges" / f"{number:04}.json", text.encode())

    def put(self, path: str, content: bytes) -> str:
        """Keep a file of evidence or a picture; returns its path in the candidate's directory."""
        write_whole(self.path / path, content)
        return path

    # People

    def reviews(self) -> list[Review]:
        """Every verdict there is, on whatever draft, by the moment it was given."""
        found = [_read(file, Review) for file in self.path.glob("reviews/*.json")]
        return sorted(found, key=lambda review: review.given)

    def add_review(self, review: Review) -> None:
        """Keep a verdict. Whether it may be given, and what it means, is `toolgen.verdicts`."""
        _write(self.path / "reviews" / f"{review.draft}-{review.reviewer}.json", review)

    def admission(self) -> Admission | None:
        """What was written into the tree; None where it never was."""
        file = self.path / "admitted.json"
        return _read(file, Admission) if file.exists() else None

    def retirement(self) -> Retirement | None:
        """What was taken out of the tree again."""
        file = self.path / "retired.json"
        return _read(file, Retirement) if file.exists() else None

    def admitted(self, said: Admission) -> None:
        """Keep what was written."""
        _write(self.path / "admitted.json", said)

    def retired(self, said: Retirement) -> None:
        """Keep what was taken out."""
        _write(self.path / "retired.json", said)


def _write(file: Path, said: BaseModel) -> None:
    write_whole(file, said.model_dump_json(indent=1, by_alias=True).encode() + b"\n")


def _read(file: Path, model: type[M]) -> M:
    try:
        return model.model_validate_json(file.read_bytes())
    except ValidationError as error:
        raise UsageError(f"not a {model.__name__}: {file}: {explain(error)}") from None
