"""Calc's tools that sort, fill, transpose and reorder data; openpyxl reads the files back."""

from io import BytesIO
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.styles import Font

from ambidex.host.client.guest import Guest
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import done, refused

BOOK = "~/data/sales & more.xlsx"
ROWS = [
    ("Name", "City", "Amount", "Double"),
    ("אבג", "Bonn", 30, "=C2*2"),
    ("Zoë 🙂", None, 7, "=C3*2"),
    ('say "hi"', None, 100, "=C4*2"),
    ("O'Neil", "Köln", 8, "=C5*2"),
]
SAVED = "openpyxl reads the saved file"


@pytest.fixture(scope="module")
def calc(guest: Guest) -> Guest:
    book = Workbook()
    for name in ("Sort", "Columns", "Other"):
        sheet = book.create_sheet(name)
        for row in ROWS:
            sheet.append([*row])
        sheet["C2"].number_format = "0.00"
        sheet["A2"].font = Font(b=True)
        sheet.column_dimensions["A"].width = 30
    lines: list[list[Any]] = [
        ["Name", "When"], ["a", "N/A"], ["b", 2], ["c", "=NA()"], ["N/A more", "n/a"],
    ]  # fmt: skip
    for line in lines:
        book["Other"].append(line)
    book.remove(book["Sheet"])
    book.create_sheet("Empty")
    content = BytesIO()
    book.save(content)
    guest.put(BOOK, content.getvalue())
    done(guest, "calc_open_workbook", path=BOOK)
    return guest


def saved(guest: Guest) -> Workbook:
    done(guest, "calc_save")
    return load_workbook(BytesIO(guest.get(BOOK)))


def column(book: Workbook, sheet: str, letters: str) -> list[object]:
    return [cell.value for cell in book[sheet][letters]]


@proves(SAVED, calc_sort_column="rows of the table are whole and in order, by letter and header")
def test_a_column_is_sorted_with_the_rows_it_belongs_to(calc: Guest) -> None:
    done(calc, "calc_switch_active_sheet", sheet_name="Sort")
    done(
        calc, "calc_set_cell_value", cell="A8", value="Total"
    )  # below an empty row, so not part of the table
    done(calc, "calc_set_cell_value", cell="AB2", value="far")
    assert done(calc, "calc_sort_column", column_name="C")["range"] == "A2:D5"
    book = saved(calc)
    assert column(book, "Sort", "C")[:5] == ["Amount", 7, 8, 30, 100]
    assert column(book, "Sort", "A")[:5] == ["Name", "Zoë 🙂", "O'Neil", "אבג", 'say "hi"']
    assert book["Sort"]["D2"].value == "=C2*2"
    assert book["Sort"]["A8"].value == "Total"
    assert book["Sort"]["AB2"].value == "far"
    assert book["Sort"]["C4"].number_format == "0.00"
    done(calc, "calc_sort_column", column_name="amount", ascending=False, start_index=3)
    assert column(saved(calc), "Sort", "C")[:5] == ["Amount", 7, 100, 30, 8]
    assert refused(calc, "calc_sort_column", column_name="Nobody")[0] == "no_column"
    assert refused(calc, "calc_sort_column", column_name="A", sheet="Empty")[0] == "empty"
    done(calc, "calc_merge_cells", range_str="A2:A3")
    assert refused(calc, "calc_sort_column", column_name="C")[0] == "merged"
    done(calc, "calc_undo")


@proves(
    SAVED,
    calc_reorder_columns="values, formulas, formats and widths are in the new places",
    calc_insert_columns="the columns right of them moved, formulas followed",
    calc_delete_columns="they are gone again",
)
def test_columns_are_reordered_with_formulas_formats_and_widths(calc: Guest) -> None:
    order = ["Amount", "Name", "Double", "City"]
    moved = done(calc, "calc_reorder_columns", column_order=order, sheet="Columns")
    assert moved["now"][:4] == order
    sheet = saved(calc)["Columns"]
    assert [cell.value for cell in sheet[1]] == order
    assert [cell.value for cell in sheet[2]] == [30, "אבג", "=A2*2", "Bonn"]
    assert sheet["A2"].number_format == "0.00"
    assert sheet["B2"].font.b
    assert sheet.column_dimensions["B"].width > 25
    letters = {"column_order": ["B", "D", "A", "C"], "sheet": "Columns"}
    assert done(calc, "calc_reorder_columns", **letters)["now"][:4] == list(ROWS[0])
    two = {"column_order": ["A", "Name"], "sheet": "Columns"}
    assert refused(calc, "calc_reorder_columns", **two)[0] == "bad_arguments"
    done(calc, "calc_merge_cells", range_str="A9:C9", sheet="Columns")
    across = {"column_order": ["B", "A"], "sheet": "Columns"}
    assert refused(calc, "calc_reorder_columns", **across)[0] == "merged"
    done(calc, "calc_merge_cells", range_str="A9:C9", merge=False, sheet="Columns")
    done(calc, "calc_insert_columns", column="C", count=2, sheet="Columns")
    sheet = saved(calc)["Columns"]
    assert [cell.value for cell in sheet[2]] == ["אבג", "Bonn", None, None, 30, "=E2*2"]
    done(calc, "calc_delete_columns", column="C", count=2, sheet="Columns")
    assert [cell.value for cell in saved(calc)["Columns"][2]] == ["אבג", "Bonn", 30, "=C2*2"]
    for tool in ("calc_insert_columns", "calc_delete_columns"):
        assert refused(calc, tool, column="ZZZ")[0] == "bad_range"


