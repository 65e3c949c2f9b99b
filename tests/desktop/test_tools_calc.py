"""Calc's tools in the real Calc; openpyxl reads the saved files back."""

from datetime import date, datetime
from io import BytesIO
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook

from ambidex.host.client.guest import Guest
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import done, refused

BOOK = "~/tools/stock & co.xlsx"


@pytest.fixture(scope="module")
def calc(guest: Guest) -> Guest:
    """A guest with a small workbook open, opened the way a person would."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Stock"
    rows: list[list[Any]] = [
        ["Item", "Count", "Price"], ["pen", 3, 1.5], ["ink", 2, 7.25], ["paper", 9, 0.5],
    ]  # fmt: skip
    for row in rows:
        sheet.append(row)
    sheet["AB2"] = "far"
    sheet["B2"].number_format = "0.00"
    content = BytesIO()
    book.save(content)
    guest.put(BOOK, content.getvalue())
    guest.run(["sh", "-c", 'soffice "$HOME/tools/stock & co.xlsx"'], background=True)
    guest.wait_window("stock & co.xlsx", timeout=180)
    return guest


def saved(guest: Guest, path: str = BOOK) -> Workbook:
    """The workbook on the guest's disk."""
    return load_workbook(BytesIO(guest.get(path)))


@proves(
    "openpyxl wrote the file",
    calc_get_workbook_info="path, sheets and used range",
    calc_get_range_values="numbers and text",
    calc_get_column_data="a column after Z",
    calc_get_cell_value="the text displayed by the number format",
    calc_env_info="the first rows",
)
def test_a_workbook_that_a_person_opened_is_read(calc: Guest) -> None:
    info = done(calc, "calc_get_workbook_info")
    assert info["path"].endswith("/tools/stock & co.xlsx")
    assert [sheet["name"] for sheet in info["sheets"]] == ["Stock"]
    assert info["sheets"][0]["used"] == "A1:AB4"
    values = done(calc, "calc_get_range_values", range_str="a1:C4")["values"]
    assert values[1] == ["pen", 3, 1.5]
    assert done(calc, "calc_get_column_data", column_name="AB")["values"][1] == ["far"]
    assert done(calc, "calc_get_cell_value", cell="B2")["shown"] == "3.00"
    assert len(done(calc, "calc_env_info", rows=2)["values"]) == 2


@proves(
    "openpyxl reads the saved file",
    calc_set_cell_value="numbers, formulas and text, also numbers given as text",
    calc_set_column_values="formulas downwards from row 2",
    calc_set_range_values="text, dates, booleans and numbers have their types",
    calc_save="what was written is in the file",
)
def test_what_is_written_has_its_type_in_the_file(calc: Guest) -> None:
    assert done(calc, "calc_set_cell_value", cell="AB3", value=41)["value"] == 41
    assert done(calc, "calc_set_cell_value", cell="AB4", value="-42.5")["value"] == -42.5
    assert done(calc, "calc_set_cell_value", cell="AB5", value="'42")["value"] == "42"
    assert done(calc, "calc_set_cell_value", cell="AB6", value="007")["value"] == "007"
    done(calc, "calc_set_cell_value", cell="D1", value="Sum")
    done(calc, "calc_set_column_values", column_name="D", data=["=B2*C2", "=B3*C3", "=B4*C4"])
    total = done(calc, "calc_set_cell_value", cell="D5", value="=SUM(D2:D4,0.5)")
    assert total["value"] == 24
    rows = [["007", "2024-05-01", True], [-2.5, "'=text", None]]
    done(calc, "calc_set_range_values", start_cell="F1", values=rows)
    assert done(calc, "calc_set_cell_value", cell="F4", value="=1/0")["value"] == "#DIV/0!"
    done(calc, "calc_save")
    sheet = saved(calc)["Stock"]
    assert [sheet[f"AB{row}"].value for row in range(3, 7)] == [41, -42.5, "42", "007"]
    assert sheet["D2"].value == "=B2*C2"
    assert [sheet[cell].value for cell in ("F1", "F2", "G2", "H2")] == ["007", -2.5, "=text", None]
    assert sheet["G1"].value in (datetime(2024, 5, 1), date(2024, 5, 1))
    assert sheet["H1"].value is True
    assert load_workbook(BytesIO(calc.get(BOOK)), data_only=True)["Stock"]["D5"].value == 24


