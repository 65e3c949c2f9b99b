"""The stand-in's replies in each dialect, in the vendors' documented formats."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ambidex.tasks.spec import Call

__all__ = ["ACCENTS", "Reply", "ReplyFormat"]

GUI_PREFIX = "computer_"
WAIT = 2
"""Seconds of a wait. No vendor's format can express a wait for a window, which would end sooner."""


@dataclass(frozen=True)
class Reply:
    """A reply: a text with a call, the end of the episode (`done`, `infeasible`) or a fault."""

    text: str
    call: Call | None = None
    stop: str = ""
    refuses: bool = False
    cut: bool = False


@dataclass(frozen=True)
class ReplyFormat:
    """One dialect: how a reply is formatted, and which calls it can express."""

    envelope: Callable[[Mapping[str, Any], Reply], dict[str, Any]]
    native: Callable[[Call], object]
    """Converts a call of mouse or keyboard to the dialect; None if it cannot be expressed."""

    def can(self, call: Call, request: str) -> bool:
        """Whether the call is on offer in the request and can be expressed."""
        if call.call.startswith(GUI_PREFIX) and self.native is not _unchanged:
            offered = any(sign in request for sign in NATIVE)
            return offered and self.native(call) is not None
        return (
            f'"{call.call}"' in request
            or f'\\"{call.call}\\"' in request
            or (f"{call.call}(" in request)
        )


NATIVE = ("computer_use", '"computer', "pyautogui.")
"""Texts in a request that offers mouse and keyboard in a vendor's own format."""


def _tokens(body: Mapping[str, Any], reply: Reply) -> tuple[int, int]:
    # The stand-in counts four characters as a token, and ignores pictures.
    return len(json.dumps({k: v for k, v in body.items() if k != "messages"})) // 4, len(reply.text)


def _unchanged(call: Call) -> object:
    return call


def _end(reply: Reply) -> tuple[str, dict[str, Any]]:
    if reply.stop == "infeasible":
        return "give_up", {"reason": reply.text}
    return "finish", {}


def _function(reply: Reply) -> tuple[str, dict[str, Any]] | None:
    if reply.call:
        return reply.call.call, reply.call.with_
    return _end(reply) if reply.stop else None


# Chat completions


def _chat(body: Mapping[str, Any], reply: Reply, message: dict[str, Any]) -> dict[str, Any]:
    given, made = _tokens(body, reply)
    finish = "length" if reply.cut else "tool_calls" if message.get("tool_calls") else "stop"
    if reply.refuses:
        message = {"role": "assistant", "content": None, "refusal": reply.text}
    return {
        "id": "chatcmpl-stand-in",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {
            "prompt_tokens": given,
            "completion_tokens": made,
            "total_tokens": given + made,
        },
    }


