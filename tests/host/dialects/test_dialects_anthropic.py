"""Anthropic's messages API with its computer tool, checked against the types of its SDK."""

from __future__ import annotations

import base64
import io
import json
from typing import Any, get_args

import anthropic.types.beta as sdk
from anthropic.types import Model as KnownModel
from anthropic.types.beta import BetaComputerMemberName
from PIL import Image

from ambidex.host import Briefing, Frame, Limits, Observation, Stop, ToolResult
from ambidex.host.dialects.anthropic import Anthropic
from ambidex.host.dialects.anthropic_actions import ACTIONS, version_of
from ambidex.host.records.config import ModelConfig
from tests.support.answers import act, member, message, text_block, use
from tests.support.replaying import HANDS, TOOLS, Session, calls_of, name_images
from tests.support.tables import every_case

EARLIER = ModelConfig(name="claude-opus-4-6", dialect="anthropic")
NEWER = ModelConfig(name="claude-opus-5", dialect="anthropic")
AT = {"coordinate": [10, 20]}

SAMPLES: dict[str, tuple[dict[str, Any], list[list[Any]]]] = {
    "key": (
        {"text": "ctrl+shift+T", "repeat": 3},
        [["computer_key", {"keys": ["ctrl", "shift", "T"], "times": 3}]],
    ),
    "hold_key": (
        {"text": "shift", "duration": 2},
        [["computer_hold_key", {"keys": ["shift"], "seconds": 2}]],
    ),
    "type": ({"text": "a b\n"}, [["computer_type", {"text": "a b\n"}]]),
    "cursor_position": ({}, [["computer_cursor_position", {}]]),
    "mouse_move": (AT, [["computer_move", {"x": 10, "y": 20}]]),
    "left_mouse_down": ({}, [["computer_mouse_down", {"x": 1, "y": 2}]]),
    "left_mouse_up": ({}, [["computer_mouse_up", {"x": 1, "y": 2}]]),
    "left_click": (
        {**AT, "text": "ctrl"},
        [["computer_click", {"x": 10, "y": 20, "keys": ["ctrl"]}]],
    ),
    "left_click_drag": (
        {"start_coordinate": [1, 2], "coordinate": [3, 4]},
        [["computer_drag", {"x": 1, "y": 2, "to_x": 3, "to_y": 4}]],
    ),
    "right_click": ({}, [["computer_right_click", {"x": 1, "y": 2}]]),
    "middle_click": (AT, [["computer_middle_click", {"x": 10, "y": 20}]]),
    "double_click": (AT, [["computer_double_click", {"x": 10, "y": 20}]]),
    "triple_click": (AT, [["computer_triple_click", {"x": 10, "y": 20}]]),
    "scroll": (
        {"scroll_direction": "up", "scroll_amount": 5, "text": "shift"},
        [["computer_scroll", {"x": 1, "y": 2, "dy": -5, "keys": ["shift"]}]],
    ),
    "wait": ({"duration": 1}, [["computer_wait", {"seconds": 1}]]),
    "screenshot": ({}, []),
    "zoom": ({"region": [0, 0, 100, 100]}, []),
}
"""Input of each action, and what becomes of it after the pointer was put at (1, 2)."""


def test_every_action_of_the_vendor_is_known_here() -> None:
    assert ACTIONS.keys() == SAMPLES.keys() == set(get_args(BetaComputerMemberName))
    assert {tool for tool in ACTIONS.values() if tool} <= HANDS.keys()


@every_case("action", SAMPLES)
@every_case("config", [EARLIER, NEWER])
def test_every_action_becomes_calls_of_guest_tools(action: str, config: ModelConfig) -> None:
    arguments, calls = SAMPLES[action]
    name = "".join(part.title() for part in action.split("_"))
    read = getattr(sdk, f"BetaComputer{name}Input").model_validate(arguments)
    assert not read.model_extra, "the sample is not what the vendor documents"
    call = member if config is NEWER else act
    session = Session(
        config, message(call("mouse_move", coordinate=[1, 2])), message(call(action, **arguments))
    )
    session.step()
    assert calls_of(session.step()) == calls


