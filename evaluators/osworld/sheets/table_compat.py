"""`compare_table` as upstream judges, defects included, with the same libraries.

An exception of a library is not caught upstream either, so it becomes `UpstreamRaisesError`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pandas import DataFrame

from ambidex.evaluators import Score, UnreadableError
from ambidex.evaluators.osworld.given import RAISED
from ambidex.evaluators.osworld.registry import UpstreamRaisesError
from ambidex.evaluators.osworld.rules import matches
from ambidex.evaluators.osworld.sheets.table_book import Book, open_book
from ambidex.evaluators.osworld.sheets.table_compat_cells import (
    fuzzy_difference,
    printed,
    stored_value,
)
from ambidex.evaluators.osworld.sheets.table_compat_looks import looks, property_of
from ambidex.evaluators.osworld.sheets.table_compat_objects import (
    charts,
    filters,
    pivots,
    sparklines,
)
from ambidex.evaluators.values import shown

__all__ = ["judge_as_upstream"]

WORKBOOKS = {".xlsx", ".xlsm", ".xltx", ".xltm"}
Rule = Mapping[str, Any]


@dataclass(frozen=True)
class Pair:
    """The workbook to judge and the one to compare it with, if any."""

    result: Book
    expected: Book | None

    def place(self, index: int | str) -> tuple[Book | None, str]:
        """The workbook and the name of the sheet that a rule refers to; the name is empty if the
        index is out of range."""
        book = self.expected if isinstance(index, str) and index[0] == "E" else self.result
        if isinstance(index, str) and index[1] == "N":
            return book, index[2:]
        number = int(index[2:]) if isinstance(index, str) else index
        try:
            return book, "" if book is None else str(book.framed.sheet_names[number])
        except IndexError:
            return book, ""

    def sheet(self, index: int | str) -> Any:
        """A sheet with its formatting; None if there is no such sheet."""
        book, name = self.place(index)
        if book is None:
            raise UpstreamRaisesError("there is no workbook to compare with")
        return book.full[name] if name in book.full.sheetnames else None

    def frame(self, index: int | str) -> DataFrame | None:
        """A sheet as a data frame; None if there is no such sheet."""
        book, name = self.place(index)
        if book is None:
            raise UpstreamRaisesError("there is no workbook to compare with")
        try:
            return book.framed.parse(name)
        except RAISED:
            return None


def judge_as_upstream(result: Path, expected: Path | None, rules: Sequence[Rule]) -> Score:
    """The compat score; `UpstreamRaisesError` if upstream ends in an exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        actual = _opened(result)
        try:
            pair = Pair(actual, None if expected is None else _opened(expected))
        except UnreadableError as unreadable:
            raise UpstreamRaisesError(str(unreadable)) from unreadable
        for rule in rules:
            try:
                wrong = RULES[rule["type"]](pair, rule)
            except RAISED as error:
                raise UpstreamRaisesError(f"{rule['type']}: {error!r:.300}") from error
            if wrong:
                return Score(0.0, f"{rule['type']}: {wrong}")
    return Score(1.0, f"all {len(rules)} rules hold")


def _opened(path: Path) -> Book:
    book = open_book(path)
    if path.suffix.lower() not in WORKBOOKS:
        raise UnreadableError(f"{path.name} does not have the suffix of a workbook")
    book.full, book.framed  # noqa: B018  # fail now if either library cannot read it
    return book


def _names(pair: Pair, rule: Rule) -> str:
    actual = pair.result.framed.sheet_names
    target = None if pair.expected is None else pair.expected.framed.sheet_names
    return "" if actual == target else f"the sheets are {actual}, not {target}"


def _data(pair: Pair, rule: Rule) -> str:
    places = rule.get("precision", 4)
    actual = pair.frame(rule["sheet_idx0"])
    if actual is None:
        return f"there is no sheet {rule['sheet_idx0']}"
    target = pair.frame(rule["sheet_idx1"])
    if target is None:
        raise UpstreamRaisesError(f"there is no sheet {rule['sheet_idx1']}")
    same = actual.round(places).equals(target.round(places))
    return "" if same else f"{rule['sheet_idx0']} does not have the data of {rule['sheet_idx1']}"


def _print(pair: Pair, rule: Rule) -> str:
    actual = printed(*pair.place(rule["sheet_idx0"]))
    if actual is None:
        return f"{rule['sheet_idx0']} was not exported as CSV"
    target = printed(*pair.place(rule["sheet_idx1"]))
    if rule.get("ignore_case", False):
        if target is None:
            raise UpstreamRaisesError(f"{rule['sheet_idx1']} was not exported as CSV")
        actual, target = [line.lower() for line in actual], [line.lower() for line in target]
    return "" if actual == target else f"the CSV export of {rule['sheet_idx0']} differs"


def _fuzzy(pair: Pair, rule: Rule) -> str:
    return fuzzy_difference(
        pair.place(rule["sheet_idx0"]), pair.place(rule["sheet_idx1"]), rule["rules"]
    )


def _freeze(pair: Pair, rule: Rule) -> str:
    one = pair.sheet(rule["sheet_idx0"])
    if one is None:
        return f"there is no sheet {rule['sheet_idx0']}"
    actual, target = _frozen(one), _frozen(pair.sheet(rule["sheet_idx1"]))
    return "" if actual == target else f"the panes are {actual}, not {target}"


