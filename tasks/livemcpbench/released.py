"""Reads what LiveMCPBench's authors released: an agent's conversations, people's labels of them,
and the verdicts of judge models.

Two readings of a verdict are compared: the authors' own, by substring, and the strict one of its
status line. Theirs first searches for `Status:` and a word; where the word is in quotation marks
the search fails, and then any "success" in the whole text counts, as in "not successful".
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from pydantic import Field

from ambidex.evaluators.key_points import RecordedCall
from ambidex.evaluators.verdict_text import read_status
from ambidex.tasks.livemcpbench import EXECUTE, ROUTE
from ambidex.tasks.livemcpbench.body import key_points_in
from ambidex.tasks.livemcpbench.catalogue import Metadata, Upstream, read_file

__all__ = [
    "Activity",
    "Conversation",
    "Label",
    "StoredVerdict",
    "activity",
    "by_status_line",
    "by_substring",
    "read_conversations",
    "read_labels",
    "read_verdicts",
    "recorded_calls",
]

FAILED = ("isError=True", "Tool call timed out.")
"""How the output of a call that failed ends."""


class Function(Upstream):
    """The function of a call in a conversation."""

    name: str
    arguments: str


class ConversationCall(Upstream):
    """A call in a conversation."""

    id: str = ""
    function: Function


class ConversationMessage(Upstream):
    """A message of a conversation."""

    role: Literal["system", "user", "assistant", "tool"]
    content: Any = None
    tool_call_id: str = ""
    """Of a tool's message: the call that it answers."""
    tool_calls: tuple[ConversationCall, ...] | None = None

    @property
    def calls(self) -> tuple[Function, ...]:
        """The functions that it calls."""
        return tuple(call.function for call in self.tool_calls or ())


class Conversation(Upstream):
    """An agent's conversation about one task."""

    task_id: str
    messages: tuple[ConversationMessage, ...] = Field(min_length=1)
    metadata: Metadata | None = Field(None, alias="Annotator Metadata")

    @property
    def points(self) -> tuple[str, ...]:
        """The key points of the task."""
        return key_points_in(self.metadata.steps) if self.metadata else ()


class Label(Upstream):
    """A person's verdict on a conversation."""

    task_id: str
    task_success: Literal["success", "failure"]


class StoredVerdict(Upstream):
    """A judge model's verdict on a conversation, as stored by upstream's judge."""

    task_id: str
    judge: str
    """The word after `Status:`, or the whole text where upstream did not find one."""
    judge_reason: str
    reward: Literal[0, 1]
    """Upstream's reading."""

    @property
    def text(self) -> str:
        """The judge's text, as far as it is stored."""
        if self.judge in ("success", "failure"):
            return f"Thoughts: {self.judge_reason}\nStatus: {self.judge}"
        return self.judge


def read_conversations(path: Path) -> tuple[Conversation, ...]:
    """The conversations of one agent; `TaskError` says what is wrong with the file."""
    conversations: tuple[Conversation, ...] = read_file(path, tuple[Conversation, ...])
    return conversations


def read_labels(path: Path) -> dict[str, bool]:
    """Whether people called each task solved, by its id."""
    labels: tuple[Label, ...] = read_file(path, tuple[Label, ...])
    return {label.task_id: label.task_success == "success" for label in labels}


def read_verdicts(path: Path) -> Mapping[str, tuple[StoredVerdict, ...]]:
    """The verdicts by judge model."""
    verdicts: dict[str, tuple[StoredVerdict, ...]]
    verdicts = read_file(path, dict[str, tuple[StoredVerdict, ...]])
    return verdicts


def by_substring(verdict: StoredVerdict) -> bool:
    """Upstream's reading: whether "success" occurs."""
    return "success" in verdict.judge.lower()


def by_status_line(verdict: StoredVerdict) -> bool:
    """The strict reading: whether the status line says success. Undecided is no success."""
    return read_status(verdict.text) == "success"


@dataclass(frozen=True)
class Activity:
    """Means per task. "Steps" in LiveMCPBench's tables are messages."""

    tasks: int
    messages: float
    """Of any role, system and tools included."""
    turns: float
    """Messages of the agent: its decisions, the final answer included."""
    tools: float
    """Different names of tools executed."""
    executions: float
    routes: float


def activity(conversations: Sequence[Conversation]) -> Activity:
    """What an agent did per task, by each definition of a step."""
    calls = [_calls(conversation.messages) for conversation in conversations]
    counts = [Counter(call.name for call in own) for own in calls]
    return Activity(
        tasks=len(conversations),
        messages=fmean(len(conversation.messages) for conversation in conversations),
        turns=fmean(
            sum(message.role == "assistant" for message in conversation.messages)
            for conversation in conversations
        ),
        tools=fmean(len(set(map(_executed, _only(own, EXECUTE)))) for own in calls),
        executions=fmean(count[EXECUTE] for count in counts),
        routes=fmean(count[ROUTE] for count in counts),
    )


def _calls(messages: Iterable[ConversationMessage]) -> list[Function]:
    return [call for message in messages for call in message.calls]


def _only(calls: Iterable[Function], name: str) -> list[Function]:
    return [call for call in calls if call.name == name]


def recorded_calls(conversation: Conversation) -> tuple[RecordedCall, ...]:
    """The calls of a conversation with their output, in the form of a trial's evidence."""
    outputs = {
        message.tool_call_id: str(message.content)
        for message in conversation.messages
        if message.role == "tool"
    }
    recorded = []
    for call in (call for message in conversation.messages for call in message.tool_calls or ()):
        output, arguments = outputs.get(call.id, ""), _arguments(call.function)
        executes = call.function.name == EXECUTE
        recorded.append(
            RecordedCall(
                tool=str(arguments.get("tool_name")) if executes else call.function.name,
                server=str(arguments.get("server_name")) if executes else "",
                arguments=arguments,
                output=output,
                error="failed" if output.rstrip(")").endswith(FAILED) else "",
                search=call.function.name == ROUTE,
            )
        )
    return tuple(recorded)


def _executed(call: Function) -> str:
    """The name of the tool that the gateway was asked to execute; empty if it cannot be read."""
    return str(_arguments(call).get("tool_name", ""))


def _arguments(call: Function) -> dict[str, Any]:
    """The arguments of a call; none if they cannot be read."""
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        return {}
    return arguments if isinstance(arguments, dict) else {}
