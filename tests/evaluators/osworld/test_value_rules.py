"""Value rules, which five metrics use."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.worksheet.cell_range import MultiCellRange
from pydantic import TypeAdapter, ValidationError

from ambidex.evaluators.osworld.registry import UpstreamRaisesError
from ambidex.evaluators.osworld.rules import ValueRule, matches
from tests.support.tables import every_case

NUMBERS = st.integers(-1000, 1000) | st.floats(-1000, 1000)
RULE = TypeAdapter[Any](ValueRule)


def holds(value: object, method: str, ref: object) -> bool:
    rule = {"method": method, "ref": ref}
    RULE.validate_python(rule)
    return matches(value, rule, trimmed=True)


@given(NUMBERS, NUMBERS)
def test_comparison_methods_agree_with_python(value: float, ref: float) -> None:
    assert holds(value, "eq", ref) is (value == ref)
    assert holds(value, "ne", ref) is (value != ref)
    assert holds(value, "lt", ref) is (value < ref)
    assert holds(value, "le", ref) is (value <= ref)
    assert holds(value, "gt", ref) is (value > ref)
    assert holds(value, "ge", ref) is (value >= ref)


@given(NUMBERS, NUMBERS, st.floats(0, 10))
def test_approx_accepts_numbers_as_text(value: float, ref: float, within: float) -> None:
    near = abs(value - ref) <= within
    assert holds(value, f"approx:{within}", ref) is near
    assert holds(repr(value), f"approx:{within}", ref) is near


@given(st.integers(), st.sampled_from("et"), st.sampled_from("et"))
def test_the_ends_of_a_range_count_if_marked_e(value: int, left: str, right: str) -> None:
    low, high = value, value + 2
    method = f"range.{left}{right}"
    assert holds(low, method, [low, high]) is (left == "e")
    assert holds(high, method, [low, high]) is (right == "e")
    assert holds(value + 1, method, [low, high])
    assert not holds(value - 1, method, [low, high])


@given(st.lists(st.text("abc", min_size=1), min_size=1, max_size=4))
def test_a_text_is_split_into_a_list_at_commas(parts: list[str]) -> None:
    text = '"' + " , ".join(parts) + '"'
    assert holds(text, "str_list_eq", parts)
    assert holds(text, "str_set_eq", [*reversed(parts), parts[0]])
    assert not holds(text + ",d", "str_set_eq", parts)
    assert holds(text, "str_list_eq", parts[::-1]) is (parts == parts[::-1])


def test_a_pattern_is_searched_with_the_flags_of_the_method() -> None:
    assert holds("three Smart folders", "re", r"\bSmart\b")
    assert not holds("three smart folders", "re", r"\bSmart\b")
    assert holds("three smart folders", "re.I", r"\bSmart\b")
    assert holds("one\nSmart", "re.I.M", r"^smart$")


@every_case(
    ("cells", "verdict"),
    [("D2:D29", True), ("D1:D1048576", True), ("D3:D29", False), ("C2:D29", False)],
)
def test_cells_include_the_first_range_and_lie_within_the_second(cells: str, verdict: bool) -> None:
    ref = ["D2:D29", "D1:D1048576"]
    assert holds(cells, "spreadsheet_range", ref) is verdict
    assert holds(MultiCellRange(cells), "spreadsheet_range", ref) is verdict


@every_case(
    ("value", "method", "ref"),
    [(None, "re", "a"), (3, "re.I", "a"), (None, "lt", 3), ("a", "ge", 3),
     (None, "range.ee", [1, 2]), (None, "str_set_eq", ["a"]),
     (3, "spreadsheet_range", ["A1", "A2"]), ("no cells", "spreadsheet_range", ["A1", "A2"])],
)  # fmt: skip
def test_values_that_upstream_cannot_compare_are_reported(
    value: object, method: str, ref: object
) -> None:
    with pytest.raises(UpstreamRaisesError, match=re.escape(method)):
        holds(value, method, ref)


def test_approx_without_a_number_fails() -> None:
    assert not holds(None, "approx:1", 3)
    assert not holds("many", "approx:1", 3)


@every_case(
    ("method", "ref"),
    [("like", 1), ("re", 3), ("re", "("), ("re.LOUD", "a"), ("re.compile", "a"), ("approx:", 1),
     ("approx:0.1", "1"), ("range.e", [1, 2]), ("range.ee", [1]), ("range.ee", ["a", 2]),
     ("spreadsheet_range", ["A1"]), ("spreadsheet_range", ["A1", "x y"]), ("str_set_eq", "a"),
     ("str_list_eq", [1])],
)  # fmt: skip
def test_a_malformed_rule_is_refused_at_load(method: str, ref: object) -> None:
    with pytest.raises(ValidationError):
        RULE.validate_python({"method": method, "ref": ref})


@every_case("rule", [{"method": "eq"}, {"ref": 1}, {"method": 1, "ref": 1}, "eq", None])
def test_a_rule_has_a_method_and_a_ref(rule: object) -> None:
    with pytest.raises(ValidationError):
        RULE.validate_python(rule)
