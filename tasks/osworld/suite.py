"""Loads a checkout of OSWorld as a suite: `evaluation_examples/examples/<domain>/<id>.json`.

A task's name is `<domain>-<first eight characters of its id>`. Tasks are selected by name, domain
or a prefix of the id, by one of OSWorld's own lists (`test_all.json`), or by the network they need.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ambidex.tasks import LeftOut, Problem, Suite, Task, TaskError, ToolSpec
from ambidex.tasks.lint import lint_facts
from ambidex.tasks.osworld.annotations import NOTHING, Notes, read_notes
from ambidex.tasks.osworld.assets import AssetStore, default_store
from ambidex.tasks.osworld.getter_types import GoogleDriveFile
from ambidex.tasks.osworld.network import Net, net_of
from ambidex.tasks.osworld.oddities import Oddity, oddities
from ambidex.tasks.osworld.setup_steps import GoogleDrive, Login
from ambidex.tasks.osworld.task import OSWorldBody, Source, WrongTaskError, read_body, read_source
from ambidex.tasks.spec import Facts

__all__ = ["Selection", "SurveyedTask", "examples_of", "load_osworld", "name_of", "survey"]

APPS = {
    "calc": "calc", "libreoffice calc": "calc", "libreoffice_calc": "calc",
    "impress": "impress", "libreoffice impress": "impress", "libreoffice_impress": "impress",
    "writer": "writer", "libreoffice writer": "writer", "libreoffice_writer": "writer",
    "vs_code": "code", "vscode": "code",
}  # fmt: skip
"""OSWorld's spellings of applications and our names for them."""


@dataclass(frozen=True)
class Selection:
    """A selection of tasks of a suite; all fields but `tasks` apply to OSWorld only."""

    tasks: Sequence[str] = ()
    """Names, domains or prefixes of ids."""
    list: Path | None = None
    """A file of ids by domain, such as `test_all.json`."""
    net: Sequence[Net] = ()
    """Select only tasks that need one of these networks."""
    annotations: Path | None = None
    unready: bool = False
    """Include tasks whose files are missing from the store: their evidence can still be judged."""


@dataclass(frozen=True)
class SurveyedTask:
    """One task file, as far as it could be read."""

    name: str
    domain: str
    id: str
    path: Path
    problems: tuple[Problem, ...] = ()
    task: Task | None = None
    """None if there are problems."""
    net: Net = "offline"
    tools: int | None = None
    """Number of tools that help, if known."""
    oddities: tuple[Oddity, ...] = ()
    missing: tuple[str, ...] = ()
    """URLs of the benchmark's files that the asset store lacks."""
    needs: tuple[str, ...] = field(default=())
    """Requirements that cannot be met here."""

    @property
    def why_not(self) -> str:
        """Why it cannot be run; empty if it can."""
        if self.problems:
            return "; ".join(str(problem) for problem in self.problems)
        if self.needs:
            return f"it needs {', '.join(self.needs)}"
        if self.missing:
            return f"{len(self.missing)} of its files are not in the asset store"
        return ""


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
    files = survey(folder, catalogue, selection)
    usable = [file for file in files if selection.unready or not file.why_not]
    tasks = tuple(file.task for file in usable if file.task is not None)
    names = {task.name for task in tasks}
    out = tuple(LeftOut(file.name, file.why_not) for file in files if file.name not in names)
    if not tasks:
        problems = [problem for file in files for problem in file.problems]
        problems += [Problem(file.path, "", file.why_not) for file in files if not file.problems]
        hint = "`ambidex assets fetch` downloads files; `ambidex check` lists what each task needs."
        raise TaskError(tuple(problems), hint=hint)
    return Suite(folder.resolve().name, folder, tasks, out, selection.annotations)


def survey(
    folder: Path,
    catalogue: Mapping[str, ToolSpec],
    selection: Selection = Selection(),
    store: AssetStore | None = None,
) -> list[SurveyedTask]:
    """Read every selected task file as far as possible, in the order of domains and ids."""
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
) -> SurveyedTask:
    domain, id = path.parent.name, path.stem
    note = notes.tasks.get(name, NOTHING)
    try:
        source, raw, digest = read_source(path)
    except WrongTaskError as wrong:
        return SurveyedTask(name, domain, id, path, wrong.problems, tools=note.tools)
    net = note.net or net_of(raw)
    try:
        body = read_body(path, source, store)
        facts = Facts(
            instruction=source.instruction,
            tool_beneficial=bool(note.tool_beneficial),
            useful_tools=list(note.useful_tools),
            feasible=source.feasible,
            apps=sorted({_app(app) for app in source.related_apps}),
            domain=domain,
            oracle=list(note.oracle),
            near_miss=list(note.near_miss),
        )
    except WrongTaskError as wrong:
        return SurveyedTask(name, domain, id, path, wrong.problems, net=net, tools=note.tools)
    except ValueError as error:
        problem = Problem(path, f"notes of {name}", str(error))
        return SurveyedTask(name, domain, id, path, (problem,), net=net, tools=note.tools)
    problems = tuple(
        Problem(path, f"notes of {name}: {key}", message)
        for key, message in lint_facts(facts, catalogue)
    )
    if source.id != id:
        problems += (Problem(path, "id", f"{source.id} differs from the file's name"),)
    return SurveyedTask(
        name,
        domain,
        id,
        path,
        problems,
        None if problems else Task(name, digest, facts, body),
        net,
        note.tools,
        tuple(oddities(source, raw, body)),
        tuple(body.missing()),
        tuple(_needs(source, body)),
    )


def _app(spelling: str) -> str:
    return APPS.get(spelling.lower(), spelling.lower())


def _needs(source: Source, body: OSWorldBody) -> Iterator[str]:
    steps: Sequence[Any] = (*body.config, *body.post)
    drive = any(isinstance(step, GoogleDrive | Login) for step in steps)
    if drive or any(isinstance(getter, GoogleDriveFile) for getter in body.getters):
        yield "a Google account"
