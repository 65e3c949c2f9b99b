"""Arithmetic, compared with Python's own operators; nothing else is evaluated."""

import math
import operator
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ambidex.mcp_tools.os.arithmetic import FUNCTIONS, ExpressionError, evaluate

WHOLE = st.integers(-(10**12), 10**12)
SIGNS = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2+3*4", 14),
        ("2^3+1", 9),
        ("-2^2", -4),
        ("0.1 + 0.2", 0.3),
        ("7 // 2 * 10 % 4", 2),
        ("6 ÷ 3 × 2 − 1", 3),
        ("sin(π/2)", 1),
        ("log(8, 2) + ln(e)", 4),
        ("round(2.456, 2)", 2.46),
        ("round(1234, -2)", 1200),
        ("max(1, 2.5, -3)", 2.5),
        ("factorial(20) / factorial(18)", 380),
        ("comb(5, 2) + gcd(12, 18)", 16),
        (" 1e3\n", 1000),
        ("2 ** 0.5 ** 2", 1.189207115002720),
    ],
)
def test_an_expression_has_the_value_that_people_expect(expression: str, value: float) -> None:
    assert evaluate(expression) == pytest.approx(value, rel=1e-14)


@given(WHOLE, st.sampled_from(sorted(SIGNS)), WHOLE.filter(bool))
def test_integers_are_exact_and_fractions_have_15_digits(one: int, sign: str, two: int) -> None:
    value = SIGNS[sign](one, two)
    assert evaluate(f"({one}) {sign} ({two})") == pytest.approx(value, rel=1e-14, abs=0)
    if isinstance(value, int):
        assert evaluate(f"({one}) {sign} ({two})") == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_decimal_literal_keeps_its_value(number: float) -> None:
    assert evaluate(repr(number)) == pytest.approx(number, rel=1e-14)


def is_finite(value: float) -> bool:
    """Whether a value is finite. `math.isfinite` fails for integers too large for a float."""
    return isinstance(value, int) or math.isfinite(value)


CHARACTERS = "0123456789.+-*/%^() ,eEjx_abcfilnopqrst'\"[]:<=!&|~@;{}π\n"


@given(st.text(CHARACTERS, max_size=60) | st.text(max_size=30))
def test_any_text_has_a_finite_value_or_is_refused(text: str) -> None:
    value: float = 0
    with suppress(ExpressionError):
        value = evaluate(text)
    assert type(value) in (int, float)
    assert is_finite(value)


@given(st.sampled_from(sorted(FUNCTIONS)), st.lists(st.integers() | st.floats(), max_size=3))
def test_a_function_of_any_numbers_has_a_value_or_is_refused(
    name: str, numbers: list[float]
) -> None:
    value: float = 0
    with suppress(ExpressionError):
        value = evaluate(f"{name}({', '.join(map(repr, numbers))})")
    assert is_finite(value)


@pytest.mark.parametrize(
    ("expression", "code"),
    [
        ("9**9**9**9", "too_large"),
        ("factorial(999999999)", "too_large"),
        ("comb(10**9, 10**8)", "too_large"),
        ("round(5, -10**9)", "too_large"),
        ("10**1000 * 10**1000", "too_large"),
        ("1e308 * 10", "too_large"),
        ("1e999", "too_large"),
        ("2.0 ** 5000", "too_large"),
        ("9" * 501, "too_large"),
        ("(" * 240 + "1" + ")" * 240, "bad_expression"),
        ("1/0", "undefined"),
        ("0^(-1)", "undefined"),
        ("sqrt(-1)", "undefined"),
        ("(-8)^(1/3)", "undefined"),
        ("factorial(2.5)", "undefined"),
        ("", "bad_expression"),
        ("1,000 + 1", "bad_expression"),
        ("1 < 2", "bad_expression"),
        ("True + 1", "bad_expression"),
        ("1j", "bad_expression"),
        ("'a' * 9", "bad_expression"),
        ("x + 1", "bad_expression"),
        ("sqrt(1, 2)", "bad_expression"),
        ("max()", "bad_expression"),
        ("(1).real", "bad_expression"),
        ("[1][0]", "bad_expression"),
        ("open('/etc/passwd')", "bad_expression"),
        ("(lambda: 1)()", "bad_expression"),
        ("abs.__self__", "bad_expression"),
        ("min(*[1, 2])", "bad_expression"),
        ("round(number=2)", "bad_expression"),
    ],
)
def test_other_than_short_arithmetic_is_refused(expression: str, code: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        evaluate(expression)
    assert caught.value.code == code


def test_long_chains_of_operators_are_evaluated() -> None:
    assert evaluate("-" * 80 + "1") == 1
    assert evaluate("+".join(["1"] * 250)) == 250
