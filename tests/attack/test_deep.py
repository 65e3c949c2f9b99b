"""Text nested so deep that a recursive parser would crash."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from ambidex.evaluators.formulas.formula import UnknownValueError, formula
from ambidex.evaluators.osworld.browser.browser import Pattern
from ambidex.evaluators.osworld.rules import _pattern
from ambidex.evaluators.osworld.system.accessibility import Elements
from ambidex.evaluators.osworld.text import Lines
from ambidex.host import Decision, ToolCall, ToolSpec
from ambidex.host.dialects import MalformedReplyError
from ambidex.host.dialects.pyautogui_reading import parse_block
from ambidex.host.dialects.reading import Pointer
from ambidex.host.dialects.words import new_call, parse_arguments
from ambidex.host.errors import UsageError
from ambidex.host.models.prices import read_prices
from ambidex.host.records.orders import read_call
from ambidex.host.runs.experiment import read_experiment
from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.code.search import compile_pattern
from ambidex.mcp_tools.os.arithmetic import ExpressionError, evaluate
from ambidex.tasks import TaskError
from ambidex.tasks.load import load_suite
from ambidex.toolgen.review.signature import signature
from tests.support.tables import every_case

DEPTHS = (100, 500, 1500, 5000, 20_000)
TOOL = ToolSpec("calc_save", "calc", "", {}, reads_only=False)
NESTED: dict[str, Callable[[int], str]] = {
    "attributes": lambda n: "pyautogui" + ".a" * n + "()",
    "brackets": lambda n: "pyautogui.click(" + "(" * n + "1" + ")" * n + ")",
    "signs": lambda n: "pyautogui.click(" + "-" * n + "1)",
    "lists": lambda n: "calc_save(x=" + "[" * n + "]" * n + ")",
    "sums": lambda n: "calc_save(x=" + "1+" * n + "1)",
    "calls": lambda n: "calc_save" + "()" * n,
    "places": lambda n: "calc_save" + "[0]" * n + "()",
}


@every_case("depth", DEPTHS)
@every_case("kind", NESTED)
def test_a_model_s_code_that_nests_deep_is_malformed(kind: str, depth: int) -> None:
    code = NESTED[kind](depth)

    def taken() -> list[ToolCall]:
        found = parse_block(code, {"calc_save": TOOL}, Pointer(), (1920, 1080))
        return [new_call(name, given) for name, given in found.calls]

    with pytest.raises(MalformedReplyError):
        taken()


@every_case("depth", [65, 300, 900, 100_000])
@every_case("ends", ['{"a":', "["])
def test_a_model_s_arguments_that_nest_deep_are_malformed(ends: str, depth: int) -> None:
    closes = "}" if ends[0] == "{" else "]"
    text = '{"x":' + ends * depth + "1" + closes * depth + "}"
    with pytest.raises(MalformedReplyError):
        parse_arguments("calc_save", text)


def test_arguments_of_a_depth_that_is_allowed_are_written_down() -> None:
    deep: dict[str, Any] = {}
    for _ in range(63):
        deep = {"a": deep}
    call = new_call("calc_save", deep)
    assert json.dumps(asdict(Decision(calls=(call,)))["calls"][0]["arguments"]) == json.dumps(deep)


@every_case("depth", DEPTHS)
def test_a_person_s_call_that_nests_deep_is_refused(depth: int) -> None:
    for text in ("f" + ".a" * depth + "()", "f(x=" + "-" * depth + "1)", "f(" * depth):
        with pytest.raises(ValueError, match="a call is written like"):
            read_call(text)


@every_case("depth", DEPTHS)
def test_a_formula_that_nests_deep_is_unknown(depth: int) -> None:
    for text in ("-" * depth + "1", "(" * depth + "1" + ")" * depth, "IF(" * depth + ")" * depth):
        with pytest.raises(UnknownValueError):
            formula(text, origin="A1")("B2", {})


@every_case("depth", DEPTHS)
def test_selectors_and_patterns_that_nest_deep_are_wrong_rules(depth: int) -> None:
    brackets = "(" * depth + ")" * depth
    for kind, value in (
        (Elements, [{"selectors": ["a" + ">a" * depth + ">"]}]),
        (Elements, [{"selectors": [":not(" * depth + "a" + ")" * depth]}]),
        (Elements, [{"xpath": "(" * depth + "a" + ")" * depth + ")"}]),
        (Pattern, brackets + "("),
        (Lines, {"expect": [brackets + "("]}),
    ):
        with pytest.raises(ValidationError):
            TypeAdapter(kind).validate_python(value)
    with pytest.raises(ValueError, match="not a regular expression"):
        _pattern("re", brackets + "(")


@pytest.mark.parametrize("text", ["(" * 5000 + ")" * 5000, "a{99999999999999999999}"])
def test_a_search_pattern_that_no_engine_takes_is_refused_by_the_tool(text: str) -> None:
    with pytest.raises((RecursionError, OverflowError, re.error)):
        re.compile(text)
    with pytest.raises(ToolError, match="Not a regular expression") as refused:
        compile_pattern(text, regex=True, match_case=True, whole_word=False)
    assert len(str(refused.value)) < 500


@every_case(
    "text",
    ["(" * 240 + "1" + ")" * 240, "-" * 499 + "1", "2**" * 160 + "2", "a" + ".b" * 240, "\ud800",
     "9" * 500, "comb(2000,1000)*" * 20 + "1", "\0"],
)  # fmt: skip
def test_arithmetic_that_nests_deep_or_grows_is_refused_or_worked_out(text: str) -> None:
    with contextlib.suppress(ExpressionError):
        assert abs(evaluate(text)) < 2**4096


@pytest.mark.parametrize("text", ["x = " + "[" * 20_000, "a = " + "{b=" * 5000])
def test_files_of_toml_that_nest_deep_are_refused_by_name(tmp_path: Path, text: str) -> None:
    file = tmp_path / "task.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=r"task\.toml"):
        read_experiment(file)
    with pytest.raises(UsageError, match=r"task\.toml"):
        read_prices(file)
    (tmp_path / "suite" / "one").mkdir(parents=True)
    file.rename(tmp_path / "suite" / "one" / "task.toml")
    with pytest.raises(TaskError, match=r"task\.toml.*not TOML"):
        load_suite(tmp_path / "suite", {})


@every_case("depth", DEPTHS)
def test_a_draft_that_nests_deep_has_no_signature(depth: int) -> None:
    assert signature("x = " + "-" * depth + "(" * depth, "calc") is None
