"""LibreOffice Calc: charts on sheets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

from pydantic import Field

from mcp_tools import ToolError, cells, documents, office
from mcp_tools.calc import app
from mcp_tools.documents import Document
from mcp_tools.sheets import SPREADSHEET, At, Sheet, enum, locate, one_cell, sheet_of, used

__all__ = ["app"]

Kind = Literal["bar", "column", "line", "pie", "donut", "scatter", "area"]
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
Text = Annotated[Optional[str], Field(min_length=1, max_length=500, description="shown text")]
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


@app.tool(timeout=60)
def create_chart(
    chart_type: Annotated[Kind, Field(description="bar lies, column stands")],
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
        Optional[str], Field(description="its upper left corner; beside the data if left out")
    ] = None,
    series_in: Annotated[
        Literal["columns", "rows"], Field(description="what makes one line or colour")
    ] = "columns",
    first_row_labels: Annotated[
        Optional[bool], Field(description="the first row names things; by its content if left out")
    ] = None,
    first_column_labels: Annotated[
        Optional[bool], Field(description="the same of the first column")
    ] = None,
    stacked: Annotated[bool, Field(description="series on top of each other")] = False,
    legend: Annotated[
        Optional[Literal["right", "left", "top", "bottom", "none"]],
        Field(description="right if left out"),
    ] = None,
    width: Annotated[float, Field(ge=20, le=1000, description="millimetres")] = 160,
    height: Annotated[float, Field(ge=20, le=1000, description="millimetres")] = 90,
    document: Document = None,
) -> Chart:
    """Draw a chart of cells; it follows when they change. The first column gives the places on the
    X axis where it holds text or dates (of a scatter always), the first row the names of the
    series. Pies have no axes. Returns what was drawn: check `series` there.
    """
    if chart_type in ROUND and (x_axis_title or y_axis_title):
        raise ToolError(f"A {chart_type} has no axes.", code="bad_arguments")
    model = documents.find(SPREADSHEET, document)
    areas = [locate(document, sheet, each, clip=True) for each in data_range.split(",")]
    with office.answering():
        goal = sheet_of(model, sheet)
        corner = one_cell(document, goal.Name, target_cell).cells if target_cell else None
        top, column = _labels(areas)
        if chart_type == "scatter":
            column = True
        top = top if first_row_labels is None else first_row_labels
        column = column if first_column_labels is None else first_column_labels
    with documents.editing(model, f"Chart of {data_range}"):
        charts = goal.Charts
        name = next(
            each for i in range(1, charts.Count + 2) if not charts.hasByName(each := f"Chart {i}")
        )
        place = _place(goal, corner, round(width * 100), round(height * 100))
        addresses = tuple(each.cells.RangeAddress for each in areas)
        charts.addNewByName(name, place, addresses, top, column)
        drawn = charts.getByName(name).EmbeddedObject
        drawn.setDiagram(drawn.createInstance(f"com.sun.star.chart.{DIAGRAMS[chart_type]}"))
        diagram = drawn.Diagram
        _arrange(drawn, areas, series_in, top, column)
        if chart_type in ("bar", "column"):
            diagram.Vertical = chart_type == "bar"
        if stacked:
            diagram.Stacked = True
        _titles(drawn, title, x_axis_title, y_axis_title)
        drawn.HasLegend = legend != "none"
        if legend not in (None, "none"):
            drawn.Legend.Alignment = enum("chart.ChartLegendPosition", str(legend).upper())
        made = _chart(model, goal, name)
        if not made.series:
            hint = "Look at the cells first: calc_get_range_values."
            raise ToolError(f"{data_range} holds nothing to draw.", code="empty", hint=hint)
    return made


def _labels(areas: list[At]) -> tuple[bool, bool]:
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


def _place(sheet: Any, corner: Any, width: int, height: int) -> Any:
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


def _arrange(drawn: Any, areas: list[At], series_in: str, top: bool, column: bool) -> None:
    """Tell the chart which way its data runs, and give a scatter its X values."""
    source = drawn.getDataProvider()
    if series_in == "rows":
        given = documents.property_values(
            CellRangeRepresentation=",".join(each.cells.AbsoluteName for each in areas),
            DataRowSource=enum("chart.ChartDataRowSource", "ROWS"),
            FirstCellAsLabel=column,
            HasCategories=top,
        )
        parts = documents.property_values(HasCategories=top, UseCategoriesAsX=False)
        drawn.getFirstDiagram().setDiagramData(source.createDataSource(given), parts)
    for system in drawn.getFirstDiagram().getCoordinateSystems():
        for kind in system.getChartTypes():
            if "Scatter" not in kind.getChartType():
                continue
            places = system.getAxisByDimension(0, 0).getScaleData().Categories
            for series in kind.getDataSeries() if places else ():
                across = places.createClone()
                across.getValues().Role = "values-x"
                series.setData((*series.getDataSequences(), across))


def _titles(drawn: Any, title: Optional[str], across: Optional[str], up: Optional[str]) -> None:
    if title:
        drawn.HasMainTitle = True
        drawn.Title.String = title
    if across:
        drawn.Diagram.HasXAxisTitle = True
        drawn.Diagram.XAxisTitle.String = across
    if up:
        drawn.Diagram.HasYAxisTitle = True
        drawn.Diagram.YAxisTitle.String = up


def _chart(model: Any, sheet: Any, name: str) -> Chart:
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
    for system in drawn.getFirstDiagram().getCoordinateSystems():
        for each in system.getChartTypes():
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
    for shape in map(sheet.DrawPage.getByIndex, range(sheet.DrawPage.Count)):
        if getattr(shape, "PersistName", None) == name:
            anchor = shape.Anchor
            if hasattr(anchor, "CellAddress"):
                return cells.range_name(anchor.RangeAddress)
    return ""


@app.tool(reads_only=True)
def list_charts(
    sheet: Annotated[Optional[str], Field(description="sheet name; all sheets if left out")] = None,
    document: Document = None,
) -> list[Chart]:
    """See the charts of a workbook: where they are, what they show, and their titles."""
    model = documents.find(SPREADSHEET, document)
    with office.answering():
        names = [sheet_of(model, sheet).Name] if sheet else list(model.Sheets.ElementNames)
        found = [model.Sheets.getByName(each) for each in names]
        return [_chart(model, each, name) for each in found for name in each.Charts.ElementNames]


@app.tool()
def delete_chart(
    name: Annotated[str, Field(description="as calc_list_charts tells it")],
    sheet: Sheet = None,
    document: Document = None,
) -> str:
    """Take a chart off a sheet; the cells it showed stay."""
    model = documents.find(SPREADSHEET, document)
    with documents.editing(model, f"Delete {name}"):
        found = sheet_of(model, sheet)
        if not found.Charts.hasByName(name):
            there = ", ".join(found.Charts.ElementNames) or "none"
            message = f"There is no chart {name!r} on {found.Name}."
            raise ToolError(message, code="no_chart", hint=f"Charts there: {there}.")
        found.Charts.removeByName(name)
    return f"{name} is gone from {found.Name}."
