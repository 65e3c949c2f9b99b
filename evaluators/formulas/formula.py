"""An evaluator for the subset of spreadsheet formulas that conditional formats use.

    result = formula("WEEKDAY(A1,2)>5", origin="A1")
    result("B3", values)           the formula as it reads in B3, over the stored values

Anything unsupported (other functions, names, other sheets) raises `UnknownValueError`; nothing is
guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from openpyxl.formula import Tokenizer
from openpyxl.formula.tokenizer import Token, TokenizerError
from openpyxl.formula.translate import Translator, TranslatorError
from openpyxl.worksheet.cell_range import CellRange

from ambidex.evaluators.formulas.formula_values import (
    FUNCTIONS,
    Area,
    FormulaError,
    UnknownValueError,
    combined,
    number,
    single,
)

__all__ = ["FormulaError", "UnknownValueError", "formula"]

MOST_CELLS = 100_000
DEEPEST = 60
ACCEPT_ERRORS = {"ISERROR", "ISNUMBER", "ISTEXT"}
"""Functions that accept an error as their argument; all others propagate it."""
Values = Mapping[tuple[int, int], object]
"""The values of non-empty cells by (row, column)."""


def formula(text: str, *, origin: str) -> Callable[[str, Values], object]:
    """Compile a formula written for the cell `origin` into a function of (cell, values).

    Raises `UnknownValueError`, now or in the call, if the formula is not supported; the call raises
    `FormulaError` if the result is an error.
    """

    def result(place: str, values: Values) -> object:
        try:
            moved = Translator(f"={text}", origin=origin).translate_formula(place)
            tokens = [item for item in Tokenizer(moved).items if item.type != Token.WSPACE]
        except (TokenizerError, TranslatorError, ValueError, IndexError) as error:
            raise UnknownValueError(f"{text}: {error}") from error
        parser = _Parser(tokens, values, place)
        value = parser.expression(0)
        if parser.tokens:
            raise UnknownValueError(f"{text}: unexpected {parser.tokens[0].value}")
        return single(value)

    return result


BINDING = {"=": 1, "<>": 1, "<": 1, ">": 1, "<=": 1, ">=": 1, "&": 2, "+": 3, "-": 3, "*": 4,
           "/": 4, "^": 5}  # fmt: skip


class _Parser:
    """Evaluates the tokens of openpyxl's tokenizer by precedence climbing."""

    def __init__(self, tokens: list[Token], values: Values, place: str) -> None:
        self.tokens, self.values, self.place = tokens, values, place
        self.depth = 0

    def expression(self, least: int) -> object:
        self.depth += 1
        if self.depth > DEEPEST:
            raise UnknownValueError("it is nested too deeply")
        left = self.operand()
        while self.tokens:
            token = self.tokens[0]
            if token.type == Token.OP_POST:
                self.tokens.pop(0)
                left = number(left) / 100
            elif token.type == Token.OP_IN and BINDING[token.value] > least:
                self.tokens.pop(0)
                left = combined(token.value, left, self.expression(BINDING[token.value]))
            else:
                break
        self.depth -= 1
        return left

    def operand(self) -> object:
        if not self.tokens:
            raise UnknownValueError("it ends too early")
        token = self.tokens.pop(0)
        match token.type, token.subtype:
            case Token.OP_PRE, _:
                # A sign binds more tightly than a power, as in spreadsheets.
                self.depth += 1
                if self.depth > DEEPEST:
                    raise UnknownValueError("it is nested too deeply")
                value = self.operand()
                self.depth -= 1
                return -number(value) if token.value == "-" else number(value)
            case Token.OPERAND, Token.NUMBER:
                return float(token.value)
            case Token.OPERAND, Token.TEXT:
                return token.value[1:-1].replace('""', '"')
            case Token.OPERAND, Token.LOGICAL:
                return token.value.upper() == "TRUE"
            case Token.OPERAND, Token.RANGE:
                return self.area(token.value)
            case Token.PAREN, Token.OPEN:
                value = self.expression(0)
                self.close(Token.PAREN)
                return value
            case Token.FUNC, Token.OPEN:
                return self.call(token.value[:-1].upper())
        raise UnknownValueError(f"{token.value} is not supported")

    def call(self, name: str) -> object:
        arguments: list[object] = []
        while self.tokens and self.tokens[0].subtype != Token.CLOSE:
            if self.tokens[0].type == Token.SEP:
                self.tokens.pop(0)
            arguments.append(self.argument() if name in ACCEPT_ERRORS else self.expression(0))
        self.close(Token.FUNC)
        if name in ACCEPT_ERRORS:
            is_error = len(arguments) == 1 and isinstance(arguments[0], FormulaError)
            if name == "ISERROR" or is_error:
                return is_error is (name == "ISERROR")
        if name in {"ROW", "COLUMN"} and not arguments:
            arguments = [self.area(self.place)]
        if name not in FUNCTIONS:
            raise UnknownValueError(f"the function {name} is not supported")
        try:
            return FUNCTIONS[name](*arguments)
        except (TypeError, ValueError, ArithmeticError, IndexError) as error:
            raise FormulaError(f"{name}: {error}") from error

    def argument(self) -> object:
        """Read the argument of a function that accepts errors; an error is returned as a value."""
        rest, depth = list(self.tokens), self.depth
        try:
            return single(self.expression(0))
        except FormulaError as error:
            open_brackets = 0
            while rest and (open_brackets or rest[0].subtype != Token.CLOSE):
                open_brackets += {Token.OPEN: 1, Token.CLOSE: -1}.get(rest[0].subtype, 0)
                rest.pop(0)
            self.tokens[:], self.depth = rest, depth
            return error

    def close(self, kind: str) -> None:
        if not self.tokens or (self.tokens[0].type, self.tokens[0].subtype) != (kind, Token.CLOSE):
            raise UnknownValueError("a bracket is missing")
        self.tokens.pop(0)

    def area(self, reference: str) -> Area:
        if "!" in reference:
            raise UnknownValueError(f"{reference} is on another sheet")
        try:
            area = CellRange(reference.replace("$", ""))
        except (TypeError, ValueError) as error:
            raise UnknownValueError(f"{reference} is not a supported range") from error
        if area.size["rows"] * area.size["columns"] > MOST_CELLS:
            raise UnknownValueError(f"{reference} spans too many cells")
        values = tuple(self.values.get(place) for place in area.cells)
        return Area(area.min_row, area.min_col, values)
