"""Arithmetic as people write it, worked out over Python's syntax tree: nothing is executed, and
nothing takes long.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable

__all__ = ["FUNCTIONS", "NAMES", "ExpressionError", "work_out"]

Number = int | float

LONGEST = 500
"""Characters of an expression."""
BITS = 4096
"""Of the largest whole number."""
DIGITS = 15
"""That a fraction is rounded to: what a double holds for certain, so that 0.1 + 0.2 is 0.3."""
COUNTED = 2000
"""The largest number that factorial, comb and perm take."""

SIGNS = str.maketrans({"^": "**", "×": "*", "·": "*", "÷": "/", "−": "-", "π": "pi"})
NAMES = {"pi": math.pi, "e": math.e, "tau": math.tau}


class ExpressionError(Exception):
    """What cannot be worked out, in a sentence; `code` is one word for it."""

    def __init__(self, message: str, code: str = "bad_expression") -> None:
        super().__init__(message)
        self.code = code


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, int) and isinstance(exponent, int):
        if base not in (-1, 0, 1) and base.bit_length() * abs(exponent) > BITS + 64:
            raise ExpressionError("A power is too large.", "too_large")
    elif base < 0 and exponent != int(exponent):
        raise ExpressionError("A root of a negative number is no real number.", "undefined")
    result: Number = base**exponent
    return result


def _counted(function: Callable[..., int]) -> Callable[..., Number]:
    def bounded(*given: Number) -> Number:
        if any(abs(each) > COUNTED for each in given):
            raise ExpressionError(f"Its numbers may be {COUNTED} at most.", "too_large")
        return function(*(whole(each) for each in given))

    return bounded


def whole(number: Number) -> int:
    """The number as a whole one."""
    if number != int(number):
        raise ExpressionError(f"{number} is not a whole number.", "undefined")
    return int(number)


def _round(number: Number, digits: Number = 0) -> Number:
    places = whole(digits)
    if abs(places) > 300:
        raise ExpressionError("round takes -300 to 300 digits.", "too_large")
    # With the number of digits left out Python gives a whole number.
    return round(number, places) if places else round(number)


def _gcd(*numbers: Number) -> Number:
    return math.gcd(*(whole(each) for each in numbers))


def _least(first: Number, *others: Number) -> Number:
    return min((first, *others))


def _most(first: Number, *others: Number) -> Number:
    return max((first, *others))


FUNCTIONS: dict[str, Callable[..., Number]] = {
    **{name: getattr(math, name) for name in ("sqrt", "exp", "log", "log2", "log10", "hypot")},
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan")},
    **{name: getattr(math, name) for name in ("atan2", "degrees", "radians", "floor", "ceil")},
    **{name: _counted(getattr(math, name)) for name in ("factorial", "comb", "perm")},
    **{"ln": math.log, "abs": abs, "round": _round, "min": _least, "max": _most, "gcd": _gcd},
}

OPERATORS: dict[type[ast.AST], Callable[..., Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}


def work_out(expression: str) -> Number:
    """The value of an expression; `ExpressionError` says what is wrong with it."""
    if len(expression) > LONGEST:
        raise ExpressionError(f"It has more than {LONGEST} characters.", "too_large")
    try:
        tree = ast.parse(expression.translate(SIGNS).strip(), mode="eval")
        value = _value(tree.body)
    except ZeroDivisionError:
        raise ExpressionError("It divides by zero.", "undefined") from None
    except OverflowError:
        raise ExpressionError("A number in it is too large.", "too_large") from None
    except (TypeError, SyntaxError) as error:
        raise ExpressionError(f"It cannot be read: {error}.") from None
    except ValueError as error:
        raise ExpressionError(f"It has no value: {error}.", "undefined") from None
    except (RecursionError, MemoryError):
        raise ExpressionError("It is nested too deep.", "too_large") from None
    if isinstance(value, int):
        return value
    rounded = float(f"{value:.{DIGITS}g}")
    return rounded if math.isfinite(rounded) else value  # rounded up past the largest there is


def _value(node: ast.expr) -> Number:
    match node:
        case ast.Constant(value=bool()):
            raise ExpressionError("It takes numbers only.")
        case ast.Constant(value=int() | float() as number):
            value: Number = number
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in OPERATORS:
            value = OPERATORS[type(sign)](_value(operand))
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
            value = OPERATORS[type(sign)](_value(left), _value(right))
        case ast.Name(id=name) if name in NAMES:
            value = NAMES[name]
        case ast.Call(func=ast.Name(id=name), args=given, keywords=[]) if name in FUNCTIONS:
            value = FUNCTIONS[name](*(_value(each) for each in given))
        case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)):
            raise ExpressionError(f"There is no {name!r} that it could mean.")
        case ast.Tuple():
            raise ExpressionError("A comma only stands between the numbers of a function.")
        case _:
            raise ExpressionError(f"{ast.unparse(node)!r} is no arithmetic.")
    if isinstance(value, int):
        if value.bit_length() > BITS:
            raise ExpressionError("A number in it is too large.", "too_large")
    elif not math.isfinite(value):
        raise ExpressionError("A number in it is too large.", "too_large")
    return value
