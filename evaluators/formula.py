"""Formulas of conditional formats, evaluated for one cell: the small part of a spreadsheet's
language that says which cells stand out.

    holds = formula("WEEKDAY(A1,2)>5", origin="A1")
    holds("B3", values)            the formula as it reads in B3, over the stored values

What it does not know (other functions, names, other sheets) is `UnknownValueError`, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from openpyxl.formula import Tokenizer
from openpyxl.formula.tokenizer import Token, TokenizerError
from openpyxl.formula.translate import Translator, TranslatorError
from openpyxl.worksheet.cell_range import CellRange

from ambidex.evaluators.formula_values import (
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
OF_MISTAKES = {"ISERROR", "ISNUMBER", "ISTEXT"}
"""Functions that say something of an error, where others end in it."""
Values = Mapping[tuple[int, int], object]
"""The cells that hold something, by row and column."""


def formula(text: str, *, origin: str) -> Callable[[str, Values], object]:
    """What a formula written for the cell `origin` gives in another cell; `UnknownValueError` at
    once or when called, `FormulaError` where the result is an error."""

    def result(place: str, values: Values) -> object:
        try:
            moved = Translator(f"={text}", origin=origin).translate_formula(place)
            tokens = [each for each in Tokenizer(moved).items if each.type != Token.WSPACE]
        except (TokenizerError, TranslatorError, ValueError, IndexError) as error:
            raise UnknownValueError(f"{text}: {error}") from error
        reader = _Reader(tokens, values, place)
        found = reader.expression(0)
        if reader.tokens:
            raise UnknownValueError(f"{text}: {reader.tokens[0].value} is not expected")
        return single(found)

    return result


BINDING = {"=": 1, "<>": 1, "<": 1, ">": 1, "<=": 1, ">=": 1, "&": 2, "+": 3, "-": 3, "*": 4,
           "/": 4, "^": 5}  # fmt: skip


class _Reader:
    """Precedence climbing over the library's tokens."""

    def __init__(self, tokens: list[Token], values: Values, place: str) -> None:
        self.tokens, self.values, self.place = tokens, values, place
        self.depth = 0

    def expression(self, least: int) -> object:
        self.depth += 1
        if self.depth > DEEPEST:
            raise UnknownValueError("it nests too deep")
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
            raise UnknownValueError("it ends too soon")
        token = self.tokens.pop(0)
        match token.type, token.subtype:
            case Token.OP_PRE, _:
                # A sign binds closer than a power, as in spreadsheets.
                self.depth += 1
                if self.depth > DEEPEST:
                    raise UnknownValueError("it nests too deep")
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
        raise UnknownValueError(f"{token.value} is not known here")

    def call(self, name: str) -> object:
        given: list[object] = []
        while self.tokens and self.tokens[0].subtype != Token.CLOSE:
            if self.tokens[0].type == Token.SEP:
                self.tokens.pop(0)
            given.append(self.argument() if name in OF_MISTAKES else self.expression(0))
        self.close(Token.FUNC)
        if name in OF_MISTAKES:
            wrong = len(given) == 1 and isinstance(given[0], FormulaError)
            if name == "ISERROR" or wrong:
                return wrong is (name == "ISERROR")
        if name in {"ROW", "COLUMN"} and not given:
            given = [self.area(self.place)]
        if name not in FUNCTIONS:
            raise UnknownValueError(f"the function {name} is not known here")
        try:
            return FUNCTIONS[name](*given)
        except (TypeError, ValueError, ArithmeticError, IndexError) as error:
            raise FormulaError(f"{name}: {error}") from error

    def argument(self) -> object:
        """The one argument of a function that may be asked of an error, which is given as such."""
        held, depth = list(self.tokens), self.depth
        try:
            return single(self.expression(0))
        except FormulaError as mistake:
            opened = 0
            while held and (opened or held[0].subtype != Token.CLOSE):
                opened += {Token.OPEN: 1, Token.CLOSE: -1}.get(held[0].subtype, 0)
                held.pop(0)
            self.tokens[:], self.depth = held, depth
            return mistake

    def close(self, kind: str) -> None:
        if not self.tokens or (self.tokens[0].type, self.tokens[0].subtype) != (kind, Token.CLOSE):
            raise UnknownValueError("a bracket is not closed")
        self.tokens.pop(0)

    def area(self, reference: str) -> Area:
        if "!" in reference:
            raise UnknownValueError(f"{reference} lies on another sheet")
        try:
            asked = CellRange(reference.replace("$", ""))
        except (TypeError, ValueError) as error:
            raise UnknownValueError(f"{reference} is no range here") from error
        if asked.size["rows"] * asked.size["columns"] > MOST_CELLS:
            raise UnknownValueError(f"{reference} spans too many cells")
        cells = tuple(self.values.get(place) for place in asked.cells)
        return Area(asked.min_row, asked.min_col, cells)
