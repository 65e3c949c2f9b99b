"""`compare_table` as upstream judges, defects included: the rules in order, on what the same
libraries read.

What a library raises here it raises upstream too, where nothing catches it, so it is
`UpstreamRaisesError`.
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
from ambidex.evaluators.osworld.sheets.table_compat_cells import fuzzy_breaks, printed, stored_value
from ambidex.evaluators.osworld.sheets.table_compat_looks import looks, property_of
from ambidex.evaluators.osworld.sheets.table_compat_objects import (
    charts,
    filters,
    pivots,
    sparklines,
)
from ambidex.evaluators.values import shown

__all__ = ["judged_as_upstream"]

WORKBOOKS = {".xlsx", ".xlsm", ".xltx", ".xltm"}
Rule = Mapping[str, Any]


@dataclass(frozen=True)
class Pair:
    """The workbook that is judged, and the one that it is compared with, if any."""

    result: Book
    expected: Book | None

    def place(self, index: int | str) -> tuple[Book | None, str]:
        """The workbook and the sheet that a rule names; the name is empty where the position is
        out of range."""
        book = self.expected if isinstance(index, str) and index[0] == "E" else self.result
        if isinstance(index, str) and index[1] == "N":
            return book, index[2:]
        number = int(index[2:]) if isinstance(index, str) else index
        try:
            return book, "" if book is None else str(book.framed.sheet_names[number])
        except IndexError:
            return book, ""

    def sheet(self, index: int | str) -> Any:
        """A sheet as it is styled; None where there is none of the name."""
        book, name = self.place(index)
        if book is None:
            raise UpstreamRaisesError("there is no workbook to compare with")
        return book.full[name] if name in book.full.sheetnames else None

    def frame(self, index: int | str) -> DataFrame | None:
        """A sheet as a data frame; None where there is none of the name."""
        book, name = self.place(index)
        if book is None:
            raise UpstreamRaisesError("there is no workbook to compare with")
        try:
            return book.framed.parse(name)
        except RAISED:
            return None


def judged_as_upstream(result: Path, expected: Path | None, rules: Sequence[Rule]) -> Score:
    """The verdict; `UpstreamRaisesError` where upstream ends in an exception."""
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
        raise UnreadableError(f"{path.name} is not called like a workbook")
    book.full, book.framed  # noqa: B018  # both libraries have to read it
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
    return "" if same else f"{rule['sheet_idx0']} has not the data of {rule['sheet_idx1']}"


def _print(pair: Pair, rule: Rule) -> str:
    actual = printed(*pair.place(rule["sheet_idx0"]))
    if actual is None:
        return f"{rule['sheet_idx0']} was not printed"
    target = printed(*pair.place(rule["sheet_idx1"]))
    if rule.get("ignore_case", False):
        if target is None:
            raise UpstreamRaisesError(f"{rule['sheet_idx1']} was not printed")
        actual, target = [each.lower() for each in actual], [each.lower() for each in target]
    return "" if actual == target else f"{rule['sheet_idx0']} is printed otherwise"


def _fuzzy(pair: Pair, rule: Rule) -> str:
    return fuzzy_breaks(
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
    held = sheet.data_validations.dataValidation
    enough = len(held) >= len(rule["dv_props"])
    for each in held:
        obeyed = any(
            all(matches(getattr(each, name), asked) for name, asked in props.items())
            for props in rule["dv_props"]
        )
        if not (enough and obeyed):
            return f"the validation of {each.sqref} is none of the expected ones"
    return "" if enough else f"there are {len(held)} validations, not {len(rule['dv_props'])}"


def _lines(kind: str) -> Callable[[Pair, Rule], str]:
    def differ(pair: Pair, rule: Rule) -> str:
        found = []
        for index in (rule["sheet_idx0"], rule["sheet_idx1"]):
            sheet = _of_workbook(pair, index)
            held = {} if sheet is None else getattr(sheet, f"{kind}_dimensions")
            found.append(
                {
                    key: {prop: getattr(line, prop) for prop in rule.get("props", [])}
                    for key, line in held.items()
                }
            )
        actual, target = found
        return "" if actual == target else f"the {kind}s are {shown(actual)}, not {shown(target)}"

    return differ


def _of_workbook(pair: Pair, index: int | str) -> Any:
    book, name = pair.place(index)
    if book is None:
        raise UpstreamRaisesError("there is no workbook to compare with")
    return book.full[name] if name in book.full.sheetnames else None


def _alike(read: Callable[..., object], *, part: str = "") -> Callable[[Pair, Rule], str]:
    """What is read of two sheets is the same; of a sheet that is not there, nothing is."""

    def differ(pair: Pair, rule: Rule) -> str:
        given = [set(rule.get(part, []))] if part else []
        found = []
        for index in (rule["sheet_idx0"], rule["sheet_idx1"]):
            sheet = _of_workbook(pair, index)
            found.append({} if sheet is None else read(sheet, *given))
        actual, target = found
        return "" if actual == target else f"it is {shown(actual)}, not {shown(target)}"

    return differ


def _sparklines(pair: Pair, rule: Rule) -> str:
    actual, target = (sparklines(*pair.place(rule[f"sheet_idx{end}"])) for end in (0, 1))
    return "" if actual == target else f"they are {shown(actual)}, not {shown(target)}"


def _style(pair: Pair, rule: Rule) -> str:
    found = []
    for index in (rule["sheet_idx0"], rule["sheet_idx1"]):
        book, name = pair.place(index)
        sheet = _of_workbook(pair, index)
        found.append({} if sheet is None else looks(book, name, sheet, rule.get("props", [])))
    actual, target = found
    for cell in sorted(actual.keys() | target.keys()):
        if (cell in actual) != (cell in target) or actual[cell] != target[cell]:
            return f"{cell} looks {shown(actual.get(cell))}, not {shown(target.get(cell))}"
    return ""


def _cell(pair: Pair, rule: Rule) -> str:
    coordinate = rule["coordinate"]
    try:
        sheet = pair.sheet(rule["sheet_idx"])
        if sheet is None:
            return f"there is no sheet {rule['sheet_idx']}"
        cell = sheet[coordinate]
        for prop, asked in rule["props"].items():
            value: object = None
            try:
                if prop == "value":
                    value = stored_value(*pair.place(rule["sheet_idx"]), coordinate)
                else:
                    value = property_of(cell, prop)
            except (*RAISED, UpstreamRaisesError):
                value = None
            if not matches(value, asked):
                said = f"{asked['method']} {shown(asked['ref'])}"
                return f"{coordinate} has {prop} {shown(value) or 'none'}, not {said}"
    except (*RAISED, UpstreamRaisesError) as error:
        return f"{coordinate} cannot be checked: {error}"
    return ""


RULES: Mapping[str, Callable[[Pair, Rule], str]] = {
    "sheet_name": _names,
    "sheet_data": _data,
    "sheet_print": _print,
    "sheet_fuzzy": _fuzzy,
    "sparkline": _sparklines,
    "chart": _alike(charts, part="chart_props"),
    "style": _style,
    "freeze": _freeze,
    "zoom": _zoom,
    "data_validation": _validations,
    "row_props": _lines("row"),
    "col_props": _lines("column"),
    "filter": _alike(filters),
    "pivot_table": _alike(pivots, part="pivot_props"),
    "check_cell": _cell,
}
