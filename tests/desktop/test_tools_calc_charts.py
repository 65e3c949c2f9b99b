"""Calc's charts and pivot tables, checked in the saved workbook with openpyxl and in its XML."""

import re
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from openpyxl import Workbook, load_workbook

from ambidex.host.client.guest import Guest
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import done, refused

BOOK = "~/charts/weeks & months.xlsx"


def chart_counts(content: bytes) -> list[int]:
    """The number of charts on each sheet."""
    book: Any = load_workbook(BytesIO(content))
    return [len(sheet._charts) for sheet in book]  # openpyxl has no name for them


@pytest.fixture(scope="module")
def calc(guest: Guest) -> Guest:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "My data"
    rows: list[list[Any]] = [
        ["Week", "Sales", "COGS", "Region"],
        [1, 10, 4, "North"],
        [2, 30, 5, "South"],
        [3, 20, 6, "North"],
    ]
    for row in rows:
        sheet.append(row)
    wide = book.create_sheet("Wide")
    rows = [["", "Jan", "Feb", "Mär"], ["Total", 1, 2, 3], ["Growth", 0.1, 0.2, 0.3]]
    for row in rows:
        wide.append(row)
    content = BytesIO()
    book.save(content)
    guest.put(BOOK, content.getvalue())
    done(guest, "calc_open_workbook", path=BOOK)
    return guest


def saved(guest: Guest) -> bytes:
    done(guest, "calc_save")
    return guest.get(BOOK)


def drawn(content: bytes) -> list[str]:
    """The charts of the saved file as XML, by number."""
    with ZipFile(BytesIO(content)) as file:
        names = [item for item in file.namelist() if re.fullmatch(r"xl/charts/chart\d+.xml", item)]
        names.sort(key=lambda each: int("".join(filter(str.isdigit, each))))
        return [file.read(name).decode() for name in names]


def shown(xml: str) -> list[str]:
    """The texts of a chart's titles."""
    return re.findall(r"<a:t>([^<]*)</a:t>", xml)


@proves(
    "the chart parts of the saved xlsx, and openpyxl's charts of each sheet",
    calc_create_chart="kind, direction, titles, series and sheet of several charts",
    calc_list_charts="the same charts as in the file",
    calc_delete_chart="the chart is no longer in the file",
)
def test_charts_of_every_type_are_on_the_requested_sheet(calc: Guest) -> None:
    titles = {"title": "Sales & COGS – 週", "x_axis_title": "week", "y_axis_title": "€"}
    result = done(calc, "calc_create_chart", chart_type="column", data_range="B1:C4", **titles)
    assert (result["name"], result["title"]) == ("Chart 1", titles["title"])
    assert result["series"] == ["Sales: $'My data'.$B$2:$B$4", "COGS: $'My data'.$C$2:$C$4"]
    done(calc, "calc_switch_active_sheet", sheet_name="Sheet2")
    bar = {"chart_type": "bar", "data_range": "'My data'!D1:D4,'My data'!B1:B4"}
    assert done(calc, "calc_create_chart", target_cell="C3", **bar)["anchor"] == "C3"
    scatter = {"chart_type": "scatter", "data_range": "'My data'!A1:B4", "legend": "none"}
    done(calc, "calc_create_chart", sheet="Sheet2", **scatter)
    rows = {"chart_type": "line", "data_range": "A1:D3", "sheet": "Wide", "series_in": "rows"}
    line = done(calc, "calc_create_chart", legend="bottom", stacked=False, **rows)
    assert line["series"] == ["Total: $Wide.$B$2:$D$2", "Growth: $Wide.$B$3:$D$3"]
    for kind in ("pie", "area", "donut"):
        one = {"chart_type": kind, "data_range": "A1:D2", "series_in": "rows", "sheet": "Wide"}
        assert done(calc, "calc_create_chart", **one)["chart_type"] == kind
    content = saved(calc)
    assert chart_counts(content) == [1, 4, 2]
    charts = drawn(content)
    kinds = ('<c:barDir val="col"/>', '<c:barDir val="bar"/>', "<c:scatterChart>")
    column, bar_xml, dots = (next(xml for xml in charts if kind in xml) for kind in kinds)
    assert set(shown(column)) == {"Sales &amp; COGS – 週", "week", "€"}
    assert "$D$2:$D$4" in bar_xml
    assert re.search(r"<c:xVal>.*\$A\$2:\$A\$4.*</c:xVal>", dots)
    assert "<c:legend>" not in dots
    joined = " ".join(charts)
    assert all(f"<c:{kind}Chart>" in joined for kind in ("line", "pie", "area", "doughnut"))
    listed = done(calc, "calc_list_charts")
    assert [entry["sheet"] for entry in listed].count("Wide") == 4
    done(calc, "calc_delete_chart", chart_name="Chart 2", sheet="Sheet2")
    assert chart_counts(saved(calc)) == [1, 4, 1]
    assert refused(calc, "calc_delete_chart", chart_name="Chart 2", sheet="Sheet2")[0] == "no_chart"
    assert refused(calc, "calc_list_charts", sheet="None")[0] == "no_sheet"
    pie = {"chart_type": "pie", "data_range": "A1:B2", "x_axis_title": "x"}
    assert refused(calc, "calc_create_chart", **pie)[0] == "bad_arguments"
    none = {"chart_type": "sparkline", "data_range": "A1:B2"}
    assert refused(calc, "calc_create_chart", **none)[0] == "bad_arguments"


