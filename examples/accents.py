"""How the stand-in says a call in each dialect, in the vendors' documented forms."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ambidex.tasks.spec import Call

__all__ = ["ACCENTS", "Accent", "Said"]

HANDS = "computer_"
WAITS = 2
"""Seconds; a wait for a window, which ends sooner, can be said in no vendor's form."""


@dataclass(frozen=True)
class Said:
    """One answer: some words, and a call or the end (`done`, `infeasible`), or a fault."""

    text: str
    call: Call | None = None
    stop: str = ""
    refuses: bool = False
    cut: bool = False


@dataclass(frozen=True)
class Accent:
    """One dialect: how an answer is put, and whether a call can be said in it at all."""

    envelope: Callable[[Mapping[str, Any], Said], dict[str, Any]]
    native: Callable[[Call], object]
    """What a call of mouse or keyboard is in it; None where it is nothing."""

    def can(self, call: Call, request: str) -> bool:
        """Whether that call is on offer in the request."""
        if call.call.startswith(HANDS) and self.native is not _as_it_is:
            offered = any(sign in request for sign in NATIVE)
            return offered and self.native(call) is not None
        return (
            f'"{call.call}"' in request
            or f'\\"{call.call}\\"' in request
            or (f"{call.call}(" in request)
        )


NATIVE = ("computer_use", '"computer', "pyautogui.")
"""What tells that a request offers mouse and keyboard in a vendor's own form."""


def _tokens(body: Mapping[str, Any], said: Said) -> tuple[int, int]:
    # A stand-in counts four characters as a token, and a picture as nothing.
    return len(json.dumps({k: v for k, v in body.items() if k != "messages"})) // 4, len(said.text)


def _as_it_is(call: Call) -> object:
    return call


def _end(said: Said) -> tuple[str, dict[str, Any]]:
    if said.stop == "infeasible":
        return "give_up", {"reason": said.text}
    return "finish", {}


def _function(said: Said) -> tuple[str, dict[str, Any]] | None:
    if said.call:
        return said.call.call, said.call.with_
    return _end(said) if said.stop else None


# Chat completions


def _chat(body: Mapping[str, Any], said: Said, message: dict[str, Any]) -> dict[str, Any]:
    given, made = _tokens(body, said)
    finish = "length" if said.cut else "tool_calls" if message.get("tool_calls") else "stop"
    if said.refuses:
        message = {"role": "assistant", "content": None, "refusal": said.text}
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


def _functions(body: Mapping[str, Any], said: Said) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text}
    if function := _function(said):
        name, arguments = function
        made = {"name": name, "arguments": json.dumps(arguments)}
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": made}]
    return _chat(body, said, message)


def _action(call: Call) -> dict[str, Any] | None:
    given = call.with_
    match call.call.removeprefix(HANDS):
        case "key":
            return {"action": "key", "keys": given["keys"]} if given.get("times", 1) == 1 else None
        case "type":
            return {"action": "type", "text": given["text"]}
        case "wait":
            return {"action": "wait", "time": min(given["seconds"], WAITS)}
        case "click" | "double_click" | "right_click" | "middle_click" as name:
            return {"action": name, "coordinate": [given["x"], given["y"]]}
    return None


def _paper(body: Mapping[str, Any], said: Said) -> dict[str, Any]:
    text = said.text
    if not (said.cut or said.refuses) and (said.call or said.stop):
        if said.call and said.call.call.startswith(HANDS):
            called: dict[str, Any] = {"name": "computer_use", "arguments": _action(said.call)}
        elif said.call:
            called = {"name": said.call.call, "arguments": said.call.with_}
        else:
            status = "failure" if said.stop == "infeasible" else "success"
            arguments = {"action": "terminate", "status": status}
            called = {"name": "computer_use", "arguments": arguments}
        text = (
            f"<thinking>I look at the screen.</thinking>\n<tool_call>\n{json.dumps(called)}\n"
            f"</tool_call>\n<conclusion>{said.text}</conclusion>"
        )
    return _chat(body, said, {"role": "assistant", "content": text})