@every_case(
    ("direction", "turned"),
    [("up", {"dy": -3}), ("down", {"dy": 3}), ("left", {"dx": -3}), ("right", {"dx": 3})],
)
def test_the_wheel_turns_in_four_directions_mid_screen_at_first(
    direction: str, turned: dict[str, int]
) -> None:
    turn = member("scroll", scroll_direction=direction, scroll_amount=3)
    decision = Session(NEWER, message(turn)).step()
    assert calls_of(decision) == [["computer_scroll", {"x": 960, "y": 540, **turned}]]


@every_case(
    ("text", "keys"),
    [
        ("Return", ["enter"]),
        ("Page_Down", ["Page_Down"]),  # the guest has that name
        ("ctrl+plus", ["ctrl", "+"]),
        ("ctrl++", ["ctrl", "+"]),
        ("+", ["+"]),
        ("alt + F4", ["alt", "F4"]),
        ("cmd+BracketLeft", ["cmd", "["]),
        (" ", [" "]),
    ],
)
def test_chords_are_lists_of_keys(text: str, keys: list[str]) -> None:
    decision = Session(NEWER, message(member("key", text=text))).step()
    assert calls_of(decision) == [["computer_key", {"keys": keys}]]


@every_case(
    ("size", "point"),
    [
        # 1280 * 1.5 = 1920 and 720 * 1.5 = 1080: 100 * 1.5 = 150, 200 * 1.5 = 300
        ({"view": (1280, 720)}, {"x": 150, "y": 300}),
        # 100 * 1920 / 1000 = 192, 200 * 1080 / 1000 = 216
        ({"grid": 1000}, {"x": 192, "y": 216}),
        ({"view": (1280, 720), "grid": 1000}, {"x": 192, "y": 216}),
        ({}, {"x": 100, "y": 200}),
    ],
)
def test_points_are_converted_to_screen_pixels(size: dict[str, Any], point: dict[str, int]) -> None:
    config = NEWER.model_copy(update=size)
    decision = Session(config, message(member("left_click", coordinate=[100, 200]))).step()
    assert calls_of(decision) == [["computer_click", point]]


def test_the_cursor_position_is_reported_in_the_models_unit() -> None:
    config = NEWER.model_copy(update={"view": (1280, 720)})
    session = Session(config, message(member("cursor_position")), message(use("finish")))
    session.step()
    session.step(ToolResult("", '{"x": 960, "y": 270}', value={"x": 960, "y": 270}))
    result = session.model.requests[-1]["messages"][-1]["content"][0]
    # 960 * 1280 / 1920 = 640, 270 * 720 / 1080 = 180
    assert result["content"][0] == {"type": "text", "text": "X=640,Y=180"}


VERSIONS = {
    "computer_20250124": [
        "claude-3-7-sonnet-20250219", "anthropic/claude-sonnet-4-20250514", "claude-opus-4-0",
        "vertex_ai/claude-sonnet-4@20250514", "claude-opus-4-1-20250805",
        "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-haiku-4-5",
    ],
    "computer_20251124": [
        "claude-opus-4-5-20251101", "claude-opus-4-6", "claude-opus-4-7", "claude-sonnet-4-6",
        "claude-mythos-preview",
    ],
    "computer_toolset_20260801": [
        "claude-opus-4-8", "anthropic/claude-opus-5", "claude-sonnet-5-5", "claude-haiku-5-5",
        "claude-fable-5-1", "toy",
    ],
}  # fmt: skip


@every_case(
    ("name", "version"), [(name, version) for version, of in VERSIONS.items() for name in of]
)
def test_each_model_gets_the_newest_version_it_takes(name: str, version: str) -> None:
    assert version_of(name) == version


