"""Loads LiveMCPBench's tasks as a suite, from its files as they are.

The key points are those of the annotators. A task is left out, with the reason, where the tools
that its annotator used belong to servers that cannot be had or that open web sites; the latter run
with `--net web`. Its name is its category and the beginning of its id: `office.0e3287cb`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from ambidex.tasks import Problem, Suite, Task, TaskError, ToolSpec
from ambidex.tasks.hashing import files_of, hash_of_files
from ambidex.tasks.livemcpbench.body import KeyPointBody, key_points_in
from ambidex.tasks.livemcpbench.catalogue import (
    Annotation,
    Checkout,
    checkout_of,
    read_file,
    read_needs,
    read_servers,
)
from ambidex.tasks.livemcpbench.oracles import oracles_of
from ambidex.tasks.spec import Facts, Put, Run, Setup
from ambidex.tasks.survey import OFFLINE, Net, Selection, SurveyedTask, refuse_unsuited, suite_of

__all__ = ["HOME", "LiveMCPBenchTask", "load_livemcpbench", "survey"]

UPSTREAM_HOME = "/root/"
HOME = "/home/user/"
"""Stands for upstream's `/root/` in instructions and paths: the agent here is an ordinary user."""
FOLDERS = ("code", "csv", "excel", "figs", "files", "git", "html", "markdown", "music", "pdf",
           "picture", "ppt", "txt", "word")  # fmt: skip
"""The folders that upstream's tasks expect below their home."""
GIT_BUNDLE = "git.bundle"
"""The file with the repository that is at `/root/git` upstream."""
SUITED = ("net", "category")


@dataclass(frozen=True)
class LiveMCPBenchTask(SurveyedTask):
    """One task of LiveMCPBench, as far as it could be read."""

    category: str = ""
    points: int = 0
    tools: tuple[str, ...] = ()
    """The tools that the annotator used."""

    def is_in(self, group: str) -> bool:
        """Whether a selection by this text includes the task: its name, its id, a prefix of its id
        of at least eight characters, or its category."""
        named = group in (self.name, self.category, self.category.lower())
        return named or (len(group) >= 8 and self.id.startswith(group))


def load_livemcpbench(
    folder: Path, catalogue: Mapping[str, ToolSpec], selection: Selection = Selection()
) -> Suite:
    """Load the selected tasks; those that cannot run are listed in the suite. `TaskError` if the
    selection is invalid or no task remains."""
    return suite_of(folder, survey(folder, catalogue, selection), selection)


def survey(
    folder: Path, catalogue: Mapping[str, ToolSpec], selection: Selection = Selection()
) -> list[LiveMCPBenchTask]:
    """Read every selected task as far as possible, in the order of the file."""
    refuse_unsuited(selection, folder, "LiveMCPBench's tasks", SUITED)
    checkout = checkout_of(folder)
    if checkout is None:
        message = "no all_annotations.json and tools.json of LiveMCPBench here"
        raise TaskError((Problem(folder, "", message),))
    annotations: tuple[Annotation, ...] = read_file(checkout.annotations, tuple[Annotation, ...])
    offered = _offered(checkout)
    files = [_read(annotation, checkout, offered) for annotation in annotations]
    names = Counter(file.name for file in files)
    if twice := [name for name, count in names.items() if count > 1]:
        raise TaskError((Problem(checkout.annotations, "", f"two tasks are {twice[0]}"),))
    return list(_select(folder, files, selection))


def _offered(checkout: Checkout) -> dict[str, list[str]]:
    """The servers by the name of each of their tools."""
    offered: dict[str, list[str]] = {}
    for server in read_servers(checkout.tools):
        for tool in server.tools:
            offered.setdefault(tool.name, []).append(server.server_name)
    return offered


def _select(
    folder: Path, files: Sequence[LiveMCPBenchTask], selection: Selection
) -> Iterator[LiveMCPBenchTask]:
    groups = (*selection.tasks, *selection.category)
    problems = tuple(
        Problem(folder, "", f"no task, id or category {group!r}")
        for group in groups
        if not any(file.is_in(group) for file in files)
    )
    if problems:
        raise TaskError(problems)
    for file in files:
        wanted = not selection.tasks or any(file.is_in(group) for group in selection.tasks)
        of_category = not selection.category or any(map(file.is_in, selection.category))
        if wanted and of_category and (not selection.net or file.net in selection.net):
            asked = file.net == "offline" or file.net in selection.net
            network = () if asked else (f"the network (--net {file.net})",)
            yield replace(file, needs=network + file.needs)


