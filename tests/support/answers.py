"""Answers in the formats of the three APIs, as vendors document them."""

from __future__ import annotations

import itertools
from typing import Any

Block = dict[str, Any]
COUNT = itertools.count(1)


def chat(text: str, finish: str = "stop", refusal: str | None = None) -> Block:
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "toy",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107},
    }


def message(*blocks: Block, stop: str = "tool_use", **more: Any) -> Block:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "toy",
        "content": list(blocks),
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 7},
        **more,
    }


def text_block(text: str) -> Block:
    return {"type": "text", "text": text}


def use(name: str, /, **given: Any) -> Block:
    """A use of a custom tool."""
    return {"type": "tool_use", "id": f"toolu_{next(COUNT)}", "name": name, "input": given}


def act(action: str, /, **given: Any) -> Block:
    """An action of the earlier computer tool."""
    return use("computer", action=action, **given)


def member(action: str, /, **given: Any) -> Block:
    """An action of the toolset."""
    return {**use(action, **given), "toolset_name": "computer"}


def response(*output: Block, status: str = "completed", **more: Any) -> Block:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1.0,
        "model": "toy",
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "output": list(output),
        "usage": {
            "input_tokens": 100,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 107,
        },
        **more,
    }


def computer(*actions: Block, checks: tuple[Block, ...] = ()) -> Block:
    """A call of OpenAI's computer tool with these actions."""
    number = next(COUNT)
    return {
        "type": "computer_call",
        "id": f"cu_{number}",
        "call_id": f"call_{number}",
        "status": "completed",
        "pending_safety_checks": list(checks),
        "actions": list(actions),
    }


def function(name: str, arguments: str = "{}") -> Block:
    number = next(COUNT)
    return {
        "type": "function_call",
        "id": f"fc_{number}",
        "call_id": f"call_{number}",
        "name": name,
        "arguments": arguments,
        "status": "completed",
    }


def output_text(text: str) -> Block:
    part = {"type": "output_text", "text": text, "annotations": []}
    return _output_message(part)


def output_refusal(text: str) -> Block:
    return _output_message({"type": "refusal", "refusal": text})


def _output_message(part: Block) -> Block:
    return {
        "type": "message",
        "id": f"msg_{next(COUNT)}",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }
