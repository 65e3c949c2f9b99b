"""OpenAI's responses API with its computer tool, checked against the types of its SDK."""

from __future__ import annotations

import json
from typing import Any, get_args

import openai.types.responses.computer_action as sdk
import pytest
from openai.types.responses.computer_action import Click, ComputerAction

from ambidex.host import Briefing, Frame, Limits, Observation, Stop, ToolResult
from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.openai import OpenAI
from ambidex.host.dialects.openai_actions import ACTIONS, BUTTONS
from ambidex.host.records.config import ModelConfig
from tests.support.answers import computer, function, output_refusal, output_text, response
from tests.support.replaying import HANDS, TOOLS, Session, calls_of, name_images
from tests.support.tables import every_case

GA = ModelConfig(name="openai/gpt-5.4", dialect="openai")
PREVIEW = ModelConfig(name="openai/computer-use-preview", dialect="openai")
FINISH = response(function("finish"))
AT = {"x": 10, "y": 20}
PATH = [{"x": 1, "y": 2}, {"x": 3, "y": 4}]

SAMPLES: dict[str, list[tuple[dict[str, Any], list[list[Any]]]]] = {
    "click": [
        ({**AT, "button": "left"}, [["computer_click", AT]]),
        (
            {**AT, "button": "right", "keys": ["CTRL"]},
            [["computer_right_click", {**AT, "keys": ["CTRL"]}]],
        ),
        ({**AT, "button": "wheel", "keys": []}, [["computer_middle_click", AT]]),
    ],
    "double_click": [({**AT, "keys": None}, [["computer_double_click", AT]])],
    "drag": [
        ({"path": PATH}, [["computer_drag", {"x": 1, "y": 2, "to_x": 3, "to_y": 4}]]),
        (
            {"path": PATH, "keys": ["SHIFT"]},
            [["computer_drag", {"x": 1, "y": 2, "to_x": 3, "to_y": 4, "keys": ["SHIFT"]}]],
        ),
        (
            {"path": [*PATH, {"x": 5, "y": 6}]},
            [
                ["computer_mouse_down", {"x": 1, "y": 2}],
                ["computer_move", {"x": 3, "y": 4}],
                ["computer_mouse_up", {"x": 5, "y": 6}],
            ],
        ),
    ],
    "keypress": [
        ({"keys": ["CMD", "C"]}, [["computer_key", {"keys": ["CMD", "C"]}]]),
        ({"keys": ["OPTION", "RETURN"]}, [["computer_key", {"keys": ["alt", "enter"]}]]),
    ],
    "move": [(AT, [["computer_move", AT]])],
    "screenshot": [({}, [])],
    "scroll": [
        # 100 pixels a click, at least one: 1000 / 100 = 10 down, 30 / 100 rounds to 0 and is 1 left
        (
            {**AT, "scroll_x": -30, "scroll_y": 1000},
            [["computer_scroll", {**AT, "dx": -1, "dy": 10}]],
        ),
        # -260 / 100 = -2.6, the nearest is 3 up
        (
            {**AT, "scroll_x": 0, "scroll_y": -260},
            [["computer_scroll", {**AT, "dx": 0, "dy": -3}]],
        ),
    ],
    "type": [({"text": "a b"}, [["computer_type", {"text": "a b"}]])],
    "wait": [({}, [["computer_wait", {"seconds": 2}]])],
}
"""Each action as the vendor gives it, and what becomes of it."""


def test_every_action_of_the_vendor_is_known_here() -> None:
    union = get_args(get_args(ComputerAction)[0])
    kinds = {get_args(kind.model_fields["type"].annotation)[0] for kind in union}
    assert ACTIONS.keys() == SAMPLES.keys() == kinds
    assert BUTTONS.keys() == set(get_args(Click.model_fields["button"].annotation))
    tools = {*ACTIONS.values(), *BUTTONS.values()} - {""}
    assert tools <= HANDS.keys()


@pytest.mark.parametrize(
    ("action", "arguments", "calls"),
    [
        (action, arguments, calls)
        for action, samples in SAMPLES.items()
        for arguments, calls in samples
    ],
)
def test_every_action_becomes_calls_of_guest_tools(
    action: str, arguments: dict[str, Any], calls: list[list[Any]]
) -> None:
    name = "".join(part.title() for part in action.split("_"))
    read = getattr(sdk, name).model_validate({"type": action, **arguments})
    assert not read.model_extra, "the sample is not what the vendor documents"
    one = response(computer({"type": action, **arguments}))
    assert calls_of(Session(GA, one).step()) == calls
    first = computer({"type": action, **arguments})
    first["action"] = first.pop("actions")[0]
    assert calls_of(Session(PREVIEW, response(first)).step()) == calls


