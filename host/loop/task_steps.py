"""The verbs of a `task.toml`, carried out in the guest."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from ambidex.evaluators.manifest import Source
from ambidex.host import ToolCall, ToolResult
from ambidex.host.client.answers import GuestRefusalError, NoSuchWindowError
from ambidex.host.client.guest import UNREADABLE, Guest
from ambidex.host.client.survey import (
    LASTING,
    REFUSED,
    Survey,
    as_evidence,
    changes,
    left_out,
    survey,
)
from ambidex.host.errors import StageError
from ambidex.host.untrusted.parsing import json_value
from ambidex.tasks import Verbs
from ambidex.tasks.spec import (
    Call,
    CallCollect,
    ChangesCollect,
    Get,
    ListCollect,
    Put,
    Run,
    RunCollect,
)

__all__ = ["collect", "set_stage"]


Sources = dict[str, Source]
"""By the name in the evidence directory."""
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
        before = survey(guest, LASTING)
        if REFUSED in before:
            raise StageError(
                f"{name} collects changes, and of the files {before[REFUSED]['files']}"
            )
        (kept / BEFORE).write_text(json.dumps(before), encoding="utf-8")


def collect(name: str, body: Verbs, guest: Guest, evidence: Path, kept: Path | None) -> Sources:
    """Carry out `collect` into the directory `evidence`; what is not there is left out. Returns
    where each piece came from, and what is wrong with it.

    The session is asked first. Then all processes of the agent are frozen, and the files are read.
    """
    home = guest.home
    collecting = body.spec.collect
    settings: Survey = {}
    if any(isinstance(verb, ChangesCollect) for verb in collecting):
        settings = survey(guest, ("settings",))
    sources: Sources = {}
    for index, verb in enumerate(collecting):
        target = evidence / verb.kept_as
        match verb:
            case RunCollect():
                sources[verb.kept_as] = _answered(verb, guest, target)
            case CallCollect():
                sources[verb.kept_as] = _told(f"{name}-collect-{index}", verb, guest, target)
    guest.freeze()
    for verb in collecting:
        target = evidence / verb.kept_as
        match verb:
            case Get():
                sources[verb.kept_as] = _found(verb, guest, target)
            case ListCollect():
                sources[verb.kept_as] = _listed(verb, guest, target)
            case ChangesCollect():
                sources[verb.kept_as] = _changes(guest, target, kept, settings, home)
    return sources


def _changes(guest: Guest, target: Path, kept: Path | None, settings: Survey, home: str) -> Source:
    if kept is None:
        raise StageError("what there was when the setup was done is not known")
    before: Survey = json_value((kept / BEFORE).read_bytes(), BEFORE)
    after = {**survey(guest, ("files",)), **settings}
    refused = after.get(REFUSED, {}).get("files", "")
    said = as_evidence(
        changes(before, after), home, refused=refused, left_out=left_out(before, after)
    )
    target.write_text(said, encoding="utf-8")
    return Source(by="collector", asked="files and settings", state="surveyed", flaw=refused)


def _found(verb: Get, guest: Guest, target: Path) -> Source:
    found = guest.find_file(verb.get)
    if found.state == "file":
        target.write_bytes(found.content)
    flaw = "" if found.state in ("file", "absent") else UNREADABLE[found.state]
    return Source(by="collector", asked=verb.get, state=found.state, size=found.size, flaw=flaw)


def _listed(verb: ListCollect, guest: Guest, target: Path) -> Source:
    found = guest.list_folder(verb.list)
    paths = [path for path in found.paths if verb.folders or not path.endswith("/")]
    target.write_text("".join(f"{path}\n" for path in paths), encoding="utf-8")
    flaw = "" if found.there else "there is no such folder"
    flaw = "it holds too many files" if found.more else flaw
    return Source(by="collector", asked=verb.list, state="listed", size=len(paths), flaw=flaw)


def _answered(verb: RunCollect, guest: Guest, target: Path) -> Source:
    asked = shlex.join(verb.run)
    try:
        ran = guest.run(guest.expanded(verb.run), timeout=verb.timeout)
    except GuestRefusalError as error:
        return Source(by="session", asked=asked, state="failed", flaw=f"it did not start: {error}")
    target.write_text(ran.stdout, encoding="utf-8")
    flaw = ""
    if ran.timed_out:
        flaw = f"the command was not done within {verb.timeout:g} s"
    elif ran.truncated:
        flaw = "the command printed too much"
    elif ran.returncode not in verb.exits:
        flaw = f"the command exited with {ran.returncode}"
    state = "failed" if flaw else "answered"
    size = len(ran.stdout)
    code = ran.returncode
    return Source(by="session", asked=asked, state=state, size=size, exit=code, flaw=flaw)


def _told(id: str, verb: CallCollect, guest: Guest, target: Path) -> Source:
    result = _call(id, verb, guest)
    if result.error:
        flaw = f"the tool failed: {result.text}"
        return Source(by="session", asked=verb.call, state="failed", flaw=flaw)
    target.write_text(json.dumps(result.value, ensure_ascii=False), encoding="utf-8")
    return Source(by="session", asked=verb.call, state="answered")


def _run(where: str, verb: Run, guest: Guest) -> None:
    stays = verb.background or bool(verb.wait_window)
    ran = guest.run(guest.expanded(verb.run), timeout=verb.timeout, background=stays)
    if ran.timed_out or ran.returncode:
        how = "took too long" if ran.timed_out else f"exited with {ran.returncode}"
        raise StageError(f"{where}: {verb.run[0]} {how}: {ran.stderr.strip()[-500:]}")
    if verb.wait_window:
        try:
            guest.wait_window(verb.wait_window, verb.timeout)
        except NoSuchWindowError as error:
            raise StageError(f"{where}: no window {verb.wait_window!r}: {error}") from None


def _call(id: str, verb: Call, guest: Guest) -> ToolResult:
    return guest.call(ToolCall(id, verb.call, verb.with_))
