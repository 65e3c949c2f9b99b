"""Property tests of `compare_table`'s rules on generated workbooks."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ambidex.evaluators.osworld import Verdicts
from ambidex.evaluators.osworld.registry import bind_metric
from tests.evaluators.osworld.makers import cells
from tests.support.tables import every_case

LETTERS = st.characters(min_codepoint=33, max_codepoint=0x24F)
# What starts with "=" is a formula, to who writes the workbook.
WORDS = st.text(LETTERS, min_size=1, max_size=6).filter(lambda each: not each.startswith("="))
CONTENT = st.none() | WORDS | st.integers(-1000, 1000) | st.floats(-1e6, 1e6) | st.booleans()
SMALL = st.integers(-50, 50)
GRIDS = st.lists(st.lists(CONTENT, min_size=1, max_size=3), min_size=1, max_size=4)
FEW = settings(max_examples=12)
"""Each example writes two workbooks and opens them several times."""


def judged(actual: list[list[Any]], target: list[list[Any]], rule: dict[str, Any]) -> Verdicts:
    (result,) = each_judged(actual, target, rule)
    return result


def each_judged(
    actual: list[list[Any]], target: list[list[Any]], *rules: dict[str, Any]
) -> list[Verdicts]:
    """The scores of each rule on its own for the two sheets."""
    with tempfile.TemporaryDirectory() as folder:
        one, other = (
            cells(Path(folder) / name, grid)
            for name, grid in (("a.xlsx", actual), ("b.xlsx", target))
        )
        return [bind_metric("compare_table", {"rules": [rule]})(one, other) for rule in rules]


@FEW
@given(GRIDS)
def test_a_sheet_has_the_same_data_as_itself(grid: list[list[Any]]) -> None:
    same = judged(grid, grid, {"type": "sheet_data", "sheet_idx0": 0, "sheet_idx1": "EI0"})
    assert (same.compat.value, same.strict.value) == (1, 1)


@FEW
@given(GRIDS, st.data())
def test_a_single_differing_cell_is_noticed(grid: list[list[Any]], data: st.DataObject) -> None:
    row = data.draw(st.integers(0, len(grid) - 1))
    column = data.draw(st.integers(0, len(grid[row]) - 1))
    value = data.draw(CONTENT)
    before = grid[row][column]
    assume(type(value) is not type(before) or str(value) != str(before))
    numbers = [item for item in (value, before) if isinstance(item, int | float)]
    if len(numbers) == 2 and not any(isinstance(number, bool) for number in numbers):
        assume(abs(numbers[0] - numbers[1]) > 2e-4)
    changed = [list(line) for line in grid]
    changed[row][column] = value
    result = judged(changed, grid, {"type": "sheet_data", "sheet_idx0": 0, "sheet_idx1": "EI0"})
    assert result.strict.value == 0


@FEW
@given(WORDS, WORDS, st.booleans(), st.text("ab+ ", max_size=3))
def test_sheet_fuzzy_agrees_with_python(
    seen: str, wanted: str, ignore_case: bool, ignored: str
) -> None:
    def plain(text: str) -> str:
        stored = "".join(item for item in text if item not in ignored)
        return stored.lower() if ignore_case else stored

    meant = {
        "includes": plain(wanted) in plain(seen),
        "included_by": plain(seen) in plain(wanted),
        "exact_match": plain(seen) == plain(wanted),
    }
    options = {"range": ["A1"], "ignore_case": ignore_case, "ignore_chars": ignored}
    rules = [
        {
            "type": "sheet_fuzzy",
            "sheet_idx0": 0,
            "sheet_idx1": "EI0",
            "rules": [options | {"type": kind}],
        }
        for kind in meant
    ]
    result = each_judged([[seen]], [[wanted]], *rules)
    expected = [(item.compat.value, item.strict.value) for item in result]
    assert expected == [(holds, holds) for holds in meant.values()]


@FEW
@given(
    st.integers(-50, 50),
    st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge"]),
    st.integers(-50, 50),
)
def test_check_cell_agrees_with_python(value: int, method: str, ref: int) -> None:
    rule = {"type": "check_cell", "sheet_idx": "RI0", "coordinate": "A1",
            "props": {"value": {"method": method, "ref": ref}}}  # fmt: skip
    holds = {"eq": value == ref, "ne": value != ref, "lt": value < ref, "le": value <= ref,
             "gt": value > ref, "ge": value >= ref}[method]  # fmt: skip
    assert judged([[value]], [], rule).strict.value == holds


@every_case(
    "rule",
    [
        {"type": "sheet_date", "sheet_idx0": 0, "sheet_idx1": 1},
        {"type": "sheet_data", "sheet_idx0": 0},
        {"type": "sheet_data", "sheet_idx0": 0, "sheet_idx1": "Sheet1"},
        {"type": "sheet_data", "sheet_idx0": 0, "sheet_idx1": "EIx"},
        {"type": "chart", "sheet_idx0": 0, "sheet_idx1": 1, "chart_props": ["colour"]},
        {"type": "style", "sheet_idx0": 0, "sheet_idx1": 1, "props": ["colour"]},
        {"type": "zoom", "sheet_idx": 0, "method": "near", "ref": 1},
        {"type": "data_validation", "sheet_idx": 0,
         "dv_props": [{"tpye": {"method": "eq", "ref": 1}}]},
        {"type": "data_validation", "sheet_idx": 0, "dv_props": [{"type": {"method": "eq"}}]},
        {"type": "check_cell", "sheet_idx": 0, "coordinate": "A", "props": {}},
        {"type": "check_cell", "sheet_idx": 0, "coordinate": "A1",
         "props": {"value": {"method": "approx:x", "ref": 1}}},
        {"type": "check_cell", "sheet_idx": 0, "coordinate": "A1",
         "props": {"weight": {"method": "eq", "ref": 1}}},
        {"type": "sheet_fuzzy", "sheet_idx0": 0, "sheet_idx1": 1,
         "rules": [{"range": ["A0:B"], "type": "includes"}]},
        {"type": "pivot_table", "sheet_idx0": 0, "sheet_idx1": 1, "pivot_props": ["rows"]},
        {"type": "row_props", "sheet_idx0": 0, "sheet_idx1": 1, "props": ["width"]},
    ],
)  # fmt: skip
def test_a_malformed_rule_is_refused_at_load(rule: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"compare_table: rules\[0\]"):
        bind_metric("compare_table", {"rules": [rule]})