@pytest.mark.parametrize(
    ("size", "point"),
    [
        # 100 * 1920 / 1280 = 150, 200 * 1080 / 720 = 300
        ({"view": (1280, 720)}, {"x": 150, "y": 300}),
        # 100 * 1920 / 1000 = 192, 200 * 1080 / 1000 = 216
        ({"grid": 1000}, {"x": 192, "y": 216}),
    ],
)
def test_points_are_converted_to_screen_pixels(size: dict[str, Any], point: dict[str, int]) -> None:
    config = GA.model_copy(update=size)
    path = [{"x": 100, "y": 200}, {"x": 100, "y": 200}]
    decision = Session(config, response(computer({"type": "drag", "path": path}))).step()
    ends = {**point, "to_x": point["x"], "to_y": point["y"]}
    assert calls_of(decision) == [["computer_drag", ends]]


def test_several_calls_are_one_decision_in_order() -> None:
    answer = response(
        computer({"type": "move", **AT}, {"type": "screenshot"}, {"type": "type", "text": "a"}),
        function("calc_save"),
        computer({"type": "wait"}),
    )
    session = Session(GA, answer, FINISH)
    names = [call.name for call in session.step().calls]
    assert names == ["computer_move", "computer_type", "calc_save", "computer_wait"]
    session.step()
    kinds = [item["type"] for item in session.model.requests[1]["input"][-3:]]
    assert kinds == ["computer_call_output", "function_call_output", "computer_call_output"]


@pytest.mark.parametrize(
    ("config", "tool"),
    [
        (GA, {"type": "computer"}),
        (
            PREVIEW.model_copy(update={"view": (1024, 576)}),
            {
                "type": "computer_use_preview",
                "display_width": 1024,
                "display_height": 576,
                "environment": "linux",
            },
        ),
    ],
)
def test_a_model_gets_its_version_of_the_tool(config: ModelConfig, tool: dict[str, Any]) -> None:
    session = Session(config, FINISH)
    session.step()
    assert session.model.requests[0]["tools"][0] == tool


def test_without_gui_tools_there_is_no_computer() -> None:
    others = [tool for tool in TOOLS.values() if tool.app != "computer"]
    session = Session(GA, FINISH, tools=others)
    assert session.step().stop is Stop.DONE
    tools = session.model.requests[0]["tools"]
    assert {tool["type"] for tool in tools} == {"function"}
    assert [tool["name"] for tool in tools] == [
        *(tool.name for tool in others),
        "finish",
        "give_up",
    ]


def test_reasoning_is_sent_back_unchanged_unless_nothing_follows_it() -> None:
    def reasoning(id: str) -> dict[str, Any]:
        return {"type": "reasoning", "id": id, "summary": [], "encrypted_content": "gAAA"}

    cut = response(
        reasoning("rs_2"), status="incomplete", incomplete_details={"reason": "max_output_tokens"}
    )
    session = Session(GA, response(reasoning("rs_1"), function("calc_save")), cut, FINISH)
    session.step()
    session.step()
    session.step()
    sent = session.model.requests[2]
    assert reasoning("rs_1") in sent["input"]
    assert reasoning("rs_2") not in sent["input"]
    assert (sent["store"], sent["include"]) == (False, ["reasoning.encrypted_content"])


def test_null_values_are_not_sent_back() -> None:
    # litellm fills in every field that the vendor's type has.
    call = {**function("calc_save"), "namespace": None, "caller": None}
    part: dict[str, Any] = {
        "type": "output_text",
        "text": "Hm.",
        "annotations": [],
        "logprobs": None,
    }
    text = {**output_text(""), "content": [part], "phase": None}
    session = Session(GA, response(text, call), FINISH)
    assert session.step().thought == "Hm."
    session.step()
    assert "null" not in json.dumps(session.model.requests[1]["input"])