def test_a_wrong_call_changes_nothing_and_gives_a_hint(calc: Guest) -> None:
    before = done(calc, "calc_get_range_values", range_str="A1:H6")
    code, text = refused(calc, "calc_set_cell_value", cell="A1", value="=FROB(1)")
    assert code == "bad_formula"
    assert "#NAME?" in text
    rows = [["gone", "=FROB("], ["gone", 1]]
    assert refused(calc, "calc_set_range_values", start_cell="A1", values=rows)[0] == "bad_formula"
    assert "Stock" in refused(calc, "calc_get_cell_value", cell="A1", sheet="Nope")[1]
    assert "stock & co.xlsx" in refused(calc, "calc_save", document="other.ods")[1]
    assert refused(calc, "calc_set_cell_value", cell="ZZZZ1", value=1)[0] == "bad_range"
    assert refused(calc, "calc_set_cell_value", cell="A1", value=[1])[0] == "bad_arguments"
    for tool in ("calc_get_workbook_info", "calc_undo"):
        assert refused(calc, tool, document="other.ods")[0] == "no_document"
    assert refused(calc, "calc_env_info", sheet_name="Nope")[0] == "no_sheet"
    assert refused(calc, "calc_get_column_data", column_name="A1")[0] == "bad_arguments"
    assert refused(calc, "calc_get_range_values", range_str="A1:")[0] == "bad_range"
    assert refused(calc, "calc_set_column_values", column_name="A", data=[])[0] == "bad_arguments"
    assert refused(calc, "calc_clear_range", range_str="?")[0] == "bad_range"
    copy = {"source_range": "A1", "target_cell": "A1:B2"}
    assert refused(calc, "calc_copy_range", **copy)[0] == "bad_range"
    assert refused(calc, "calc_sort_range", range_str="A1:B4", by_column="C")[0] == "bad_range"
    missing = {"search": "x", "replacement": "y", "sheet": "Nope"}
    assert refused(calc, "calc_find_and_replace", **missing)[0] == "no_sheet"
    assert refused(calc, "calc_insert_sheet", sheet_name="Stock")[0] == "bad_name"
    new = {"old_name": "Stock", "new_name": "a/b"}
    assert refused(calc, "calc_rename_sheet", **new)[0] == "bad_name"
    assert refused(calc, "calc_copy_sheet", source_sheet="Nope")[0] == "no_sheet"
    assert refused(calc, "calc_delete_sheet", sheet_name="Stock")[0] == "last_sheet"
    for tool in ("calc_insert_rows", "calc_delete_rows"):
        assert refused(calc, tool, row=0)[0] == "bad_arguments"
    assert refused(calc, "calc_save_as", file_path="~/a.docx")[0] == "bad_format"
    assert done(calc, "calc_get_range_values", range_str="A1:H6") == before


@proves(
    "openpyxl reads the saved file",
    calc_sort_range="rows are whole and in order",
    calc_undo="rows are back in their old order",
    calc_find_and_replace="the text is in the cell",
    calc_copy_range="the copy is there",
    calc_clear_range="and is gone after clearing",
)
def test_rows_stay_together_when_sorted_and_one_undo_reverts_it(calc: Guest) -> None:
    done(calc, "calc_sort_range", range_str="A1:C4", by_column="B", ascending=False)
    done(calc, "calc_save")
    rows = saved(calc)["Stock"].iter_rows(min_row=2, max_row=4, max_col=2, values_only=True)
    assert list(rows) == [("paper", 9), ("pen", 3), ("ink", 2)]
    assert done(calc, "calc_undo").startswith("Undone: Sort")
    names = done(calc, "calc_get_range_values", range_str="A2:A4")["values"]
    assert names == [["pen"], ["ink"], ["paper"]]
    assert done(calc, "calc_find_and_replace", search="pen", replacement="pencil") == 1
    done(calc, "calc_copy_range", source_range="A1:C2", target_cell="J1")
    done(calc, "calc_save")
    sheet = saved(calc)["Stock"]
    assert [sheet["A2"].value, sheet["J2"].value, sheet["A3"].value] == ["pencil", "pencil", "ink"]
    done(calc, "calc_clear_range", range_str="J1:L2")
    done(calc, "calc_save")
    assert saved(calc)["Stock"]["J2"].value is None


