"""Charts of a sheet as Calc keeps them: what they draw, where they stand, what they say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Optional

from ambidex.mcp_tools.office import cells, documents
from ambidex.mcp_tools.office.sheets import At, enum, used

__all__ = [
    "DIAGRAMS",
    "ROUND",
    "Chart",
    "arrange",
    "labels",
    "lines",
    "place",
    "split",
    "titles",
    "told",
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
SPACE = 500
"""Between the used cells and a chart put beside them, in hundredths of a millimetre."""


@dataclass(frozen=True)
class Chart:
    """A chart: its name, its kind, the cells it shows, and its titles; None is not shown."""

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


def labels(areas: list[At]) -> tuple[bool, bool]:
    """Whether the first row and the first column name what the other cells hold."""
    first = areas[0].cells
    rows = [list(each.cells.getDataArray()) for each in areas]
    heads = [cell for block in rows for cell in block[0]]
    named = all(isinstance(each, str) for each in heads) and len(rows[0]) > 1
    column = [row[0] for row in rows[0]][1 if named else 0 :]
    if sum(len(block[0]) for block in rows) < 2:
        return named, False
    below = first.getCellByPosition(0, 1 if named else 0)
    days = areas[0].model.NumberFormats.getByKey(below.NumberFormat).Type & cells.DATELIKE
    return named, all(isinstance(each, str) for each in column) or bool(days) or heads[0] == ""


def place(sheet: Any, corner: Any, width: int, height: int) -> Any:
    """The rectangle of a new chart: at the cell, or right of what is there."""
    from com.sun.star.awt import Rectangle

    at = Rectangle()
    at.Width, at.Height = width, height
    if corner is not None:
        at.X, at.Y = corner.Position.X, corner.Position.Y
        return at
    filled = used(sheet)
    shapes = map(sheet.DrawPage.getByIndex, range(sheet.DrawPage.Count))
    bottoms = [each.Position.Y + each.Size.Height for each in shapes]
    at.X, at.Y = filled.Size.Width + SPACE, max(bottoms, default=0) + SPACE
    return at


def split(areas: list[At], column: bool) -> tuple[Any, list[Any]]:
    """The cells to draw and, if there are several ranges, their first column, which labels them."""
    ranges = [each.cells for each in areas]
    if len(ranges) == 1 or not column:
        return None, ranges
    left, top, right, bottom = cells.bounds(ranges[0])
    sheet = areas[0].sheet
    rest = [sheet.getCellRangeByPosition(left + 1, top, right, bottom)] if right > left else []
    return sheet.getCellRangeByPosition(left, top, left, bottom), [*rest, *ranges[1:]]


def arrange(
    drawn: Any, ranges: list[Any], apart: Any, series_in: str, top: bool, column: bool
) -> None:
    """Have the chart show these ranges, the first row and column being labels if so said; `apart`
    is a column of labels that may lie anywhere.
    """
    import uno

    numbers = [x for each in ranges for x in lines(each.RangeAddress, series_in)]
    # Calc takes ranges from left to right, whichever was named first.
    mapping = tuple(sorted(numbers).index(each) for each in numbers)
    by_rows = series_in == "rows"
    places = top if by_rows else column and apart is None
    given = documents.property_values(
        CellRangeRepresentation=",".join(each.AbsoluteName for each in ranges),
        DataRowSource=enum("chart.ChartDataRowSource", series_in.upper()),
        FirstCellAsLabel=column if by_rows else top,
        HasCategories=places,
        SequenceMapping=uno.Any("[]long", mapping),
    )
    source = drawn.getDataProvider().createDataSource(given)
    role = documents.property_values(HasCategories=places, UseCategoriesAsX=False)
    drawn.getFirstDiagram().setDiagramData(source, role)
    if apart is not None:
        _categories(drawn, apart, top)


def spread(drawn: Any) -> None:
    """Have a scatter put its points by what is along the X axis, not by their number."""
    for system, kind in _kinds(drawn):
        across = system.getAxisByDimension(0, 0).getScaleData().Categories
        for series in kind.getDataSeries() if across else ():
            own = across.createClone()
            own.getValues().Role = "values-x"
            series.setData((*series.getDataSequences(), own))


def _kinds(drawn: Any) -> list[tuple[Any, Any]]:
    return [
        (system, kind)
        for system in drawn.getFirstDiagram().getCoordinateSystems()
        for kind in system.getChartTypes()
    ]


def _categories(drawn: Any, column: Any, top: bool) -> None:
    """Have these cells along the X axis."""
    (system, kind), *_ = _kinds(drawn)
    series = kind.getDataSeries()
    if not series:
        return
    rows = column.Rows.Count
    source = drawn.getDataProvider()
    below = column.getCellRangeByPosition(0, 1, 0, rows - 1) if top and rows > 1 else column
    values = source.createDataSequenceByRangeRepresentation(below.AbsoluteName)
    values.Role = "categories"
    # A labelled sequence is not to be had but as a copy of one.
    labelled = series[0].getDataSequences()[0].createClone()
    labelled.setValues(values)
    labelled.setLabel(None)
    axis = system.getAxisByDimension(0, 0)
    scale = axis.getScaleData()
    scale.Categories, scale.AxisType = labelled, CATEGORIES
    axis.setScaleData(scale)


def lines(at: Any, series_in: str) -> range:
    """The numbers of the columns, or rows, that are one series each."""
    if series_in == "rows":
        return range(at.StartRow, at.EndRow + 1)
    return range(at.StartColumn, at.EndColumn + 1)


def titles(drawn: Any, title: Optional[str], across: Optional[str], up: Optional[str]) -> None:
    """Write the titles that are given, and have them shown."""
    if title:
        drawn.HasMainTitle = True
        drawn.Title.String = title
    if across:
        drawn.Diagram.HasXAxisTitle = True
        drawn.Diagram.XAxisTitle.String = across
    if up:
        drawn.Diagram.HasYAxisTitle = True
        drawn.Diagram.YAxisTitle.String = up


def told(model: Any, sheet: Any, name: str) -> Chart:
    """What Calc now says of the chart."""
    table = sheet.Charts.getByName(name)
    drawn = table.EmbeddedObject
    diagram = drawn.Diagram
    kind = diagram.DiagramType.rpartition(".")[2]
    names = {diagram: word for word, diagram in DIAGRAMS.items() if word not in ("bar", "column")}
    word = names.get(kind, kind)
    if kind == "BarDiagram":
        word = "bar" if diagram.Vertical else "column"
    series = []
    for _, each in _kinds(drawn):
        for one in each.getDataSeries():
            first = one.getDataSequences()[0]
            label = first.getLabel()
            said = " ".join(map(str, label.getData())) if label else ""
            series.append(f"{said}: {first.getValues().getSourceRangeRepresentation()}")
    axes = word not in ROUND
    return Chart(
        name,
        sheet.Name,
        word,
        [cells.range_name(each) for each in table.Ranges],
        series,
        drawn.Title.String if drawn.HasMainTitle else None,
        diagram.XAxisTitle.String if axes and diagram.HasXAxisTitle else None,
        diagram.YAxisTitle.String if axes and diagram.HasYAxisTitle else None,
        drawn.HasLegend,
        _anchor(sheet, name),
    )


def _anchor(sheet: Any, name: str) -> str:
    """The cell under the chart's upper left corner."""
    shapes = map(sheet.DrawPage.getByIndex, range(sheet.DrawPage.Count))
    at = next(each for each in shapes if getattr(each, "PersistName", None) == name).Position
    end = sheet.RangeAddress
    x = _last(end.EndColumn, lambda x: sheet.getCellByPosition(x, 0).Position.X <= at.X)
    y = _last(end.EndRow, lambda y: sheet.getCellByPosition(0, y).Position.Y <= at.Y)
    return f"{cells.column_name(x)}{y + 1}"


def _last(end: int, holds: Callable[[int], bool]) -> int:
    """The largest number up to `end` for which it holds, as it does for all below."""
    low, high = 0, end
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low