def _frozen(sheet: Any) -> tuple[object, ...]:
    pane = sheet.sheet_view.pane
    if pane is None:
        return ("whole",)
    columns, rows = (0 if split is None else int(split) for split in (pane.xSplit, pane.ySplit))
    if (pane.state or "").lower() in {"frozen", "frozensplit"}:
        return "frozen", columns, rows
    return "split", columns, rows, pane.topLeftCell


def _zoom(pair: Pair, rule: Rule) -> str:
    sheet = pair.sheet(rule["sheet_idx"])
    if sheet is None:
        return f"there is no sheet {rule['sheet_idx']}"
    zoom = sheet.sheet_view.zoomScale or 100
    return "" if matches(zoom, rule) else f"the zoom is {zoom} %"


def _validations(pair: Pair, rule: Rule) -> str:
    sheet = pair.sheet(rule["sheet_idx"])
    if sheet is None:
        return f"there is no sheet {rule['sheet_idx']}"
    validations = sheet.data_validations.dataValidation
    complete = len(validations) >= len(rule["dv_props"])
    for validation in validations:
        matched = any(
            all(matches(getattr(validation, name), condition) for name, condition in props.items())
            for props in rule["dv_props"]
        )
        if not (complete and matched):
            return f"the validation of {validation.sqref} matches no rule"
    return (
        "" if complete else f"there are {len(validations)} validations, not {len(rule['dv_props'])}"
    )


def _lines(kind: str) -> Callable[[Pair, Rule], str]:
    def differ(pair: Pair, rule: Rule) -> str:
        sides = []
        for index in (rule["sheet_idx0"], rule["sheet_idx1"]):
            sheet = _sheet_or_none(pair, index)
            dimensions = {} if sheet is None else getattr(sheet, f"{kind}_dimensions")
            sides.append(
                {
                    key: {prop: getattr(line, prop) for prop in rule.get("props", [])}
                    for key, line in dimensions.items()
                }
            )
        actual, target = sides
        return "" if actual == target else f"the {kind}s are {shown(actual)}, not {shown(target)}"

    return differ


def _sheet_or_none(pair: Pair, index: int | str) -> Any:
    book, name = pair.place(index)
    if book is None:
        raise UpstreamRaisesError("there is no workbook to compare with")
    return book.full[name] if name in book.full.sheetnames else None


def _compare_by(read: Callable[..., object], *, part: str = "") -> Callable[[Pair, Rule], str]:
    """A rule that `read` returns the same for two sheets; a missing sheet counts as empty."""

    def differ(pair: Pair, rule: Rule) -> str:
        arguments = [set(rule.get(part, []))] if part else []
        sides = []
        for index in (rule["sheet_idx0"], rule["sheet_idx1"]):
            sheet = _sheet_or_none(pair, index)
            sides.append({} if sheet is None else read(sheet, *arguments))
        actual, target = sides
        return "" if actual == target else f"found {shown(actual)}, not {shown(target)}"

    return differ


def _sparklines(pair: Pair, rule: Rule) -> str:
    actual, target = (sparklines(*pair.place(rule[f"sheet_idx{end}"])) for end in (0, 1))
    return "" if actual == target else f"the sparklines are {shown(actual)}, not {shown(target)}"


def _style(pair: Pair, rule: Rule) -> str:
    sides = []
    for index in (rule["sheet_idx0"], rule["sheet_idx1"]):
        book, name = pair.place(index)
        sheet = _sheet_or_none(pair, index)
        sides.append({} if sheet is None else looks(book, name, sheet, rule.get("props", [])))
    actual, target = sides
    for cell in sorted(actual.keys() | target.keys()):
        if (cell in actual) != (cell in target) or actual[cell] != target[cell]:
            return f"{cell} has the format {shown(actual.get(cell))}, not {shown(target.get(cell))}"
    return ""


def _cell(pair: Pair, rule: Rule) -> str:
    coordinate = rule["coordinate"]
    try:
        sheet = pair.sheet(rule["sheet_idx"])
        if sheet is None:
            return f"there is no sheet {rule['sheet_idx']}"
        cell = sheet[coordinate]
        for prop, condition in rule["props"].items():
            value: object = None
            try:
                if prop == "value":
                    value = stored_value(*pair.place(rule["sheet_idx"]), coordinate)
                else:
                    value = property_of(cell, prop)
            except (*RAISED, UpstreamRaisesError):
                value = None
            if not matches(value, condition):
                expectation = f"{condition['method']} {shown(condition['ref'])}"
                return f"{coordinate} has {prop} {shown(value) or 'none'}, not {expectation}"
    except (*RAISED, UpstreamRaisesError) as error:
        return f"{coordinate} cannot be checked: {error}"
    return ""


RULES: Mapping[str, Callable[[Pair, Rule], str]] = {
    "sheet_name": _names,
    "sheet_data": _data,
    "sheet_print": _print,
    "sheet_fuzzy": _fuzzy,
    "sparkline": _sparklines,
    "chart": _compare_by(charts, part="chart_props"),
    "style": _style,
    "freeze": _freeze,
    "zoom": _zoom,
    "data_validation": _validations,
    "row_props": _lines("row"),
    "col_props": _lines("column"),
    "filter": _compare_by(filters),
    "pivot_table": _compare_by(pivots, part="pivot_props"),
    "check_cell": _cell,
}
