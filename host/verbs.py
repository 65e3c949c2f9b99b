"""The verbs of a `task.toml`, carried out in the guest."""

from __future__ import annotations

import json
from pathlib import Path

from host import ToolCall, ToolResult
from host.errors import StageError
from host.guest import Guest, NoSuchFile, NoSuchWindow
from host.survey import LASTING, Survey, as_evidence, changes, survey
from host.untrusted.parsing import json_value
from tasks import Verbs
from tasks.spec import Call, CallCollect, ChangesCollect, Get, Put, Run, RunCollect

__all__ = ["collect", "set_stage"]


BEFORE = "before.json"
"""What there was when the setup was done, in the directory of what it leaves for the collecting."""


def set_stage(name: str, body: Verbs, guest: Guest, kept: Path | None) -> None:
    """Carry out `setup`; `StageError` names the step that failed and what was seen.

    `kept` is the directory for what the collecting will need; without one, a task that collects
    changes is refused.
    """
    for index, verb in enumerate(body.spec.setup):
        where = f"{name}: setup[{index}]"
        match verb:
            case Put():
                guest.put(verb.to, (body.folder / verb.put).read_bytes())
            case Run():
                _run(where, verb, guest)
            case Call():
                result = _call(f"{name}-setup-{index}", verb, guest)
                if result.error:
                    raise StageError(f"{where}: {verb.call}: {result.text}")
    if any(isinstance(verb, ChangesCollect) for verb in body.spec.collect):
        if kept is None:
            raise StageError(f"{name} collects changes, and there is nowhere to keep what was")
        kept.mkdir(parents=True, exist_ok=True)
        (kept / BEFORE).write_text(json.dumps(survey(guest, LASTING)), encoding="utf-8")


def collect(name: str, body: Verbs, guest: Guest, evidence: Path, kept: Path | None) -> None:
    """Carry out `collect` into the directory `evidence`; what is not there is left out."""
    for index, verb in enumerate(body.spec.collect):
        if isinstance(verb, ChangesCollect):
            _changes(guest, evidence / verb.kept_as, kept)
        else:
            _collect(f"{name}-collect-{index}", verb, guest, evidence / verb.kept_as)


def _changes(guest: Guest, target: Path, kept: Path | None) -> None:
    if kept is None:
        raise StageError("what there was when the setup was done is not known")
    before: Survey = json_value((kept / BEFORE).read_bytes(), BEFORE)
    found = changes(before, survey(guest, LASTING))
    target.write_text(as_evidence(found, guest.home), encoding="utf-8")


def _run(where: str, verb: Run, guest: Guest) -> None:
    stays = verb.background or bool(verb.wait_window)
    ran = guest.run(guest.expanded(verb.run), timeout=verb.timeout, background=stays)
    if ran.timed_out or ran.returncode:
        how = "took too long" if ran.timed_out else f"exited with {ran.returncode}"
        raise StageError(f"{where}: {verb.run[0]} {how}: {ran.stderr.strip()[-500:]}")
    if verb.wait_window:
        try:
            guest.wait_window(verb.wait_window, verb.timeout)
        except NoSuchWindow as error:
            raise StageError(f"{where}: no window {verb.wait_window!r}: {error}") from None


def _collect(id: str, verb: Get | RunCollect | CallCollect, guest: Guest, target: Path) -> None:
    match verb:
        case Get():
            try:
                guest.save(verb.get, target)
            except NoSuchFile:
                return
        case RunCollect():
            ran = guest.run(guest.expanded(verb.run), timeout=verb.timeout)
            target.write_text(ran.stdout, encoding="utf-8")
        case CallCollect():
            result = _call(id, verb, guest)
            if not result.error:
                target.write_text(json.dumps(result.value, ensure_ascii=False), encoding="utf-8")


def _call(id: str, verb: Call, guest: Guest) -> ToolResult:
    return guest.call(ToolCall(id, verb.call, verb.with_))
