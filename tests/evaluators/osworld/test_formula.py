"""Formulas of conditional formats: arithmetic compared with Python, functions with a table."""

from __future__ import annotations

import contextlib
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.evaluators.formulas.formula import FormulaError, UnknownValueError, formula
from tests.support.tables import every_case

# A1 is a Saturday, A2 the Monday after it; column B: 3, x, nothing, TRUE.
CELLS: dict[tuple[int, int], object] = {
    (1, 1): datetime(2024, 3, 2), (2, 1): datetime(2024, 3, 4), (1, 2): 3, (2, 2): "x",
    (4, 2): True,
}  # fmt: skip
NUMBERS = st.integers(0, 50).map(lambda each: (str(each), float(each)))


def _joined(pair: tuple[Any, str, Any]) -> tuple[str, float]:
    (one, left), operator, (other, right) = pair
    value = {"+": left + right, "-": left - right, "*": left * right}[operator]
    return f"({one}{operator}{other})", value


SUMS = st.recursive(
    NUMBERS, lambda each: st.tuples(each, st.sampled_from("+-*"), each).map(_joined), max_leaves=8
)


@given(SUMS)
def test_arithmetic_agrees_with_python(said: tuple[str, float]) -> None:
    text, value = said
    assert formula(text, origin="A1")("C9", {}) == pytest.approx(value)


@given(SUMS, st.sampled_from(["=", "<>", "<", ">", "<=", ">="]), SUMS)
def test_comparisons_agree_with_python(one: Any, operator: str, other: Any) -> None:
    target = {
        "=": one[1] == other[1], "<>": one[1] != other[1], "<": one[1] < other[1],
        ">": one[1] > other[1], "<=": one[1] <= other[1], ">=": one[1] >= other[1],
    }[operator]  # fmt: skip
    assert formula(f"{one[0]}{operator}{other[0]}", origin="A1")("A1", {}) is target


@given(st.text(max_size=20))
def test_any_text_is_a_formula_an_error_or_unsupported(text: str) -> None:
    with contextlib.suppress(FormulaError, UnknownValueError):
        formula(text, origin="A1")("B2", CELLS)


@every_case(
    ("text", "value"),
    [
        ("1+2*3", 7), ("2^3^2", 64), ("-2^2", 4), ("50%*4", 2), ('"a"&B1', "a3"), ("7/2", 3.5),
        ("WEEKDAY(A1)", 7), ("WEEKDAY(A1,2)", 6), ("WEEKDAY(A2,2)", 1), ("WEEKDAY(A2,3)", 0),
        ("WEEKDAY(A1,16)", 1), ("YEAR(A1)*100+MONTH(A1)", 202403), ("DAY(A1)", 2), ("A2-A1", 2),
        ("AND(B1>2,B2=\"X\")", True), ("OR(B1>3,B3=\"\")", True), ("NOT(B4)", False),
        ("IF(B1>2,\"much\",\"little\")", "much"), ("IF(B1>9,1)", False), ("ISBLANK(B3)", True),
        ("ISNUMBER(A1)", True), ("ISTEXT(B2)", True), ("ISNUMBER(B4)", False), ("ROW()", 1),
        ("COLUMN(B1)", 2), ("MOD(-3,2)", 1), ("MOD(ROW(),2)=1", True), ("ABS(0-B1)", 3),
        ("INT(0-1.5)", -2), ("ROUND(2.345,2)", 2.35), ("ROUND(0-2.5)", -3),
        ("SUM(B1:B4)", 3), ("AVERAGE(B1:B4)", 3),
        ("MAX(B1:B4,2)", 3), ("MIN(B1:B4,2)", 2), ("COUNT(A1:B4)", 3), ("COUNTA(B1:B4)", 3),
        ("COUNTIF(B1:B4,\">2\")", 1), ("COUNTIF(B1:B4,\"X\")", 1), ("COUNTIF($B$1:$B$4,B1)", 1),
        ("LEN(B2)+LEN(B3)", 1), ("LEFT(\"abc\",2)", "ab"), ("RIGHT(\"abc\")", "c"),
        ("MID(\"abc\",2,5)", "bc"), ("UPPER(B2)&LOWER(\"Q\")", "Xq"), ("TRIM(\" a  b \")", "a b"),
        ("EXACT(B2,\"X\")", False), ("FIND(\"b\",\"abc\")", 2), ("SEARCH(\"B\",\"abc\")", 2),
        ("TRUE", True), ("1<\"a\"", True), ("\"a\"<TRUE", True), ("B3=0", True),
    ],
)  # fmt: skip
def test_functions_and_operators_agree_with_a_spreadsheet(text: str, value: object) -> None:
    result = formula(text, origin="A1")("A1", CELLS)
    if isinstance(value, float | int) and not isinstance(value, bool):
        assert result == pytest.approx(value, abs=1e-9)
    else:
        assert result == value


def test_references_move_with_the_cell_except_those_with_dollars() -> None:
    assert formula("B1=3", origin="A1")("A1", CELLS) is True
    assert formula("B1=3", origin="A1")("A2", CELLS) is False
    assert formula("$B$1=3", origin="A1")("D7", CELLS) is True
    assert formula("$B1=3", origin="A1")("D1", CELLS) is True


@every_case("text", ["B2+1", "1/0", 'SUM("q")', 'FIND("q",B2)', "B1:B2=1", "MOD(1,0)"])
def test_an_error_value_raises(text: str) -> None:
    with pytest.raises(FormulaError):
        formula(text, origin="A1")("A1", CELLS)


@every_case(
    "text",
    ["INDIRECT(\"B1\")", "Sheet2!A1=1", "total>1", "A:A=1", "1+", "(1", "SUM(1", "{1,2}", "#REF!",
     'COUNTIF(B1:B2,"x*")', "A1:ZZ9999=1", "1 2", "(" * 70 + "1" + ")" * 70],
)  # fmt: skip
def test_unsupported_formulas_are_reported_and_never_guessed(text: str) -> None:
    with pytest.raises(UnknownValueError):
        formula(text, origin="A1")("A1", CELLS)
