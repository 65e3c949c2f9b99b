"""How the sheets of two workbooks are shown and guarded: frozen panes, zoom, validations, rows and
columns, filters."""

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
    """Why not as many rows and columns stay in sight."""
    actual, target = (_frozen(book.sheet(name)) for book, name in (one, other))
    if actual == target:
        return []
    return [f"{one[1]} keeps {actual} rows and columns in sight, not {target}"]


def _frozen(sheet: Worksheet) -> tuple[int, int]:
    pane = sheet.sheet_view.pane
    if pane is None or not str(pane.state).startswith("frozen"):
        return 0, 0
    return int(pane.ySplit or 0), int(pane.xSplit or 0)


def zoom_breaks(place: Place, rule: Zoom) -> list[str]:
    """Why the zoom does not obey its rule; a sheet that says none has 100 %."""
    zoom = place[0].sheet(place[1]).sheet_view.zoomScale or 100
    if matches(zoom, {"method": rule.method, "ref": rule.ref}):
        return []
    return [f"the zoom of {place[1]} is {zoom} %, not {rule.method} {shown(rule.ref)}"]


def validation_breaks(place: Place, rule: DataValidation) -> list[str]:
    """Why the validations of a sheet do not obey the sets of rules."""
    held = place[0].sheet(place[1]).data_validations.dataValidation
    obeys = [[_obeys(each, props) for props in rule.dv_props] for each in held]
    wrong = [
        f"the validation of {each.sqref} in {place[1]} is none of the expected ones"
        for each, sets in zip(held, obeys, strict=True)
        if not any(sets)
    ]
    if len(held) < len(rule.dv_props):
        wrong.append(f"{place[1]} has {len(held)} validations, not {len(rule.dv_props)}")
    wrong += [
        f"no validation of {place[1]} is {shown(props)}"
        for number, props in enumerate(rule.dv_props)
        if not any(sets[number] for sets in obeys)
    ]
    return wrong


def _obeys(validation: Any, props: dict[str, Any]) -> bool:
    return all(
        matches(getattr(validation, name), rule, trimmed=True) for name, rule in props.items()
    )


def lines_differ(one: Place, other: Place, rule: RowProps | ColumnProps) -> list[str]:
    """Why rows or columns do not have the same properties."""
    props: list[str] = list(rule.props)
    held = [_lines(place, rule.type, props) for place in (one, other)]
    # What says nothing but the usual is like what is not recorded at all.
    kind = RowDimension if rule.type == "row_props" else ColumnDimension
    untouched = kind(Worksheet(Workbook()))
    usual = tuple(DEFAULTS.get(prop, getattr(untouched, prop)) for prop in props)
    actual, target = ({key: said for key, said in each.items() if said != usual} for each in held)
    what = "row" if rule.type == "row_props" else "column"
    return [
        f"{what} {each} of {one[1]} has {', '.join(props)} {actual.get(each)}, not {target.get(each)}"
        for each in sorted(actual.keys() | target.keys())
        if actual.get(each) != target.get(each)
    ]


def _lines(place: Place, kind: str, props: list[str]) -> dict[int, tuple[object, ...]]:
    sheet = place[0].sheet(place[1])
    found: dict[int, tuple[object, ...]] = {}
    if kind == "row_props":
        for row, line in sheet.row_dimensions.items():
            if not 1 <= int(row) <= LAST_ROW:
                raise UnreadableError(f"{place[1]} has a row {row}")
            found[int(row)] = tuple(getattr(line, prop) for prop in props)
        return found
    for letters, column in sheet.column_dimensions.items():
        first = column_index_from_string(str(letters))
        said = tuple(getattr(column, prop) for prop in props)
        # One record may stand for neighbours.
        last = min(column.max or first, LAST_COLUMN)
        found.update(dict.fromkeys(range(first, last + 1), said))
    return found


def filter_differs(one: Place, other: Place) -> list[str]:
    """Why the automatic filters are not the same."""
    actual, target = (_filter(book.sheet(name)) for book, name in (one, other))
    return (
        []
        if actual == target
        else [f"the filter of {one[1]} is {shown(actual)}, not {shown(target)}"]
    )


def _filter(sheet: Worksheet) -> dict[str, object]:
    held = sheet.auto_filter
    columns = {
        each.colId: {
            "values": None if each.filters is None else sorted(map(str, each.filters.filter)),
            "blank": None if each.filters is None else bool(each.filters.blank),
            "custom": None
            if each.customFilters is None
            else (
                bool(each.customFilters._and),
                sorted((part.operator, str(part.val)) for part in each.customFilters.customFilter),
            ),
            "top": None
            if each.top10 is None
            else (bool(each.top10.top), bool(each.top10.percent), each.top10.val),
            "dynamic": None if each.dynamicFilter is None else each.dynamicFilter.type,
        }
        for each in held.filterColumn
    }
    order = held.sortState
    keys = (
        [] if order is None else [(each.ref, bool(each.descending)) for each in order.sortCondition]
    )
    return {"range": held.ref, "columns": columns, "sorted by": keys}