@proves(
    SAVED,
    calc_fill_blank_down="blank cells have the value above, others are unchanged",
    calc_fill_down="the formula is in each row and refers to its own",
)
def test_blanks_and_rows_are_filled_downwards(calc: Guest) -> None:
    sheet = {"sheet": "Columns"}
    done(calc, "calc_set_cell_value", cell="B6", value="", **sheet)
    filled = done(calc, "calc_fill_blank_down", columns=["B"], **sheet)
    assert (filled["ranges"], filled["cells"]) == (["B3:B4"], 2)
    assert column(saved(calc), "Columns", "B")[:5] == ["City", "Bonn", "Bonn", "Bonn", "Köln"]
    assert done(calc, "calc_fill_blank_down", columns=["B"], **sheet)["cells"] == 0
    done(calc, "calc_undo")
    done(calc, "calc_undo")
    inside = done(calc, "calc_fill_blank_down", range_str="B1:E3", sheet="Other")
    assert inside["ranges"] == ["B3"]
    assert refused(calc, "calc_fill_blank_down", columns=["Nope"], **sheet)[0] == "no_column"
    done(calc, "calc_set_range_values", start_cell="F2", values=[["=C2+$C$2", "Item 1"]], **sheet)
    done(calc, "calc_fill_down", source_range="F2:G2", rows_to_fill=3, **sheet)
    filled = saved(calc)["Columns"]
    assert [filled[f"F{row}"].value for row in (3, 5)] == ["=C3+$C$2", "=C5+$C$2"]
    assert filled["G5"].value == "Item 1"
    assert filled["F6"].value is None
    two = {"source_range": "F2:F3", "rows_to_fill": 1}
    assert refused(calc, "calc_fill_down", **two)[0] == "bad_range"


@proves(
    SAVED,
    calc_transpose_range="rows are columns, with number formats and fonts",
    calc_copy_cells_between_sheets="values, formats and formulas are on the other sheet",
)
def test_blocks_are_transposed_and_copied_to_other_sheets(calc: Guest) -> None:
    source = {"source_range": "A1:D3", "sheet": "Columns"}
    assert done(calc, "calc_transpose_range", target_cell="B8", **source)["range"] == "B8:D11"
    assert refused(calc, "calc_transpose_range", target_cell="C3", **source)[0] == "overlap"
    goal = {"target_sheet_name": "Empty", "target_start_cell": "B3"}
    done(calc, "calc_copy_cells_between_sheets", source_range="Columns.A1:D2", **goal)
    wrong = {"source_range": "A1", "target_sheet_name": "Nowhere", "target_start_cell": "A1"}
    assert refused(calc, "calc_copy_cells_between_sheets", **wrong)[0] == "no_sheet"
    book = saved(calc)
    sheet = book["Columns"]
    assert [sheet[f"B{row}"].value for row in range(8, 12)] == list(ROWS[0])
    assert [sheet[f"C{row}"].value for row in range(8, 12)] == ["אבג", "Bonn", 30, 60]
    assert sheet["C10"].number_format == "0.00"
    assert sheet["C8"].font.b
    assert [cell.value for cell in book["Empty"][4]] == [None, "אבג", "Bonn", 30, "=D4*2"]
    assert book["Empty"]["D4"].number_format == "0.00"


@proves(
    SAVED,
    calc_hide_row_data="only rows with exactly this text are hidden, hidden ones stay hidden",
    calc_adjust_row_height="the height in points is in the file, and fits the text again",
    calc_adjust_column_width="the width in characters is in the file, and fits the text again",
)
def test_rows_are_hidden_by_content_and_resized(calc: Guest) -> None:
    sheet = {"sheet": "Other"}
    first = done(calc, "calc_hide_row_data", **sheet)
    assert first["rows"] == [7]
    assert done(calc, "calc_hide_row_data", value="#N/A", **sheet)["rows"] == [9]
    assert done(calc, "calc_hide_row_data", **sheet) == {**first, "already": [7]}
    assert done(calc, "calc_hide_row_data", value="30.00", **sheet)["rows"] == [2]
    assert refused(calc, "calc_hide_row_data", value="Name of no", **sheet)[0] == "not_found"
    done(calc, "calc_adjust_row_height", rows="3:4", height=40, **sheet)
    done(calc, "calc_adjust_column_width", columns="C:D", width=20, **sheet)
    done(calc, "calc_adjust_column_width", columns="A", autofit=True, **sheet)
    lines = saved(calc)["Other"]
    hidden = [row for row, value in lines.row_dimensions.items() if value.hidden]
    assert hidden == [2, 7, 9]
    assert lines.row_dimensions[4].height == pytest.approx(40, abs=0.1)
    # openpyxl reports equal adjacent columns once, under the last of them.
    wide = lines.column_dimensions["C"]
    assert wide.width == pytest.approx(20, abs=0.1)
    assert wide.max == 4
    assert lines.column_dimensions["A"].width < 15
    assert done(calc, "calc_adjust_row_height", rows="3", autofit=True, **sheet)["now"] < 20
    assert saved(calc)["Other"].row_dimensions[4].height == pytest.approx(40, abs=0.1)
    for tool, line in (("calc_adjust_row_height", "rows"), ("calc_adjust_column_width", "columns")):
        assert refused(calc, tool, **{line: "?"})[0] == "bad_range"
