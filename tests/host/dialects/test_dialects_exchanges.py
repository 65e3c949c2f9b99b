"""Replay exchanges in the vendors' documented formats (written by hand, see `replaying`)."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ambidex.host import Decision, Form, ToolResult
from ambidex.host.dialects import dialects
from ambidex.host.records.config import ModelConfig
from tests.support.replaying import TOOLS, Session, calls_of, exchange, name_images, names, newest
from tests.support.vendors import check_answer, check_request


@pytest.mark.parametrize("name", names())
def test_an_exchange_is_sent_and_read_as_recorded(name: str) -> None:
    script = exchange(name)
    session = Session(
        ModelConfig.model_validate(script["model"]),
        *(step["answer"] for step in script["steps"]),
        tools=[TOOLS[tool] for tool in script["tools"]],
        screen=tuple(script["screen"]),
        instruction=script["instruction"],
    )
    known = 0
    for step in script["steps"]:
        decision = session.step(*(ToolResult("", *each) for each in step.get("results", ())))
        body = name_images(session.model.requests[-1])
        if "request" in step:
            assert body == step["request"]
        else:
            assert newest(body, known) == step["newest"]
        known += len(newest(body, known))
        assert written(decision) == step["decision"]


def written(decision: Decision) -> dict[str, Any]:
    said: dict[str, Any] = {"calls": calls_of(decision)}
    for key in ("thought", "malformed", "answer"):
        if getattr(decision, key):
            said[key] = getattr(decision, key)
    return said | ({"stop": decision.stop.value} if decision.stop else {})


def test_every_dialect_and_tool_version_has_a_recorded_exchange() -> None:
    assert {exchange(name)["model"]["dialect"] for name in names()} == set(dialects()) - {
        "functions"
    }
    kinds = {
        tool.get("type")
        for name in names()
        for tool in exchange(name)["steps"][0]["request"].get("tools", ())
    }
    assert kinds >= {
        "computer_20251124",
        "computer_toolset_20260801",
        "computer",
        "computer_use_preview",
    }


WRONG_REQUESTS: list[tuple[Form, dict[str, Any]]] = [
    ("chat", {"messages": [{"role": "user", "content": [{"type": "picture", "url": "x"}]}]}),
    ("chat", {"messages": [{"role": "user", "content": "x", "mood": "good"}]}),
    ("messages", {"messages": [], "tools": [{"type": "computer_20991231", "name": "computer"}]}),
    ("messages", {"messages": [{"role": "user", "content": [{"type": "text", "txt": "x"}]}]}),
    (
        "messages",
        {
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "toolu_1",
                            "content": [{"type": "image", "url": "x"}],
                        }
                    ],
                }
            ]
        },
    ),
    (
        "messages",
        {
            "messages": [],
            "tools": [{"type": "computer_toolset_20260801", "configs": {"jump": {}}}],
        },
    ),
    ("responses", {"input": [], "tools": [{"type": "computer", "display_width": 1}]}),
    ("responses", {"input": [{"type": "computer_call_output", "call_id": "c", "output": "fine"}]}),
    ("responses", {"input": [{"type": "reasoning", "id": "rs_1"}]}),
    (
        "responses",
        {
            "input": [
                {
                    "type": "computer_call",
                    "id": "cu_1",
                    "call_id": "call_1",
                    "status": "completed",
                    "pending_safety_checks": [],
                    "actions": [{"type": "jump"}],
                }
            ]
        },
    ),
]


@pytest.mark.parametrize(("form", "body"), WRONG_REQUESTS)
def test_the_vendors_types_refuse_requests_outside_their_interface(
    form: Form, body: dict[str, Any]
) -> None:
    with pytest.raises(ValidationError):
        check_request(form, body)


@pytest.mark.parametrize("name", names())
def test_the_vendors_types_refuse_an_invented_field_in_an_answer(name: str) -> None:
    script = exchange(name)
    form: Form = {"anthropic": "messages", "openai": "responses"}.get(
        script["model"]["dialect"], "chat"
    )  # type: ignore[assignment]
    answer = script["steps"][0]["answer"]
    check_answer(form, answer)
    part = answer.get("content") or answer.get("output") or [answer["choices"][0]["message"]]
    part[-1]["invented"] = "yes"
    with pytest.raises(AssertionError, match="invented"):
        check_answer(form, answer)
