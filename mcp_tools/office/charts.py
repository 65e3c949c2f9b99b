"""Charts of a sheet: their data, position, titles and description."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Optional

from ambidex.mcp_tools.office import cells, documents
from ambidex.mcp_tools.office.sheets import CellRange, enum, used_range

__all__ = [
    "DIAGRAMS",
    "ROUND",
    "Chart",
    "describe_chart",
    "detect_labels",
    "place_chart",
    "series_numbers",
    "set_data",
    "set_titles",
    "split_labels",
]

DIAGRAMS = {
    "bar": "BarDiagram",
    "column": "BarDiagram",
    "line": "LineDiagram",
    "pie": "PieDiagram",
    "donut": "DonutDiagram",
    "scatter": "XYDiagram",
    "area": "AreaDiagram",
}
ROUND = ("pie", "donut")
CATEGORIES = 2
"""AxisType.CATEGORY."""
MARGIN = 500
"""Distance between the used cells and a new chart, in hundredths of a millimetre."""


@dataclass(frozen=True)
class Chart:
    """A chart: its name, type, data and titles; titles that are not shown are None."""

    name: str
    sheet: str
    chart_type: str
    data: list[str]
    series: list[str]
    title: Optional[str]
    x_axis_title: Optional[str]
    y_axis_title: Optional[str]
    legend: bool
    anchor: str


def detect_labels(areas: list[CellRange]) -> tuple[bool, bool]:
    """Guess whether the first row and the first column hold labels."""
    first = areas[0].cells
    rows = [list(area.cells.getDataArray()) for area in areas]
    heads = [cell for block in rows for cell in block[0]]
    has_header = all(isinstance(head, str) for head in heads) and len(rows[0]) > 1
    first_column = [row[0] for row in rows[0]][1 if has_header else 0 :]
    if sum(len(block[0]) for block in rows) < 2:
        return has_header, False
    below = first.getCellByPosition(0, 1 if has_header else 0)
    is_date = areas[0].model.NumberFormats.getByKey(below.NumberFormat).Type & cells.DATELIKE
    return has_header, all(isinstance(label, str) for label in first_column) or bool(
        is_date
    ) or heads[0] == ""


def place_chart(sheet: Any, corner: Any, width: int, height: int) -> Any:
    """Rectangle for a new chart: at the given cell, or right of the data and below other charts."""
    from com.sun.star.awt import Rectangle

    rectangle = Rectangle()
    rectangle.Width, rectangle.Height = width, height
    if corner is not None:
        rectangle.X, rectangle.Y = corner.Position.X, corner.Position.Y
        return rectangle
    occupied = used_range(sheet)
    shapes = map(sheet.DrawPage.getByIndex, range(sheet.DrawPage.Count))
    bottoms = [shape.Position.Y + shape.Size.Height for shape in shapes]
    rectangle.X, rectangle.Y = occupied.Size.Width + MARGIN, max(bottoms, default=0) + MARGIN
    return rectangle


def split_labels(areas: list[CellRange], column: bool) -> tuple[Any, list[Any]]:
    """Split several ranges into the column of labels and the ranges to draw."""
    ranges = [area.cells for area in areas]
    if len(ranges) == 1 or not column:
        return None, ranges
    left, top, right, bottom = cells.corners(ranges[0])
    sheet = areas[0].sheet
    rest = [sheet.getCellRangeByPosition(left + 1, top, right, bottom)] if right > left else []
    return sheet.getCellRangeByPosition(left, top, left, bottom), [*rest, *ranges[1:]]


def set_data(
    chart: Any,
    ranges: list[Any],
    label_column: Any,
    series_in: str,
    first_row: bool,
    first_column: bool,
) -> None:
    """Set the ranges that a chart shows, and whether their first row and column are labels.
    `label_column` is a separate column of labels, anywhere on the sheet.
    """
    import uno

    numbers = [
        x for cell_range in ranges for x in series_numbers(cell_range.RangeAddress, series_in)
    ]
    # Calc orders ranges from left to right, whatever their given order.
    order = tuple(sorted(numbers).index(number) for number in numbers)
    by_rows = series_in == "rows"
    has_categories = first_row if by_rows else first_column and label_column is None
    arguments = documents.property_values(
        CellRangeRepresentation=",".join(cell_range.AbsoluteName for cell_range in ranges),
        DataRowSource=enum("chart.ChartDataRowSource", series_in.upper()),
        FirstCellAsLabel=first_column if by_rows else first_row,
        HasCategories=has_categories,
        SequenceMapping=uno.Any("[]long", order),
    )
    source = chart.getDataProvider().createDataSource(arguments)
    role = documents.property_values(HasCategories=has_categories, UseCategoriesAsX=False)
    chart.getFirstDiagram().setDiagramData(source, role)
    if label_column is not None:
        _set_categories(chart, label_column, first_row)


def use_x_values(chart: Any) -> None:
    """Make a scatter chart use the X axis labels as x values instead of 1, 2, 3."""
    for system, chart_type in _chart_types(chart):
        categories = system.getAxisByDimension(0, 0).getScaleData().Categories
        for series in chart_type.getDataSeries() if categories else ():
            values = categories.createClone()
            values.getValues().Role = "values-x"
            series.setData((*series.getDataSequences(), values))


def _chart_types(chart: Any) -> list[tuple[Any, Any]]:
    return [
        (system, chart_type)
        for system in chart.getFirstDiagram().getCoordinateSystems()
        for chart_type in system.getChartTypes()
    ]


def _set_categories(chart: Any, column: Any, has_header: bool) -> None:
    """Label the X axis with these cells."""
    (system, chart_type), *_ = _chart_types(chart)
    series = chart_type.getDataSeries()
    if not series:
        return
    rows = column.Rows.Count
    source = chart.getDataProvider()
    body = column.getCellRangeByPosition(0, 1, 0, rows - 1) if has_header and rows > 1 else column
    values = source.createDataSequenceByRangeRepresentation(body.AbsoluteName)
    values.Role = "categories"
    # A labelled sequence can only be created by cloning one.
    labelled = series[0].getDataSequences()[0].createClone()
    labelled.setValues(values)
    labelled.setLabel(None)
    axis = system.getAxisByDimension(0, 0)
    scale = axis.getScaleData()
    scale.Categories, scale.AxisType = labelled, CATEGORIES
    axis.setScaleData(scale)


def series_numbers(address: Any, series_in: str) -> range:
    """Numbers of the columns, or rows, that form one series each."""
    if series_in == "rows":
        return range(address.StartRow, address.EndRow + 1)
    return range(address.StartColumn, address.EndColumn + 1)


def set_titles(
    chart: Any, title: Optional[str], x_axis: Optional[str], y_axis: Optional[str]
) -> None:
    """Set and show the given titles."""
    if title:
        chart.HasMainTitle = True
        chart.Title.String = title
    if x_axis:
        chart.Diagram.HasXAxisTitle = True
        chart.Diagram.XAxisTitle.String = x_axis
    if y_axis:
        chart.Diagram.HasYAxisTitle = True
        chart.Diagram.YAxisTitle.String = y_axis


def describe_chart(model: Any, sheet: Any, name: str) -> Chart:
    """Describe a chart as Calc has it now."""
    table = sheet.Charts.getByName(name)
    chart = table.EmbeddedObject
    diagram = chart.Diagram
    kind = diagram.DiagramType.rpartition(".")[2]
    names = {kind: word for word, kind in DIAGRAMS.items() if word not in ("bar", "column")}
    word = names.get(kind, kind)
    if kind == "BarDiagram":
        word = "bar" if diagram.Vertical else "column"
    series = []
    for _, chart_type in _chart_types(chart):
        for data_series in chart_type.getDataSeries():
            first = data_series.getDataSequences()[0]
            label = first.getLabel()
            text = " ".join(map(str, label.getData())) if label else ""
            series.append(f"{text}: {first.getValues().getSourceRangeRepresentation()}")
    axes = word not in ROUND
    return Chart(
        name,
        sheet.Name,
        word,
        [cells.range_name(address) for address in table.Ranges],
        series,
        chart.Title.String if chart.HasMainTitle else None,
        diagram.XAxisTitle.String if axes and diagram.HasXAxisTitle else None,
        diagram.YAxisTitle.String if axes and diagram.HasYAxisTitle else None,
        chart.HasLegend,
        _anchor(sheet, name),
    )


def _anchor(sheet: Any, name: str) -> str:
    """Name of the cell under the chart's upper left corner."""
    shapes = map(sheet.DrawPage.getByIndex, range(sheet.DrawPage.Count))
    position = next(
        shape for shape in shapes if getattr(shape, "PersistName", None) == name
    ).Position
    end = sheet.RangeAddress
    x = _last(end.EndColumn, lambda x: sheet.getCellByPosition(x, 0).Position.X <= position.X)
    y = _last(end.EndRow, lambda y: sheet.getCellByPosition(0, y).Position.Y <= position.Y)
    return f"{cells.column_name(x)}{y + 1}"


def _last(end: int, holds: Callable[[int], bool]) -> int:
    """Binary search for the largest number up to `end` that satisfies a monotonic condition."""
    low, high = 0, end
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low
