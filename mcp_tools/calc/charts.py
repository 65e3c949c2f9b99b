"""Tools for charts on sheets."""

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
    describe_chart,
    detect_labels,
    place_chart,
    series_numbers,
    set_data,
    set_titles,
    split_labels,
    use_x_values,
)
from ambidex.mcp_tools.office.documents import Document
from ambidex.mcp_tools.office.sheets import SPREADSHEET, Sheet, enum, locate, locate_cell, sheet_of

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
    areas = [locate(document, sheet, name, clip=True) for name in data_range.split(",")]
    numbers = [x for area in areas for x in series_numbers(area.cells.RangeAddress, series_in)]
    if len({area.sheet.Name for area in areas}) > 1 or len(set(numbers)) < len(numbers):
        message = "The ranges of a chart must be on one sheet, side by side, without overlap."
        raise ToolError(message, code="bad_range", hint="Copy the data to one place first.")
    if len(areas) > 1 and series_in == "rows":
        raise ToolError("Series in rows need a single range.", code="bad_range")
    with connection.uno_errors():
        target_sheet = sheet_of(model, sheet)
        corner = (
            locate_cell(document, target_sheet.Name, target_cell).cells if target_cell else None
        )
        first_row, first_column = detect_labels(areas)
        if chart_type == "scatter":
            first_column = True
        first_row = first_row if first_row_labels is None else first_row_labels
        first_column = first_column if first_column_labels is None else first_column_labels
        label_column, ranges = split_labels(areas, first_column)
        if not ranges:
            raise ToolError("The range contains only labels.", code="empty")
    with documents.editing(model, f"Chart of {data_range}"):
        charts = target_sheet.Charts
        # Chart names are unique in the whole workbook.
        taken = {name for other in model.Sheets.ElementNames for name in _names(model, other)}
        free = (f"Chart {i}" for i in range(1, len(taken) + 2))
        name = next(candidate for candidate in free if candidate not in taken)
        rectangle = place_chart(target_sheet, corner, round(width * 100), round(height * 100))
        addresses = tuple(cell_range.RangeAddress for cell_range in ranges)
        charts.addNewByName(
            name, rectangle, addresses, first_row, first_column and label_column is None
        )
        chart = charts.getByName(name).EmbeddedObject
        # Set the data while it is still a column chart: a scatter would not accept it this way.
        set_data(chart, ranges, label_column, series_in, first_row, first_column)
        chart.setDiagram(chart.createInstance(f"com.sun.star.chart.{DIAGRAMS[chart_type]}"))
        diagram = chart.Diagram
        if chart_type == "scatter":
            use_x_values(chart)
        if chart_type in ("bar", "column"):
            diagram.Vertical = chart_type == "bar"
        if stacked:
            diagram.Stacked = True
        set_titles(chart, title, x_axis_title, y_axis_title)
        chart.HasLegend = legend != "none"
        if legend not in (None, "none"):
            chart.Legend.Alignment = enum("chart.ChartLegendPosition", str(legend).upper())
        result = describe_chart(model, target_sheet, name)
        if not result.series:
            hint = "Check the cells with calc_get_range_values."
            raise ToolError(f"{data_range} contains no data to draw.", code="empty", hint=hint)
    return result


def _names(model: Any, sheet_name: str) -> tuple[str, ...]:
    names: tuple[str, ...] = model.Sheets.getByName(sheet_name).Charts.ElementNames
    return names


@app.tool(reads_only=True)
def list_charts(
    sheet: Annotated[Optional[str], Field(description="sheet name; all sheets if left out")] = None,
    document: Document = None,
) -> list[Chart]:
    """List the existing charts (graphs) of the workbook: name, title, position, data range."""
    model = documents.find(SPREADSHEET, document)
    with connection.uno_errors():
        names = [sheet_of(model, sheet).Name] if sheet else model.Sheets.ElementNames
        return [
            describe_chart(model, model.Sheets.getByName(sheet_name), chart_name)
            for sheet_name in names
            for chart_name in _names(model, sheet_name)
        ]


@app.tool()
def delete_chart(
    chart_name: Annotated[str, Field(description="name from calc_list_charts")],
    sheet: Sheet = None,
    document: Document = None,
) -> str:
    """Delete a chart (graph, plot) from a sheet: remove it; its data stays."""
    model = documents.find(SPREADSHEET, document)
    with documents.editing(model, f"Delete {chart_name}"):
        target_sheet = sheet_of(model, sheet)
        if not target_sheet.Charts.hasByName(chart_name):
            existing = ", ".join(target_sheet.Charts.ElementNames) or "none"
            message = f"No chart {chart_name!r} on {target_sheet.Name}."
            raise ToolError(message, code="no_chart", hint=f"Charts on the sheet: {existing}.")
        target_sheet.Charts.removeByName(chart_name)
    return f"{chart_name} was deleted from {target_sheet.Name}."
