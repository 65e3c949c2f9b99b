"""The model of an Inspect evaluation as a model of ours: our dialect asks it, and Inspect sends the
requests, counts the tokens and writes its transcript."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from anyio import CancelScope, from_thread
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
    ModelOutput,
    execute_tools,
    get_model,
)
from inspect_ai.tool import ToolCall, ToolDef, ToolInfo, ToolParams
from inspect_ai.util import LimitExceededError

from ambidex.evaluators.bounded import BoundsError, parse_json
from ambidex.host import Answer, Request, Usage
from ambidex.host.errors import ModelError
from ambidex.host.loop.episode import InterruptedEpisodeError

__all__ = ["InspectModel"]


@dataclass
class InspectModel:
    """A `host.Model` that is asked from the thread of a trial, which Inspect's event loop started.
    After `stop` is set it is not asked any more."""

    name: str
    stop: Event = field(default_factory=Event)
    messages: list[ChatMessage] = field(default_factory=list)
    """The conversation so far."""
    output: ModelOutput = field(default_factory=ModelOutput)
    """The last answer."""
    limit: LimitExceededError | None = None
    """The limit of Inspect that a request exceeded."""
    scope: CancelScope | None = None
    """Of the request in progress."""

    def ask(self, request: Request) -> Answer:
        """See `host.Model`. `InterruptedEpisodeError` if Inspect ends the sample."""
        try:
            asked = from_thread.run(self._ask, request.body)
        except LimitExceededError as error:
            self.limit = error
            raise InterruptedEpisodeError from error
        if asked is None or self.stop.is_set():
            raise InterruptedEpisodeError
        return asked

    def cancel(self) -> None:
        """End the request in progress, and refuse all others."""
        self.stop.set()
        if self.scope:
            self.scope.cancel()

    async def _ask(self, body: Mapping[str, Any]) -> Answer | None:
        """The answer; None if the request was cancelled."""
        # anyio delivers a cancellation to the tasks that it finds then. A task that a thread starts
        # in the scope later may wait for it for ever.
        if self.stop.is_set():
            return None
        with CancelScope() as self.scope:
            messages = _messages(body["messages"])
            await self._show_results(messages)
            tools = [_tool(tool["function"]) for tool in body["tools"]]
            try:
                self.output = await get_model().generate(messages, tools)
            except LimitExceededError:
                raise
            except Exception as error:  # of any vendor's library
                raise ModelError(f"{type(error).__name__}: {error}") from error
            self.messages = [*messages, self.output.message]
            return Answer(_as_chat(self.output), _usage(self.output))
        return None

    async def _show_results(self, messages: Sequence[ChatMessage]) -> None:
        """Have Inspect record the calls of the last answer, which our loop has carried out, with
        their results, so that its transcript has them."""
        results = {
            message.tool_call_id: message.text
            for message in messages
            if isinstance(message, ChatMessageTool)
        }
        calls = self.output.message.tool_calls if self.messages else None
        done = [call for call in calls or () if call.id in results]
        for call in done:
            alone = self.output.message.model_copy(update={"tool_calls": [call]})
            tool = ToolDef(
                _recorded(results[call.id]),
                call.function,
                call.function,
                ToolParams(additionalProperties=True),
                max_output=0,
            )
            await execute_tools([alone], [tool])


def _recorded(result: str) -> Callable[..., Awaitable[str]]:
    """A tool that has been called already, with this result."""

    async def execute(**_: Any) -> str:
        return result

    return execute


def _messages(conversation: Sequence[Mapping[str, Any]]) -> list[ChatMessage]:
    """The messages of our dialect `functions`. Inspect has a function for OpenAI's messages, which
    needs a newer version of OpenAI's library than litellm allows."""
    messages: list[ChatMessage] = []
    names: dict[str, str] = {}
    for message in conversation:
        match message:
            case {"role": "system", "content": str(text)}:
                messages.append(ChatMessageSystem(content=text))
            case {"role": "user", "content": content}:
                messages.append(ChatMessageUser(content=_content(content)))
            case {"role": "tool", "content": content, "tool_call_id": id}:
                content, name = _content(content), names.get(id)
                messages.append(ChatMessageTool(content=content, tool_call_id=id, function=name))
            case {"role": "assistant"}:
                calls = [
                    ToolCall(
                        call["id"],
                        call["function"]["name"],
                        _arguments(call["function"]["arguments"]),
                    )
                    for call in message.get("tool_calls") or ()
                ]
                names |= {call.id: call.function for call in calls}
                text = message["content"] or ""
                messages.append(ChatMessageAssistant(content=text, tool_calls=calls or None))
            case _:
                raise ValueError(f"a message that the dialect does not write: {message}")
    return messages


def _content(content: str | Sequence[Mapping[str, Any]]) -> str | list[Content]:
    if isinstance(content, str):
        return content
    return [
        ContentText(text=part["text"])
        if part["type"] == "text"
        else ContentImage(image=part["image_url"]["url"])
        for part in content
    ]


def _arguments(text: str) -> dict[str, Any]:
    """A call's arguments; none where the model wrote something else, which it has been told."""
    try:
        arguments = parse_json(text)
    except BoundsError:
        return {}
    return arguments if isinstance(arguments, dict) else {}


def _tool(function: Mapping[str, Any]) -> ToolInfo:
    return ToolInfo(
        name=function["name"],
        description=function["description"],
        parameters=ToolParams.model_validate(function["parameters"]),
    )


def _as_chat(output: ModelOutput) -> dict[str, Any]:
    """The answer in the format of OpenAI's chat completions, which our dialect reads."""
    message = output.message
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.function, "arguments": json.dumps(call.arguments)},
        }
        for call in message.tool_calls or ()
    ]
    reason = "length" if output.stop_reason == "max_tokens" else "stop"
    content = {"role": "assistant", "content": message.text, "tool_calls": calls or None}
    return {"choices": [{"message": content, "finish_reason": reason}]}


def _usage(output: ModelOutput) -> Usage:
    usage = output.usage
    if usage is None:
        return Usage(reasoning_tokens=None, cost=None, requests=1)
    cached = usage.input_tokens_cache_read or 0
    return Usage(
        input_tokens=usage.input_tokens + cached + (usage.input_tokens_cache_write or 0),
        output_tokens=usage.output_tokens,
        cached_tokens=cached,
        reasoning_tokens=usage.reasoning_tokens,
        cost=usage.total_cost,
        requests=1,
    )