BAD = [
    (response(output_text("All done.")), "no function call and no computer call"),
    (response(), "no function call and no computer call"),
    (response(output_refusal("I will not.")), "a refusal: I will not."),
    (
        response(
            computer({"type": "wait"}),
            status="incomplete",
            incomplete_details={"reason": "max_output_tokens"},
        ),
        "cut off",
    ),
    (
        response(status="incomplete", incomplete_details={"reason": "content_filter"}),
        "stopped by a content filter",
    ),
    (response(computer()), "without an action"),
    (response(computer({"type": "click", "button": "back", **AT})), "no back button"),
    (response(computer({"type": "click", "button": "forward", **AT})), "no forward button"),
    (response(computer({"type": "drag", "path": [AT]})), "at least two points"),
    (
        response(computer({"type": "drag", "path": [AT, AT, AT], "keys": ["CTRL"]})),
        "a path of two points",
    ),
    (response(computer({"type": "move", **AT, "keys": ["CTRL"]})), "takes no `keys`"),
    (response(computer({"type": "keypress", "keys": []})), "a list of texts"),
    (response(computer({"type": "type", "text": "a"}), function("f", "{")), "are not JSON"),
    (response(function("calc_save", "[1]")), "are not an object"),
    (response(function("calc_save", '{"a": NaN}')), "NaN is not a finite number"),
    (response(function("calc_save", '{"a": 1e999}')), "1e999 is not a finite number"),
]


@every_case(("bad", "why"), BAD)
def test_a_malformed_answer_is_corrected_where_the_vendor_expects_it(
    bad: dict[str, Any], why: str
) -> None:
    session = Session(GA, bad, FINISH)
    decision = session.step()
    assert why in decision.malformed
    assert decision.calls == ()
    assert session.step().stop is Stop.DONE
    items = session.model.requests[1]["input"]
    calls = [item["call_id"] for item in items if item.get("type", "").endswith("_call")]
    outputs = [item for item in items if item.get("type", "").endswith("_call_output")]
    assert [output["call_id"] for output in outputs] == calls
    answered = [output for output in outputs if output["type"] == "function_call_output"]
    place = answered or [items[-1]]
    assert why in json.dumps(place[0])
    assert "<1920x1080 #020202>" in json.dumps(name_images(items))


def test_an_unknown_action_is_malformed() -> None:
    # The SDK has no type for it, so the dialect is called without the check.
    dialect = OpenAI(Briefing("Look.", Limits()), GA)
    dialect.request(Observation(Frame.of((2, 1), b"\x00" * 6)))
    with pytest.raises(MalformedReplyError, match="no action 'jump'"):
        dialect.decision(response(computer({"type": "jump"})))


def test_safety_checks_are_acknowledged_and_named_in_the_thought() -> None:
    check = {"id": "sc_1", "code": "irrelevant_domain", "message": "Another site."}
    call = computer({"type": "wait"}, checks=(check,))
    session = Session(GA, response(call, output_text("On.")), FINISH)
    assert session.step().thought == "On.\n[acknowledged: irrelevant_domain: Another site.]"
    session.step()
    output = session.model.requests[1]["input"][-1]
    assert output["acknowledged_safety_checks"] == [check]


def test_a_failed_action_is_explained_in_a_message_with_the_screenshot() -> None:
    two = computer({"type": "click", "button": "left", "x": 1, "y": 2}, {"type": "wait"})
    session = Session(GA, response(two), FINISH)
    session.step()
    session.step(ToolResult("", "(1, 2) is outside", "off_screen"), ToolResult("", ""))
    output, beside = session.model.requests[1]["input"][-2:]
    assert output["type"] == "computer_call_output"
    assert beside["content"] == [
        {"type": "input_text", "text": "ERROR off_screen: (1, 2) is outside"}
    ]


def test_only_the_images_of_the_last_observations_are_kept() -> None:
    looks = [response(computer({"type": "screenshot"})) for _ in range(3)]
    session = Session(GA.model_copy(update={"images": 2}), *looks, response(function("calc_save")))
    for _ in range(4):
        session.step()
    sent = json.dumps(name_images(session.model.requests[-1]))
    assert [sent.count(f"#0{n}0{n}0{n}") for n in (1, 2, 3, 4)] == [0, 0, 1, 1]
    # The first is a message, the second the output of a call, which must be an image.
    assert sent.count("[an earlier screenshot, no longer shown]") == 1
    assert sent.count("<320x32 of many colours>") == 1


def test_a_tools_image_and_long_text_are_in_its_output() -> None:
    session = Session(
        GA.model_copy(update={"results": 100}), response(function("calc_save")), FINISH
    )
    session.step()
    session.step(ToolResult("", "x" * 130, images=("data:image/png;base64,AAAA",)))
    output = session.model.requests[1]["input"][-2]["output"]
    text = "x" * 100 + "\n[cut: 30 of 130 characters are not shown]"
    assert output[0] == {"type": "input_text", "text": text}
    assert output[1]["image_url"] == "data:image/png;base64,AAAA"
