"""Loads a checkout of MCPMark, or tasks of our own in its form, as a suite.

A task is a folder `tasks/<service>/<suite>/<category>/<task>` with `meta.json`, `description.md`
and a program `verify.*`. Its name is that path with dots: `filesystem.easy.papers.papers_counting`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ambidex.tasks import Problem, Suite, Task, TaskError, ToolSpec, WrongTaskError
from ambidex.tasks.assets import AssetStore, default_store
from ambidex.tasks.hashing import hash_of_files
from ambidex.tasks.lint import lint_calls, lint_facts
from ambidex.tasks.mcpmark.body import ProgramBody, State
from ambidex.tasks.mcpmark.meta import Meta, OwnKeys, read_meta
from ambidex.tasks.mcpmark.oracles import oracles_of
from ambidex.tasks.mcpmark.services import Service, StateFile, read_services
from ambidex.tasks.spec import Facts, missing_files
from ambidex.tasks.survey import OFFLINE, Selection, SurveyedTask, refuse_unsuited, suite_of

__all__ = ["AT_ONCE", "MCPMarkTask", "load_mcpmark", "services_of", "survey"]

AT_ONCE = "Work through the whole task in one go and decide open points yourself: nobody answers."
"""Added to each description: the agent gets no answer to a question."""
NAME = re.compile(r"[A-Za-z0-9_-]+")
PREPARE = "prepare_environment.py"
SUITED = ("net", "service", "task_suite", "category")


@dataclass(frozen=True)
class MCPMarkTask(SurveyedTask):
    """One task folder of MCPMark, as far as it could be read."""

    service: str = ""
    task_suite: str = ""
    category: str = ""
    folder_name: str = ""
    category_id: str = ""
    """The category according to `meta.json`; `id` is the task's own."""

    @property
    def difference(self) -> str:
        """How the ids in `meta.json` differ from the folders' names; empty if they do not."""
        folders, ids = f"{self.category}/{self.folder_name}", f"{self.category_id}/{self.id}"
        return "" if folders == ids else f"{folders} has the id {ids}"

    def is_in(self, group: str) -> bool:
        """Whether a selection by this text includes the task: its name, its service, category or
        own name, or several of them with slashes."""
        category, own = self.category, self.folder_name
        return group in (
            self.name,
            self.service,
            category,
            own,
            self.id,
            f"{self.service}/{category}",
            f"{category}/{own}",
            f"{self.category_id}/{self.id}",
            f"{self.service}/{category}/{own}",
            f"{self.service}/{self.task_suite}/{category}/{own}",
        )


def services_of(folder: Path) -> Path | None:
    """The folder of services in a checkout, or None if this is not a checkout of MCPMark."""
    for candidate in (folder / "tasks", folder):
        for service in read_services().service:
            if next((candidate / service).glob("*/*/*/description.md"), None) is not None:
                return candidate
    return None


def load_mcpmark(folder: Path, catalogue: Mapping[str, ToolSpec], selection: Selection) -> Suite:
    """Load the selected tasks that can be run; the others are listed in `left_out`. Raises
    `TaskError` if the selection is invalid or no task remains."""
    return suite_of(folder, survey(folder, catalogue, selection), selection)


def survey(
    folder: Path,
    catalogue: Mapping[str, ToolSpec],
    selection: Selection = Selection(),
    store: AssetStore | None = None,
) -> list[MCPMarkTask]:
    """Read every selected task folder as far as possible, in the order of their paths."""
    refuse_unsuited(selection, folder, "MCPMark's tasks", SUITED)
    root = services_of(folder)
    if root is None:
        message = "no tasks/<service>/<suite>/<category>/<task>/description.md here"
        raise TaskError((Problem(folder, "", message),))
    files = [_read(path, root, catalogue, store or default_store()) for path in _folders(root)]
    selected = list(_select(folder, files, selection))
    return [file for file in selected if not selection.net or file.net in selection.net]


def _folders(root: Path) -> Iterator[Path]:
    """The task folders. Links are left out: upstream's lead to the folder of another service."""
    for path in sorted(root.glob("*/*/*/*")):
        parts = path.relative_to(root).parts
        hidden = any(part.startswith((".", "__")) for part in parts)
        linked = any(place.is_symlink() for place in (path, *path.parents[:3]))
        if path.is_dir() and not hidden and not linked:
            yield path


