"""The dialect `paper`: the prompt of OSWorld-MCP."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from ambidex.host import Stop, ToolResult
from ambidex.host.dialects.paper_actions import ACTIONS
from ambidex.host.records.config import ModelConfig
from tests.support.answers import chat
from tests.support.peer import ALIAS
from tests.support.replaying import HANDS, TOOLS, Session, calls_of, name_images

CONFIG = ModelConfig(name="toy", dialect="paper")
AT = {"coordinate": [10, 20]}
POINT = {"x": 10, "y": 20}


def calling(name: str, **arguments: Any) -> dict[str, Any]:
    call = json.dumps({"name": name, "arguments": arguments})
    return chat(f"<tool_call>{call}</tool_call><conclusion>I called it.</conclusion>")


def using(action: str, **arguments: Any) -> dict[str, Any]:
    return calling("computer_use", action=action, **arguments)


END = using("terminate", status="success")

SAMPLES: dict[str, list[tuple[dict[str, Any], list[list[Any]]]]] = {
    "key": [({"keys": ["ctrl", "Return"]}, [["computer_key", {"keys": ["ctrl", "enter"]}]])],
    "type": [
        ({"text": "a"}, [["computer_type", {"text": "a"}]]),
        ({"text": "a", "clear": 0, "enter": 0}, [["computer_type", {"text": "a"}]]),
        (
            {"text": "a", "clear": 1, "enter": True},
            [
                ["computer_key", {"keys": ["ctrl", "a"]}],
                ["computer_type", {"text": "a"}],
                ["computer_key", {"keys": ["enter"]}],
            ],
        ),
        (
            {"text": "", "clear": 1},
            [["computer_key", {"keys": ["ctrl", "a"]}], ["computer_key", {"keys": ["delete"]}]],
        ),
    ],
    "mouse_move": [(AT, [["computer_move", POINT]])],
    "click": [(AT, [["computer_click", POINT]])],
    "drag": [
        (
            {**AT, "coordinate2": [30, 40]},
            [["computer_drag", {**POINT, "to_x": 30, "to_y": 40}]],
        )
    ],
    "right_click": [(AT, [["computer_right_click", POINT]])],
    "middle_click": [(AT, [["computer_middle_click", POINT]])],
    "double_click": [(AT, [["computer_double_click", POINT]])],
    "scroll": [
        ({"pixels": 3, **AT}, [["computer_scroll", {**POINT, "dy": -3}]]),
        # Without a point, in the middle of 1920 x 1080: the pointer has no position yet.
        ({"pixels": -5}, [["computer_scroll", {"x": 960, "y": 540, "dy": 5}]]),
    ],
    "wait": [({"time": 2.5}, [["computer_wait", {"seconds": 2.5}]])],
    "terminate": [({"status": "success"}, [])],
}


def test_computer_use_has_the_papers_eleven_actions() -> None:
    assert len(ACTIONS) == 11
    assert ACTIONS.keys() == SAMPLES.keys()
    assert {tool for tool, _ in ACTIONS.values() if tool} <= HANDS.keys()


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
    assert calls_of(Session(CONFIG, using(action, **arguments)).step()) == calls


@pytest.mark.parametrize(
    ("arguments", "stop", "answer"),
    [
        ({"status": "success"}, Stop.DONE, None),
        ({"status": "success", "answer": 42}, Stop.DONE, "42"),
        ({"status": "failure"}, Stop.INFEASIBLE, None),
        ({"status": "failure", "answer": "No such file."}, Stop.INFEASIBLE, "No such file."),
    ],
)
def test_the_task_is_ended_by_terminate(arguments: dict[str, Any], stop: Stop, answer: str) -> None:
    decision = Session(CONFIG, using("terminate", **arguments)).step()
    assert (decision.stop, decision.answer, decision.calls) == (stop, answer, ())


@pytest.mark.parametrize(
    ("size", "point"),
    [
        # 100 * 1920 / 1280 = 150, 200 * 1080 / 720 = 300
        ({"view": (1280, 720)}, {"x": 150, "y": 300}),
        # 100 * 1920 / 1000 = 192, 200 * 1080 / 1000 = 216
        ({"view": (1280, 720), "grid": 1000}, {"x": 192, "y": 216}),
        ({}, {"x": 100, "y": 200}),
    ],
)
def test_points_are_converted_to_screen_pixels(size: dict[str, Any], point: dict[str, int]) -> None:
    config = CONFIG.model_copy(update=size)
    decision = Session(config, using("click", coordinate=[100, 200])).step()
    assert calls_of(decision) == [["computer_click", point]]


def test_the_wheel_turns_at_the_last_pointer_position() -> None:
    answers = [using("drag", **AT, coordinate2=[30, 40]), using("scroll", pixels=1)]
    session = Session(CONFIG, *answers)
    session.step()
    assert calls_of(session.step()) == [["computer_scroll", {"x": 30, "y": 40, "dy": -1}]]


def functions(session: Session) -> list[dict[str, Any]]:
    """The functions in the system prompt: one JSON object per line, between the tags."""
    system = session.model.requests[-1]["messages"][0]["content"]
    inside = re.search(r"<tools>\n(.*?)\n</tools>", system, re.DOTALL)
    assert inside
    lines = [json.loads(line) for line in inside[1].splitlines()]
    assert all(line["type"] == "function" for line in lines)
    return [line["function"] for line in lines]


def test_the_functions_are_lines_of_json_in_the_system_prompt() -> None:
    session = Session(CONFIG.model_copy(update={"view": (1280, 720)}), END)
    session.step()
    assert list(session.model.requests[0]) == ["messages"], "there is no parameter `tools`"
    others = [name for name, tool in TOOLS.items() if tool.app != "computer"]
    assert [function["name"] for function in functions(session)] == ["computer_use", *others]
    actions = functions(session)[0]["parameters"]["properties"]["action"]["enum"]
    assert actions == list(SAMPLES)
    assert "1280 x 720" in session.model.requests[0]["messages"][0]["content"]


def test_only_actions_that_the_guest_can_carry_out_are_offered() -> None:
    offered = [HANDS["computer_click"], HANDS["computer_key"], TOOLS["calc_save"]]
    session = Session(CONFIG, using("type", text="a"), tools=offered)
    assert "no action 'type' here. It has key, click, terminate." in session.step().malformed
    function = functions(session)[0]
    assert function["parameters"]["properties"]["action"]["enum"] == ["key", "click", "terminate"]
    assert list(function["parameters"]["properties"]) == [
        "action",
        "keys",
        "coordinate",
        "status",
        "answer",
    ]


def test_without_gui_tools_computer_use_can_only_terminate() -> None:
    session = Session(CONFIG, END, tools=[TOOLS["calc_save"]])
    assert session.step().stop is Stop.DONE
    assert functions(session)[0]["parameters"]["properties"]["action"]["enum"] == ["terminate"]
    assert (
        "mouse" not in session.model.requests[0]["messages"][0]["content"].partition("</tools>")[2]
    )


def test_a_tool_is_called_by_its_name_or_its_reference_alias() -> None:
    answers = [calling("calc_save"), calling(ALIAS, cell="B2", value=42)]
    session = Session(CONFIG, *answers)
    assert calls_of(session.step()) == [["calc_save", {}]]
    # The loop resolves the reference's names.
    assert calls_of(session.step()) == [[ALIAS, {"cell": "B2", "value": 42}]]


@pytest.mark.parametrize(
    "inside",
    [
        '{"name": "calc_save", "arguments": {}}',
        '\n\n  {"name": "calc_save",\n "arguments": {}}  \n',
        '```json\n{"name": "calc_save", "arguments": {}}\n```',
        '\n```\n{"name": "calc_save"}\n```\n',
    ],
)
def test_space_and_fences_around_the_call_do_not_matter(inside: str) -> None:
    decision = Session(CONFIG, chat(f"Well.<tool_call>{inside}</tool_call>")).step()
    assert calls_of(decision) == [["calc_save", {}]]


SAVE = '<tool_call>{"name": "calc_save", "arguments": {}}</tool_call>'
BAD = [
    (chat("I am done."), "but has 0"),
    (chat(""), "but has 0"),
    (chat(SAVE + SAVE), "but has 2"),
    (chat(SAVE.removesuffix("</tool_call>")), "not closed"),
    (chat("<thinking>" + SAVE + "</thinking>"), "but has 0"),
    (chat(SAVE, finish="length"), "cut off"),
    (chat("", refusal="I will not."), "a refusal: I will not."),
    (chat("<tool_call>calc_save()</tool_call>"), "not JSON"),
    (chat("<tool_call>so: {} </tool_call>"), "not JSON"),
    (chat("<tool_call>{'name': 'calc_save'}</tool_call>"), "not JSON"),
    (chat("<tool_call>[]</tool_call>"), "not an object"),
    (chat("<tool_call>" + "[" * 100_000 + "</tool_call>"), "not JSON"),
    (
        chat('<tool_call>{"name": "f", "arguments": {"a": Infinity}}</tool_call>'),
        "not a finite number",
    ),
    (chat('<tool_call>{"arguments": {}}</tool_call>'), "needs a `name`"),
    (chat('<tool_call>{"name": "f", "arguments": []}</tool_call>'), "object `arguments`"),
    (using("jump"), "no action 'jump' here. It has key,"),
    (calling("computer_use"), "no action None"),
    (using("click"), "needs `coordinate`"),
    (using("click", coordinate=[1, 2, 3]), "a list of 2 numbers"),
    (using("click", coordinate=[True, 2]), "a list of 2 numbers"),
    (using("click", coordinate=["1", "2"]), "a list of 2 numbers"),
    (using("click", coordinate=[1, 2], text="a"), "takes no `text`"),
    (using("key", keys="ctrl+s"), "a list of texts"),
    (using("key", keys=[]), "a list of texts"),
    (using("key", keys=[""]), "a list of texts"),
    (using("type"), "needs `text`"),
    (using("scroll"), "needs `pixels`"),
    (using("wait", time="long"), "must be a number"),
    (using("terminate"), "needs `status`"),
    (using("terminate", status="done"), "one of success, failure"),
]


@pytest.mark.parametrize(("bad", "why"), BAD)
def test_a_malformed_answer_is_corrected_in_the_next_message(bad: dict[str, Any], why: str) -> None:
    session = Session(CONFIG, bad, END)
    decision = session.step()
    assert why in decision.malformed
    assert decision.calls == ()
    assert session.step().stop is Stop.DONE
    text = session.model.requests[1]["messages"][1]["content"][0]["text"]
    assert f"Your last answer could not be carried out: {decision.malformed}" in text


def test_a_correction_is_sent_once() -> None:
    session = Session(CONFIG, chat("Done."), calling("calc_save"), END)
    for _ in range(3):
        session.step()
    text = session.model.requests[2]["messages"][1]["content"][0]["text"]
    assert "Your last answer" not in text
    assert "Step 1: (an answer that could not be carried out" in text
    assert "Step 2: I called it.\nResult: done" in text


def test_the_message_has_conclusions_results_and_the_last_screenshots() -> None:
    answers = [calling("calc_save") for _ in range(3)]
    session = Session(CONFIG.model_copy(update={"images": 2, "results": 100}), *answers, END)
    session.step()
    session.step(ToolResult("", "x" * 130))
    session.step(ToolResult("", "the disk is full", "full"))
    session.step(ToolResult("", "saved", images=("data:image/png;base64,AAAA",)))
    messages = session.model.requests[-1]["messages"]
    assert [message["role"] for message in messages] == ["system", "user"]
    text, *rest = messages[1]["content"]
    cut = "x" * 100 + "\n[cut: 30 of 130 characters are not shown]"
    assert text["text"].startswith(
        "Task: Set B2 to 42.\n\nWhat was done so far:\n\n"
        f"Step 1: I called it.\nResult: {cut}\n\n"
        "Step 2: I called it.\nResult: ERROR full: the disk is full\n\n"
        "Step 3: I called it.\nResult: saved\n\n"
    )
    rest[3]["image_url"]["url"] = "<what the tool returned>"
    assert [part.get("text") or part["image_url"]["url"] for part in name_images(rest)] == [
        "The screen at step 3:",
        "<1920x1080 #030303>",
        "The screen now:",
        "<what the tool returned>",
        "<1920x1080 #040404>",
    ]


def test_a_step_without_a_conclusion_is_recorded_by_its_call() -> None:
    session = Session(CONFIG, chat(SAVE), END)
    session.step()
    session.step()
    text = session.model.requests[1]["messages"][1]["content"][0]["text"]
    assert 'Step 1: called {"name": "calc_save", "arguments": {}}\nResult: done' in text
