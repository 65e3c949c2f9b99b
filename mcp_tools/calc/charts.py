"""LibreOffice Calc: charts on sheets."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.calc import app
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.charts import (
    DIAGRAMS,
    ROUND,
    Chart,
    arrange,
    labels,
    lines,
    place,
    split,
    spread,
    titles,
    told,
)
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.sheets import SPREADSHEET, Sheet, enum, locate, one_cell, sheet_of

__all__ = ["app"]

Kind = Literal["bar", "column", "line", "pie", "donut", "scatter", "area"]
Text = Annotated[Optional[str], Field(min_length=1, max_length=500, description="shown text")]


@app.tool(timeout=60)
def create_chart(
    chart_type: Annotated[Kind, Field(description="bar is horizontal, column vertical")],
    data_range: Annotated[
        str,
        Field(
            description="cells with their headers, such as A1:C7 or Sheet1!A1:C7; "
            "several with commas, such as A1:A7,D1:D7"
        ),
    ],
    title: Text = None,
    x_axis_title: Text = None,
    y_axis_title: Text = None,
    sheet: Annotated[
        Optional[str], Field(description="where the chart goes; the active sheet if left out")
    ] = None,
    target_cell: Annotated[
        Optional[str], Field(description="its upper left corner; default: next to the data")
    ] = None,
    series_in: Annotated[
        Literal["columns", "rows"], Field(description="one series per column or row")
    ] = "columns",
    first_row_labels: Annotated[
        Optional[bool], Field(description="the first row has labels; default: detected")
    ] = None,
    first_column_labels: Annotated[
        Optional[bool], Field(description="likewise the first column")
    ] = None,
    stacked: Annotated[bool, Field(description="stack the series")] = False,
    legend: Annotated[
        Optional[Literal["right", "left", "top", "bottom", "none"]],
        Field(description="position; default: right"),
    ] = None,
    width: Annotated[float, Field(ge=20, le=1000, description="millimetres")] = 160,
    height: Annotated[float, Field(ge=20, le=1000, description="millimetres")] = 90,
    document: Document = None,
) -> Chart:
    """Create a chart (graph, plot) of cells: visualise data as bar, column, line, pie, donut,
    scatter or area, with title, axis titles and legend; it follows the data. A first column of text
    or dates (for scatter any) labels the X axis, the first row names the series. Check `series` in
    the result.
    """
    if chart_type in ROUND and (x_axis_title or y_axis_title):
        raise ToolError(f"A {chart_type} has no axes.", code="bad_arguments")
    model = documents.find(SPREADSHEET, document)
    areas = [locate(document, sheet, each, clip=True) for each in data_range.split(",")]
    numbers = [x for each in areas for x in lines(each.cells.RangeAddress, series_in)]
    if len({each.sheet.Name for each in areas}) > 1 or len(set(numbers)) < len(numbers):
        message = "The ranges of a chart lie beside each other on one sheet."
        raise ToolError(message, code="bad_range", hint="Copy what belongs together to one place.")
    if len(areas) > 1 and series_in == "rows":
        raise ToolError("Series in rows are taken from one range.", code="bad_range")
    with connection.answering():
        goal = sheet_of(model, sheet)
        corner = one_cell(document, goal.Name, target_cell).cells if target_cell else None
        top, column = labels(areas)
        if chart_type == "scatter":
            column = True
        top = top if first_row_labels is None else first_row_labels
        column = column if first_column_labels is None else first_column_labels
        apart, ranges = split(areas, column)
        if not ranges:
            raise ToolError("Only labels are left to draw.", code="empty")
    with documents.editing(model, f"Chart of {data_range}"):
        charts = goal.Charts
        # One name belongs to one chart of the whole workbook.
        taken = {each for one in model.Sheets.ElementNames for each in _names(model, one)}
        name = next(each for i in range(1, len(taken) + 2) if (each := f"Chart {i}") not in taken)
        where = place(goal, corner, round(width * 100), round(height * 100))
        addresses = tuple(each.RangeAddress for each in ranges)
        charts.addNewByName(name, where, addresses, top, column and apart is None)
        drawn = charts.getByName(name).EmbeddedObject
        # While it is one of columns: a scatter would not take data so.
        arrange(drawn, ranges, apart, series_in, top, column)
        drawn.setDiagram(drawn.createInstance(f"com.sun.star.chart.{DIAGRAMS[chart_type]}"))
        diagram = drawn.Diagram
        if chart_type == "scatter":
            spread(drawn)
        if chart_type in ("bar", "column"):
            diagram.Vertical = chart_type == "bar"
        if stacked:
            diagram.Stacked = True
        titles(drawn, title, x_axis_title, y_axis_title)
        drawn.HasLegend = legend != "none"
        if legend not in (None, "none"):
            drawn.Legend.Alignment = enum("chart.ChartLegendPosition", str(legend).upper())
        made = told(model, goal, name)
        if not made.series:
            hint = "Look at the cells first: calc_get_range_values."
            raise ToolError(f"{data_range} holds nothing to draw.", code="empty", hint=hint)
    return made


def _names(model: Any, sheet: str) -> tuple[str, ...]:
    names: tuple[str, ...] = model.Sheets.getByName(sheet).Charts.ElementNames
    return names


@app.tool(reads_only=True)
def list_charts(
    sheet: Annotated[Optional[str], Field(description="sheet name; all sheets if left out")] = None,
    document: Document = None,
) -> list[Chart]:
    """List the existing charts (graphs) of the workbook: name, title, position, data range."""
    model = documents.find(SPREADSHEET, document)
    with connection.answering():
        names = [sheet_of(model, sheet).Name] if sheet else model.Sheets.ElementNames
        found = [(model.Sheets.getByName(each), each) for each in names]
        return [told(model, one, name) for one, each in found for name in _names(model, each)]


@app.tool()
def delete_chart(
    chart_name: Annotated[str, Field(description="name from calc_list_charts")],
    sheet: Sheet = None,
    document: Document = None,
) -> str:
    """Delete a chart (graph, plot) from a sheet: remove it; its data stays."""
    model = documents.find(SPREADSHEET, document)
    with documents.editing(model, f"Delete {chart_name}"):
        found = sheet_of(model, sheet)
        if not found.Charts.hasByName(chart_name):
            there = ", ".join(found.Charts.ElementNames) or "none"
            message = f"There is no chart {chart_name!r} on {found.Name}."
            raise ToolError(message, code="no_chart", hint=f"Charts there: {there}.")
        found.Charts.removeByName(chart_name)
    return f"{chart_name} is gone from {found.Name}."
