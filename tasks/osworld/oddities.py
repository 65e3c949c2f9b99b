"""What is odd in a task file and was tolerated, because OSWorld tolerates it: each kind as data, so
that it can be counted, and read before a score is believed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from ambidex.tasks.osworld.getter_types import Asked, CacheFile, CloudFile, GuestFile
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
    "text for a flag": 'a flag is given as text; any text is true, also "false"',
    "pipe in a list": "a list command has shell syntax among its arguments: the program gets it",
    "list for a shell": "a list command with a shell: only its first member is run",
    "colon in a key": "a rule's key ends in a colon, and is the metric's own spelling",
    "roles swapped": "a file of the benchmark is judged, by one of the guest",
    "guest's own file": "what is compared with is a file of the guest, and may have been changed",
    "unread option": "an option that the metric never reads",
    "unread key": "a getter is given a key that it never reads",
    "comment": "a key that begins with _ is a comment",
    "window not opened": "a window is named by a file that no step brings and no result holds",
    "window to be made": "saving depends on the title of a window that the agent is to open",
    "literal place": "a click at a fixed place of a screen of 1920x1080",
    "nothing compared": "something to compare with is given to a metric that takes nothing",
    "root": "a command asks for root by sudo, which a sandbox does not give",
    "no config": "there is no setup at all",
    "one name twice": "a file of the benchmark has the name under which one of the guest is kept: "
    "OSWorld compares that one with itself",
    "kept nowhere": "a file is judged that no step keeps",
}
"""Every kind, and what it means."""

SHELL = ("|", "||", "&&", ";", ">", ">>", "<")
PLACE = re.compile(r"\b(?:click|doubleClick|moveTo)\(\s*\d+\s*,\s*\d+")
DOCUMENT = re.compile(r"^(.*\.\w{2,5}) (?:- LibreOffice|- Visual Studio Code|\(.*gedit)")


@dataclass(frozen=True)
class Oddity:
    """One of them: its kind, a key of `KINDS`, and where."""

    kind: str
    where: str
    said: str


def oddities(source: Source, raw: Mapping[str, Any], body: OSWorldBody) -> list[Oddity]:
    """All of a task, in the order of the file."""
    return [
        *([] if "config" in raw else [Oddity("no config", "config", "")]),
        *_in_steps("config", raw.get("config", ()), body.config),
        *_in_steps("evaluator.postconfig", raw["evaluator"].get("postconfig", ()), body.post),
        *_windows(body),
        *_in_evaluator(raw["evaluator"], body),
        *_names(body),
    ]


def _in_steps(key: str, raw: Sequence[Any], steps: Sequence[Step]) -> Iterator[Oddity]:
    for index, (said, step) in enumerate(zip(raw, steps, strict=True)):
        where = f"{key}[{index}]"
        parameters = said.get("parameters", {})
        yield from _flags(where, parameters, ("shell", "strict", "by_class"))
        if isinstance(step, Execute | Launch):
            yield from _command(where, step.command, step.shell)


def _flags(where: str, said: Mapping[str, Any], names: Sequence[str]) -> Iterator[Oddity]:
    for name in names:
        if isinstance(said.get(name), str):
            yield Oddity("text for a flag", f"{where}.{name}", said[name])


def _command(where: str, command: str | list[str], shell: bool) -> Iterator[Oddity]:
    if "sudo " in (command if isinstance(command, str) else " ".join(command)):
        yield Oddity("root", where, "sudo")
    if isinstance(command, list) and shell:
        yield Oddity("list for a shell", where, f"{len(command)} members")
    elif isinstance(command, list):
        if found := [part for part in command[1:] if part in SHELL]:
            yield Oddity("pipe in a list", where, f"{' '.join(found)} in {command[0]}")
        if any(PLACE.search(part) for part in command):
            yield Oddity("literal place", where, command[-1][:80])


def _windows(body: OSWorldBody) -> Iterator[Oddity]:
    """Windows that are named by a document, after the episode."""
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
        found = DOCUMENT.match(step.window_name)
        if found is None or found[1] in brought or found[1] in text:
            continue
        kind = "window to be made" if found[1] in judged else "window not opened"
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
        for index, said in enumerate(_listed(raw.get(key))):
            where = f"evaluator.{key}[{index}]" if several else f"evaluator.{key}"
            if said:
                yield from _in_getter(where, key, said)
    several = isinstance(raw.get("options"), list)
    for index, question in enumerate(body.questions):
        at = f"[{index}]" if several else ""
        options = _listed(raw.get("options"))
        given = options[index] if index < len(options) else None
        for name in given or ():
            if name.startswith("_"):
                yield Oddity("comment", f"evaluator.options{at}.{name}", "")
        for name in question.metric.unread:
            said = f"{question.metric.metric.name} does not read it"
            yield Oddity("unread option", f"evaluator.options{at}.{name}", said)
        if question.expected is not None and question.metric.metric.expected is None:
            name = question.metric.metric.name
            yield Oddity("nothing compared", f"evaluator.expected{at}", name)


def _in_getter(where: str, role: str, said: Mapping[str, Any]) -> Iterator[Oddity]:
    kind = said["type"]
    if (role, kind) == ("result", "cloud_file"):
        yield Oddity("roles swapped", where, kind)
    if (role, kind) == ("expected", "vm_file"):
        yield Oddity("guest's own file", where, kind)
    yield from _flags(where, said, ("multi", "shell", "time_suffix"))
    if "command" in said:
        yield from _command(where, said["command"], bool(said.get("shell")))
    rules = said.get("rules")
    if isinstance(rules, dict):
        for key in rules:
            if key.endswith(":"):
                yield Oddity("colon in a key", f"{where}.rules", key)
    known = {field.alias or name for name, field in type(parse_getter(said)).model_fields.items()}
    if issubclass(type(parse_getter(said)), Asked):
        for key in said:
            if key not in known:
                yield Oddity("comment" if key.startswith("_") else "unread key", where, key)


def _names(body: OSWorldBody) -> Iterator[Oddity]:
    """Names in OSWorld's one folder for all that a task fetches."""
    files = [getter for getter in body.getters if isinstance(getter, GuestFile | CloudFile)]
    guest, cloud = (
        {name for file in files if isinstance(file, kind) for _, name in file.pairs()}
        for kind in (GuestFile, CloudFile)
    )
    for name in sorted(cloud & guest):
        yield Oddity("one name twice", "evaluator", name)
    kept = {
        name
        for step in (*body.config, *body.post)
        if isinstance(step, Execute)
        for name in (step.stdout, step.stderr)
    }
    for getter in body.getters:
        if isinstance(getter, CacheFile) and getter.path not in kept | guest:
            yield Oddity("kept nowhere", "evaluator.result", getter.path)


def _listed(said: Any) -> list[Any]:
    return said if isinstance(said, list) else [said]