def test_the_newest_models_of_the_sdk_get_the_toolset() -> None:
    known = get_args(get_args(KnownModel)[0])
    newest = [name for name in known if "-5" in name.replace("-4-5", "")]
    assert "claude-opus-5-5" in newest
    assert {version_of(name) for name in newest} == {"computer_toolset_20260801"}


@every_case(
    ("name", "headers"),
    [
        ("claude-haiku-4-5", {"anthropic-beta": "computer-use-2025-01-24"}),
        ("claude-opus-4-6", {"anthropic-beta": "computer-use-2025-11-24"}),
        ("claude-opus-5-5", None),
    ],
)
def test_an_earlier_version_is_enabled_by_a_header(
    name: str, headers: dict[str, str] | None
) -> None:
    config = ModelConfig(name=name, dialect="anthropic")
    session = Session(config, message(use("finish")))
    session.step()
    assert session.model.requests[0].get("extra_headers") == headers


@every_case("name", ["claude-haiku-4-5", "claude-opus-4-6", "claude-opus-5-5"])
def test_without_gui_tools_there_is_no_computer(name: str) -> None:
    config = ModelConfig(name=name, dialect="anthropic")
    others = [tool for tool in TOOLS.values() if tool.app != "computer"]
    session = Session(config, message(use("finish")), tools=others)
    assert session.step().stop is Stop.DONE
    request = session.model.requests[0]
    names = [*(tool.name for tool in others), "finish", "give_up"]
    assert [tool.get("name") for tool in request["tools"]] == names
    assert "extra_headers" not in request
    assert "computer tool" not in request["system"][0]["text"]


def test_the_toolset_disables_actions_without_a_guest_tool() -> None:
    session = Session(NEWER, message(use("finish")), tools=[HANDS["computer_click"]])
    session.step()
    configs = session.model.requests[0]["tools"][0]["configs"]
    assert set(configs) == set(get_args(BetaComputerMemberName)) - {
        "left_click",
        "screenshot",
        "zoom",
    }
    assert all(config == {"enabled": False} for config in configs.values())


BAD = [
    (message(text_block("All done."), stop="end_turn"), "no tool call"),
    (message(stop="end_turn"), "no tool call"),
    (message(member("type", text="a"), stop="max_tokens"), "cut off"),
    (message(text_block("I will not."), stop="refusal"), "a refusal: I will not."),
    (
        message(
            stop="refusal",
            stop_details={"type": "refusal", "category": "cyber", "explanation": "Too risky."},
        ),
        "a refusal: Too risky.",
    ),
    (message(member("jump")), "no action 'jump'"),
    (message(use("computer")), "no action 'None'"),
    (message(member("left_click")), "has not been moved anywhere"),
    (message(member("left_click", coordinate=[1])), "a list of 2 numbers"),
    (message(member("left_click", coordinate="1,2")), "a list of 2 numbers"),
    (message(member("left_click", coordinate=[1, 10**400])), "not a plausible number"),
    (message(member("mouse_move")), "needs `coordinate`"),
    (message(member("key")), "needs `text`"),
    (message(member("type", text=3)), "must be a text"),
    (message(member("wait", duration="long")), "must be a number"),
    (message(member("scroll", scroll_direction="in", scroll_amount=1)), "up, down, left, right"),
    (message(member("mouse_move", coordinate=[1, 2], speed=3)), "takes no `speed`"),
    (message(member("zoom", region=[5, 5, 5, 9])), "part of the screen"),
    (message(member("zoom", region=[0, 0, 9999, 9])), "part of the screen"),
    (message(member("left_click", coordinate=[1, 2]), use("computer", action="jump")), "'jump'"),
]  # fmt: skip


