"""Loads a checkout of OSWorld as a suite: `evaluation_examples/examples/<domain>/<id>.json`.

A task's name is `<domain>-<first eight characters of its id>`. Tasks are selected by name, domain
or a prefix of the id, by one of OSWorld's own lists (`test_all.json`), or by the network they need.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ambidex.tasks import Problem, Suite, Task, TaskError, ToolSpec, WrongTaskError
from ambidex.tasks.assets import AssetStore, default_store
from ambidex.tasks.lint import lint_facts
from ambidex.tasks.osworld.annotations import NOTHING, Notes, read_notes
from ambidex.tasks.osworld.getter_types import GoogleDriveFile
from ambidex.tasks.osworld.network import net_of
from ambidex.tasks.osworld.oddities import Oddity, oddities
from ambidex.tasks.osworld.setup_steps import BrowseHistory, GoogleDrive, Login
from ambidex.tasks.osworld.task import OSWorldBody, Source, read_body, read_source
from ambidex.tasks.spec import Facts
from ambidex.tasks.survey import OFFLINE, Selection, SurveyedTask, refuse_unsuited, suite_of

__all__ = ["OSWorldTask", "examples_of", "load_osworld", "name_of", "survey"]

APPS = {
    "calc": "calc", "libreoffice calc": "calc", "libreoffice_calc": "calc",
    "impress": "impress", "libreoffice impress": "impress", "libreoffice_impress": "impress",
    "writer": "writer", "libreoffice writer": "writer", "libreoffice_writer": "writer",
    "vs_code": "code", "vscode": "code",
}  # fmt: skip
"""OSWorld's spellings of applications and our names for them."""


@dataclass(frozen=True)
class OSWorldTask(SurveyedTask):
    """One task file of OSWorld, as far as it could be read."""

    domain: str = ""
    tools: int | None = None
    """Number of tools that help, if known."""
    oddities: tuple[Oddity, ...] = ()


def examples_of(folder: Path) -> Path | None:
    """The folder of task files in a checkout, or None if this is not a checkout of OSWorld."""
    for candidate in (folder / "examples", folder / "evaluation_examples" / "examples"):
        if next(candidate.glob("*/*.json"), None) is not None:
            return candidate
    return None


def name_of(domain: str, id: str) -> str:
    """The name of a task."""
    return f"{domain}-{id[:8]}"


def load_osworld(folder: Path, catalogue: Mapping[str, ToolSpec], selection: Selection) -> Suite:
    """Load the selected tasks that can be run; the others are listed in `left_out`. Raises
    `TaskError` if the selection is invalid or no task remains."""
    return suite_of(folder, survey(folder, catalogue, selection), selection)


def survey(
    folder: Path,
    catalogue: Mapping[str, ToolSpec],
    selection: Selection = Selection(),
    store: AssetStore | None = None,
) -> list[OSWorldTask]:
    """Read every selected task file as far as possible, in the order of domains and ids."""
    refuse_unsuited(selection, folder, "OSWorld's tasks", ("list", "net", "annotations"))
    examples = examples_of(folder)
    if examples is None:
        raise TaskError((Problem(folder, "", "no examples/<domain>/<id>.json here"),))
    paths = sorted(examples.glob("*/*.json"))
    names = {path: name_of(path.parent.name, path.stem) for path in paths}
    counts = Counter(names.values())
    if duplicates := [path for path in paths if counts[names[path]] > 1]:
        message = "another task has the same name: the ids share their first eight characters"
        raise TaskError(tuple(Problem(path, "", message) for path in duplicates))
    notes = read_notes(selection.annotations) if selection.annotations else Notes()
    selected = list(_select(folder, names, selection))
    files = [
        _read(path, names[path], catalogue, notes, store or default_store()) for path in selected
    ]
    return [file for file in files if not selection.net or file.net in selection.net]


def _select(folder: Path, names: Mapping[Path, str], selection: Selection) -> Iterator[Path]:
    listed = _listed(selection.list) if selection.list else None
    problems = []
    filters: list[Callable[[Path], bool]] = []
    for task in selection.tasks:
        domain, _, id = task.rpartition("/")

        def matches(path: Path, task: str = task, domain: str = domain, id: str = id) -> bool:
            if task in (names[path], path.parent.name):
                return True
            return (not domain or path.parent.name == domain) and path.stem.startswith(id)

        if not any(matches(path) for path in names):
            message = f"no task, domain or prefix of an id {task!r}"
            problems.append(Problem(folder, "", message))
        filters.append(matches)
    if listed is not None:
        assert selection.list is not None
        existing = {(path.parent.name, path.stem) for path in names}
        problems += [
            Problem(selection.list, domain, f"{id} is not in {folder}")
            for domain, id in sorted(listed - existing)
        ]
    if problems:
        raise TaskError(tuple(problems))
    for path in names:
        if listed is not None and (path.parent.name, path.stem) not in listed:
            continue
        if not filters or any(matches(path) for matches in filters):
            yield path


def _listed(path: Path) -> set[tuple[str, str]]:
    try:
        lists = json.loads(path.read_text(encoding="utf-8"))
        return {(domain, id) for domain, ids in lists.items() for id in ids}
    except OSError as error:
        raise TaskError((Problem(path, "", str(error.strerror)),)) from None
    except (ValueError, AttributeError, TypeError) as error:
        message = f"not a list of ids by domain: {error}"
        raise TaskError((Problem(path, "", message),)) from None


def _read(
    path: Path,
    name: str,
    catalogue: Mapping[str, ToolSpec],
    notes: Notes,
    store: AssetStore,
) -> OSWorldTask:
    domain, id = path.parent.name, path.stem
    note = notes.tasks.get(name, NOTHING)
    known = OSWorldTask(name, id, path, domain=domain, tools=note.tools)
    try:
        source, raw, digest = read_source(path)
    except WrongTaskError as wrong:
        return replace(known, problems=wrong.problems)
    known = replace(known, net=note.net or net_of(raw))
    try:
        body = read_body(path, source, store)
        facts = Facts(
            instruction=source.instruction,
            tool_beneficial=bool(note.tool_beneficial),
            useful_tools=list(note.useful_tools),
            feasible=source.feasible,
            reproducible=not any(isinstance(step, BrowseHistory) for step in body.config),
            network=known.net not in OFFLINE,
            apps=sorted({_app(app) for app in source.related_apps}),
            domain=domain,
            oracle=list(note.oracle),
            near_miss=list(note.near_miss),
        )
    except WrongTaskError as wrong:
        return replace(known, problems=wrong.problems)
    except ValueError as error:
        return replace(known, problems=(Problem(path, f"notes of {name}", str(error)),))
    problems = tuple(
        Problem(path, f"notes of {name}: {key}", message)
        for key, message in lint_facts(facts, catalogue)
    )
    if source.id != id:
        problems += (Problem(path, "id", f"{source.id} differs from the file's name"),)
    return replace(
        known,
        problems=problems,
        task=None if problems else Task(name, digest, facts, body),
        oddities=tuple(oddities(source, raw, body)),
        missing=tuple(body.missing()),
        needs=tuple(_needs(source, body)),
    )


def _app(spelling: str) -> str:
    return APPS.get(spelling.lower(), spelling.lower())


def _needs(source: Source, body: OSWorldBody) -> Iterator[str]:
    steps: Sequence[Any] = (*body.config, *body.post)
    drive = any(isinstance(step, GoogleDrive | Login) for step in steps)
    if drive or any(isinstance(getter, GoogleDriveFile) for getter in body.getters):
        yield "a Google account"