def _line(call: Call) -> str | None:
    given = call.with_
    match call.call.removeprefix(HANDS):
        case "key":
            keys = ", ".join(map(repr, given["keys"]))
            return "\n".join([f"pyautogui.hotkey({keys})"] * given.get("times", 1))
        case "type":
            return f"pyautogui.write({given['text']!r})"
        case "wait":
            return f"time.sleep({min(given['seconds'], WAITS)})"
        case "click":
            return f"pyautogui.click({given['x']}, {given['y']})"
    return None


def _python(body: Mapping[str, Any], said: Said) -> dict[str, Any]:
    text = said.text
    if said.call and said.call.call.startswith(HANDS):
        text += f"\n```python\n{_line(said.call)}\n```"
    elif said.call:
        given = ", ".join(f"{name}={value!r}" for name, value in said.call.with_.items())
        text += f"\n```python\n{said.call.call}({given})\n```"
    elif said.stop:
        end = "FAIL('it cannot be done')" if said.stop == "infeasible" else "DONE()"
        text += f"\n```python\n{end}\n```"
    return _chat(body, said, {"role": "assistant", "content": text})


# Messages


KEYS = {"enter": "Return", "pageup": "Page_Up", "pagedown": "Page_Down", "win": "super"}


def _anthropic_action(call: Call) -> dict[str, Any] | None:
    given = call.with_
    match call.call.removeprefix(HANDS):
        case "key":
            chord = "+".join(KEYS.get(key, key) for key in given["keys"])
            return {"action": "key", "text": chord} if given.get("times", 1) == 1 else None
        case "type":
            return {"action": "type", "text": given["text"]}
        case "wait":
            return {"action": "wait", "duration": min(given["seconds"], WAITS)}
        case "click":
            return {"action": "left_click", "coordinate": [given["x"], given["y"]]}
    return None


def _messages(body: Mapping[str, Any], said: Said) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": said.text}]
    if function := _function(said):
        name, given = function
        made: dict[str, Any] = {"type": "tool_use", "id": f"toolu_{len(body['messages'])}"}
        if said.call and name.startswith(HANDS):
            name, given = "computer", _anthropic_action(said.call) or {}
            if any(tool.get("type", "").startswith("computer_toolset") for tool in body["tools"]):
                # Newer models call each action by its own name.
                name, made["toolset_name"] = given.pop("action"), name
        content.append(made | {"name": name, "input": given})
    reason = "max_tokens" if said.cut else "tool_use" if len(content) > 1 else "end_turn"
    tokens = _tokens(body, said)
    return {
        "id": "msg_stand_in",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": "refusal" if said.refuses else reason,
        "stop_sequence": None,
        "usage": {"input_tokens": tokens[0], "output_tokens": tokens[1]},
    }


# Responses


def _openai_action(call: Call) -> dict[str, Any] | None:
    given = call.with_
    match call.call.removeprefix(HANDS):
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


def _responses(body: Mapping[str, Any], said: Said) -> dict[str, Any]:
    part = "refusal" if said.refuses else "output_text"
    words: dict[str, Any] = {"type": part, ("refusal" if said.refuses else "text"): said.text}
    if not said.refuses:
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
    if said.call and said.call.call.startswith(HANDS):
        output.append(
            {
                "id": f"cu_{place}",
                "call_id": f"call_{place}",
                "type": "computer_call",
                "status": "completed",
                "pending_safety_checks": [],
                "actions": [_openai_action(said.call)],
            }
        )
    elif function := _function(said):
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
    given, made = _tokens(body, said)
    return {
        "id": "resp_stand_in",
        "object": "response",
        "created_at": 1,
        "model": body["model"],
        "status": "incomplete" if said.cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if said.cut else None,
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
    "functions": Accent(_functions, _as_it_is),
    "paper": Accent(_paper, _action),
    "pyautogui": Accent(_python, _line),
    "anthropic": Accent(_messages, _anthropic_action),
    "openai": Accent(_responses, _openai_action),
}
