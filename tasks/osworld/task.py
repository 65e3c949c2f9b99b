"""Reads one task of OSWorld from its original file.

    source, raw, digest = read_source(path)
    body = read_body(path, source, store)       `WrongTaskError` names every problem of the file

The schema of setup steps is in `tasks.osworld.setup_steps`, that of getters in
`tasks.osworld.getters`. The reader is as tolerant as OSWorld; `tasks.osworld.oddities` reports what
was tolerated.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from ambidex.evaluators.osworld.registry import BoundMetric, bind_metric
from ambidex.evaluators.strict import key_path, problems_of
from ambidex.tasks import Problem, Verdict, WrongTaskError
from ambidex.tasks.assets import AssetStore
from ambidex.tasks.osworld.getter_types import CloudFile, RelativeRule, Rule
from ambidex.tasks.osworld.getters import GETTERS, Getter, parse_getter
from ambidex.tasks.osworld.judging import Conj, Question, judge
from ambidex.tasks.osworld.relative_dates import fill_dates
from ambidex.tasks.osworld.setup_steps import STEPS, BrowseHistory, Download, Step, parse_step

__all__ = ["EMPTY_HISTORY", "OSWorldBody", "Source", "read_body", "read_source"]

EMPTY_HISTORY = (
    "https://huggingface.co/datasets/xlangai/ubuntu_osworld_file_cache/resolve/main/chrome/"
    "44ee5668-ecd5-4366-a6ce-c1c9b8d4e938/history_empty.sqlite?download=true"
)
"""The empty database into which a browser's history is written."""
INFEASIBLE = "infeasible"
ANY_DAY = date(2026, 1, 1)
"""Stands for the current day in checks at load, when that day is not known yet."""


class RawStep(BaseModel):
    """A setup step as written in the file."""

    model_config = ConfigDict(extra="allow", frozen=True)
    type: str
    parameters: dict[str, Any] = {}


class RawEvaluator(BaseModel):
    """The evaluator as written in the file; keys unknown to OSWorld are ignored."""

    model_config = ConfigDict(extra="allow", frozen=True)
    func: str | list[str]
    result: Any = None
    expected: Any = None
    options: Any = None
    conj: Conj = "and"
    postconfig: list[RawStep] = []


class Source(BaseModel):
    """The top-level structure of a task file."""

    model_config = ConfigDict(extra="allow", frozen=True)
    id: Annotated[str, Field(min_length=8)]
    instruction: Annotated[str, Field(min_length=1)]
    config: list[RawStep] = []
    evaluator: RawEvaluator
    related_apps: list[str] = []
    proxy: bool = False

    @property
    def feasible(self) -> bool:
        """Whether the task can be solved."""
        return self.evaluator.func != INFEASIBLE


@dataclass(frozen=True)
class OSWorldBody:
    """Steps before and after the episode, and the metrics that judge an OSWorld task."""

    config: tuple[Step, ...]
    post: tuple[Step, ...]
    questions: tuple[Question, ...]
    conj: Conj
    store: AssetStore

    @property
    def check_count(self) -> int:
        """Number of metrics."""
        return len(self.questions)

    @property
    def urls(self) -> tuple[str, ...]:
        """URLs of the benchmark's files that the task needs, in order."""
        urls = []
        for step in (*self.config, *self.post):
            if isinstance(step, Download):
                urls += [file.url for file in step.files]
            elif isinstance(step, BrowseHistory):
                urls.append(EMPTY_HISTORY)
        for getter in self.getters:
            if isinstance(getter, CloudFile):
                urls += [url for url, _ in getter.pairs()]
        return tuple(dict.fromkeys(urls))

    @property
    def getters(self) -> tuple[Getter, ...]:
        """All getters of the task's metrics."""
        pairs = [(question.result, question.expected) for question in self.questions]
        return tuple(getter for pair in pairs for getter in pair if getter is not None)

    @property
    def url_choices(self) -> tuple[tuple[str, ...], ...]:
        """For each file that it needs, the URLs of which one is enough."""
        return tuple((url,) for url in self.urls)

    def missing(self) -> list[str]:
        """URLs of the files that the store lacks."""
        return [url for url in self.urls if self.store.at(url) is None]

    def assets_digest(self) -> str:
        """SHA-256 over the URLs and hashes of its files in the store; empty if it needs none."""
        return self.store.digest(self.urls)

    def judge(self, evidence: Path) -> Verdict:
        """OSWorld's verdict, and the one with its defects repaired."""
        return judge(self.questions, self.conj, evidence, self.store)


def read_source(path: Path) -> tuple[Source, Mapping[str, Any], str]:
    """Read a task file: its validated structure, its raw JSON and its SHA-256. Raises
    `WrongTaskError` if it is not a task file."""
    content = path.read_bytes()
    try:
        raw = json.loads(content)
        source = Source.model_validate(raw)
    except (ValueError, RecursionError) as error:
        if isinstance(error, ValidationError):
            raise WrongTaskError(tuple(_explained(path, "", error))) from None
        raise WrongTaskError((Problem(path, "", f"not JSON: {error}"),)) from None
    return source, raw, hashlib.sha256(content).hexdigest()


