"""Calc's tools for PDF and CSV export, the order of sheets, and the view."""

from io import BytesIO
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from pypdf import PdfReader

from ambidex.host.client.guest import Guest
from tests.desktop.proofs import proves
from tests.desktop.tool_calls import done, refused

BOOK = "~/pages/a report & more.xlsx"
SAVED = "openpyxl reads the saved file"


@pytest.fixture(scope="module")
def calc(guest: Guest) -> Guest:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Long"
    for row in range(1, 151):
        sheet.append([f"row {row}", 1.239, 'q "x", y', "Größe\nשלום"])
        sheet[f"B{row}"].number_format = "0.0"
    book.create_sheet("Second")["B2"] = "second page"
    book.create_sheet("Third")["A1"] = "third page"
    content = BytesIO()
    book.save(content)
    guest.put(BOOK, content.getvalue())
    done(guest, "calc_open_workbook", path=BOOK)
    return guest


def saved(guest: Guest) -> Workbook:
    done(guest, "calc_save")
    return load_workbook(BytesIO(guest.get(BOOK)))


def pages(guest: Guest, path: str) -> list[str]:
    return [page.extract_text() for page in PdfReader(BytesIO(guest.get(path))).pages]


@proves(
    SAVED,
    calc_reorder_sheets="the sheets are in the new order",
    calc_switch_active_sheet="the sheet is the active one, and new if there was none",
    calc_set_zoom_level="the zoom is in the file's view",
    calc_freeze_panes="the first cell that scrolls",
)
def test_sheets_are_reordered_and_the_view_is_set(calc: Guest) -> None:
    document = {"document": "a report & more.xlsx"}
    done(calc, "calc_reorder_sheets", sheet_name="Long", position=2, **document)
    assert saved(calc).sheetnames == ["Second", "Third", "Long"]
    done(calc, "calc_reorder_sheets", sheet_name="Long", position=0, **document)
    done(calc, "calc_reorder_sheets", sheet_name="Third", position=2, **document)
    result = done(calc, "calc_switch_active_sheet", sheet_name="Neu & schön", **document)
    assert (result["active"], result["created"]) == ("Neu & schön", True)
    assert not done(calc, "calc_switch_active_sheet", sheet_name="Neu & schön")["created"]
    done(calc, "calc_set_zoom_level", zoom_percentage=75)
    done(calc, "calc_freeze_panes", rows=1, columns=2)
    book = saved(calc)
    assert book.sheetnames == ["Long", "Second", "Third", "Neu & schön"]
    assert book.active is book["Neu & schön"]
    assert book["Neu & schön"].sheet_view.zoomScale == 75
    assert book["Neu & schön"].freeze_panes == "C2"
    assert book["Long"].freeze_panes is None
    done(calc, "calc_freeze_panes")
    assert saved(calc)["Neu & schön"].freeze_panes is None
    off = {"sheet_name": "Long", "position": 4}
    assert refused(calc, "calc_reorder_sheets", **off)[0] == "bad_position"
    assert refused(calc, "calc_switch_active_sheet", sheet_name="a[b")[0] == "bad_name"
    missing = {"sheet_name": "Nope", "create": False}
    assert refused(calc, "calc_switch_active_sheet", **missing)[0] == "no_sheet"
    assert refused(calc, "calc_set_zoom_level", zoom_percentage=0)[0] == "bad_arguments"
    assert refused(calc, "calc_freeze_panes", rows=-1)[0] == "bad_arguments"


