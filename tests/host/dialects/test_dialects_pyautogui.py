"""The dialect `pyautogui`: Python that is parsed and never executed."""

from __future__ import annotations

import builtins
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.host import Stop, ToolResult
from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.pyautogui import signature
from ambidex.host.dialects.pyautogui_calls import CALLS, SIGNATURES
from ambidex.host.dialects.pyautogui_reading import parse_block
from ambidex.host.dialects.reading import Pointer
from ambidex.host.records.config import ModelConfig
from ambidex.tasks import ToolSpec
from tests.support.answers import chat
from tests.support.peer import ALIAS
from tests.support.replaying import HANDS, TOOLS, Session, calls_of, name_images

CONFIG = ModelConfig(name="toy", dialect="pyautogui")
AT = {"x": 10, "y": 20}
NAMES = {name: tool for tool in TOOLS.values() for name in (tool.name, *tool.aliases)}


def code(*lines: str) -> dict[str, Any]:
    return chat("```python\n" + "\n".join(lines) + "\n```")


SAMPLES: dict[str, list[tuple[str, list[list[Any]]]]] = {
    "click": [
        ("(10, 20)", [["computer_click", AT]]),
        ("(x=10, y=20)", [["computer_click", AT]]),
        ("((10, 20))", [["computer_click", AT]]),
        ("()", [["computer_click", {"x": 1, "y": 2}]]),
        ("(10)", [["computer_click", {"x": 10, "y": 2}]]),
        ("(y=20)", [["computer_click", {"x": 1, "y": 20}]]),
        ("(10, 20, 2)", [["computer_double_click", AT]]),
        ("(10, 20, clicks=3, interval=0.1)", [["computer_triple_click", AT]]),
        ("(10, 20, button='right')", [["computer_right_click", AT]]),
        ("(10, 20, 1, 0.0, 'middle')", [["computer_middle_click", AT]]),
        ("(10, 20, 2, button='right')", [["computer_right_click", AT]] * 2),
        ("(10, 20, duration=1, _pause=False)", [["computer_click", AT]]),
    ],
    "leftClick": [("(10, 20)", [["computer_click", AT]])],
    "rightClick": [("(10, 20)", [["computer_right_click", AT]])],
    "middleClick": [("(10, 20)", [["computer_middle_click", AT]])],
    "doubleClick": [("(10, 20, 0.1, 'left')", [["computer_double_click", AT]])],
    "tripleClick": [("(10, 20)", [["computer_triple_click", AT]])],
    "moveTo": [("(10, 20, 0.5)", [["computer_move", AT]])],
    "dragTo": [
        (
            "(10, 20, 1, button='left')",
            [["computer_drag", {"x": 1, "y": 2, "to_x": 10, "to_y": 20, "button": "left"}]],
        )
    ],
    "drag": [
        # From (1, 2): 1 + 10 = 11, 2 + 5 = 7
        (
            "(10, 5, button='right')",
            [["computer_drag", {"x": 1, "y": 2, "to_x": 11, "to_y": 7, "button": "right"}]],
        )
    ],
    "mouseDown": [("(10, 20, 'right')", [["computer_mouse_down", {**AT, "button": "right"}]])],
    "mouseUp": [("()", [["computer_mouse_up", {"x": 1, "y": 2, "button": "left"}]])],
    "scroll": [
        ("(5)", [["computer_scroll", {"x": 1, "y": 2, "dy": -5}]]),
        ("(-5, 10, 20)", [["computer_scroll", {**AT, "dy": 5}]]),
    ],
    "hscroll": [("(5, x=10, y=20)", [["computer_scroll", {**AT, "dx": 5}]])],
    "write": [
        ("('a b', interval=0.1)", [["computer_type", {"text": "a b"}]]),
        (
            "(['a', 'enter'])",
            [["computer_key", {"keys": ["a"]}], ["computer_key", {"keys": ["enter"]}]],
        ),
    ],
    "typewrite": [("(message='a b')", [["computer_type", {"text": "a b"}]])],
    "press": [
        ("('enter')", [["computer_key", {"keys": ["enter"]}]]),
        ("('down', presses=3)", [["computer_key", {"keys": ["down"], "times": 3}]]),
        ("(['a', 'b'])", [["computer_key", {"keys": ["a"]}], ["computer_key", {"keys": ["b"]}]]),
    ],
    "hotkey": [
        ("('ctrl', 's')", [["computer_key", {"keys": ["ctrl", "s"]}]]),
        ("(['ctrl', 's'])", [["computer_key", {"keys": ["ctrl", "s"]}]]),
    ],
    "keyDown": [
        (
            "('ctrl')\npyautogui.press('s')\npyautogui.keyUp('ctrl')",
            [["computer_key", {"keys": ["ctrl", "s"]}]],
        ),
        (
            "('shift')\npyautogui.click(10, 20)\npyautogui.scroll(1)\npyautogui.keyUp('shift')",
            [
                ["computer_click", {**AT, "keys": ["shift"]}],
                ["computer_scroll", {**AT, "dy": -1, "keys": ["shift"]}],
            ],
        ),
    ],
    "keyUp": [
        # With nothing between down and up it is a key press; of several keys, a chord.
        (
            "('alt')\npyautogui.keyDown('ctrl')\npyautogui.keyDown('t')\n"
            "pyautogui.keyUp('t')\npyautogui.keyUp('ctrl')",
            [["computer_key", {"keys": ["alt"]}], ["computer_key", {"keys": ["ctrl", "t"]}]],
        ),
    ],
    "sleep": [("(1.5)", [["computer_wait", {"seconds": 1.5}]])],
}
"""Each function as it may be called, and what becomes of it after the pointer was put at (1, 2)."""