def _select(
    folder: Path, files: Sequence[MCPMarkTask], selection: Selection
) -> Iterator[MCPMarkTask]:
    filters = (
        ("service", selection.service, {file.service for file in files}),
        ("suite", selection.task_suite, {file.task_suite for file in files}),
        ("category", selection.category, {file.category for file in files}),
    )
    problems = [
        Problem(folder, "", f"no {kind} {value!r}; available: {', '.join(sorted(available))}")
        for kind, values, available in filters
        for value in values
        if value not in available
    ]
    problems += [
        Problem(folder, "", f"no task, category or service {group!r}")
        for group in selection.tasks
        if not any(file.is_in(group) for file in files)
    ]
    if problems:
        raise TaskError(tuple(problems))
    for file in files:
        if (
            (not selection.service or file.service in selection.service)
            and (not selection.task_suite or file.task_suite in selection.task_suite)
            and (not selection.category or file.category in selection.category)
            and (not selection.tasks or any(file.is_in(group) for group in selection.tasks))
        ):
            asked = file.net in selection.net or file.name in selection.tasks
            network = () if file.net == "offline" or asked else (f"the network (--net {file.net})",)
            yield replace(file, needs=network + file.needs)


def _read(
    folder: Path, root: Path, catalogue: Mapping[str, ToolSpec], store: AssetStore
) -> MCPMarkTask:
    service_name, suite, category, own = folder.relative_to(root).parts
    known = MCPMarkTask(
        ".".join(folder.relative_to(root).parts),
        own,
        folder,
        service=service_name,
        task_suite=suite,
        category=category,
        folder_name=own,
        category_id=category,
    )
    try:
        _check_files(folder, root)
        meta = read_meta(folder / "meta.json")
        known = replace(known, id=meta.task_id, category_id=meta.category_id)
        service = _service(known, meta)
        known = replace(known, net=service.net)
        body = _body(known, root, service, meta, store)
        own_keys = meta.ambidex or OwnKeys()
        facts = Facts(
            instruction=_instruction(folder, service, meta),
            tool_beneficial=True,
            useful_tools=list(own_keys.useful_tools),
            apps=list(service.apps),
            tool_apps=list(service.apps),
            services=list(service.services),
            network=service.net not in OFFLINE,
            reproducible=not body.keys,  # what a key opens is outside of the machine
            domain=service_name,
            oracle=list(own_keys.oracle) or oracles_of(known.name),
            near_miss=list(own_keys.near_miss),
        )
        digest = hash_of_files(body.files())
    except WrongTaskError as wrong:
        return replace(known, problems=wrong.problems)
    except (OSError, ValueError) as error:
        return replace(known, problems=(Problem(folder, "", str(error)),))
    problems = tuple(
        Problem(folder / "meta.json", f"ambidex.{key}", message)
        for key, message in (
            *missing_files(body.setup, folder),
            *lint_calls("setup", body.setup, catalogue),
            *lint_facts(facts, catalogue),
        )
    )
    return replace(
        known,
        problems=problems,
        task=None if problems else Task(known.name, digest, facts, body),
        missing=tuple(body.missing()),
        needs=(
            *_libraries(body),
            *(key for key in body.keys if not os.environ.get(key)),
        ),
    )


def _check_files(folder: Path, root: Path) -> None:
    if odd := [part for part in folder.relative_to(root).parts if not NAME.fullmatch(part)]:
        message = f"{odd[0]!r} is no part of a name: letters, digits, hyphens and underscores"
        raise WrongTaskError((Problem(folder, "", message),))
    if links := [path for path in sorted(folder.rglob("*")) if path.is_symlink()]:
        raise WrongTaskError((Problem(links[0], "", "a link is not a file of the task"),))
    if not (folder / "description.md").is_file():
        raise WrongTaskError((Problem(folder, "", "description.md is missing"),))