def read_body(path: Path, source: Source, store: AssetStore) -> OSWorldBody:
    """Validate and bind the steps and metrics of a task; `WrongTaskError` names every problem."""
    problems: list[Problem] = []
    evaluator = source.evaluator
    config = list(_steps(path, "config", source.config, problems))
    post = list(_steps(path, "evaluator.postconfig", evaluator.postconfig, problems))
    questions = list(_questions(path, evaluator, problems)) if source.feasible else []
    if problems:
        raise WrongTaskError(tuple(problems))
    return OSWorldBody(tuple(config), tuple(post), tuple(questions), evaluator.conj, store)


def _steps(path: Path, key: str, raw: Sequence[RawStep], problems: list[Problem]) -> Iterator[Step]:
    for index, step in enumerate(raw):
        where = f"{key}[{index}]"
        if step.type not in STEPS:
            problems.append(Problem(path, where, f"unknown step {step.type!r}"))
            continue
        try:
            yield parse_step(step.type, step.parameters)
        except ValidationError as error:
            problems += _explained(path, f"{where}.parameters", error)


def _questions(path: Path, evaluator: RawEvaluator, problems: list[Problem]) -> Iterator[Question]:
    names = evaluator.func if isinstance(evaluator.func, list) else [evaluator.func]
    if not names:
        problems.append(Problem(path, "evaluator.func", "no metric"))
    parts: dict[str, list[Any]] = {}
    for key in ("result", "expected", "options"):
        value = getattr(evaluator, key)
        several = list(value) if isinstance(value, list) and len(value) else None
        if isinstance(evaluator.func, list):
            # If it is not a list, OSWorld assumes none for each metric.
            parts[key] = several if several is not None else [None] * len(names)
        else:
            parts[key] = [value or None]
        if len(parts[key]) != len(names):
            message = f"{len(parts[key])} entries for {len(names)} metrics"
            problems.append(Problem(path, f"evaluator.{key}", message))
            return
    for index, name in enumerate(names):
        suffix = f"[{index}]" if isinstance(evaluator.func, list) else ""
        problems_before = len(problems)
        metric = _metric(path, suffix, name, parts["options"][index], problems)
        result = _getter(path, f"evaluator.result{suffix}", parts["result"][index], problems)
        expected = _getter(path, f"evaluator.expected{suffix}", parts["expected"][index], problems)
        if result is None and len(problems) == problems_before:
            problems.append(
                Problem(path, f"evaluator.result{suffix}", "no getter: nothing to judge")
            )
        if metric is None or result is None or len(problems) > problems_before:
            continue
        problems += [
            Problem(path, f"evaluator.expected{suffix}", message)
            for message in _check_expected(metric, expected)
        ]
        yield Question(metric, result, expected)


def _metric(
    path: Path, at: str, name: str, options: object, problems: list[Problem]
) -> BoundMetric | None:
    if options is not None and not isinstance(options, dict):
        problems.append(Problem(path, f"evaluator.options{at}", "not an object with options"))
        return None
    try:
        return bind_metric(name, options or {})
    except ValueError as error:
        problems.append(Problem(path, f"evaluator.func{at}", str(error)))
        return None


def _getter(path: Path, key: str, raw: object, problems: list[Problem]) -> Getter | None:
    if not raw:
        return None
    kind = str(raw.get("type")) if isinstance(raw, dict) else "(without a type)"
    if kind not in GETTERS:
        problems.append(Problem(path, key, f"unknown getter {kind!r}"))
        return None
    try:
        return parse_getter(raw)
    except ValidationError as error:
        problems += _explained(path, key, error)
        return None


def _check_expected(metric: BoundMetric, expected: Getter | None) -> Iterator[str]:
    """Why the `expected` of a task does not fit the metric."""
    if metric.metric.expected is None:
        return
    if expected is None:
        if metric.metric.needs_expected:
            yield f"{metric.metric.name} needs something to compare with, but `expected` is missing"
        return
    rules: JsonValue
    if isinstance(expected, Rule):
        rules = expected.rules
    elif isinstance(expected, RelativeRule):
        try:
            rules = fill_dates(expected.rules, ANY_DAY)
        except KeyError as error:
            yield f"no key {error} to put the day into"
            return
    else:
        return
    try:
        metric.check_expected(rules)
    except ValueError as error:
        yield str(error)


def _explained(path: Path, key: str, error: ValidationError) -> Iterator[Problem]:
    for place, message in problems_of(error):
        # Drop the tag of the step or getter, which pydantic adds.
        tagged = place[:1] and place[0] in STEPS | GETTERS
        where = key_path(place[1:] if tagged else place)
        join = "." if key and where and not where.startswith("[") else ""
        yield Problem(path, f"{key}{join}{where}", message)
