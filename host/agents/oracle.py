"""The agent that plays a task's reference solution."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from ambidex.host import Decision, Observation, Stop, ToolCall
from ambidex.host.agents.kind import AgentKind, AgentRequest
from ambidex.host.errors import UsageError
from ambidex.host.records.config import Condition, RunConfig
from ambidex.host.records.retrieval import names_in
from ambidex.host.untrusted import MalformedError
from ambidex.host.untrusted.parsing import json_value
from ambidex.tasks import Task
from ambidex.tasks.spec import Oracle, ScriptedCall

__all__ = [
    "AGENT",
    "CALL",
    "FIND",
    "Script",
    "fill_in",
    "oracle_names",
    "play_oracle",
    "query_for",
    "value_at",
]


FIND, CALL = "find_tools", "call_tool"
WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
"""A word of a tool's name, as in `chat_sendMessage`."""


class Script:
    """Makes one call per step, whether it succeeds or not, and stops after the last one.

    Behind a gateway with `find_tools` it searches for each tool by the words of its name before the
    first call, and leaves out the calls of those that it does not find.
    """

    def __init__(self, calls: Sequence[ScriptedCall], stop: Stop, answer: str | None) -> None:
        self._calls = list(calls)
        self._stop = stop
        self._answer = answer
        self._keep: Mapping[str, str] = {}
        """What the last call keeps of its result."""
        self._kept: dict[str, Any] = {}
        self._searched = ""
        """The tool that the last step searched for."""
        self._found: dict[str, bool] = {}

    def step(self, observation: Observation) -> Decision:
        """The next call of the script."""
        for name, place in self._keep.items():
            self._kept[name] = value_at(observation.results[0].text, place)
        if self._searched:
            answer = observation.results[0].text
            self._found[self._searched] = self._searched in names_in(answer)
        offered = {tool.name for tool in observation.tools}
        while self._calls and not self._found.get(self._calls[0].call, True):
            self._calls.pop(0)
        self._keep, self._searched = {}, ""
        if not self._calls:
            return Decision(stop=self._stop, answer=self._answer)
        call = self._calls[0]
        behind = call.call not in offered and FIND in offered
        if behind and call.call not in self._found:
            self._searched = call.call
            return _decision(FIND, {"query": query_for(call.call)})
        self._keep = self._calls.pop(0).keep
        given = fill_in(call.with_, self._kept)
        if behind:
            return _decision(CALL, {"name": call.call, "arguments": given})
        return _decision(call.call, given)


def _decision(name: str, arguments: Mapping[str, Any]) -> Decision:
    return Decision(calls=(ToolCall(uuid.uuid4().hex, name, arguments),))


def query_for(tool: str) -> str:
    """The search for a tool: the words of its name."""
    return " ".join(WORD.findall(tool)).lower()


def fill_in(arguments: Any, kept: Mapping[str, Any]) -> Any:
    """The arguments with the kept value in place of each text `$NAME`. A name under which nothing
    is kept stays as it is."""
    match arguments:
        case dict():
            return {name: fill_in(value, kept) for name, value in arguments.items()}
        case list():
            return [fill_in(value, kept) for value in arguments]
        case str() if arguments.startswith("$"):
            return kept.get(arguments[1:], arguments)
    return arguments


def value_at(text: str, place: str) -> Any:
    """The value at a place of a JSON text (`chunk.0.event_id`); None if there is none."""
    try:
        value = json_value(text, "the result of an oracle's call")
        for key in place.split("."):
            value = value[int(key)] if isinstance(value, list) else value[key]
    except (MalformedError, LookupError, ValueError, TypeError):
        return None
    return value


def play_oracle(task: Task, which: str) -> Script:
    """The script of the task's oracle by `tools` or `gui`, or of a variant: `tools:2` is its second
    oracle by tools. `UsageError` if it has none."""
    oracle = oracle_names(task).get(which)
    if oracle is None:
        raise UsageError(f"{task.name} has no oracle by {which}")
    return Script(oracle.calls, Stop(oracle.stop), oracle.answer)


def oracle_names(task: Task) -> dict[str, Oracle]:
    """The task's oracles by the names that `play_oracle` takes, in order."""
    names: dict[str, Oracle] = {}
    for oracle in task.spec.oracle:
        number = 1 + sum(other.by == oracle.by for other in names.values())
        names[oracle.by if number == 1 else f"{oracle.by}:{number}"] = oracle
    return names


def _check(detail: str, config: RunConfig, tasks: tuple[Task, ...]) -> None:
    by = {task.name: detail or _default_modality(config.condition, task) for task in tasks}
    missing = [task.name for task in tasks if by[task.name] not in oracle_names(task)]
    if missing:
        raise UsageError(f"no oracle by {by[missing[0]]} for {', '.join(missing)}")


def _make(request: AgentRequest) -> Script:
    modality = request.detail or _default_modality(request.config.condition, request.task)
    return play_oracle(request.task, modality)


def _default_modality(condition: Condition, task: Task) -> str:
    if condition != "hybrid":
        return condition
    by = {oracle.by for oracle in task.spec.oracle}
    return "gui" if by == {"gui"} else "tools"


AGENT = AgentKind(_make, _check)
