"""Random workbooks for comparison: a description of one, and the file made from it."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import openpyxl
import xlsxwriter

from tests.evaluators.osworld.makers import pivoted, replaced

__all__ = ["DRAW", "WORDS", "Drawing", "Sheet", "draw", "drawn", "value"]

WORDS = ["Ann", "Bo", "ann", "Total", "x", "N/A", "None", "nan", "1", "2.5", "01", " a", "a ", "é",
         "TRUE", "12 High Rd", "12 High Road", "+44 20", "a\nb", "2024-01-02", "10%"]  # fmt: skip
NUMBERS = [0, 1, 2, 3, 10, -1, 1.5, 2.25, 0.1, 1.00001, 1.00004, 1.00006, 1e6, 3.0]
NAMES = ["Sheet1", "Sheet2", "Data", "Résumé", "a b", "1"]
COLOURS = ["#FF0000", "#FFFF00", "#0000FF", "#00B050"]
CONDITIONS: list[dict[str, Any]] = [
    {"type": "formula", "criteria": "=B2>1"},
    {"type": "formula", "criteria": "=$B2>1"},
    {"type": "formula", "criteria": "=WEEKDAY(B2,2)>5"},
    {"type": "formula", "criteria": "=B2>$B$2"},
    {"type": "formula", "criteria": "=B2=MAX($B$2:$B$5)"},
    {"type": "formula", "criteria": "=MOD(ROW(),2)=0"},
    {"type": "formula", "criteria": "=AND(B2>1,B2<3)"},
    {"type": "formula", "criteria": "=C2>B2"},
    {"type": "formula", "criteria": '=B2="x"'},
    {"type": "cell", "criteria": ">", "value": 1},
    {"type": "cell", "criteria": "<=", "value": 2},
    {"type": "cell", "criteria": "==", "value": '"x"'},
    {"type": "cell", "criteria": "!=", "value": 1},
    {"type": "cell", "criteria": "between", "minimum": 1, "maximum": 2},
    {"type": "cell", "criteria": "not between", "minimum": 2, "maximum": 1},
    {"type": "cell", "criteria": ">", "value": "$B$2"},
    {"type": "text", "criteria": "containing", "value": "n"},
    {"type": "text", "criteria": "begins with", "value": "A"},
    {"type": "top", "value": 1},
    {"type": "average", "criteria": "above"},
    {"type": "duplicate"},
    {"type": "2_color_scale"},
    {"type": "data_bar"},
    {"type": "blanks"},
]


@dataclass
class Sheet:
    """The contents of one generated sheet."""

    name: str
    rows: list[list[Any]]
    charts: list[dict[str, Any]] = field(default_factory=list)
    formats: dict[tuple[int, int], dict[str, Any]] = field(default_factory=dict)
    conditions: list[tuple[str, dict[str, Any], dict[str, Any]]] = field(default_factory=list)
    links: dict[tuple[int, int], str] = field(default_factory=dict)
    merged: list[str] = field(default_factory=list)
    frozen: tuple[int, ...] | None = None
    split: tuple[float, float] | None = None
    zoom: int | None = None
    validations: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    heights: dict[int, tuple[float | None, dict[str, Any]]] = field(default_factory=dict)
    widths: dict[tuple[int, int], tuple[float, dict[str, Any]]] = field(default_factory=dict)
    filter: tuple[str, dict[str, Any]] | None = None
    sparklines: dict[str, str] = field(default_factory=dict)


@dataclass
class Drawing:
    """A workbook."""

    sheets: list[Sheet]
    pivot: dict[str, str] | None = None
    resaved: bool = False
    """Whether another library has saved it afterwards."""
    printed: dict[str, bytes] = field(default_factory=dict)


def value(random: Random) -> Any:
    """Possible cell values; `=` starts a formula."""
    return random.choices(
        [
            random.choice(WORDS),
            random.choice(NUMBERS),
            random.randint(-5, 50),
            None,
            random.choice([True, False]),
            datetime(2024, random.randint(1, 12), random.randint(1, 28)),
            random.choice(["=B2+1", '="a"&"b"', "=1/0", "=SUM(B2:B4)", "=TRUE()"]),
            "",
        ],
        [8, 5, 5, 2, 1, 1, 1, 0.3],
    )[0]


def column(random: Random, kind: str) -> Any:
    """A value for a column of one kind."""
    match kind:
        case "words":
            return random.choice(WORDS)
        case "whole":
            return random.randint(0, 9)
        case "numbers":
            return random.choice(NUMBERS)
        case _:
            return value(random)


def draw(random: Random, kinds: set[str]) -> Drawing:
    """Generate a workbook with everything that the rules check."""
    names = NAMES[:]
    if random.random() < 0.3:
        random.shuffle(names)
    sheets = []
    for name in names[: random.choice([1, 1, 2, 2, 3])]:
        width = random.randint(1, 4)
        columns = [random.choice(["words", "whole", "numbers", "any"]) for _ in range(width)]
        head: list[Any] = [random.choice(["Name", "Sum", "a", "b", None, 1]) for _ in range(width)]
        body = [[column(random, each) for each in columns] for _ in range(random.randint(0, 5))]
        sheets.append(Sheet(name, [head, *body] if random.random() < 0.95 else []))
    drawing = Drawing(sheets, resaved=random.random() < 0.15)
    for sheet in sheets:
        for kind in kinds:
            if random.random() < 0.85:
                DRAW.get(kind, lambda *_: None)(random, sheet)
    if "pivot_table" in kinds and random.random() < 0.9:
        drawing.pivot = {"source": random.choice(["A1:B4", "A1:D4"]), "rows": "0",
                         "subtotal": "sum", "name": "Pivot"}  # fmt: skip
        drawing.resaved = False
    if "sheet_print" in kinds:
        for sheet in sheets:
            lines = [",".join("" if cell is None else str(cell) for cell in row)
                     for row in sheet.rows]  # fmt: skip
            drawing.printed[sheet.name] = "\n".join(lines).encode()
    return drawing


def _chart(random: Random, sheet: Sheet) -> None:
    for _ in range(random.choice([1, 1, 1, 2])):
        sheet.charts.append(
            {
                "type": random.choice(["column", "bar", "line", "pie", "scatter", "area"]),
                "title": random.choice([None, "Sum", "Sum of all", ""]),
                "values": random.choice(["$B$2:$B$4", "$B$2:$B$5", "$C$2:$C$4"]),
                "categories": random.choice(["$A$2:$A$4", None]),
                "x": random.choice([None, "Month"]),
                "y": random.choice([None, "Euro"]),
                "legend": random.choice([None, "bottom", "none", "top"]),
                "at": random.choice(["F2", "H9"]),
                "position": random.choice([1, 2, 3, None, None]),
                "name": random.choice([None, "S"]),
            }
        )


def _style(random: Random, sheet: Sheet) -> None:
    for _ in range(random.randint(1, 4)):
        cell = (random.randint(0, 4), random.randint(0, 3))
        sheet.formats[cell] = {
            name: choices
            for name, choices in {
                "bg_color": random.choice(COLOURS),
                "fg_color": random.choice(COLOURS),
                "pattern": random.choice([1, 2, 4]),
                "font_color": random.choice(COLOURS),
                "bold": True,
                "italic": True,
                "underline": random.choice([1, 2]),
                "font_size": random.choice([9, 14]),
                "font_name": "Arial",
                "num_format": random.choice(["0.00", "yyyy-mm-dd"]),
            }.items()
            if random.random() < 0.3
        }
    if random.random() < 0.5:
        for _ in range(random.choice([1, 1, 2])):
            where = random.choice(["B2:B5", "A1:C4", "B2:B80", "A1:A3 C1:C3"])
            form: dict[str, Any] = {"bg_color": random.choice(COLOURS)}
            if random.random() < 0.3:
                form = {"font_color": random.choice(COLOURS), "bold": True}
            sheet.conditions.append((where, random.choice(CONDITIONS), form))
    if random.random() < 0.3:
        sheet.links[(random.randint(0, 3), 0)] = random.choice(
            ["https://example.org/", "https://example.org/b", "internal:Sheet1!A1"]
        )


def _check(random: Random, sheet: Sheet) -> None:
    _style(random, sheet)
    if random.random() < 0.6:
        sheet.merged.append(random.choice(["A1:B1", "A1:B2", "C3:D3"]))


def _view(random: Random, sheet: Sheet) -> None:
    if random.random() < 0.8:
        rows, columns = random.choice([(1, 0), (0, 1), (1, 1), (2, 3)])
        more = (rows + random.choice([0, 5]), columns) if random.random() < 0.4 else ()
        sheet.frozen = (rows, columns, *more)
    elif random.random() < 0.7:
        sheet.split = (random.choice([0, 15]), random.choice([8.43, 20]))


def _zoom(random: Random, sheet: Sheet) -> None:
    sheet.zoom = random.choice([None, 50, 100, 120, 260])


def _validation(random: Random, sheet: Sheet) -> None:
    for _ in range(random.choice([1, 1, 2])):
        sheet.validations.append(
            (
                random.choice(["D2:D29", "D2:D20", "D2", "D1:D1048576"]),
                random.choice(
                    [
                        {"validate": "list", "source": ["Pass", "Fail", "Held"]},
                        {"validate": "list", "source": ["Fail", "Pass", " Held"]},
                        {"validate": "list", "source": ["Pass", "Fail"]},
                        {"validate": "list", "source": "=$A$1:$A$3"},
                        {"validate": "integer", "criteria": ">", "value": 3},
                        {"validate": "integer", "criteria": "between", "minimum": 1, "maximum": 9,
                         "error_message": "No"},
                    ]
                ),
            )
        )  # fmt: skip


def _rows(random: Random, sheet: Sheet) -> None:
    for row in random.sample(range(6), random.randint(1, 3)):
        options: dict[str, Any] = {"hidden": True} if random.random() < 0.6 else {}
        if random.random() < 0.2:
            options |= {"collapsed": True, "level": 1}
        sheet.heights[row] = (random.choice([None, 30, 15.5]), options)


def _columns(random: Random, sheet: Sheet) -> None:
    for first in random.sample(range(5), random.randint(1, 2)):
        options: dict[str, Any] = {"hidden": True} if random.random() < 0.5 else {}
        sheet.widths[(first, first + random.choice([0, 0, 1, 3]))] = (
            random.choice([8.43, 13, 20]), options
        )  # fmt: skip


def _filter(random: Random, sheet: Sheet) -> None:
    kept: dict[str, Any] = random.choice(
        [{}, {"list": ["Ann"]}, {"list": ["Ann", "Bo"]}, {"list": ["Bo", "Blanks"]},
         {"rule": "x > 2"}, {"rule": "x > 2 and x < 5"}]
    )  # fmt: skip
    sheet.filter = (random.choice(["A1:B4", "A1:B5"]), kept)


def _sparkline(random: Random, sheet: Sheet) -> None:
    for _ in range(random.choice([1, 2])):
        where = random.choice(["F2", "F3"])
        sheet.sparklines[where] = random.choice([f"'{sheet.name}'!B2:C2", f"'{sheet.name}'!B3:C3"])


DRAW: dict[str, Callable[[Random, Sheet], None]] = {
    "chart": _chart,
    "style": _style,
    "check_cell": _check,
    "freeze": _view,
    "zoom": _zoom,
    "data_validation": _validation,
    "row_props": _rows,
    "col_props": _columns,
    "filter": _filter,
    "sparkline": _sparkline,
}


def drawn(drawing: Drawing, path: Path) -> Path:
    """The file."""
    book = xlsxwriter.Workbook(str(path))
    for sheet in drawing.sheets:
        _fill(book, book.add_worksheet(sheet.name), sheet)
    book.close()
    if drawing.pivot is not None:
        pivoted(path, **drawing.pivot)
        _used(path)
    if drawing.resaved:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it leaves out what it does not know
            held = openpyxl.load_workbook(path)
        held.save(path)
    for name, content in drawing.printed.items():
        path.with_name(f"{path.stem}-{name}.csv").write_bytes(content)
    return path


def _used(path: Path) -> None:
    """The pivot table's fields with their items, as office programs write them."""
    with zipfile.ZipFile(path) as archive:
        part = archive.read("xl/pivotTables/pivotTable1.xml").decode()
    if 'axis="axisRow" showAll="0"/>' in part:
        replaced(
            path, "xl/pivotTables/pivotTable1.xml", 'axis="axisRow" showAll="0"/>',
            'axis="axisRow" showAll="0"><items count="3"><item x="0"/><item h="1" x="1"/>'
            '<item t="default"/></items></pivotField>',
        )  # fmt: skip


