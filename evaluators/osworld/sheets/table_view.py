"""Comparison of the views of sheets: frozen panes, zoom, data validations, row and column
properties, filters."""

from __future__ import annotations

from typing import Any

from openpyxl.utils import column_index_from_string
from openpyxl.workbook import Workbook
from openpyxl.worksheet.dimensions import ColumnDimension, RowDimension
from openpyxl.worksheet.worksheet import Worksheet

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.osworld.rules import matches
from ambidex.evaluators.osworld.sheets.table_book import LAST_ROW, Place
from ambidex.evaluators.osworld.sheets.table_rules import (
    ColumnProps,
    DataValidation,
    RowProps,
    Zoom,
)
from ambidex.evaluators.values import shown

LAST_COLUMN = 16_384
DEFAULTS = {"hidden": False, "collapsed": False, "height": None, "width": 13}


def freeze_differs(one: Place, other: Place) -> list[str]:
    """Differences in the number of frozen rows and columns."""
    actual, target = (_frozen(book.sheet(name)) for book, name in (one, other))
    if actual == target:
        return []
    return [f"{one[1]} has {actual} frozen rows and columns, not {target}"]


def _frozen(sheet: Worksheet) -> tuple[int, int]:
    pane = sheet.sheet_view.pane
    if pane is None or not str(pane.state).startswith("frozen"):
        return 0, 0
    return int(pane.ySplit or 0), int(pane.xSplit or 0)


def zoom_violations(place: Place, rule: Zoom) -> list[str]:
    """Violations of a zoom rule; a sheet that sets no zoom has 100 %."""
    zoom = place[0].sheet(place[1]).sheet_view.zoomScale or 100
    if matches(zoom, {"method": rule.method, "ref": rule.ref}):
        return []
    return [f"the zoom of {place[1]} is {zoom} %, not {rule.method} {shown(rule.ref)}"]


def validation_violations(place: Place, rule: DataValidation) -> list[str]:
    """Violations of sets of rules by the data validations of a sheet."""
    validations = place[0].sheet(place[1]).data_validations.dataValidation
    matched = [
        [_matches_all(validation, props) for props in rule.dv_props] for validation in validations
    ]
    wrong = [
        f"the validation of {validation.sqref} in {place[1]} matches no rule"
        for validation, sets in zip(validations, matched, strict=True)
        if not any(sets)
    ]
    if len(validations) < len(rule.dv_props):
        wrong.append(f"{place[1]} has {len(validations)} validations, not {len(rule.dv_props)}")
    wrong += [
        f"no validation of {place[1]} matches {shown(props)}"
        for number, props in enumerate(rule.dv_props)
        if not any(sets[number] for sets in matched)
    ]
    return wrong


def _matches_all(validation: Any, props: dict[str, Any]) -> bool:
    return all(
        matches(getattr(validation, name), rule, trimmed=True) for name, rule in props.items()
    )


def lines_differ(one: Place, other: Place, rule: RowProps | ColumnProps) -> list[str]:
    """Differences in the properties of rows or columns."""
    props: list[str] = list(rule.props)
    lines = [_lines(place, rule.type, props) for place in (one, other)]
    # A line with only default properties is treated like one that is not recorded.
    kind = RowDimension if rule.type == "row_props" else ColumnDimension
    untouched = kind(Worksheet(Workbook()))
    defaults = tuple(DEFAULTS.get(prop, getattr(untouched, prop)) for prop in props)
    actual, target = (
        {key: values for key, values in side.items() if values != defaults} for side in lines
    )
    noun = "row" if rule.type == "row_props" else "column"
    return [
        f"{noun} {line} of {one[1]} has {', '.join(props)} {actual.get(line)}, "
        f"not {target.get(line)}"
        for line in sorted(actual.keys() | target.keys())
        if actual.get(line) != target.get(line)
    ]


def _lines(place: Place, kind: str, props: list[str]) -> dict[int, tuple[object, ...]]:
    sheet = place[0].sheet(place[1])
    lines: dict[int, tuple[object, ...]] = {}
    if kind == "row_props":
        for row, line in sheet.row_dimensions.items():
            if not 1 <= int(row) <= LAST_ROW:
                raise UnreadableError(f"{place[1]} has a row {row}")
            lines[int(row)] = tuple(getattr(line, prop) for prop in props)
        return lines
    for letters, column in sheet.column_dimensions.items():
        first = column_index_from_string(str(letters))
        values = tuple(getattr(column, prop) for prop in props)
        # One record may describe several adjacent columns.
        last = min(column.max or first, LAST_COLUMN)
        lines.update(dict.fromkeys(range(first, last + 1), values))
    return lines


def filter_differs(one: Place, other: Place) -> list[str]:
    """Differences in the automatic filters."""
    actual, target = (_filter(book.sheet(name)) for book, name in (one, other))
    return (
        []
        if actual == target
        else [f"the filter of {one[1]} is {shown(actual)}, not {shown(target)}"]
    )


def _filter(sheet: Worksheet) -> dict[str, object]:
    auto_filter = sheet.auto_filter
    columns = {
        column.colId: {
            "values": None if column.filters is None else sorted(map(str, column.filters.filter)),
            "blank": None if column.filters is None else bool(column.filters.blank),
            "custom": None
            if column.customFilters is None
            else (
                bool(column.customFilters._and),
                sorted(
                    (part.operator, str(part.val)) for part in column.customFilters.customFilter
                ),
            ),
            "top": None
            if column.top10 is None
            else (bool(column.top10.top), bool(column.top10.percent), column.top10.val),
            "dynamic": None if column.dynamicFilter is None else column.dynamicFilter.type,
        }
        for column in auto_filter.filterColumn
    }
    sorting = auto_filter.sortState
    keys = (
        []
        if sorting is None
        else [(condition.ref, bool(condition.descending)) for condition in sorting.sortCondition]
    )
    return {"range": auto_filter.ref, "columns": columns, "sorted by": keys}