@proves(
    "openpyxl reads the saved file",
    calc_insert_sheet="the sheet is there",
    calc_rename_sheet="under its new name",
    calc_copy_sheet="with the formula of the source",
    calc_delete_sheet="and is gone when deleted",
    calc_insert_rows="merged cells below moved down",
    calc_delete_rows="and up again",
)
def test_sheets_and_formats_are_in_the_file(calc: Guest) -> None:
    done(calc, "calc_insert_sheet", sheet_name="New")
    done(calc, "calc_rename_sheet", old_name="New", new_name="My data")
    done(calc, "calc_set_cell_value", cell="'My data'!A1", value="=Stock!B2")
    done(calc, "calc_copy_sheet", source_sheet="My data", new_sheet_name="Copy")
    done(calc, "calc_save")
    assert saved(calc)["Copy"]["A1"].value.replace("$", "") == "=Stock!B2"
    done(calc, "calc_delete_sheet", sheet_name="Copy")
    done(calc, "calc_switch_active_sheet", sheet_name="My data")
    assert done(calc, "calc_get_cell_value", cell="A1")["value"] == 3
    done(calc, "calc_switch_active_sheet", sheet_name="Stock")
    look = {"background_color": "#FFCC00", "font_color": "#CC0000", "bold": True}
    done(calc, "calc_format_range", range_str="A1:D1", alignment="center", **look)
    done(calc, "calc_format_range", range_str="C2:C4", number_format="0.00")
    wrong = {"range_str": "C2", "number_format": "0.[["}
    assert refused(calc, "calc_format_range", **wrong)[0] == "bad_format"
    done(calc, "calc_merge_cells", range_str="A8:C8")
    done(calc, "calc_adjust_column_width", columns="A", width=50)
    done(calc, "calc_insert_rows", row=7, count=2)
    done(calc, "calc_delete_rows", row=7)
    done(calc, "calc_freeze_panes", rows=1)
    done(calc, "calc_save")
    book = saved(calc)
    assert book.sheetnames == ["Stock", "My data"]
    sheet = book["Stock"]
    assert sheet["A1"].fill.fgColor.rgb == "FFFFCC00"
    assert sheet["A1"].font.color is not None
    assert sheet["A1"].font.color.rgb == "FFCC0000"
    assert sheet["A1"].font.bold
    assert sheet["A1"].alignment.horizontal == "center"
    assert sheet["C2"].number_format == "0.00"
    assert [str(item) for item in sheet.merged_cells.ranges] == ["A9:C9"]
    assert sheet.freeze_panes == "A2"


@proves(
    "the bytes of the files",
    calc_save_as="the other file is of its kind, and the first one as it was",
    calc_open_workbook="later calls work on the file",
)
def test_files_are_written_where_and_how_they_are_named(calc: Guest) -> None:
    written = done(calc, "calc_export_to_pdf")
    assert calc.get(written["path"]).startswith(b"%PDF")
    assert refused(calc, "calc_export_to_pdf")[0] == "exists"
    done(calc, "calc_save_as", file_path="~/tools/other.ods")
    assert calc.get("~/tools/other.ods").startswith(b"PK")
    done(calc, "calc_set_cell_value", cell="A2", value="crayon")
    done(calc, "calc_save")
    assert saved(calc)["Stock"]["A2"].value == "pencil"
    opened = done(calc, "calc_open_workbook", path=BOOK)
    assert opened["title"] == "stock & co.xlsx"
    names = {"document": "other.ods", "cell": "A2"}
    assert done(calc, "calc_get_cell_value", **names)["value"] == "crayon"
    assert refused(calc, "calc_open_workbook", path="~/tools/none.ods")[0] == "not_found"
