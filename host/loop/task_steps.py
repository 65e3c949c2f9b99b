"""Executes the setup and collection steps of a `task.toml` in the guest."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from shutil import copyfile

from ambidex.evaluators.database import BEFORE as BEFORE_EXPORT
from ambidex.evaluators.manifest import Source
from ambidex.host import ToolCall, ToolResult
from ambidex.host.client.answers import UNREADABLE, GuestRefusalError, NoSuchWindowError
from ambidex.host.client.evidence_files import EvidenceFiles
from ambidex.host.client.guest import Guest
from ambidex.host.client.survey import (
    LASTING,
    REFUSED,
    Survey,
    as_evidence,
    changes,
    left_out,
    survey,
    survey_files,
)
from ambidex.host.errors import StageError
from ambidex.host.untrusted.parsing import json_value
from ambidex.tasks import Verbs
from ambidex.tasks.spec import (
    Call,
    CallCollect,
    ChangesCollect,
    ExportCollect,
    Get,
    ListCollect,
    Put,
    Run,
    RunCollect,
    Setup,
)

__all__ = ["collect", "set_stage", "set_up"]


Sources = dict[str, Source]
"""Sources by the name of the piece in the evidence directory."""
BEFORE = "before.json"
"""The survey made after setup, in the directory that setup stores for collection."""


def set_stage(name: str, body: Verbs, guest: Guest, kept: Path | None) -> None:
    """Execute `setup`; `StageError` names the step that failed and why.

    `kept` is the directory for what collection will need. Without one, a task that collects changes
    is refused.
    """
    set_up(name, body.spec.setup, body.folder, guest)
    exports = [one for one in body.spec.collect if isinstance(one, ExportCollect)]
    if exports:
        if kept is None:
            raise StageError(f"{name} exports services, and has no directory for the first export")
        kept.mkdir(parents=True, exist_ok=True)
        guest.freeze()
        for export in exports:
            (kept / _before(export)).write_bytes(guest.export(export.export)[0])
        guest.thaw()
    if any(isinstance(step, ChangesCollect) for step in body.spec.collect):
        if kept is None:
            raise StageError(f"{name} collects changes, and has no directory for the first survey")
        kept.mkdir(parents=True, exist_ok=True)
        before = survey(guest, LASTING)
        if REFUSED in before:
            raise StageError(
                f"{name} collects changes, and the survey of files failed:"
                f" {before[REFUSED]['files']}"
            )
        (kept / BEFORE).write_text(json.dumps(before), encoding="utf-8")


def set_up(name: str, steps: Sequence[Setup], folder: Path, guest: Guest) -> None:
    """Execute these steps; `folder` is the task's, with the files to put. `StageError` names the
    step that failed and why."""
    for index, step in enumerate(steps):
        where = f"{name}: setup[{index}]"
        match step:
            case Put():
                guest.put(step.to, (folder / step.put).read_bytes())
            case Run():
                _run(where, step, guest)
            case Call():
                result = _call(f"{name}-setup-{index}", step, guest)
                if result.error:
                    raise StageError(f"{where}: {step.call}: {result.text}")


def collect(
    name: str,
    body: Verbs,
    guest: Guest,
    evidence: Path,
    kept: Path | None,
    open_files: Callable[[], AbstractContextManager[EvidenceFiles]],
) -> Sources:
    """Execute `collect` into the directory `evidence`; what does not exist is left out. Returns
    where each piece came from, and what is wrong with it.

    The live session is queried first. Then all processes of the agent are frozen, and files are
    read through `open_files`.
    """
    home = guest.home
    collecting = body.spec.collect
    settings: Survey = {}
    if any(isinstance(step, ChangesCollect) for step in collecting):
        settings = survey(guest, ("settings",))
    sources: Sources = {}
    for index, step in enumerate(collecting):
        target = evidence / step.kept_as
        match step:
            case RunCollect():
                sources[step.kept_as] = _run_output(step, guest, target)
            case CallCollect():
                sources[step.kept_as] = _call_result(f"{name}-collect-{index}", step, guest, target)
    guest.freeze()
    with open_files() as files:
        for step in collecting:
            target = evidence / step.kept_as
            match step:
                case Get():
                    sources[step.kept_as] = _file(step, files, target)
                case ListCollect():
                    sources[step.kept_as] = _listing(step, files, target)
                case ExportCollect():
                    sources[step.kept_as] = _export(step, guest, target)
                    if kept is None:
                        raise StageError("the export made after setup is missing")
                    copyfile(kept / _before(step), evidence / _before(step))
                case ChangesCollect():
                    sources[step.kept_as] = _changes(
                        files, target, kept, settings, files.home or home
                    )
    return sources


def _changes(
    files: EvidenceFiles, target: Path, kept: Path | None, settings: Survey, home: str
) -> Source:
    if kept is None:
        raise StageError("the survey made after setup is missing")
    before: Survey = json_value((kept / BEFORE).read_bytes(), BEFORE)
    after = {**survey_files(files.reader), **settings}
    refused = after.get(REFUSED, {}).get("files", "")
    content = as_evidence(
        changes(before, after), home, refused=refused, left_out=left_out(before, after)
    )
    target.write_text(content, encoding="utf-8")
    return Source(by=files.by, asked="files and settings", state="surveyed", flaw=refused)


def _file(step: Get, files: EvidenceFiles, target: Path) -> Source:
    file = files.reader.find_file(step.get)
    if file.state == "file":
        target.write_bytes(file.content)
    flaw = "" if file.state in ("file", "absent") else UNREADABLE[file.state]
    return Source(by=files.by, asked=step.get, state=file.state, size=file.size, flaw=flaw)


def _listing(step: ListCollect, files: EvidenceFiles, target: Path) -> Source:
    listing = files.reader.list_folder(step.list)
    paths = [path for path in listing.paths if step.folders or not path.endswith("/")]
    target.write_text("".join(f"{path}\n" for path in paths), encoding="utf-8")
    flaw = "" if listing.there else "there is no such folder"
    flaw = "it holds too many files" if listing.more else flaw
    return Source(by=files.by, asked=step.list, state="listed", size=len(paths), flaw=flaw)


def _before(step: ExportCollect) -> str:
    return BEFORE_EXPORT.format(step.kept_as.removesuffix(".json"))


def _export(step: ExportCollect, guest: Guest, target: Path) -> Source:
    content, whole = guest.export(step.export)
    target.write_bytes(content)
    flaw = "" if whole else "the service holds too much to be judged"
    return Source(by="service", asked=step.export, state="file", size=len(content), flaw=flaw)


def _run_output(step: RunCollect, guest: Guest, target: Path) -> Source:
    command = shlex.join(step.run)
    try:
        output = guest.run(guest.expanded(step.run), timeout=step.timeout)
    except GuestRefusalError as error:
        flaw = f"it did not start: {error}"
        return Source(by="session", asked=command, state="failed", flaw=flaw)
    target.write_text(output.stdout, encoding="utf-8")
    flaw = ""
    if output.timed_out:
        flaw = f"the command did not finish within {step.timeout:g} s"
    elif output.truncated:
        flaw = "the command printed too much"
    elif output.returncode not in step.exits:
        flaw = f"the command exited with {output.returncode}"
    state = "failed" if flaw else "answered"
    size = len(output.stdout)
    code = output.returncode
    return Source(by="session", asked=command, state=state, size=size, exit=code, flaw=flaw)


def _call_result(id: str, step: CallCollect, guest: Guest, target: Path) -> Source:
    result = _call(id, step, guest)
    if result.error:
        flaw = f"the tool failed: {result.text}"
        return Source(by="session", asked=step.call, state="failed", flaw=flaw)
    target.write_text(json.dumps(result.value, ensure_ascii=False), encoding="utf-8")
    return Source(by="session", asked=step.call, state="answered")


def _run(where: str, step: Run, guest: Guest) -> None:
    stays = step.background or bool(step.wait_window)
    output = guest.run(guest.expanded(step.run), timeout=step.timeout, background=stays)
    if output.timed_out or output.returncode:
        how = "took too long" if output.timed_out else f"exited with {output.returncode}"
        raise StageError(f"{where}: {step.run[0]} {how}: {output.stderr.strip()[-500:]}")
    if step.wait_window:
        try:
            guest.wait_window(step.wait_window, step.timeout)
        except NoSuchWindowError as error:
            raise StageError(f"{where}: no window {step.wait_window!r}: {error}") from None


def _call(id: str, step: Call, guest: Guest) -> ToolResult:
    return guest.call(ToolCall(id, step.call, step.with_))