@proves(
    "pypdf reads the pages of the PDF; the viewer's window is on the screen",
    calc_export_to_pdf="the requested sheets, in order, and no others; opened on request",
    calc_set_print_area="only that part of the sheet is in the PDF",
)
def test_a_pdf_has_the_requested_sheets(calc: Guest) -> None:
    whole = done(calc, "calc_export_to_pdf")
    assert whole["path"].endswith("/pages/a report & more.pdf")
    texts = pages(calc, whole["path"])
    assert len(texts) == whole["pages"] > 4
    assert "second page" in texts[-2]
    some: dict[str, Any] = {"file_path": "~/pages/some of it.pdf", "sheets": ["Third", "Second"]}
    written = done(calc, "calc_export_to_pdf", **some)
    assert written["sheets"] == ["Second", "Third"]
    texts = pages(calc, some["file_path"])
    assert ["second page" in texts[0], "third page" in texts[1]] == [True, True]
    assert len(texts) == written["pages"] == 2
    done(calc, "calc_set_print_area", range_str="A1:A3", sheet="Long")
    one: dict[str, Any] = {"file_path": "~/pages/part.pdf", "sheets": ["Long"]}
    done(calc, "calc_export_to_pdf", open_after_export=True, **one)
    (text,) = pages(calc, one["file_path"])
    assert "row 3" in text
    assert "row 4" not in text
    assert "1.2" not in text
    calc.wait_window("part", timeout=60)
    done(calc, "calc_set_print_area", range_str="A1:D150", sheet="Long")
    assert refused(calc, "calc_export_to_pdf", **one)[0] == "exists"
    assert refused(calc, "calc_export_to_pdf", sheets=["Fourth"])[0] == "no_sheet"
    assert refused(calc, "calc_set_print_area", range_str="1A")[0] == "bad_range"
    document = {"document": "a report & more.xlsx"}
    done(calc, "calc_export_to_pdf", overwrite=True, file_path=some["file_path"], **document)
    assert "row 4" in pages(calc, some["file_path"])[0]


@proves(
    "pypdf counts the pages and reads them; openpyxl reads the scaling",
    calc_scale_first_sheet_and_export_pdf="pages of the first sheet, with all its rows",
)
def test_the_first_sheet_is_scaled_to_pages(calc: Guest) -> None:
    tool, path = "calc_scale_first_sheet_and_export_pdf", "~/pages/scaled down.pdf"
    document = {"document": "a report & more.xlsx"}
    result = done(calc, tool, output_path=path, **document)
    assert (result["pages"], result["sheets"]) == (1, ["Long"])
    (text,) = pages(calc, path)
    assert "row 1 " in text
    assert "row 150" in text
    done(calc, tool, output_path=path, pages_x=1, pages_y=2, overwrite=True, **document)
    assert len(pages(calc, path)) == 2
    done(calc, "calc_save", **document)
    setup = load_workbook(BytesIO(calc.get(BOOK)))["Long"].page_setup
    assert (setup.fitToWidth, setup.fitToHeight) == (1, 2)
    assert refused(calc, tool, output_path=path, **document)[0] == "exists"
    none = {"output_path": path, "pages_x": 0, "pages_y": 0}
    assert refused(calc, tool, **none)[0] == "bad_arguments"


@proves(
    "the bytes of the file",
    calc_export_to_csv="the requested sheet, quoted, in UTF-8, as displayed or in full",
)
def test_a_csv_has_the_requested_sheet(calc: Guest) -> None:
    document = {"document": "a report & more.xlsx"}
    done(calc, "calc_switch_active_sheet", sheet_name="Second", **document)
    written = done(calc, "calc_export_to_csv", **document)
    assert written["path"].endswith("/pages/a report & more.csv")
    assert calc.get(written["path"]).decode().splitlines()[1] == ",second page"
    full = {"file_path": "~/pages/all of it.csv", "sheet": "Long", "delimiter": ";"}
    done(calc, "calc_export_to_csv", as_shown=False, **full, **document)
    first = calc.get(full["file_path"]).decode()
    assert first.startswith('row 1;1.239;"q ""x"", y";"Größe\nשלום"')
    done(calc, "calc_export_to_csv", overwrite=True, **full, **document)
    assert calc.get(full["file_path"]).decode().startswith("row 1;1.2;")
    left = calc.run(["sh", "-c", "ls -A ~/pages | grep -c '^[.][^~]'"]).stdout.strip()
    assert left == "0"
    info = done(calc, "calc_get_workbook_info", **document)
    assert info["title"] == "a report & more.xlsx"
    assert refused(calc, "calc_export_to_csv", **document)[0] == "exists"
    done(calc, "calc_switch_active_sheet", sheet_name="Long", **document)
