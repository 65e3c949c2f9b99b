"""The foundry on disk: one directory per candidate; every file is written atomically.

<foundry>/<candidate>/
  candidate.json                  its source; never rewritten
  drafts/<n>/{tool.py, test_tool.py, draft.json}
  stages/<order>-<stage>.json     the latest result of each stage; previous ones: stages/earlier/
  exchanges/<nnnn>.json           every exchange with a model, as sent and as answered
  pictures/, evidence/            what stages recorded
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
from ambidex.vm.whole_files import write_whole

__all__ = [
    "FOUNDRY",
    "Folder",
    "digest",
    "folders",
    "now",
    "open_candidate",
    "start",
]

FOUNDRY = Path("foundry")
TOOL, TEST = "tool.py", "test_tool.py"

M = TypeVar("M", bound=BaseModel)


def now() -> str:
    """The current time in UTC, ISO 8601, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def digest(tool: str, test: str) -> str:
    """SHA-256 over a draft's two files, which verdicts refer to."""
    checksum = sha256()
    for text in (tool, test):
        content = text.encode()
        checksum.update(len(content).to_bytes(8, "big") + content)
    return checksum.hexdigest()


def start(foundry: Path, candidate: Candidate) -> Folder:
    """Create the directory of a new candidate. `UsageError` if the name is taken."""
    folder = Folder(foundry / candidate.name)
    if folder.file.exists():
        raise UsageError(
            f"{foundry} already has a candidate {candidate.name!r}", hint="Use another name."
        )
    _write(folder.file, candidate)
    return folder


