"""Every dialect in a guest without a desktop: text only, and no word of a screen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from ambidex.host import GUI, Decision, Stop, ToolResult
from ambidex.host.dialects import dialects
from ambidex.host.records.config import ModelConfig
from tests.support.answers import chat, computer, function, message, response, text_block, use
from tests.support.replaying import TOOLS, Session, calls_of

READ = ("calc_get_cell_value", {"cell": "B2"})
FUNCTION = {"name": READ[0], "arguments": json.dumps(READ[1])}


def chat_call() -> dict[str, Any]:
    answer = chat("")
    call = {"id": "call_1", "type": "function", "function": FUNCTION}
    answer["choices"][0]["message"]["tool_calls"] = [call]
    return answer


def in_tags(name: str, **arguments: Any) -> dict[str, Any]:
    call = json.dumps({"name": name, "arguments": arguments})
    return chat(f"<tool_call>{call}</tool_call><conclusion>read</conclusion>")


ANSWERS: Mapping[str, tuple[str, list[dict[str, Any]]]] = {
    "functions": ("toy", [chat_call(), chat("nothing"), chat_call()]),
    "openai": (
        "openai/gpt-5.4",
        [
            response(function(READ[0], json.dumps(READ[1]))),
            response(),
            response(function("finish")),
        ],
    ),
    "anthropic": (
        "anthropic/claude-opus-4-8",
        [
            message(use(READ[0], **READ[1])),
            message(text_block("nothing"), stop="end_turn"),
            message(use("finish")),
        ],
    ),
    "pyautogui": (
        "toy",
        [
            chat("```python\ncalc_get_cell_value(cell='B2')\n```"),
            chat("nothing"),
            chat("```python\nDONE\n```"),
        ],
    ),
    "paper": (
        "toy",
        [
            in_tags(READ[0], **READ[1]),
            chat("nothing"),
            in_tags("computer_use", action="terminate", status="success"),
        ],
    ),
}
"""By dialect, a model and its answers: a call, an answer that cannot be read, and another one."""


def without_screen(name: str, *answers: dict[str, Any]) -> Session:
    tools = [tool for tool in TOOLS.values() if tool.app != GUI]
    config = ModelConfig(name=ANSWERS[name][0], dialect=name)
    return Session(config, *answers, tools=tools, screen=None)


def test_every_dialect_is_tested_here() -> None:
    assert set(dialects()) == set(ANSWERS)


@pytest.mark.parametrize("name", ANSWERS)
def test_a_model_is_sent_results_and_no_images_and_is_told_of_no_screen(name: str) -> None:
    session = without_screen(name, *ANSWERS[name][1])
    assert calls_of(session.step()) == [list(READ)]
    assert session.step(ToolResult("", "forty-two")).malformed
    session.step()
    first, second, third = (json.dumps(body) for body in session.model.requests)
    assert "Set B2 to 42." in first
    assert "forty-two" in second
    assert "could not be carried out" in third
    for text in (first, second, third):
        words = ("image", "screen", "picture", "mouse", "pixel", "desktop", "computer_click")
        assert [word for word in words if word in text.lower()] == []


@pytest.mark.parametrize("name", ANSWERS)
def test_notes_reach_the_model_without_a_screenshot(name: str) -> None:
    session = without_screen(name, ANSWERS[name][1][0])
    session.step(notes=("Look at A1.",))
    assert "Look at A1." in json.dumps(session.model.requests[0])


def test_a_computer_tool_that_was_not_offered_cannot_be_used() -> None:
    for name, answer in {
        "anthropic": message(use("computer", action="screenshot")),
        "openai": response(computer({"type": "click", "x": 1, "y": 2, "button": "left"})),
    }.items():
        session = without_screen(name, answer, ANSWERS[name][1][-1])
        decision = session.step()
        assert decision.malformed or calls_of(decision) == [["computer_click", {"x": 1, "y": 2}]]
        refused = ToolResult("", "There is no tool 'computer_click' here.", "unknown_tool")
        assert session.step(refused) == Decision(
            stop=Stop.DONE, exchanges=session.last.exchanges, answer=session.last.answer
        )
