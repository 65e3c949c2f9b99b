"""Check a passport: recompute all that it states from the run's directory, judge the evidence
again, and name the first mismatch."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from ambidex.evaluators.strict import explain
from ambidex.host.errors import TaskError, UsageError
from ambidex.host.passport import Passport, TrialFacts, canonical
from ambidex.host.passport.building import Proof, build
from ambidex.host.passport.counting import miscounts
from ambidex.host.passport.signing import (
    Signature,
    SignatureError,
    check_signature,
    signature_of,
)
from ambidex.host.records.config import NAME as CONFIG
from ambidex.host.records.config import read_config
from ambidex.host.records.rows import read_rows
from ambidex.host.runs.null import NullRun, read_null_run
from ambidex.host.runs.rescoring import rejudge, suite_of
from ambidex.tasks import Suite, ToolSpec

__all__ = ["Mismatch", "Sources", "Verification", "read_passport", "verify"]

CLOSE = 1e-9
"""Relative difference of computed numbers that counts as equal: libraries of other versions may
round differently."""
FIRST = ("run", "settings", "trials", "machine", "suite_hash")
"""What is compared first, since a difference there explains the others."""


@dataclass(frozen=True)
class Mismatch:
    """The first difference between a passport and what it is about."""

    where: str
    stated: str
    found: str

    def __str__(self) -> str:
        return f"{self.where}: stated is {self.stated}, found is {self.found}"


@dataclass(frozen=True)
class Sources:
    """Where the directories are that a passport is about; None: where they are expected."""

    catalogue: Mapping[str, ToolSpec]
    run: Path | None = None
    null: Path | None = None
    proof: Path | None = None
    suite: Path | None = None
    allowed_signers: Path | None = None


@dataclass
class Verification:
    """The result."""

    mismatch: Mismatch | None = None
    signature: Signature | None = None
    checked: tuple[str, ...] = ()
    """What was checked, in sentences."""
    unchecked: tuple[str, ...] = ()
    """What could not be checked, and what would help."""

    notes: tuple[str, ...] = ()
    """What the signature does not show."""

    def did(self, sentence: str) -> None:
        """Add to what was checked."""
        self.checked += (sentence,)

    def could_not(self, sentence: str) -> None:
        """Add to what could not be checked."""
        self.unchecked += (sentence,)


def read_passport(file: Path) -> tuple[Passport, bytes]:
    """A passport and its bytes; `UsageError` if the file is none."""
    try:
        content = file.read_bytes()
        return Passport.model_validate(json.loads(content)), content
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    except ValidationError as error:
        raise UsageError(f"not a passport: {file}: {explain(error, most=3)}") from None
    except ValueError as error:
        raise UsageError(f"not a passport: {file}: {error}") from None


def verify(file: Path, sources: Sources) -> Verification:
    """Check a passport up to the first mismatch. `UsageError` if the file is not a passport, or if
    a directory that was named is not what it should be."""
    stated, content = read_passport(file)
    result = Verification()
    for mismatch in _mismatches(file, stated, content, sources, result):
        result.mismatch = mismatch
        break
    return result


def _mismatches(
    file: Path, stated: Passport, content: bytes, sources: Sources, result: Verification
) -> Iterator[Mismatch]:
    if canonical(stated) != content:
        yield Mismatch(file.name, "in canonical form", "edited or written by another program")
    yield from _signature(file, sources.allowed_signers, result)
    run = sources.run or _expected(file, stated.run.name)
    if run is None:
        result.could_not("the run: its directory is not here, name it with --run")
        return
    null, proof = _null(stated, run, sources, result), _proof(stated, run, sources, result)
    try:
        found = build(run, null, proof, name=stated.run.name)
    except UsageError as error:
        yield Mismatch(run.name, "a run with valid rows", str(error))
        return
    yield from _differences(stated, found)
    rows = len(stated.trials)
    result.did(f"{rows} rows, their evidence and trajectories have the hashes that are stated")
    for where, row_has, trajectory_has in miscounts(run):
        yield Mismatch(where, row_has, trajectory_has)
    result.did("steps, calls and tokens of the rows are those of the trajectories")
    yield from _judged_again(run, sources, result)
    result.did("every number is the one that the rows give")


def _signature(file: Path, allowed: Path | None, result: Verification) -> Iterator[Mismatch]:
    if allowed is None and not signature_of(file).is_file():
        result.notes += ("the passport is not signed: anyone can have written it",)
        return
    if allowed is not None and not allowed.is_file():
        raise UsageError(f"no such file: {allowed}")
    try:
        result.signature = signature = check_signature(file, allowed)
    except SignatureError as error:
        yield Mismatch(signature_of(file).name, "a signature of this passport", str(error))
        return
    if signature.signer:
        result.did(f"signed by {signature.signer} with {signature.key}")
    else:
        result.did(f"signed with {signature.key}")
        result.notes += ("whose key that is was not checked: name a list with --allowed-signers",)


def _expected(file: Path, name: str) -> Path | None:
    """The directory of a run: that of the passport, or one of that name alongside it."""
    for folder in (file.parent, file.parent / name, file.parent.parent / name):
        if (folder / CONFIG).is_file() and folder.resolve().name == name:
            return folder
    return None


def _null(stated: Passport, run: Path, sources: Sources, result: Verification) -> NullRun | None:
    if stated.null is None:
        return None
    folder = sources.null or _expected(run / CONFIG, stated.null.run.name)
    if folder is None:
        result.could_not("the scores of null agents: name their run with --null")
        return None
    return read_null_run(folder)


def _proof(stated: Passport, run: Path, sources: Sources, result: Verification) -> Proof | None:
    if stated.proof is None:
        return None
    folder = sources.proof or _expected(run / CONFIG, stated.proof.run.name)
    if folder is None:
        result.could_not("the proof: name its run with --proof")
        return None
    suite = _suite(folder, sources, result, "the proof")
    if suite is None:
        return None
    proved = read_config(folder).tasks
    if changed := [task.name for task in suite.tasks if proved[task.name] != task.hash]:
        result.could_not(f"the proof: the tasks here are of another version: {', '.join(changed)}")
        return None
    return Proof(folder, suite)


def _suite(run: Path, sources: Sources, result: Verification, what: str) -> Suite | None:
    try:
        return suite_of(read_config(run), sources.catalogue, sources.suite)
    except TaskError as error:
        reason = str(error).splitlines()[0]
        result.could_not(f"{what}: its tasks are not here, name them with --suite ({reason})")
        return None


def _differences(stated: Passport, found: Passport) -> Iterator[Mismatch]:
    """What differs, in the order of importance. A part that could not be rebuilt is skipped."""
    before, now = stated.model_dump(mode="json"), found.model_dump(mode="json")
    for part, of in (("null", ("null", "solved_by_null")), ("proof", ("proof", "claims"))):
        if now[part] is None:
            for document in (before, now):
                document[part] = None
                for task in document["tasks"].values():
                    for field in of:
                        task[field] = None
                if part == "null":
                    document["numbers_without_solvable"] = []
        else:
            now[part]["run"]["name"] = before[part]["run"]["name"]
    for part in (*FIRST, *sorted(before.keys() - {*FIRST})):
        if part == "trials":
            yield from _trial_differences(stated.trials, found.trials)
        elif part == "run":
            yield from _difference(
                "run.json", before[part]["configuration"], now[part]["configuration"]
            )
        else:
            yield from _difference(part, before[part], now[part])
    yield from _difference("results.jsonl", before["run"]["rows"], now["run"]["rows"])


def _trial_differences(
    stated: Sequence[TrialFacts], found: Sequence[TrialFacts]
) -> Iterator[Mismatch]:
    left = {trial.name: trial for trial in found}
    for trial in stated:
        now = left.pop(trial.name, None)
        if now is None:
            yield Mismatch(f"trial {trial.name}", "a row", "none: it was removed")
            continue
        for field in ("fate", "score", "strict", "stop", "steps", "assisted"):
            yield from _difference(
                f"trial {trial.name}: {field}", getattr(trial, field), getattr(now, field)
            )
        for field, what in (
            ("row", "its line in results.jsonl"),
            ("evidence", "its evidence"),
            ("trajectory", "its trajectory"),
        ):
            yield from _difference(
                f"trial {trial.name}: hash of {what}", getattr(trial, field), getattr(now, field)
            )
    for name in left:
        yield Mismatch(f"trial {name}", "nothing", "a row: it was added")


def _difference(where: str, stated: object, found: object) -> Iterator[Mismatch]:
    """The differences of two JSON values, with the path to each."""
    match stated, found:
        case dict(), dict():
            for key in sorted(stated.keys() | found.keys()):
                yield from _difference(f"{where}.{key}", stated.get(key), found.get(key))
        case list(), list() if len(stated) == len(found):
            for at, (one, other) in enumerate(zip(stated, found, strict=True)):
                yield from _difference(f"{where}[{at}]", one, other)
        case float(), float() if math.isclose(stated, found, rel_tol=CLOSE, abs_tol=CLOSE):
            return
        case _ if stated != found or isinstance(stated, bool) is not isinstance(found, bool):
            yield Mismatch(where, _shown(stated), _shown(found))


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else f"{text[:100]}…"


def _judged_again(run: Path, sources: Sources, result: Verification) -> Iterator[Mismatch]:
    """Scores that the evidence does not give."""
    forfeits = [row for row in read_rows(run) if row.fate == "scored" and row.stop is None]
    for row in forfeits:
        if not row.forfeit or row.score:
            yield Mismatch(f"{row.folder}: score", "that of a trial", "a score without an end")
    suite = _suite(run, sources, result, "scores, by judging the evidence again")
    if suite is None:
        return
    changed: set[str] = set()
    judged = 0
    for trial in rejudge(run, suite):
        if trial.task_changed:
            changed.add(trial.before.task)
            continue
        judged += 1
        for field in ("score", "strict"):
            yield from _difference(
                f"{trial.before.folder}: {field}, judged again from its evidence",
                getattr(trial.before, field),
                getattr(trial.now, field),
            )
    result.did(f"{judged} trials, judged again from their evidence, have the same scores")
    if changed:
        result.could_not(
            f"scores of {', '.join(sorted(changed))}: the tasks here are of another version"
        )
