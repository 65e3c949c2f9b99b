"""One task of OSWorld, read from its own file as it is, into a `Task` like any other.

    task = read_task(path, store)       `WrongTaskError` names every problem of the file

What a file may say is in `tasks.osworld.setup_steps` (setup) and `tasks.osworld.getters` (what is
judged); where OSWorld is tolerant so is this, and `tasks.osworld.oddities` names what was
tolerated.
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
from ambidex.tasks import Problem, Verdict
from ambidex.tasks.osworld.assets import AssetStore
from ambidex.tasks.osworld.getter_types import CloudFile, RelativeRule, Rule
from ambidex.tasks.osworld.getters import GETTERS, Getter, parse_getter
from ambidex.tasks.osworld.judging import Conj, Question, judge
from ambidex.tasks.osworld.relative_dates import filled
from ambidex.tasks.osworld.setup_steps import STEPS, BrowseHistory, Download, Step, parse_step

__all__ = ["EMPTY_HISTORY", "OSWorldBody", "Source", "WrongTaskError", "read_body", "read_source"]

EMPTY_HISTORY = (
    "https://huggingface.co/datasets/xlangai/ubuntu_osworld_file_cache/resolve/main/chrome/"
    "44ee5668-ecd5-4366-a6ce-c1c9b8d4e938/history_empty.sqlite?download=true"
)
"""The database that a browser's history is put into."""
INFEASIBLE = "infeasible"
ANY_DAY = date(2026, 1, 1)
"""Fills what is checked before it is known which day it is."""


@dataclass(frozen=True)
class WrongTaskError(Exception):
    """Why a file cannot be used."""

    problems: tuple[Problem, ...]


class RawStep(BaseModel):
    """A step as the file says it."""

    model_config = ConfigDict(extra="allow", frozen=True)
    type: str
    parameters: dict[str, Any] = {}


class RawEvaluator(BaseModel):
    """The evaluator as the file says it; a key that OSWorld does not know is ignored."""

    model_config = ConfigDict(extra="allow", frozen=True)
    func: str | list[str]
    result: Any = None
    expected: Any = None
    options: Any = None
    conj: Conj = "and"
    postconfig: list[RawStep] = []


class Source(BaseModel):
    """A task file, as far as its form goes."""

    model_config = ConfigDict(extra="allow", frozen=True)
    id: Annotated[str, Field(min_length=8)]
    instruction: Annotated[str, Field(min_length=1)]
    config: list[RawStep] = []
    evaluator: RawEvaluator
    related_apps: list[str] = []
    proxy: bool = False

    @property
    def feasible(self) -> bool:
        """Whether the task can be done at all."""
        return self.evaluator.func != INFEASIBLE


@dataclass(frozen=True)
class OSWorldBody:
    """What is done for an OSWorld task: before the episode, after it, and what is then asked."""

    config: tuple[Step, ...]
    post: tuple[Step, ...]
    questions: tuple[Question, ...]
    conj: Conj
    store: AssetStore

    @property
    def asks(self) -> int:
        """How many metrics are asked."""
        return len(self.questions)

    @property
    def urls(self) -> tuple[str, ...]:
        """The files of the benchmark that it needs, in order."""
        found = []
        for step in (*self.config, *self.post):
            if isinstance(step, Download):
                found += [file.url for file in step.files]
            elif isinstance(step, BrowseHistory):
                found.append(EMPTY_HISTORY)
        for getter in self.getters:
            if isinstance(getter, CloudFile):
                found += [url for url, _ in getter.pairs()]
        return tuple(dict.fromkeys(found))

    @property
    def getters(self) -> tuple[Getter, ...]:
        """All that is fetched to be judged."""
        pairs = [(question.result, question.expected) for question in self.questions]
        return tuple(getter for pair in pairs for getter in pair if getter is not None)

    def missing(self) -> list[str]:
        """Those of the files that the store lacks."""
        return [url for url in self.urls if self.store.at(url) is None]

    def assets_digest(self) -> str:
        """SHA-256 over its files as the store has them, by URL; empty where it needs none."""
        known = [(url, self.store.known(url)) for url in sorted(self.urls)]
        lines = [f"{url} {asset.sha256 if asset else '-'}" for url, asset in known]
        return hashlib.sha256("\n".join(lines).encode()).hexdigest() if lines else ""

    def judge(self, evidence: Path) -> Verdict:
        """OSWorld's verdict, and the one with its defects mended."""
        return judge(self.questions, self.conj, evidence, self.store)


def read_source(path: Path) -> tuple[Source, Mapping[str, Any], str]:
    """A file as its form, as its JSON and by its hash; `WrongTaskError` where it is no task
    file."""
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
    """All of a task bound and checked; `WrongTaskError` names every problem."""
    problems: list[Problem] = []
    evaluator = source.evaluator
    config = list(_steps(path, "config", source.config, problems))
    post = list(_steps(path, "evaluator.postconfig", evaluator.postconfig, problems))
    questions = list(_questions(path, evaluator, problems)) if source.feasible else []
    if problems:
        raise WrongTaskError(tuple(problems))
    return OSWorldBody(tuple(config), tuple(post), tuple(questions), evaluator.conj, store)


def _steps(path: Path, key: str, raw: Sequence[RawStep], problems: list[Problem]) -> Iterator[Step]:
    for index, each in enumerate(raw):
        where = f"{key}[{index}]"
        if each.type not in STEPS:
            problems.append(Problem(path, where, f"no step {each.type!r}"))
            continue
        try:
            yield parse_step(each.type, each.parameters)
        except ValidationError as error:
            problems += _explained(path, f"{where}.parameters", error)


def _questions(path: Path, evaluator: RawEvaluator, problems: list[Problem]) -> Iterator[Question]:
    names = evaluator.func if isinstance(evaluator.func, list) else [evaluator.func]
    if not names:
        problems.append(Problem(path, "evaluator.func", "no metric at all"))
    parts: dict[str, list[Any]] = {}
    for key in ("result", "expected", "options"):
        said = getattr(evaluator, key)
        several = list(said) if isinstance(said, list) and len(said) else None
        if isinstance(evaluator.func, list):
            # Without a list OSWorld takes none for each of them.
            parts[key] = several if several is not None else [None] * len(names)
        else:
            parts[key] = [said or None]
        if len(parts[key]) != len(names):
            message = f"{len(parts[key])} for {len(names)} metrics"
            problems.append(Problem(path, f"evaluator.{key}", message))
            return
    for index, name in enumerate(names):
        at = f"[{index}]" if isinstance(evaluator.func, list) else ""
        found = len(problems)
        metric = _metric(path, at, name, parts["options"][index], problems)
        result = _getter(path, f"evaluator.result{at}", parts["result"][index], problems)
        expected = _getter(path, f"evaluator.expected{at}", parts["expected"][index], problems)
        if result is None and len(problems) == found:
            problems.append(Problem(path, f"evaluator.result{at}", "nothing to judge"))
        if metric is None or result is None or len(problems) > found:
            continue
        problems += [
            Problem(path, f"evaluator.expected{at}", message)
            for message in _misfits(metric, expected)
        ]
        yield Question(metric, result, expected)


def _metric(
    path: Path, at: str, name: str, options: object, problems: list[Problem]
) -> BoundMetric | None:
    if options is not None and not isinstance(options, dict):
        problems.append(Problem(path, f"evaluator.options{at}", "no set of options"))
        return None
    try:
        return bind_metric(name, options or {})
    except ValueError as error:
        problems.append(Problem(path, f"evaluator.func{at}", str(error)))
        return None


def _getter(path: Path, key: str, said: object, problems: list[Problem]) -> Getter | None:
    if not said:
        return None
    kind = str(said.get("type")) if isinstance(said, dict) else "without a type"
    if kind not in GETTERS:
        problems.append(Problem(path, key, f"no getter {kind!r}"))
        return None
    try:
        return parse_getter(said)
    except ValidationError as error:
        problems += _explained(path, key, error)
        return None


def _misfits(metric: BoundMetric, expected: Getter | None) -> Iterator[str]:
    """How what a task says itself does not fit the metric."""
    if metric.metric.expected is None:
        return
    if expected is None:
        if metric.metric.needs_expected:
            yield f"{metric.metric.name} compares with something, and nothing is given"
        return
    rules: JsonValue
    if isinstance(expected, Rule):
        rules = expected.rules
    elif isinstance(expected, RelativeRule):
        try:
            rules = filled(expected.rules, ANY_DAY)
        except KeyError as error:
            yield f"no {error} for its day"
            return
    else:
        return
    try:
        metric.check_expected(rules)
    except ValueError as error:
        yield str(error)


def _explained(path: Path, key: str, error: ValidationError) -> Iterator[Problem]:
    for place, message in problems_of(error):
        # The tag of a kind is pydantic's own addition to the place.
        tagged = place[:1] and place[0] in STEPS | GETTERS
        where = key_path(place[1:] if tagged else place)
        join = "." if key and where and not where.startswith("[") else ""
        yield Problem(path, f"{key}{join}{where}", message)