def _service(task: MCPMarkTask, meta: Meta) -> Service:
    """What the task needs. One of our own sets itself up: it needs no key, network or site."""
    service = read_services().service.get(task.service)
    if service is None:
        raise WrongTaskError((Problem(task.path, "", f"unknown service {task.service!r}"),))
    if meta.ambidex is not None:
        if service.state in ("repository", "pages"):
            message = f"not for tasks on {task.service}: their state is in an account"
            raise WrongTaskError((Problem(task.path / "meta.json", "ambidex", message),))
        own = {"services": meta.ambidex.services, "apps": meta.ambidex.tool_apps}
        named = {key: names for key, names in own.items() if names is not None}
        ours = {"keys": (), "sites": {}, "net": "offline", "instruction": ""}
        return service.model_copy(update=ours | named)
    if not service.sites:
        return service
    if task.category not in service.sites:
        raise WrongTaskError((Problem(task.path, "", f"no site is known for {task.category}"),))
    key = service.sites[task.category]
    addressed = {name: _at(text, key) for name, text in service.environment.items()}
    return service.model_copy(
        update={
            "keys": (*service.keys, key),
            "environment": addressed,
            "instruction": _at(service.instruction, key),
        }
    )


def _at(template: str, key: str) -> str:
    return template.replace("{site}", f"{{{key}}}")


def _body(
    task: MCPMarkTask, root: Path, service: Service, meta: Meta, store: AssetStore
) -> ProgramBody:
    folder, known = task.path, read_services()
    programs = [path.name for path in sorted(folder.glob("verify.*")) if path.is_file()]
    if len(programs) != 1:
        message = "several verifiers" if programs else "the verifier is missing"
        raise WrongTaskError((Problem(folder / "verify.*", "", message),))
    environment, folders = dict(known.every), dict[str, str]()
    for app in service.apps:
        environment |= known.environment.get(app, {})
        folders |= known.folders.get(app, {})
    return ProgramBody(
        root=root,
        folder=folder,
        upstream_id=f"{meta.category_id}/{meta.task_id}",
        program=programs[0],
        state=_state(task, service, meta),
        arguments=service.arguments,
        environment=environment | service.environment,
        folders=folders,
        keys=service.keys,
        seconds=service.seconds,
        setup=meta.ambidex.setup if meta.ambidex else (),
        shared=tuple(_shared(folder, root, service)),
        store=store,
    )


def _state(task: MCPMarkTask, service: Service, meta: Meta) -> State:
    """The initial state. For a task of our own, its setup may make all of it."""
    folder, url = task.path, meta.meta_data.stateUrl or ""
    prepare = PREPARE if (folder / PREPARE).is_file() else ""
    name = task.category
    files = service.files.get(name, ())
    if service.state == "folder" and url:
        files = (StateFile(url=url, form="zip"),)
    unknown = service.state in ("folder", "database") and not (url or files or prepare)
    unknown = unknown or (service.state == "repository" and not files)
    if unknown and meta.ambidex is None:
        message = f"no {service.state} is known as the initial state of {task.category}"
        raise WrongTaskError((Problem(folder / "meta.json", "meta_data.stateUrl", message),))
    return State(service.state, name, url, files, name in service.public, prepare)


def _libraries(body: ProgramBody) -> Iterator[str]:
    """The libraries that the task's programs import and no image has."""
    for name in body.libraries:
        if name not in read_services().libraries:
            yield f"Python's library {name} for its verifier, which no image has"


def _shared(folder: Path, root: Path, service: Service) -> Iterator[Path]:
    """The files that verifiers of this service import, and those next to the task's folder."""
    imported = [path for pattern in service.shared for path in sorted(root.glob(pattern))]
    for path in (*imported, *sorted(folder.parent.iterdir())):
        if path.is_file() and not path.is_symlink() and not path.name.startswith("."):
            yield path


def _instruction(folder: Path, service: Service, meta: Meta) -> str:
    """The whole description, and the address of what the task is about."""
    text = (folder / "description.md").read_text(encoding="utf-8")
    if not text.strip():
        raise WrongTaskError((Problem(folder / "description.md", "", "the file is empty"),))
    values = {key: os.environ.get(key, f"${key}") for key in service.keys}
    values["repository"] = (meta.meta_data.stateUrl or "").rstrip("/").rpartition("/")[2]
    address = service.instruction.format_map(values)
    return "\n\n".join(part for part in (text, address, AT_ONCE) if part)