def _functions(body: Mapping[str, Any], reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if function := _function(reply):
        name, arguments = function
        made = {"name": name, "arguments": json.dumps(arguments)}
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": made}]
    return _chat(body, reply, message)


def _action(call: Call) -> dict[str, Any] | None:
    given: dict[str, Any] = call.with_
    match call.call.removeprefix(GUI_PREFIX):
        case "key":
            return {"action": "key", "keys": given["keys"]} if given.get("times", 1) == 1 else None
        case "type":
            return {"action": "type", "text": given["text"]}
        case "wait":
            return {"action": "wait", "time": min(given["seconds"], WAIT)}
        case "click" | "double_click" | "right_click" | "middle_click" as name:
            return {"action": name, "coordinate": [given["x"], given["y"]]}
    return None


def _paper(body: Mapping[str, Any], reply: Reply) -> dict[str, Any]:
    text = reply.text
    if not (reply.cut or reply.refuses) and (reply.call or reply.stop):
        if reply.call and reply.call.call.startswith(GUI_PREFIX):
            called: dict[str, Any] = {"name": "computer_use", "arguments": _action(reply.call)}
        elif reply.call:
            called = {"name": reply.call.call, "arguments": reply.call.with_}
        else:
            status = "failure" if reply.stop == "infeasible" else "success"
            arguments = {"action": "terminate", "status": status}
            called = {"name": "computer_use", "arguments": arguments}
        text = (
            f"<thinking>I look at the screen.</thinking>\n<tool_call>\n{json.dumps(called)}\n"
            f"</tool_call>\n<conclusion>{reply.text}</conclusion>"
        )
    return _chat(body, reply, {"role": "assistant", "content": text})


def _line(call: Call) -> str | None:
    given: dict[str, Any] = call.with_
    match call.call.removeprefix(GUI_PREFIX):
        case "key":
            keys = ", ".join(map(repr, given["keys"]))
            return "\n".join([f"pyautogui.hotkey({keys})"] * given.get("times", 1))
        case "type":
            return f"pyautogui.write({given['text']!r})"
        case "wait":
            return f"time.sleep({min(given['seconds'], WAIT)})"
        case "click":
            return f"pyautogui.click({given['x']}, {given['y']})"
    return None


def _python(body: Mapping[str, Any], reply: Reply) -> dict[str, Any]:
    text = reply.text
    if reply.call and reply.call.call.startswith(GUI_PREFIX):
        text += f"\n```python\n{_line(reply.call)}\n```"
    elif reply.call:
        given = ", ".join(f"{name}={value!r}" for name, value in reply.call.with_.items())
        text += f"\n```python\n{reply.call.call}({given})\n```"
    elif reply.stop:
        end = "FAIL('it cannot be done')" if reply.stop == "infeasible" else "DONE()"
        text += f"\n```python\n{end}\n```"
    return _chat(body, reply, {"role": "assistant", "content": text})


# Messages


KEYS = {"enter": "Return", "pageup": "Page_Up", "pagedown": "Page_Down", "win": "super"}


def _anthropic_action(call: Call) -> dict[str, Any] | None:
    given: dict[str, Any] = call.with_
    match call.call.removeprefix(GUI_PREFIX):
        case "key":
            chord = "+".join(KEYS.get(key, key) for key in given["keys"])
            return {"action": "key", "text": chord} if given.get("times", 1) == 1 else None
        case "type":
            return {"action": "type", "text": given["text"]}
        case "wait":
            return {"action": "wait", "duration": min(given["seconds"], WAIT)}
        case "click":
            return {"action": "left_click", "coordinate": [given["x"], given["y"]]}
    return None


def _messages(body: Mapping[str, Any], reply: Reply) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": reply.text}]
    if function := _function(reply):
        name, given = function
        made: dict[str, Any] = {"type": "tool_use", "id": f"toolu_{len(body['messages'])}"}
        if reply.call and name.startswith(GUI_PREFIX):
            name, given = "computer", _anthropic_action(reply.call) or {}
            if any(tool.get("type", "").startswith("computer_toolset") for tool in body["tools"]):
                # Newer models call each action by its own name.
                name, made["toolset_name"] = given.pop("action"), name
        content.append(made | {"name": name, "input": given})
    reason = "max_tokens" if reply.cut else "tool_use" if len(content) > 1 else "end_turn"
    tokens = _tokens(body, reply)
    return {
        "id": "msg_stand_in",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": "refusal" if reply.refuses else reason,
        "stop_sequence": None,
        "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1]},
    }


# Responses


def _openai_action(call: Call) -> dict[str, Any] | None:
    given: dict[str, Any] = call.with_
    match call.call.removeprefix(GUI_PREFIX):
        case "key":
            one = given.get("times", 1) == 1
            return {"type": "keypress", "keys": given["keys"]} if one else None
        case "type":
            return {"type": "type", "text": given["text"]}
        case "wait":
            return {"type": "wait"}
        case "click":
            return {"type": "click", "button": "left", "x": given["x"], "y": given["y"]}
    return None


def _responses(body: Mapping[str, Any], reply: Reply) -> dict[str, Any]:
    part = "refusal" if reply.refuses else "output_text"
    words: dict[str, Any] = {"type": part, ("refusal" if reply.refuses else "text"): reply.text}
    if not reply.refuses:
        words["annotations"] = []
    output: list[dict[str, Any]] = [
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [words],
        }
    ]
    place = len(body["input"])
    if reply.call and reply.call.call.startswith(GUI_PREFIX):
        output.append(
            {
                "id": f"cu_{place}",
                "call_id": f"call_{place}",
                "type": "computer_call",
                "status": "completed",
                "pending_safety_checks": [],
                "actions": [_openai_action(reply.call)],
            }
        )
    elif function := _function(reply):
        output.append(
            {
                "id": f"fc_{place}",
                "call_id": f"call_{place}",
                "type": "function_call",
                "status": "completed",
                "name": function[0],
                "arguments": json.dumps(function[1]),
            }
        )
    given, made = _tokens(body, reply)
    return {
        "id": "resp_stand_in",
        "object": "response",
        "created_at": 1,
        "model": body["model"],
        "status": "incomplete" if reply.cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if reply.cut else None,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": given,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": made,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": given + made,
        },
    }


ACCENTS = {
    "functions": ReplyFormat(_functions, _unchanged),
    "paper": ReplyFormat(_paper, _action),
    "pyautogui": ReplyFormat(_python, _line),
    "anthropic": ReplyFormat(_messages, _anthropic_action),
    "openai": ReplyFormat(_responses, _openai_action),
}
