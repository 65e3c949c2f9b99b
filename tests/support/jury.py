"""Judges with recorded answers, and a played trial that they can judge."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ambidex.evaluators.key_points import CALLS
from ambidex.host import Answer, Form, Request, Stop, Usage
from ambidex.host.records.config import ModelConfig, adopt
from ambidex.host.records.rows import Row, Rows
from ambidex.tasks import Suite
from tests.support.suites import config_of

__all__ = ["PROVED", "READ", "Recorded", "answer_of", "maker", "played"]

READ: dict[str, Any] = {
    "tool": "read_file",
    "server": "filesystem",
    "arguments": {},
    "output": "The numbers are 40 and 2.",
    "error": "",
}
PROVED = '{"met": true, "quotes": ["The numbers are 40 and 2."], "reason": "they were read"}'


def answer_of(form: Form, text: str) -> dict[str, Any]:
    """An answer with this text in the format of an API."""
    match form:
        case "chat":
            return {"choices": [{"message": {"role": "assistant", "content": text}}]}
        case "messages":
            thought = {"type": "thinking", "thinking": "hm", "signature": ""}
            return {"content": [thought, {"type": "text", "text": text}]}
        case "responses":
            part = {"type": "output_text", "text": text, "annotations": []}
            message = {"type": "message", "role": "assistant", "content": [part]}
            return {"output": [{"type": "reasoning", "summary": []}, message]}


class Recorded:
    """A `host.Model` that gives recorded answers: a text for each request that contains a key, or
    an error to raise."""

    def __init__(self, name: str, answers: dict[str, str | Exception]) -> None:
        self.name = name
        self.answers = answers
        self.requests: list[Request] = []

    def ask(self, request: Request) -> Answer:
        self.requests.append(request)
        asked = json.dumps(request.body)
        said = next(text for key, text in self.answers.items() if key in asked)
        if isinstance(said, Exception):
            raise said
        return Answer(answer_of(request.form, said), Usage(requests=1, cost=0.5))


def maker(*models: Recorded) -> Callable[[ModelConfig], Recorded]:
    """Gives out these models by name."""
    by_name = {model.name: model for model in models}
    return lambda config: by_name[config.name]


def played(run: Path, suite: Suite, calls: Sequence[dict[str, Any]] = (READ,), **other: Any) -> Row:
    """Make a run in which the suite's first task was played once, and is unjudged."""
    task = suite.tasks[0]
    config = config_of(suite, **other)
    adopt(run, config)
    evidence = run / f"{task.name}.1" / "evidence"
    evidence.mkdir(parents=True)
    (evidence / CALLS).write_text(json.dumps(calls))
    (evidence / "answer.txt").write_text("The sum is 42.")
    row = Row(
        suite=suite.name,
        task=task.name,
        task_hash=task.hash,
        agent="says_done",
        trial=1,
        attempt=1,
        condition=config.condition,
        tool_beneficial=True,
        feasible=True,
        fate="unjudged",
        stop=Stop.DONE,
        steps=3,
        folder=f"{task.name}.1",
        started="2026-01-01T00:00:00+00:00",
        config=config.hash,
        code="",
    )
    Rows(run).add(row)
    return row
