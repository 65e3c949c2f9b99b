"""Evaluation of arithmetic expressions on Python's syntax tree: nothing is executed, and every
operation is bounded.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable

__all__ = ["FUNCTIONS", "NAMES", "ExpressionError", "evaluate"]

Number = int | float

LONGEST = 500
"""Maximum length of an expression, in characters."""
BITS = 4096
"""Maximum size of an integer, in bits."""
DIGITS = 15
"""Significant digits of results, as many as a double can guarantee: 0.1 + 0.2 gives 0.3."""
MAX_COUNT = 2000
"""Largest argument of factorial, comb and perm."""

SIGNS = str.maketrans({"^": "**", "×": "*", "·": "*", "÷": "/", "−": "-", "π": "pi"})
NAMES = {"pi": math.pi, "e": math.e, "tau": math.tau}


class ExpressionError(Exception):
    """The expression cannot be evaluated. The message is a sentence, `code` one word."""

    def __init__(self, message: str, code: str = "bad_expression") -> None:
        super().__init__(message)
        self.code = code


def _power(base: Number, exponent: Number) -> Number:
    if isinstance(base, int) and isinstance(exponent, int):
        if base not in (-1, 0, 1) and base.bit_length() * abs(exponent) > BITS + 64:
            raise ExpressionError("The result of a power is too large.", "too_large")
    elif base < 0 and exponent != int(exponent):
        raise ExpressionError("A root of a negative number is not a real number.", "undefined")
    result: Number = base**exponent
    return result


def _bounded(function: Callable[..., int]) -> Callable[..., Number]:
    def bounded(*numbers: Number) -> Number:
        if any(abs(number) > MAX_COUNT for number in numbers):
            raise ExpressionError(f"Arguments may be at most {MAX_COUNT}.", "too_large")
        return function(*(to_integer(number) for number in numbers))

    return bounded


def to_integer(number: Number) -> int:
    """Convert to an integer; `ExpressionError` if there is a fractional part."""
    if number != int(number):
        raise ExpressionError(f"{number} is not a whole number.", "undefined")
    return int(number)


def _round(number: Number, digits: Number = 0) -> Number:
    places = to_integer(digits)
    if abs(places) > 300:
        raise ExpressionError("round accepts -300 to 300 digits.", "too_large")
    # Without the number of digits, Python returns an integer.
    return round(number, places) if places else round(number)


def _gcd(*numbers: Number) -> Number:
    return math.gcd(*(to_integer(number) for number in numbers))


def _min(first: Number, *others: Number) -> Number:
    return min((first, *others))


def _max(first: Number, *others: Number) -> Number:
    return max((first, *others))


FUNCTIONS: dict[str, Callable[..., Number]] = {
    **{name: getattr(math, name) for name in ("sqrt", "exp", "log", "log2", "log10", "hypot")},
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan")},
    **{name: getattr(math, name) for name in ("atan2", "degrees", "radians", "floor", "ceil")},
    **{name: _bounded(getattr(math, name)) for name in ("factorial", "comb", "perm")},
    **{"ln": math.log, "abs": abs, "round": _round, "min": _min, "max": _max, "gcd": _gcd},
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


def evaluate(expression: str) -> Number:
    """Evaluate an expression; `ExpressionError` says what is wrong with it."""
    if len(expression) > LONGEST:
        raise ExpressionError(f"The expression has more than {LONGEST} characters.", "too_large")
    try:
        tree = ast.parse(expression.translate(SIGNS).strip(), mode="eval")
        value = _evaluate(tree.body)
    except ZeroDivisionError:
        raise ExpressionError("Division by zero.", "undefined") from None
    except OverflowError:
        raise ExpressionError("A number is too large.", "too_large") from None
    except (TypeError, SyntaxError) as error:
        raise ExpressionError(f"Invalid syntax: {error}.") from None
    except ValueError as error:
        raise ExpressionError(f"The value is undefined: {error}.", "undefined") from None
    except (RecursionError, MemoryError):
        raise ExpressionError("The expression is nested too deeply.", "too_large") from None
    if isinstance(value, int):
        return value
    rounded = float(f"{value:.{DIGITS}g}")
    return rounded if math.isfinite(rounded) else value  # rounding can exceed the largest double


def _evaluate(node: ast.expr) -> Number:
    match node:
        case ast.Constant(value=bool()):
            raise ExpressionError("Only numbers are allowed.")
        case ast.Constant(value=int() | float() as number):
            value: Number = number
        case ast.UnaryOp(op=op, operand=operand) if type(op) in OPERATORS:
            value = OPERATORS[type(op)](_evaluate(operand))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            value = OPERATORS[type(op)](_evaluate(left), _evaluate(right))
        case ast.Name(id=name) if name in NAMES:
            value = NAMES[name]
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            value = FUNCTIONS[name](*(_evaluate(argument) for argument in arguments))
        case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)):
            raise ExpressionError(f"Unknown name: {name!r}.")
        case ast.Tuple():
            raise ExpressionError("A comma may only separate the arguments of a function.")
        case _:
            raise ExpressionError(f"Not arithmetic: {ast.unparse(node)!r}.")
    if isinstance(value, int):
        if value.bit_length() > BITS:
            raise ExpressionError("A number is too large.", "too_large")
    elif not math.isfinite(value):
        raise ExpressionError("A number is too large.", "too_large")
    return value
