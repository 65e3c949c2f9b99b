"""One attempt as the messages and events of an Inspect sample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from inspect_ai.event import Event, InfoEvent, ModelEvent, ScoreEvent, ToolEvent
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
    GenerateConfig,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.scorer import Score
from inspect_ai.tool import ToolCall, ToolCallError

from ambidex.host.integrations.attempts import RecordedAttempt, text_of
from ambidex.host.records.frame_files import frame_url
from ambidex.host.records.orders import written
from ambidex.host.records.recorded_steps import data_url
from ambidex.host.records.trajectory import AGENT, FRAMES

__all__ = ["BEFORE_EPISODE", "EpisodeLog", "episode_log", "usage_of"]

BEFORE_EPISODE = ("revert", "setup", "rehearsal")
"""The stages before an episode, as keys of a row's seconds."""


@dataclass
class EpisodeLog:
    """An episode, as Inspect shows it."""

    started: datetime
    messages: list[ChatMessage] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    usage: dict[str, ModelUsage] = field(default_factory=dict)
    """By model."""
    output: ModelOutput = field(default_factory=ModelOutput)
    """The last answer of the agent."""
    elapsed: float = 0.0
    """Seconds since `started`."""

    @property
    def now(self) -> dict[str, Any]:
        """The time of the next event. Only durations are recorded, without those of a person."""
        timestamp = self.started + timedelta(seconds=self.elapsed)
        return {"timestamp": timestamp, "working_start": self.elapsed}

    def score(self, score: Score, name: str) -> None:
        """Add the verdict."""
        self.events.append(ScoreEvent(score=score, scorer=name, **self.now))


def episode_log(attempt: RecordedAttempt) -> EpisodeLog:
    """The episode of an attempt; without messages if it had none."""
    row = attempt.row
    log = EpisodeLog(datetime.fromisoformat(row.started))
    log.elapsed = sum(row.seconds.get(stage, 0.0) for stage in BEFORE_EPISODE)
    frames = attempt.folder / FRAMES
    steps = [line for line in attempt.lines if line["kind"] == "step"]
    for line in attempt.lines:
        match line["kind"]:
            case "start":
                first = steps[0]["before"] if steps else ""
                content: list[Content] = [ContentText(text=line["instruction"])]
                log.messages.append(ChatMessageUser(content=[*content, *_screen(frames, first)]))
            case "person":
                text = line.get("text") or f"A person gave the order {line['order']}."
                log.events.append(InfoEvent(source="person", data=text, **log.now))
                if line["order"] == "hint":
                    log.messages.append(ChatMessageUser(content=text))
            case "step" if line["actor"] == AGENT:
                _add_step(log, line, frames)
            case "step":
                calls = line["decision"]["calls"]
                did = "; ".join(written(call["name"], call["arguments"]) for call in calls)
                text = f"A person did this: {did}"
                log.events.append(InfoEvent(source="person", data=text, **log.now))
                said: list[Content] = [ContentText(text=text), *_screen(frames, line["after"])]
                log.messages.append(ChatMessageUser(content=said))
    return log


def _add_step(log: EpisodeLog, line: Mapping[str, Any], frames: Path) -> None:
    decision = line["decision"]
    message = ChatMessageAssistant(
        content=_thought(decision),
        tool_calls=[
            ToolCall(call["id"], call["name"], call["arguments"]) for call in decision["calls"]
        ]
        or None,
        model=decision["exchanges"][0]["model"] if decision["exchanges"] else None,
    )
    asked = log.messages[-1:]
    log.messages.append(message)
    _add_exchanges(log, decision["exchanges"], asked, message)
    if not decision["exchanges"]:
        log.output = ModelOutput(choices=[ChatCompletionChoice(message=message)])
        if message.text:
            log.events.append(InfoEvent(source="agent", data=message.text, **log.now))
        log.elapsed += line["seconds"]["model"]
    took = (line["seconds"]["guest"] + line["seconds"]["settle"]) / max(1, len(line["results"]))
    for call, result in zip(decision["calls"], line["results"], strict=False):
        content = _result(result, frames)
        said = ChatMessageTool(
            content=[*content],
            tool_call_id=call["id"],
            function=call["name"],
            error=ToolCallError("unknown", result["text"]) if result["error"] else None,
        )
        log.messages.append(said)
        event = ToolEvent(
            id=call["id"],
            function=call["name"],
            arguments=call["arguments"],
            result=[*content],
            error=said.error,
            message_id=said.id,
            working_time=took,
            **log.now,
        )
        log.elapsed += took
        event.completed = log.now["timestamp"]
        log.events.append(event)
    log.elapsed += line["seconds"]["harness"]
    if line["after"]:
        log.messages.append(ChatMessageUser(content=[*_screen(frames, line["after"])]))


def _add_exchanges(
    log: EpisodeLog,
    exchanges: Sequence[Mapping[str, Any]],
    asked: list[ChatMessage],
    message: ChatMessageAssistant,
) -> None:
    """Add the requests behind a step: the agent's own, and those to a grounder. Of the messages
    that were sent, only the latest is given: the whole prompt is not recorded."""
    for place, exchange in enumerate(exchanges):
        usage = usage_of(exchange["usage"])
        answer = message
        if place:
            answer = ChatMessageAssistant(
                content=text_of(exchange["answer"]), model=exchange["model"]
            )
        output = ModelOutput(
            model=exchange["model"],
            choices=[ChatCompletionChoice(message=answer)],
            usage=usage,
            time=exchange["seconds"],
        )
        event = ModelEvent(
            model=exchange["model"],
            role="grounder" if place else None,
            input=[] if place else asked,
            tools=[],
            tool_choice="auto",
            config=GenerateConfig(),
            output=output,
            retries=exchange["usage"].get("retries"),
            working_time=exchange["seconds"],
            **log.now,
        )
        log.elapsed += exchange["seconds"]
        event.completed = log.now["timestamp"]
        log.events.append(event)
        log.output = log.output if place else output
        before = log.usage.get(exchange["model"])
        log.usage[exchange["model"]] = before + usage if before else usage


def usage_of(usage: Mapping[str, Any]) -> ModelUsage:
    """Our counts of tokens as Inspect's, where input tokens exclude those from the cache."""
    return ModelUsage(
        input_tokens=usage["input_tokens"] - usage["cached_tokens"],
        output_tokens=usage["output_tokens"],
        total_tokens=usage["input_tokens"] + usage["output_tokens"],
        input_tokens_cache_read=usage["cached_tokens"],
        reasoning_tokens=usage.get("reasoning_tokens"),
        total_cost=usage["cost"],
    )


def _thought(decision: Mapping[str, Any]) -> str:
    malformed = decision["malformed"]
    parts = [
        decision["thought"],
        f"[The answer could not be read: {malformed}]" if malformed else "",
        f"[stop: {decision['stop']}]" if decision["stop"] else "",
        decision["answer"] or "",
    ]
    return "\n".join(filter(None, parts))


def _result(result: Mapping[str, Any], frames: Path) -> list[ContentText | ContentImage]:
    images = [ContentImage(image=data_url(frames / name)) for name in result["images"]]
    text = [ContentText(text=result["text"])] if result["text"] or not images else []
    return [*text, *images]


def _screen(frames: Path, name: str) -> Iterator[ContentImage]:
    if name:
        yield ContentImage(image=frame_url(frames, name))