def _read(
    annotation: Annotation, checkout: Checkout, offered: Mapping[str, Sequence[str]]
) -> LiveMCPBenchTask:
    tools = key_points_in(annotation.metadata.tools)
    points = key_points_in(annotation.metadata.steps)
    category = annotation.category
    net, needs = _needs(tools, offered)
    known = LiveMCPBenchTask(
        f"{category.lower()}.{annotation.task_id[:8]}",
        annotation.task_id,
        checkout.annotations,
        net=net,
        needs=needs,
        category=category,
        points=len(points),
        tools=tools,
    )
    if not points:
        message = f"{annotation.task_id} has no numbered key points"
        return replace(known, problems=(Problem(checkout.annotations, "Steps", message),))
    inputs = _inputs(annotation)
    if absent := [name for name in inputs if not _source(checkout, name).exists()]:
        here = f"the file {absent[0]}, which is not in {checkout.data}"
        return replace(known, needs=(here, *needs))
    question = annotation.question.replace(UPSTREAM_HOME, HOME)
    facts = Facts(
        instruction=question,
        tool_beneficial=True,
        network=net not in OFFLINE,
        domain=category.lower(),
        oracle=oracles_of(known.name, question),
    )
    setup = tuple(_setup(annotation, checkout))
    body = KeyPointBody(points, setup, checkout.data, checkout.tools)
    puts = [step.put for step in setup if isinstance(step, Put)]
    content = sha256(annotation.model_dump_json().encode())
    content.update(hash_of_files((name, checkout.data / name) for name in puts).encode())
    return replace(known, task=Task(known.name, content.hexdigest(), facts, body))


def _needs(
    tools: Sequence[str], offered: Mapping[str, Sequence[str]]
) -> tuple[Net, tuple[str, ...]]:
    """The network that these tools need, and what is missing here."""
    known = read_needs()
    net: Net = "offline"
    missing: dict[str, None] = {}
    for tool in tools:
        servers = offered.get(tool, ())
        if any(server in known.local for server in servers):
            continue
        if any(server in known.web for server in servers):
            net = "web"
        elif servers:
            why = known.unavailable.get(servers[0], "it is not known here")
            missing[f"the server {servers[0]} ({why})"] = None
        else:
            missing[f"the tool {tool}, which no server of the catalogue has"] = None
    return net, tuple(missing)


def _inputs(annotation: Annotation) -> list[str]:
    """The files and folders that the task reads, relative to the home."""
    named = [name.strip() for name in annotation.file_name.split(",") if name.strip()]
    asked = [name for name in read_needs().inputs if UPSTREAM_HOME + name in annotation.question]
    return [*(name.removeprefix(UPSTREAM_HOME) for name in named), *asked]


def _source(checkout: Checkout, name: str) -> Path:
    return checkout.data / (GIT_BUNDLE if name == "git" else name)


def _setup(annotation: Annotation, checkout: Checkout) -> Iterator[Setup]:
    """Make the folders that upstream has in its home, and fill those that the question names."""
    yield Run(run=["mkdir", "-p", *(f"{HOME}{name}" for name in FOLDERS)])
    text = f"{annotation.question} {annotation.file_name}"
    for folder in (name for name in FOLDERS if re.search(rf"{UPSTREAM_HOME}{name}\b", text)):
        if folder == "git" and (checkout.data / GIT_BUNDLE).is_file():
            yield Put(put=GIT_BUNDLE, to=f"/tmp/{GIT_BUNDLE}")
            yield Run(run=["git", "clone", "--quiet", f"/tmp/{GIT_BUNDLE}", f"{HOME}git"])
        elif (checkout.data / folder).is_dir():
            for path in files_of(checkout.data / folder):
                name = path.relative_to(checkout.data).as_posix()
                if path.name != ".gitkeep":
                    yield Put(put=name, to=f"{HOME}{name}")
