"""A checkout of OSWorld as a suite: its `evaluation_examples`, with `examples/<domain>/<id>.json`.

A task's name is `<domain>-<first eight characters of its id>`. It is chosen by that, by its domain,
or by a beginning of its id; by a list of OSWorld's own (`test_all.json`); by the network it needs.
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

__all__ = ["Found", "Selection", "examples_of", "load_osworld", "name_of", "survey"]

APPS = {
    "calc": "calc", "libreoffice calc": "calc", "libreoffice_calc": "calc",
    "impress": "impress", "libreoffice impress": "impress", "libreoffice_impress": "impress",
    "writer": "writer", "libreoffice writer": "writer", "libreoffice_writer": "writer",
    "vs_code": "code", "vscode": "code",
}  # fmt: skip
"""An application as OSWorld spells it, and as we do."""


@dataclass(frozen=True)
class Selection:
    """Which tasks of a suite, and what is known of them; the last three are for OSWorld's."""

    tasks: Sequence[str] = ()
    """Names, domains or beginnings of ids."""
    list: Path | None = None
    """A file of ids by domain, such as `test_all.json`."""
    net: Sequence[Net] = ()
    """Only tasks that need one of these."""
    annotations: Path | None = None
    unready: bool = False
    """Also tasks that lack files in the store: their evidence can be judged all the same."""


@dataclass(frozen=True)
class Found:
    """One task file, as far as it could be read."""

    name: str
    domain: str
    id: str
    path: Path
    problems: tuple[Problem, ...] = ()
    task: Task | None = None
    """None where there are problems."""
    net: Net = "offline"
    tools: int | None = None
    """How many tools help, where that is known."""
    oddities: tuple[Oddity, ...] = ()
    missing: tuple[str, ...] = ()
    """Files of the benchmark that the asset store lacks, by their URLs."""
    needs: tuple[str, ...] = field(default=())
    """What it needs and cannot have here."""

    @property
    def why_not(self) -> str:
        """Why it cannot be run; empty where it can."""
        if self.problems:
            return "; ".join(str(problem) for problem in self.problems)
        if self.needs:
            return f"it needs {', '.join(self.needs)}"
        if self.missing:
            return f"{len(self.missing)} of its files are not in the asset store"
        return ""


def examples_of(folder: Path) -> Path | None:
    """Where the task files lie in a checkout, or None: it is none."""
    for each in (folder / "examples", folder / "evaluation_examples" / "examples"):
        if next(each.glob("*/*.json"), None) is not None:
            return each
    return None


def name_of(domain: str, id: str) -> str:
    """The name of a task."""
    return f"{domain}-{id[:8]}"


def load_osworld(folder: Path, catalogue: Mapping[str, ToolSpec], selection: Selection) -> Suite:
    """The chosen tasks that can be run; the others are named in `left_out`. `TaskError` where the
    choice itself is wrong, or nothing is left of it."""
    found = survey(folder, catalogue, selection)
    kept = [each for each in found if selection.unready or not each.why_not]
    tasks = tuple(each.task for each in kept if each.task is not None)
    names = {task.name for task in tasks}
    out = tuple(LeftOut(each.name, each.why_not) for each in found if each.name not in names)
    if not tasks:
        problems = [problem for each in found for problem in each.problems]
        problems += [Problem(each.path, "", each.why_not) for each in found if not each.problems]
        hint = "`ambidex assets fetch` brings files; `ambidex check` says what every task needs."
        raise TaskError(tuple(problems), hint=hint)
    return Suite(folder.resolve().name, folder, tasks, out, selection.annotations)


def survey(
    folder: Path,
    catalogue: Mapping[str, ToolSpec],
    selection: Selection = Selection(),
    store: AssetStore | None = None,
) -> list[Found]:
    """Every chosen task file, as far as it can be read, in the order of domains and ids."""
    examples = examples_of(folder)
    if examples is None:
        raise TaskError((Problem(folder, "", "no examples/<domain>/<id>.json here"),))
    paths = sorted(examples.glob("*/*.json"))
    names = {path: name_of(path.parent.name, path.stem) for path in paths}
    counts = Counter(names.values())
    if twice := [path for path in paths if counts[names[path]] > 1]:
        message = "another task has the same name: the first eight characters of both ids are one"
        raise TaskError(tuple(Problem(path, "", message) for path in twice))
    notes = read_notes(selection.annotations) if selection.annotations else Notes()
    chosen = list(_chosen(folder, names, selection))
    read = [_read(path, names[path], catalogue, notes, store or default_store()) for path in chosen]
    return [each for each in read if not selection.net or each.net in selection.net]


def _chosen(folder: Path, names: Mapping[Path, str], selection: Selection) -> Iterator[Path]:
    listed = _listed(selection.list) if selection.list else None
    problems = []
    wanted: list[Callable[[Path], bool]] = []
    for task in selection.tasks:
        domain, _, id = task.rpartition("/")

        def matches(path: Path, task: str = task, domain: str = domain, id: str = id) -> bool:
            if task in (names[path], path.parent.name):
                return True
            return (not domain or path.parent.name == domain) and path.stem.startswith(id)

        if not any(matches(path) for path in names):
            message = f"no task, domain or beginning of an id {task!r}"
            problems.append(Problem(folder, "", message))
        wanted.append(matches)
    if listed is not None:
        assert selection.list is not None
        there = {(path.parent.name, path.stem) for path in names}
        problems += [
            Problem(selection.list, domain, f"{id} is not in {folder}")
            for domain, id in sorted(listed - there)
        ]
    if problems:
        raise TaskError(tuple(problems))
    for path in names:
        if listed is not None and (path.parent.name, path.stem) not in listed:
            continue
        if not wanted or any(matches(path) for matches in wanted):
            yield path


def _listed(path: Path) -> set[tuple[str, str]]:
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return {(domain, id) for domain, ids in said.items() for id in ids}
    except OSError as error:
        raise TaskError((Problem(path, "", str(error.strerror)),)) from None
    except (ValueError, AttributeError, TypeError) as error:
        message = f"no list of ids by domain: {error}"
        raise TaskError((Problem(path, "", message),)) from None


def _read(
    path: Path,
    name: str,
    catalogue: Mapping[str, ToolSpec],
    notes: Notes,
    store: AssetStore,
) -> Found:
    domain, id = path.parent.name, path.stem
    note = notes.tasks.get(name, NOTHING)
    try:
        source, raw, digest = read_source(path)
    except WrongTaskError as wrong:
        return Found(name, domain, id, path, wrong.problems, tools=note.tools)
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
        return Found(name, domain, id, path, wrong.problems, net=net, tools=note.tools)
    except ValueError as error:
        problem = Problem(path, f"notes of {name}", str(error))
        return Found(name, domain, id, path, (problem,), net=net, tools=note.tools)
    problems = tuple(
        Problem(path, f"notes of {name}: {key}", message)
        for key, message in lint_facts(facts, catalogue)
    )
    if source.id != id:
        problems += (Problem(path, "id", f"{source.id} is not the file's name"),)
    return Found(
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