def test_every_function_is_tested_and_listed_in_the_prompt() -> None:
    assert CALLS.keys() == SAMPLES.keys()
    named = {text.partition("(")[0].partition(".")[2] for _, text in SIGNATURES}
    other_names = {"leftClick", "drag", "typewrite"}
    assert named == CALLS.keys() - other_names
    assert {tool for tool, _ in SIGNATURES} <= HANDS.keys()


@pytest.mark.parametrize(
    ("function", "rest", "calls"),
    [(function, rest, calls) for function, samples in SAMPLES.items() for rest, calls in samples],
)
def test_every_function_becomes_calls_of_guest_tools(
    function: str, rest: str, calls: list[list[Any]]
) -> None:
    before = ["pyautogui.keyDown('alt')"] if function == "keyUp" else []
    lines = [*before, f"pyautogui.{function}{rest}"]
    session = Session(CONFIG, code("pyautogui.moveTo(1, 2)"), code("import pyautogui", *lines))
    session.step()
    assert calls_of(session.step()) == calls


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
    decision = Session(CONFIG.model_copy(update=size), code("pyautogui.click(100, 200)")).step()
    assert calls_of(decision) == [["computer_click", point]]


def test_tools_are_called_by_their_names_with_literals() -> None:
    lines = [
        "import pyautogui, time",
        "time.sleep(1)",
        'calc_set_cell_value(cell="B2", value={"a": [1, -2.5, (True, None)]})',
        f"{ALIAS}(cell='B3', value='x' 'y')",
        "computer_window_list()",
    ]
    assert calls_of(Session(CONFIG, code(*lines)).step()) == [
        ["computer_wait", {"seconds": 1}],
        ["calc_set_cell_value", {"cell": "B2", "value": {"a": [1, -2.5, [True, None]]}}],
        [ALIAS, {"cell": "B3", "value": "xy"}],
        ["computer_window_list", {}],
    ]


@pytest.mark.parametrize(
    ("line", "stop", "answer"),
    [
        ("DONE", Stop.DONE, None),
        ("DONE()", Stop.DONE, None),
        ("DONE('42')", Stop.DONE, "42"),
        ("DONE(answer=42)", Stop.DONE, "42"),
        ("FAIL", Stop.INFEASIBLE, None),
        ("FAIL('no such file')", Stop.INFEASIBLE, "no such file"),
        ("FAIL(reason='none')", Stop.INFEASIBLE, "none"),
    ],
)
def test_the_endings(line: str, stop: Stop, answer: str | None) -> None:
    decision = Session(CONFIG, code("calc_save()", line)).step()
    assert (decision.stop, decision.answer) == (stop, answer)
    assert calls_of(decision) == [["calc_save", {}]]


@pytest.mark.parametrize(("line", "seconds"), [("WAIT", 2), ("WAIT(5)", 5), ("WAIT(seconds=1)", 1)])
def test_waiting(line: str, seconds: int) -> None:
    decision = Session(CONFIG, chat(f"```{line}```")).step()
    assert calls_of(decision) == [["computer_wait", {"seconds": seconds}]]