def _fill(book: Any, page: Any, sheet: Sheet) -> None:
    forms = {cell: book.add_format(form) for cell, form in sheet.formats.items()}
    day = book.add_format({"num_format": "yyyy-mm-dd"})
    for row, line in enumerate(sheet.rows):
        for column, held in enumerate(line):
            form = forms.pop((row, column), None)
            if isinstance(held, datetime):
                page.write_datetime(row, column, held, form or day)
            elif isinstance(held, str) and held.startswith("="):
                cached = {"=1/0": "#DIV/0!", '="a"&"b"': "ab", "=TRUE()": True}.get(held, 3)
                page.write_formula(row, column, held, form, cached)
            elif isinstance(held, str) and held:
                page.write_string(row, column, held, form)
            elif held is not None or form is not None:
                page.write(row, column, held, form)
    for (row, column), form in forms.items():
        page.write_blank(row, column, None, form)
    for area in sheet.merged:
        page.merge_range(area, "merged")
    for (row, column), address in sheet.links.items():
        if not sheet.merged:
            page.write_url(row, column, address, None, "there")
    for where, condition, look in sheet.conditions:
        areas = where.split()
        more = {"multi_range": where} if len(areas) > 1 else {}
        page.conditional_format(areas[0], {**condition, **more, "format": book.add_format(look)})
    for number, each in enumerate(sheet.charts):
        _place(book, page, sheet.name, each, number)
    if sheet.frozen is not None:
        page.freeze_panes(*sheet.frozen)
    if sheet.split is not None:
        page.split_panes(*sheet.split)
    if sheet.zoom is not None:
        page.set_zoom(sheet.zoom)
    for where, asked in sheet.validations:
        page.data_validation(where, dict(asked))
    for row, (height, options) in sheet.heights.items():
        page.set_row(row, height, None, options)
    for (first, last), (width, options) in sheet.widths.items():
        page.set_column(first, last, width, None, options)
    if sheet.filter is not None:
        where, kept = sheet.filter
        page.autofilter(where)
        if "list" in kept:
            page.filter_column_list("A", kept["list"])
        if "rule" in kept:
            page.filter_column("B", kept["rule"])
    for where, source in sheet.sparklines.items():
        page.add_sparkline(where, {"range": source})


def _place(book: Any, page: Any, name: str, each: dict[str, Any], number: int) -> None:
    chart = book.add_chart({"type": each["type"]})
    series = {"values": f"='{name}'!{each['values']}"}
    if each["categories"] or each["type"] == "scatter":
        series["categories"] = f"='{name}'!{each['categories'] or '$A$2:$A$4'}"
    if each["name"]:
        series["name"] = each["name"]
    chart.add_series(series)
    if each["title"] is not None:
        chart.set_title({"name": each["title"]} if each["title"] else {"none": True})
    if each["type"] != "pie":
        if each["x"]:
            chart.set_x_axis({"name": each["x"]})
        if each["y"]:
            chart.set_y_axis({"name": each["y"]})
    if each["legend"]:
        chart.set_legend({"position": each["legend"]})
    place = {} if each["position"] is None else {"object_position": each["position"]}
    page.insert_chart(each["at"] if number == 0 else "L20", chart, place)
