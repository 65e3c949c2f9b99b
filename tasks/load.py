"""Loading of suites of `task.toml` directories; all problems are reported at once, with file and
key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from ambidex.evaluators.registry import bind
from ambidex.evaluators.strict import key_path, problems_of
from ambidex.tasks import Problem, Suite, Task, TaskError, ToolSpec, Verbs, WrongTaskError
from ambidex.tasks.assets import AssetStore
from ambidex.tasks.hashing import task_hash
from ambidex.tasks.instances import Variation, common_problems, variations
from ambidex.tasks.lint import lint
from ambidex.tasks.livemcpbench import suite as livemcpbench
from ambidex.tasks.livemcpbench.catalogue import checkout_of
from ambidex.tasks.livemcpbench.suite import load_livemcpbench
from ambidex.tasks.mcpmark import suite as mcpmark
from ambidex.tasks.mcpmark.suite import load_mcpmark, services_of
from ambidex.tasks.osworld import suite as osworld
from ambidex.tasks.osworld.suite import examples_of, load_osworld
from ambidex.tasks.spec import Check, TaskSpec, missing_files
from ambidex.tasks.survey import Selection, SurveyedTask, refuse_unsuited
from ambidex.tasks.toolset import read_tools

__all__ = ["load_suite", "survey"]


def load_suite(
    folder: Path,
    catalogue: Mapping[str, ToolSpec],
    only: Sequence[str] = (),
    selection: Selection | None = None,
) -> Suite:
    """Load the tasks of a directory, or those named in `only`; `TaskError` lists all problems.

    A directory of OSWorld, MCPMark or LiveMCPBench is recognised by its contents. There, a task
    with a problem is left out and listed in the suite: the files come from elsewhere, and one bad
    file must not stop the rest.
    """
    selected = selection or Selection(only)
    if examples_of(folder) is not None:
        return load_osworld(folder, catalogue, selected)
    if services_of(folder) is not None:
        return load_mcpmark(folder, catalogue, selected)
    if checkout_of(folder) is not None:
        return load_livemcpbench(folder, catalogue, selected)
    refuse_unsuited(selected, folder, "tasks with a task.toml")
    only = selected.tasks
    if not folder.is_dir():
        raise TaskError((Problem(folder, "", "no such directory"),))
    paths = {path.parent.name: path for path in sorted(folder.glob("*/task.toml"))}
    problems = [
        Problem(folder, "", f"no task {name!r}; available: {', '.join(paths) or 'none'}")
        for name in only
        if name not in paths
    ]
    if not paths:
        problems.append(
            Problem(folder, "", "no tasks here: a task is a directory with a task.toml")
        )
    tools = read_tools(folder)
    tasks = []
    for name, path in paths.items():
        if only and name not in only:
            continue
        try:
            tasks.append(_load(path, catalogue, tools))
        except WrongTaskError as wrong:
            problems += wrong.problems
    if problems:
        raise TaskError(tuple(problems))
    return Suite(folder.resolve().name, folder, tuple(tasks), tools=tools)


def survey(
    folder: Path, catalogue: Mapping[str, ToolSpec], selection: Selection, store: AssetStore
) -> Sequence[SurveyedTask]:
    """Read every selected task of another benchmark's checkout as far as possible."""
    if services_of(folder) is not None:
        return mcpmark.survey(folder, catalogue, selection, store)
    if checkout_of(folder) is not None:
        return livemcpbench.survey(folder, catalogue, selection)
    return osworld.survey(folder, catalogue, selection, store)


def _load(path: Path, catalogue: Mapping[str, ToolSpec], tools: Mapping[str, ToolSpec]) -> Task:
    """The task of a folder, as its first instance, which knows the others."""
    found = variations(path)
    digest = task_hash(path.parent)
    tasks, problems = [], []
    for variation in found:
        own: list[Problem] = []
        try:
            tasks.append(_instance(path, variation, catalogue, tools, digest))
        except WrongTaskError as wrong:
            own += wrong.problems
        problems.append(own)
    if any(problems):
        raise WrongTaskError(tuple(common_problems(problems)))
    first, *others = tasks
    shapes = [(len(task.spec.oracle), len(task.spec.near_miss)) for task in tasks]
    if set(shapes) != {shapes[0]}:
        message = "every instance must have equally many oracles and near misses"
        raise WrongTaskError((Problem(path, "", message),))
    return replace(first, others=tuple(others))


def _instance(
    path: Path,
    variation: Variation,
    catalogue: Mapping[str, ToolSpec],
    tools: Mapping[str, ToolSpec],
    digest: str,
) -> Task:
    folder = path.parent
    spec = _parse(path, variation)
    problems = [Problem(path, key, text) for key, text in missing_files(spec.setup, folder)]
    problems += [Problem(path, key, message) for key, message in lint(spec, catalogue, tools)]
    checks = []
    for index, check in enumerate(spec.check):
        try:
            checks.append(bind(check.use, check.with_, folder))
        except ValueError as error:
            problems.append(Problem(path, f"check[{index}]", str(error)))
    problems += [Problem(path, key, message) for key, message in _uncollected(spec)]
    if problems:
        raise WrongTaskError(tuple(problems))
    body = Verbs(spec, folder, tuple(checks))
    return Task(folder.name, digest, spec, body, variation.number)


def _parse(path: Path, variation: Variation) -> TaskSpec:
    try:
        return TaskSpec.model_validate(variation.document)
    except ValidationError as error:
        raise WrongTaskError(tuple(_explained(path, error))) from None


def _explained(path: Path, error: ValidationError) -> Iterator[Problem]:
    for place, message in problems_of(error):
        # Drop the tag of the task step, which pydantic adds: setup, 0, put, to -> setup[0].to
        tagged = place[:1] in (("setup",), ("collect",))
        parts = (*place[:2], *place[3:]) if tagged else place
        yield Problem(path, key_path(parts), message)


def _uncollected(spec: TaskSpec) -> Iterator[tuple[str, str]]:
    """Checks of a file (by convention the argument `file`) that is not collected: they would always
    score 0."""
    collected = {item.kept_as for item in spec.collect} | {"answer.txt"}
    for index, check in enumerate(spec.check):
        name = _file_of(check)
        if name is not None and name not in collected:
            yield f"check[{index}].with.file", f"{name!r} is not collected"


def _file_of(check: Check) -> str | None:
    name = check.with_.get("file")
    return name if isinstance(name, str) else None
