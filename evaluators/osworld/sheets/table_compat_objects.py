"""Charts, pivot tables, filters and sparklines of a sheet as upstream reads them."""

from __future__ import annotations

from typing import Any

from openpyxl.utils import coordinate_to_tuple

from ambidex.evaluators.osworld.registry import UpstreamRaisesError
from ambidex.evaluators.osworld.sheets.table_book import Book
from ambidex.evaluators.osworld.sheets.table_compat_cells import member

X14 = "{http://schemas.microsoft.com/office/spreadsheetml/2009/9/main}"
XM = "{http://schemas.microsoft.com/office/excel/2006/main}"
AXES = ("xtitle", "ytitle", "ztitle")


def charts(sheet: Any, props: set[str]) -> dict[str, dict[str, object]]:
    """The charts by the references of their data; of several with the same data, the last."""
    by_data = {}
    for chart in sheet._charts:
        data = ";".join(
            f"{_reference(series.val)},{_reference(series.cat)}" for series in chart.series
        )
        by_data[data] = {prop: _chart_property(chart, prop) for prop in props & CHART_PROPS}
    return by_data


def _reference(source: Any) -> str:
    for kind in ("numRef", "strRef"):
        if hasattr(getattr(source, kind, None), "f"):
            return str(getattr(source, kind).f)
    return ""


CHART_PROPS = {"title", "legend", "anchor", "width", "height", "type", "direction", *AXES}


def _chart_property(chart: Any, prop: str) -> object:
    match prop:
        case "title":
            return _title(chart)
        case "legend":
            return None if chart.legend is None else chart.legend.position
        case "anchor":
            start, end = chart.anchor._from, chart.anchor.to
            return chart.anchor.editAs, start.col, end.row, end.col
        case "type":
            return chart.tagname
        case "direction":
            return chart.barDir
        case "width" | "height":
            return getattr(chart, prop)
        case _:
            return _title(getattr(chart, f"{prop[0]}_axis", None))


def _title(titled: Any) -> str | None:
    """The first run of the first paragraph of a title."""
    try:
        text: str | None = titled.title.tx.rich.p[0].r[0].t
    except (AttributeError, IndexError, TypeError):
        return None
    return text


def pivots(sheet: Any, props: set[str]) -> dict[str, dict[str, object]]:
    """The pivot tables by their source without unused columns at its edges; of several with the
    same source, the last."""
    by_source = {}
    for pivot in sheet._pivots:
        items = [
            [(item.h, item.x) for item in field.items if item.x is not None]
            for field in pivot.pivotFields
        ]
        used = [number for number, used_items in enumerate(items) if used_items]
        left = used[0] if used else len(items)
        right = len(items) - 1 - used[-1] if used else 0
        source = pivot.cache.cacheSource
        first, last = source.worksheetSource.ref.split(":")
        row, column = coordinate_to_tuple(first)
        last_row, last_column = coordinate_to_tuple(last)
        area = (row, column + left, last_row, last_column - right)
        key = f"{source.type};{area};{source.worksheetSource.sheet}"
        by_source[key] = _pivot_properties(pivot, props, items[left : len(items) - right], left)
    return by_source


def _pivot_properties(
    pivot: Any, props: set[str], selection: list[list[tuple[object, object]]], left: int
) -> dict[str, object]:
    properties: dict[str, object] = {}
    for prop, name in (
        ("name", "name"),
        ("show_total", "visualTotals"),
        ("show_empty_row", "showEmptyRow"),
        ("show_empty_col", "showEmptyCol"),
        ("show_headers", "showHeaders"),
        ("location", "location"),
    ):
        if prop in props:
            properties[prop] = getattr(pivot, name)
    if props & {"filter", "selection"}:
        properties["selection"] = (
            selection if "ordered" in props else [set(items) for items in selection]
        )
    if "filter" in props:
        properties["filter"] = {field.fld for field in pivot.pageFields}
    for prop, name in (("col_fields", "colFields"), ("row_fields", "rowFields")):
        if prop in props:
            properties[prop] = [field.x - left for field in getattr(pivot, name)]
    if "data_fields" in props:
        named = "data_fields_name" in props
        properties["data_fields"] = [
            (field.fld - left, field.name if named else "", field.subtotal, field.showDataAs)
            for field in pivot.dataFields
        ]
    return properties


def filters(sheet: Any) -> dict[str, object]:
    """The automatic filter: its range, the values that its columns keep, and its sort order."""
    auto_filter = sheet.auto_filter
    columns = []
    for filter_column in auto_filter.filterColumn:
        column = {
            "hidden": filter_column.hiddenButton,
            "shown": filter_column.showButton,
            "column": filter_column.colId,
        }
        if filter_column.filters is not None:
            column |= {
                "blank": filter_column.filters.blank,
                "kept": set(filter_column.filters.filter),
            }
        if filter_column.customFilters is not None:
            rules = {(rule.operator, rule.val) for rule in filter_column.customFilters.customFilter}
            column |= {"all": filter_column.customFilters._and, "rules": rules}
        columns.append(column)
    properties: dict[str, object] = {
        "range": auto_filter.ref,
        "columns": sorted(columns, key=lambda entry: entry["column"]),
    }
    order = auto_filter.sortState
    if order is not None:
        properties["order"] = (order.columnSort, order.caseSensitive, order.sortMethod, order.ref)
        properties["keys"] = [
            (key.descending, key.sortBy, key.ref, key.customList, key.dxfId, key.iconSet,
             key.iconId)
            for key in order.sortCondition
        ]  # fmt: skip
    return properties


def sparklines(book: Book | None, name: str) -> dict[str | None, str | None]:
    """The data of each sparkline by cell."""
    if book is None:
        raise UpstreamRaisesError("there is no workbook to compare with")
    by_cell = {}
    for element in member(book, name).iter(f"{X14}sparkline"):
        cell, data = element.find(f"{XM}sqref"), element.find(f"{XM}f")
        if cell is None or data is None:
            raise UpstreamRaisesError("a sparkline names no cell or no data")
        by_cell[(cell.text or "").strip() or None] = (data.text or "").strip() or None
    return by_cell