REFUSED = [
    ("import os", "line 1: only pyautogui and time"),
    ("import pyautogui as p", "line 1: only pyautogui and time"),
    ("from time import sleep", "ImportFrom is not allowed"),
    ("x = 1", "Assign is not allowed"),
    ("pyautogui.moveTo(1, 2)\nfor i in [1]:\n    pyautogui.click()", "line 2: For"),
    ("while True: pass", "While is not allowed"),
    ("if True: pyautogui.click(1, 2)", "If is not allowed"),
    ("def f(): pass", "FunctionDef"),
    ("lambda: 1", "Lambda"),
    ("[calc_save() for i in 'ab']", "ListComp"),
    ("'text'", "Constant"),
    ("calc_save", "Name is not allowed"),
    ("pyautogui.PAUSE", "Attribute"),
    ("await calc_save()", "Await"),
    ("calc_save() or calc_save()", "BoolOp"),
    ("pyautogui.click(x, 2)", "not a literal"),
    ("pyautogui.click(1 + 1, 2)", "not a literal"),
    ("pyautogui.click(*[1, 2])", "not a literal"),
    ("pyautogui.click(**{'x': 1})", "unpacked with **"),
    ("calc_set_cell_value(**{'cell': 'B2'})", "unpacked with **"),
    ("pyautogui.write(f'{1}')", "not a literal"),
    ("pyautogui.write(str(1))", "not a literal"),
    ("calc_set_cell_value(cell='B2', value=open('x').read())", "not a literal"),
    ("calc_set_cell_value('B2', 42)", "arguments by name"),
    ("calc_set_cell_value(cell='B2', value={1, 2})", "JSON cannot represent"),
    ("calc_set_cell_value(cell='B2', value=1e999)", "JSON cannot represent"),
    ("calc_set_cell_value(cell='B2', value=b'x')", "JSON cannot represent"),
    ("calc_set_cell_value(cell='B2', value=1j)", "JSON cannot represent"),
    ("calc_set_cell_value(cell='B2', value={1: 2})", "JSON cannot represent"),
    ("calc_set_cell_value(cell='B2', value=0x" + "f" * 4000 + ")", "JSON cannot represent"),
    (
        "pyautogui.position()",
        "pyautogui.position is not allowed. The pyautogui functions",
    ),
    ("time.time()", "time.time is not allowed"),
    ("os.system('rm')", "no function os.system here"),
    ("eval('1')", "no function eval here"),
    ("__import__('os').system('x')", "by their plain names"),
    ("(lambda: 1)()", "by their plain names"),
    ("pyautogui.press.__call__('a')", "no function pyautogui.press.__call__"),
    ("click(1, 2)", "no function click here"),
    ("pyautogui.click('button.png')", "must be a number"),
    ("pyautogui.click(1, 2, 3, 4, 'left', 6, 7)", "at most 6 arguments"),
    ("pyautogui.click(1, 2, x=3)", "got `x` twice"),
    ("pyautogui.click(1, 2, 5)", "must be 1, 2 or 3"),
    ("pyautogui.click(1, 2, button='side')", "must be left, middle or right"),
    ("pyautogui.click(1, 2, image='x')", "takes no `image`"),
    ("pyautogui.click()", "has not been moved anywhere"),
    ("pyautogui.dragTo(1, 2)", "has not been moved anywhere"),
    ("pyautogui.hotkey()", "a list of texts"),
    ("pyautogui.press(['a', 'b'], presses=2)", "only be used with a single key"),
    ("pyautogui.write(3)", "must be a text"),
    ("pyautogui.keyDown('ctrl')", "no keyUp in the same block"),
    ("pyautogui.keyUp('ctrl')", "no keyDown before it"),
    ("pyautogui.keyDown('a')\npyautogui.write('b')", "line 2: write cannot come between"),
    ("pyautogui.keyDown('a')\ncalc_save()", "line 2: calc_save cannot come between"),
    ("pyautogui.keyDown('a')\ntime.sleep(1)", "line 2: sleep cannot come between"),
    ("DONE\npyautogui.click(1, 2)", "line 2: nothing can follow"),
    ("DONE(1, 2)", "at most 1 arguments"),
    ("WAIT('a')", "must be a number"),
    ("pyautogui.click(1, 2", "not valid Python"),
    ("calc_save()\x00", "not valid Python"),
    ("(" * 100_000, "more than 50000 characters"),
    ("-" * 40_000 + "1", "not valid Python"),
    ("", "is empty"),
    ("# nothing", "is empty"),
]
BAD = [
    *((code(text), why) for text, why in REFUSED),
    (chat("I am done."), "has 0"),
    (chat("DONE"), "has 0"),
    (chat(""), "has 0"),
    (chat("```python\nDONE\n```\n```python\nDONE\n```"), "has 2"),
    (chat("```python\nDONE\n```", finish="length"), "cut off"),
    (chat("", refusal="I will not."), "a refusal: I will not."),
]


