"""Comparison of the objects on sheets: charts, pivot tables, sparklines."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from typing import Any, TypeAlias
from xml.etree import ElementTree

from openpyxl.chart.reference import Reference
from openpyxl.worksheet.cell_range import CellRange

from ambidex.evaluators.osworld import given
from ambidex.evaluators.osworld.sheets.table_book import Place
from ambidex.evaluators.osworld.sheets.table_rules import Chart, PivotTable
from ambidex.evaluators.values import shown

__all__ = ["charts_differ", "pivots_differ", "sparklines_differ"]

X14 = "{http://schemas.microsoft.com/office/spreadsheetml/2009/9/main}"
FORMULA = "{http://schemas.microsoft.com/office/excel/2006/main}f"
CELLS = "{http://schemas.microsoft.com/office/excel/2006/main}sqref"
SheetObjects: TypeAlias = list[tuple[str, dict[str, object]]]
"""Pairs of an object's data reference and its requested properties."""


def charts_differ(one: Place, other: Place, rule: Chart) -> list[str]:
    """Charts without a counterpart with the same data and properties."""
    actual, target = (list(_charts(side, rule)) for side in (one, other))
    return _differ("chart", one[1], actual, target)


def pivots_differ(one: Place, other: Place, rule: PivotTable) -> list[str]:
    """Pivot tables without a counterpart with the same source and properties."""
    actual, target = (list(_pivots(side, rule)) for side in (one, other))
    return _differ("pivot table", one[1], actual, target)


def _differ(what: str, sheet: str, actual: SheetObjects, target: SheetObjects) -> list[str]:
    left, missing = list(actual), []
    for item in target:
        if item in left:
            left.remove(item)
        else:
            missing.append(item)
    wrong = [
        f"{sheet} has no {what} of {shown(data)} with {properties}" for data, properties in missing
    ]
    return wrong + [
        f"{sheet} has a {what} of {shown(data)} with {properties}" for data, properties in left
    ]


def _charts(place: Place, rule: Chart) -> Iterator[tuple[str, dict[str, object]]]:
    for chart in place[0].sheet(place[1])._charts:  # type: ignore[attr-defined]  # not in the stubs
        series = [
            f"{_source(getattr(data, 'val', None) or getattr(data, 'yVal', None))},"
            f"{_source(getattr(data, 'cat', None) or getattr(data, 'xVal', None))}"
            for data in chart.ser
        ]
        yield (
            ";".join(series),
            {prop: _chart_property(chart, prop) for prop in rule.chart_props},
        )


def _source(data: Any) -> str:
    for kind in ("numRef", "strRef"):
        reference = getattr(data, kind, None)
        if reference is not None and reference.f:
            return _reference(reference.f)
    return ""


def _reference(text: str) -> str:
    """Normalise a reference, ignoring quotes and $."""
    try:
        reference = Reference(range_string=text)
    except (ValueError, TypeError, AttributeError):
        return re.sub(r"['$]", "", text)  # several ranges
    sheet = str(reference.sheetname).strip("'")
    return (
        f"{sheet}!{reference.min_row},{reference.min_col}:{reference.max_row},{reference.max_col}"
    )


def _chart_property(chart: Any, prop: str) -> object:
    match prop:
        case "type":
            return chart.tagname
        case "title":
            return _title(chart)
        case "xtitle" | "ytitle" | "ztitle":
            return _title(getattr(chart, f"{prop[0]}_axis", None))
        case "legend":
            return None if chart.legend is None else chart.legend.position
        case "direction":
            return getattr(chart, "barDir", None)
        case "anchor":
            return _anchor(chart.anchor)
        case _:
            return getattr(chart, prop)


def _title(titled: Any) -> str | None:
    rich = getattr(getattr(getattr(titled, "title", None), "tx", None), "rich", None)
    runs = [run.t or "" for paragraph in getattr(rich, "p", []) for run in paragraph.r or []]
    return "".join(runs) if runs else None


def _anchor(anchor: Any) -> object:
    corners = (getattr(anchor, "_from", None), getattr(anchor, "to", None))
    return [None if corner is None else (corner.col, corner.row) for corner in corners]


def _pivots(place: Place, rule: PivotTable) -> Iterator[tuple[str, dict[str, object]]]:
    for pivot in place[0].sheet(place[1])._pivots:  # type: ignore[attr-defined]  # not in the stubs
        with given.library(place[0].path.name):
            used = [_items(field) for field in pivot.cache.cacheFields]
            # Empty columns at the edges of the source do not belong to it.
            left = next((at for at, items in enumerate(used) if items), 0)
            right = next((at for at, items in enumerate(reversed(used)) if items), 0)
            source = pivot.cache.cacheSource.worksheetSource
            area = CellRange(source.ref) if source is not None and source.ref else None
            if area is None:
                data = str(getattr(source, "name", None))
            else:
                area.shrink(left=left, right=right)
                data = f"{source.sheet}!{area.coord}"
            properties: dict[str, object] = {
                str(prop): _pivot_property(pivot, prop, used[left : len(used) - right], left)
                for prop in rule.pivot_props
            }
        yield data, properties


def _items(field: Any) -> list[str]:
    shared = getattr(field.sharedItems, "_fields", None) or []
    return [str(getattr(item, "v", "")) for item in shared if getattr(item, "v", None) is not None]


def _pivot_property(pivot: Any, prop: str, used: list[list[str]], left: int) -> object:
    match prop:
        case "name":
            return pivot.name
        case "show_total":
            return pivot.visualTotals
        case "show_empty_row":
            return pivot.showEmptyRow
        case "show_empty_col":
            return pivot.showEmptyCol
        case "show_headers":
            return pivot.showHeaders
        case "location":
            return pivot.location.ref
        case "selection":
            return used
        case "filter":
            return sorted(field.fld - left for field in pivot.pageFields or [])
        case "col_fields":
            return [field.x - left for field in pivot.colFields or []]
        case "row_fields":
            return [field.x - left for field in pivot.rowFields or []]
        case _:
            return [
                (field.fld - left, field.subtotal, field.showDataAs)
                for field in pivot.dataFields or []
            ]


def sparklines_differ(one: Place, other: Place) -> list[str]:
    """Cells that do not have sparklines of the same data."""
    actual, target = (dict(_sparklines(side)) for side in (one, other))
    return [
        f"{cell} of {one[1]} shows {actual.get(cell, 'no sparkline')}, "
        f"not {target.get(cell, 'no sparkline')}"
        for cell in sorted(actual.keys() | target.keys())
        if actual.get(cell) != target.get(cell)
    ]


def _sparklines(place: Place) -> Iterator[tuple[str, str]]:
    book, sheet = place
    with given.library(book.path.name), zipfile.ZipFile(book.stream) as archive:
        root = ElementTree.fromstring(archive.read(book.part(sheet)))
    for element in root.iter(f"{X14}sparkline"):
        yield element.findtext(CELLS) or "", element.findtext(FORMULA) or ""