@every_case(("bad", "why"), BAD)
def test_a_malformed_answer_is_corrected_where_the_vendor_expects_it(
    bad: dict[str, Any], why: str
) -> None:
    session = Session(NEWER, bad, message(use("finish")))
    decision = session.step()
    assert why in decision.malformed
    assert decision.calls == ()
    assert session.step().stop is Stop.DONE
    messages = session.model.requests[1]["messages"]
    uses = [block["id"] for block in messages[-2]["content"] if block["type"] == "tool_use"]
    results = [block for block in messages[-1]["content"] if block["type"] == "tool_result"]
    assert [result["tool_use_id"] for result in results] == uses
    assert all(result["is_error"] for result in results)
    assert why in json.dumps(messages[-1]["content"])
    assert "<1920x1080 #020202>" in json.dumps(name_images(messages[-1]))


def test_the_pointer_is_restored_after_an_answer_that_was_not_carried_out() -> None:
    session = Session(
        NEWER,
        message(member("mouse_move", coordinate=[1, 2])),
        message(member("mouse_move", coordinate=[900, 900]), member("jump")),
        message(member("left_click")),
    )
    session.step()
    session.step()
    assert calls_of(session.step()) == [["computer_click", {"x": 1, "y": 2}]]


def test_only_the_images_of_the_last_observations_are_kept() -> None:
    looks = [message(member("screenshot"), member("zoom", region=[0, 0, 10, 10])) for _ in range(4)]
    session = Session(NEWER.model_copy(update={"images": 2}), *looks)
    for _ in looks:
        session.step()
    sent = json.dumps(name_images(session.model.requests[-1]))
    # Two images per step: the zoomed region, enlarged to 1080 x 1080, and the screen.
    assert [sent.count(f"x1080 #0{n}0{n}0{n}") for n in (1, 2, 3, 4)] == [0, 0, 2, 2]
    # One image of the first step, two of the second.
    assert sent.count("no longer shown") == 3


def test_a_tools_image_and_long_text_are_in_its_result() -> None:
    picture = "data:image/png;base64,AAAA"
    session = Session(
        NEWER.model_copy(update={"results": 100}), message(use("calc_save")), message(use("finish"))
    )
    session.step()
    session.step(ToolResult("", "x" * 130, images=(picture,)))
    content = session.model.requests[1]["messages"][-1]["content"][0]["content"]
    assert content[0]["text"] == "x" * 100 + "\n[cut: 30 of 130 characters are not shown]"
    source = {"type": "base64", "media_type": "image/png", "data": "AAAA"}
    assert content[1] == {"type": "image", "source": source}


def test_thoughts_are_sent_back_until_the_tools_change() -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    session = Session(
        NEWER, message(thought, use("calc_save")), message(use("calc_save")), message(use("finish"))
    )
    session.step()
    session.step()
    assert thought in session.model.requests[1]["messages"][1]["content"]
    session.step(tools=[TOOLS["calc_save"]])
    kinds = [block["type"] for block in session.model.requests[2]["messages"][1]["content"]]
    assert kinds == ["tool_use"]


def test_zoom_enlarges_the_region_from_the_unscaled_screen() -> None:
    # A 4 x 4 screen in four quarters, shown as 2 x 2: the model names the lower right one.
    colours = [b"\x10\x00\x00", b"\x00\x20\x00", b"\x00\x00\x30", b"\x40\x40\x40"]
    upper = (colours[0] * 2 + colours[1] * 2) * 2
    lower = (colours[2] * 2 + colours[3] * 2) * 2
    screen = Observation(Frame.of((4, 4), upper + lower), (), tuple(HANDS.values()))
    config = NEWER.model_copy(update={"view": (2, 2)})
    dialect = Anthropic(Briefing("Look.", Limits()), config)
    dialect.request(screen)
    dialect.decision(message(member("zoom", region=[1, 1, 2, 2])))
    answered = dialect.request(screen).body["messages"][-1]["content"][0]["content"]
    picture = Image.open(io.BytesIO(base64.b64decode(answered[1]["source"]["data"])))
    assert picture.size == (2, 2)
    assert picture.getcolors() == [(4, (0x40, 0x40, 0x40))]