def open_candidate(foundry: Path, name: str) -> Folder:
    """The directory of an existing candidate. `UsageError` lists the known names."""
    folder = Folder(foundry / name)
    if "/" in name or not folder.file.exists():
        known = ", ".join(other.path.name for other in folders(foundry)) or "none"
        raise UsageError(f"{foundry} has no candidate {name!r}", hint=f"Candidates: {known}.")
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
        """The path of candidate.json."""
        return self.path / "candidate.json"

    def candidate(self) -> Candidate:
        """The content of candidate.json."""
        return _read(self.file, Candidate)

    # Drafts

    def drafts(self) -> list[Draft]:
        """All complete drafts, in the order they were made."""
        files = self.path.glob("drafts/*/draft.json")
        return sorted((_read(file, Draft) for file in files), key=lambda draft: draft.n)

    def latest(self) -> Draft | None:
        """The draft that the stages after `wrap` work on."""
        drafts = self.drafts()
        return drafts[-1] if drafts else None

    def text(self, draft: int) -> tuple[str, str]:
        """A draft's tool and tests, as text. Nothing on the host runs them."""
        folder = self.path / "drafts" / str(draft)
        return (folder / TOOL).read_text("utf-8"), (folder / TEST).read_text("utf-8")

    def attachment(self, draft: int, name: str) -> Any:
        """JSON data that was stored with a draft; an empty list if there is none."""
        file = self.path / "drafts" / str(draft) / name
        return json.loads(file.read_bytes()) if file.exists() else []

    def add_draft(
        self, tool: str, test: str, by: str, attachments: Mapping[str, object] = {}
    ) -> Draft:
        """Add a draft, with JSON data to store with it by file name. Earlier drafts remain.

        A text equal to the latest draft's returns that draft: the stage was interrupted after
        writing it.
        """
        last = self.latest()
        if last and last.sha256 == digest(tool, test):
            return last
        draft = Draft.model_validate(
            {"n": last.n + 1 if last else 1, "from": by, "sha256": digest(tool, test)}
        )
        folder = self.path / "drafts" / str(draft.n)
        write_whole(folder / TOOL, tool.encode())
        write_whole(folder / TEST, test.encode())
        for name, content in attachments.items():
            write_whole(folder / name, json.dumps(content, ensure_ascii=False, indent=1).encode())
        _write(folder / "draft.json", draft)  # written last: it marks the draft as complete
        return draft

    # Stages

    def result(self, stage: Stage) -> StageResult | None:
        """The latest result of a stage; None if it was not reached."""
        file = self._stage_file(stage)
        return _read(file, StageResult) if file.exists() else None

    def results(self) -> list[StageResult]:
        """The latest results of all stages that were reached, in order."""
        return [result for stage in STAGES if (result := self.result(stage))]

    def last(self) -> StageResult | None:
        """The candidate's position: the newest result if it is waiting or an error, otherwise the
        result of the furthest stage."""
        results = self.results()
        if not results:
            return None
        newest = max(results, key=lambda result: result.ended)
        waits = newest.outcome in (Outcome.WAITING, Outcome.ERROR)
        return newest if waits else results[-1]

    def earlier(self) -> list[StageResult]:
        """Superseded results, oldest first."""
        results = [_read(file, StageResult) for file in self.path.glob("stages/earlier/*.json")]
        return sorted(results, key=lambda result: result.ended)

    def add_result(self, result: StageResult) -> None:
        """Store the result of a stage. A previous one that differs is archived in
        stages/earlier/."""
        previous = self.result(result.stage)
        times = {"started": result.started, "ended": result.ended}
        if previous and previous.model_copy(update=times) != result:
            self._archive(result.stage)
        _write(self._stage_file(result.stage), result)

    def reopen(self, stage: Stage) -> None:
        """Make a stage run again: archive its result and those of the stages after it."""
        for later in STAGES[STAGES.index(stage) :]:
            if self._stage_file(later).exists():
                self._archive(later)
                self._stage_file(later).unlink()

    def _archive(self, stage: Stage) -> None:
        file = self._stage_file(stage)
        archive = self.path / "stages" / "earlier"
        archive.mkdir(exist_ok=True)
        number = len(list(archive.glob(f"{file.stem}-*.json"))) + 1
        os.link(file, archive / f"{file.stem}-{number}.json")

    def _stage_file(self, stage: Stage) -> Path:
        return self.path / "stages" / f"{ORDER[stage]}-{stage}.json"

    # Exchanges with models, and evidence

    def exchanges(self) -> list[dict[str, Any]]:
        """Every exchange with a model, in order."""
        files = sorted(self.path.glob("exchanges/[0-9]*.json"))
        return [json.loads(file.read_text(encoding="utf-8")) for file in files]

    def add_exchange(self, exchange: Mapping[str, Any]) -> int:
        """Store a new exchange and return its number."""
        number = len(list(self.path.glob("exchanges/[0-9]*.json"))) + 1
        self.update_exchange(number, exchange)
        return number

    def update_exchange(self, number: int, exchange: Mapping[str, Any]) -> None:
        """Rewrite an exchange, with its answer."""
        text = json.dumps(exchange, ensure_ascii=False, indent=1)
        write_whole(self.path / "exchanges" / f"{number:04}.json", text.encode())

    def put(self, path: str, content: bytes) -> str:
        """Store a file of evidence or a picture. Returns `path`, which is relative to the
        candidate's directory."""
        write_whole(self.path / path, content)
        return path

    # People

    def reviews(self) -> list[Review]:
        """The verdicts on all drafts, in the order they were given."""
        reviews = [_read(file, Review) for file in self.path.glob("reviews/*.json")]
        return sorted(reviews, key=lambda review: review.given)

    def add_review(self, review: Review) -> None:
        """Store a verdict. `toolgen.verdicts` decides whether it may be given and what it
        means."""
        _write(self.path / "reviews" / f"{review.draft}-{review.reviewer}.json", review)

    def admission(self) -> Admission | None:
        """The record of the tool's admission; None if it was never admitted."""
        file = self.path / "admitted.json"
        return _read(file, Admission) if file.exists() else None

    def retirement(self) -> Retirement | None:
        """The record of the tool's retirement; None if it was never retired."""
        file = self.path / "retired.json"
        return _read(file, Retirement) if file.exists() else None

    def add_admission(self, admission: Admission) -> None:
        """Store the record of the tool's admission."""
        _write(self.path / "admitted.json", admission)

    def add_retirement(self, retirement: Retirement) -> None:
        """Store the record of the tool's retirement."""
        _write(self.path / "retired.json", retirement)


def _write(file: Path, record: BaseModel) -> None:
    write_whole(file, record.model_dump_json(indent=1, by_alias=True).encode() + b"\n")


def _read(file: Path, model: type[M]) -> M:
    try:
        return model.model_validate_json(file.read_bytes())
    except ValidationError as error:
        raise UsageError(f"not a {model.__name__}: {file}: {explain(error)}") from None