@proves(
    "openpyxl reads the pivot tables and their results from the saved file",
    calc_create_pivot_table="fields, function and location; the sums are in the cells",
)
def test_a_pivot_table_sums_and_counts_and_covers_nothing(calc: Guest) -> None:
    tool = "calc_create_pivot_table"
    source = {"source_sheet": "My data", "table_name": "P1", "sheet": "Pivots"}
    done(calc, "calc_switch_active_sheet", sheet_name="Pivots")
    result = done(calc, tool, row_fields=["Region"], value_fields=["Sales"], **source)
    assert result["values"][-3:] == [["North", 30], ["South", 30], ["Total Result", 60]]
    by_letter = {"row_fields": ["D"], "value_fields": ["D"], "aggregation_function": "Count"}
    again = {**source, "table_name": "P2", "target_cell": "E3"}
    assert done(calc, tool, **by_letter, **again)["values"][-3][1] == 2
    share = {"col_fields": ["Region"], "value_fields": ["Sales"], "show_as": "percent_of_total"}
    third = {**source, "table_name": "P3", "target_cell": "J3"}
    assert done(calc, tool, **share, **third)["values"][-1][:2] != [30, 30]
    book = load_workbook(BytesIO(saved(calc)), data_only=True)
    sheet: Any = book["Pivots"]
    tables = {pivot.name: pivot for pivot in sheet._pivots}
    assert set(tables) == {"P1", "P2", "P3"}
    assert tables["P2"].dataFields[0].subtotal == "count"
    cached = [cached_field.name for cached_field in tables["P1"].cache.cacheFields]
    assert cached[tables["P1"].rowFields[0].x] == "Region"
    assert cached[tables["P1"].dataFields[0].fld] == "Sales"
    assert "North" in [cell.value for cell in sheet["A"]]
    assert 60 in [cell.value for cell in sheet["B"]]
    expected = {"row_fields": ["Region"], "value_fields": ["Sales"], "source_sheet": "My data"}
    assert refused(calc, tool, table_name="P1", sheet="Pivots", **expected)[0] == "exists"
    before = done(calc, "calc_get_range_values", range_str="A1:D4", sheet="My data")
    over = refused(calc, tool, table_name="P9", sheet="My data", **expected)
    assert over[0] == "occupied"
    assert done(calc, "calc_get_range_values", range_str="A1:D4", sheet="My data") == before
    expected["value_fields"] = ["Profit"]
    code, text = refused(calc, tool, table_name="P9", sheet="Pivots", **expected)
    assert code == "no_column"
    assert "Sales" in text