@pytest.mark.parametrize(("bad", "why"), BAD)
def test_a_malformed_answer_is_corrected_in_the_next_message(bad: dict[str, Any], why: str) -> None:
    session = Session(CONFIG, bad, code("DONE"))
    decision = session.step()
    assert why in decision.malformed
    assert decision.calls == ()
    assert session.step().stop is Stop.DONE
    text = session.model.requests[1]["messages"][-1]["content"][0]["text"]
    assert decision.malformed in text


WORDS = """pyautogui time click moveTo press sleep calc_save DONE FAIL ( ) [ ] { } . , = : ' " 1 -2
import for in lambda await x f' ** * + os system eval __import__ 'a' None True # \\ @ ; |"""


@given(
    st.one_of(
        st.text(max_size=200),
        st.lists(st.sampled_from([*WORDS.split(), "\n"]), max_size=30).map(" ".join),
    )
)
def test_any_text_is_calls_of_offered_tools_or_malformed(text: str) -> None:
    try:
        block = parse_block(text, NAMES, Pointer(), (1920, 1080))
    except MalformedReplyError:
        return
    assert {name for name, _ in block.calls} <= NAMES.keys()
    json.dumps(block.calls, allow_nan=False)


@given(st.sampled_from(dir(builtins)))
def test_no_builtin_can_be_called(name: str) -> None:
    with pytest.raises(MalformedReplyError):
        parse_block(f"{name}()", NAMES, Pointer(), (1920, 1080))


def test_a_function_without_a_guest_tool_is_neither_listed_nor_accepted() -> None:
    offered = [HANDS["computer_click"], TOOLS["calc_save"]]
    session = Session(CONFIG, code("pyautogui.press('a')"), code("WAIT"), tools=offered)
    assert "pyautogui.press is not available here" in session.step().malformed
    assert "WAIT is not available here" in session.step().malformed
    system = session.model.requests[0]["messages"][0]["content"]
    assert "pyautogui.click(x, y, clicks=1, button='left')" in system
    assert "pyautogui.press" not in system
    assert "WAIT" not in system


def test_without_gui_tools_the_prompt_lists_no_pyautogui_functions() -> None:
    session = Session(CONFIG, code("calc_save()", "DONE"), tools=[TOOLS["calc_save"]])
    assert session.step().stop is Stop.DONE
    system = session.model.requests[0]["messages"][0]["content"]
    assert "pyautogui.click" not in system
    assert "- `calc_save()`: calc_save." in system


def test_a_tool_is_listed_with_a_python_signature() -> None:
    parameters = {
        "properties": {
            "cell": {"type": "string"},
            "rows": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
            "keys": {
                "anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}],
                "default": None,
            },
            "how": {"enum": ["up", "down"], "type": "string", "default": "up"},
            "value": {},
        },
        "required": ["cell", "rows", "value"],
    }
    tool = ToolSpec("calc_fill", "calc", "Fill.", parameters, False)
    assert signature(tool) == (
        "calc_fill(cell: str, rows: list[list[float]], keys: list[str] | None = None, "
        "how: 'up' | 'down' = 'up', value)"
    )


def test_results_and_the_last_pictures_are_in_the_conversation() -> None:
    lines = ["pyautogui.moveTo(1, 2)", "calc_save()"]
    config = CONFIG.model_copy(update={"images": 2, "results": 100})
    session = Session(config, code(*lines), code(*lines), code("calc_save()"), code("DONE"))
    session.step()
    session.step(ToolResult("", ""), ToolResult("", "x" * 130))
    session.step(ToolResult("", "(1, 2) is outside", "off_screen"), ToolResult("", ""))
    session.step(ToolResult("", "", images=("data:image/png;base64,AAAA",)))
    messages = session.model.requests[-1]["messages"]
    messages[-1]["content"][1]["image_url"]["url"] = "<what the tool returned>"
    contents = [
        name_images(message["content"]) for message in messages if message["role"] == "user"
    ]
    cut = "x" * 100 + "\n[cut: 30 of 130 characters are not shown]"
    assert [content[0]["text"] for content in contents] == [
        "Set B2 to 42.\nThe screen now:",
        f"calc_save: {cut}\nThe screen now:",
        "computer_move: ERROR off_screen: (1, 2) is outside\ncalc_save: done\nThe screen now:",
        "calc_save: done\nThe screen now:",
    ]
    pictures = [
        [part["image_url"]["url"] for part in content if part["type"] == "image_url"]
        for content in contents
    ]
    assert pictures == [[], [], [], ["<what the tool returned>", "<1920x1080 #040404>"]]
