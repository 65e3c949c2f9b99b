"""Oddities in task files that OSWorld tolerates: reported as data, so that they can be counted, and
considered before a score is trusted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from ambidex.tasks.osworld.getter_types import BaseGetter, CacheFile, CloudFile, GuestFile
from ambidex.tasks.osworld.getters import parse_getter
from ambidex.tasks.osworld.setup_steps import (
    ActivateWindow,
    CloseWindow,
    Download,
    Execute,
    Launch,
    Open,
    Step,
)
from ambidex.tasks.osworld.task import OSWorldBody, Source

__all__ = ["KINDS", "Oddity", "oddities"]

KINDS = {
    "text for a flag": 'a flag is given as text; any text is true, even "false"',
    "pipe in a list": "a list command has shell syntax among its arguments, passed to the program",
    "list for a shell": "a list command with a shell: only its first member is run",
    "colon in a key": "a rule's key ends in a colon, which is how the metric spells it",
    "roles swapped": "a file of the benchmark is judged by a file of the guest",
    "guest's own file": "the file to compare with comes from the guest and may have been changed",
    "unread option": "an option that the metric never reads",
    "unread key": "a key that the getter never reads",
    "comment": "a key that begins with _ is a comment",
    "window not opened": "a window is named by a file that no step provides and no result contains",
    "window to be made": "saving depends on the title of a window that the agent must open",
    "literal place": "a click at fixed coordinates of a 1920x1080 screen",
    "nothing compared": "a value to compare with, for a metric that takes none",
    "root": "a command uses sudo, which a sandbox does not provide",
    "no config": "the task has no setup",
    "one name twice": "a file of the benchmark is stored under the same name as one of the guest: "
    "OSWorld compares the latter with itself",
    "kept nowhere": "the file to judge is stored by no step",
}
"""Every kind of oddity, with its meaning."""

SHELL = ("|", "||", "&&", ";", ">", ">>", "<")
PLACE = re.compile(r"\b(?:click|doubleClick|moveTo)\(\s*\d+\s*,\s*\d+")
DOCUMENT = re.compile(r"^(.*\.\w{2,5}) (?:- LibreOffice|- Visual Studio Code|\(.*gedit)")


@dataclass(frozen=True)
class Oddity:
    """One oddity: its kind (a key of `KINDS`), location and detail."""

    kind: str
    where: str
    said: str


def oddities(source: Source, raw: Mapping[str, Any], body: OSWorldBody) -> list[Oddity]:
    """All oddities of a task, in the order of the file."""
    return [
        *([] if "config" in raw else [Oddity("no config", "config", "")]),
        *_in_steps("config", raw.get("config", ()), body.config),
        *_in_steps("evaluator.postconfig", raw["evaluator"].get("postconfig", ()), body.post),
        *_windows(body),
        *_in_evaluator(raw["evaluator"], body),
        *_names(body),
    ]


def _in_steps(key: str, raw: Sequence[Any], steps: Sequence[Step]) -> Iterator[Oddity]:
    for index, (raw_step, step) in enumerate(zip(raw, steps, strict=True)):
        where = f"{key}[{index}]"
        parameters = raw_step.get("parameters", {})
        yield from _flags(where, parameters, ("shell", "strict", "by_class"))
        if isinstance(step, Execute | Launch):
            yield from _command(where, step.command, step.shell)


def _flags(where: str, values: Mapping[str, Any], names: Sequence[str]) -> Iterator[Oddity]:
    for name in names:
        if isinstance(values.get(name), str):
            yield Oddity("text for a flag", f"{where}.{name}", values[name])


def _command(where: str, command: str | list[str], shell: bool) -> Iterator[Oddity]:
    if "sudo " in (command if isinstance(command, str) else " ".join(command)):
        yield Oddity("root", where, "sudo")
    if isinstance(command, list) and shell:
        yield Oddity("list for a shell", where, f"{len(command)} members")
    elif isinstance(command, list):
        if operators := [part for part in command[1:] if part in SHELL]:
            yield Oddity("pipe in a list", where, f"{' '.join(operators)} in {command[0]}")
        if any(PLACE.search(part) for part in command):
            yield Oddity("literal place", where, command[-1][:80])


def _windows(body: OSWorldBody) -> Iterator[Oddity]:
    """Steps after the episode that name a window by its document."""
    brought = {
        PurePosixPath(path).name for step in (*body.config, *body.post) for path in _paths(step)
    }
    judged = {
        PurePosixPath(path).name
        for getter in body.getters
        if isinstance(getter, GuestFile)
        for path, _ in getter.pairs()
    }
    text = json.dumps([step.model_dump(mode="json") for step in body.config])
    for index, step in enumerate(body.post):
        if not isinstance(step, ActivateWindow | CloseWindow):
            continue
        match = DOCUMENT.match(step.window_name)
        if match is None or match[1] in brought or match[1] in text:
            continue
        kind = "window to be made" if match[1] in judged else "window not opened"
        yield Oddity(kind, f"evaluator.postconfig[{index}]", step.window_name)


def _paths(step: Step) -> Iterator[str]:
    if isinstance(step, Download):
        yield from (file.path for file in step.files)
    elif isinstance(step, Open):
        yield step.path


def _in_evaluator(raw: Mapping[str, Any], body: OSWorldBody) -> Iterator[Oddity]:
    for key in raw:
        if key.startswith("_"):
            yield Oddity("comment", f"evaluator.{key}", "")
    for key in ("result", "expected"):
        several = isinstance(raw.get(key), list)
        for index, entry in enumerate(_listed(raw.get(key))):
            where = f"evaluator.{key}[{index}]" if several else f"evaluator.{key}"
            if entry:
                yield from _in_getter(where, key, entry)
    several = isinstance(raw.get("options"), list)
    for index, question in enumerate(body.questions):
        at = f"[{index}]" if several else ""
        options = _listed(raw.get("options"))
        selected = options[index] if index < len(options) else None
        for name in selected or ():
            if name.startswith("_"):
                yield Oddity("comment", f"evaluator.options{at}.{name}", "")
        for name in question.metric.unread:
            detail = f"{question.metric.metric.name} does not read it"
            yield Oddity("unread option", f"evaluator.options{at}.{name}", detail)
        if question.expected is not None and question.metric.metric.expected is None:
            name = question.metric.metric.name
            yield Oddity("nothing compared", f"evaluator.expected{at}", name)


def _in_getter(where: str, role: str, getter: Mapping[str, Any]) -> Iterator[Oddity]:
    kind = getter["type"]
    if (role, kind) == ("result", "cloud_file"):
        yield Oddity("roles swapped", where, kind)
    if (role, kind) == ("expected", "vm_file"):
        yield Oddity("guest's own file", where, kind)
    yield from _flags(where, getter, ("multi", "shell", "time_suffix"))
    if "command" in getter:
        yield from _command(where, getter["command"], bool(getter.get("shell")))
    rules = getter.get("rules")
    if isinstance(rules, dict):
        for key in rules:
            if key.endswith(":"):
                yield Oddity("colon in a key", f"{where}.rules", key)
    known = {field.alias or name for name, field in type(parse_getter(getter)).model_fields.items()}
    if issubclass(type(parse_getter(getter)), BaseGetter):
        for key in getter:
            if key not in known:
                yield Oddity("comment" if key.startswith("_") else "unread key", where, key)


def _names(body: OSWorldBody) -> Iterator[Oddity]:
    """Conflicts between names in the single folder where OSWorld stores all fetched files."""
    files = [getter for getter in body.getters if isinstance(getter, GuestFile | CloudFile)]
    guest, cloud = (
        {name for file in files if isinstance(file, kind) for _, name in file.pairs()}
        for kind in (GuestFile, CloudFile)
    )
    for name in sorted(cloud & guest):
        yield Oddity("one name twice", "evaluator", name)
    stored = {
        name
        for step in (*body.config, *body.post)
        if isinstance(step, Execute)
        for name in (step.stdout, step.stderr)
    }
    for getter in body.getters:
        if isinstance(getter, CacheFile) and getter.path not in stored | guest:
            yield Oddity("kept nowhere", "evaluator.result", getter.path)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
