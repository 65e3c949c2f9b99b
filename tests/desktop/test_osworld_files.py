"""OSWorld's metrics on files saved by LibreOffice: a file that is opened and saved unchanged is
strictly equal."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from ambidex.evaluators.osworld import Value
from ambidex.evaluators.osworld.registry import bind_metric
from ambidex.host.client.guest import Guest
from tests.desktop.tool_calls import done, read
from tests.evaluators.osworld.makers import document, paragraph, pdf, png, run, table

TWO = {"sheet_idx0": "RNSales", "sheet_idx1": "ENSales"}
LIST = {"ranges": {"method": "eq", "ref": "D2:D9"}, "type": {"method": "eq", "ref": "list"},
        "formula1": {"method": "str_set_eq", "ref": ["Pass", "Fail"]}}  # fmt: skip
CELLS: dict[str, dict[str, object]] = {
    "H1": {"value": "High", "merge": False, "bgcolor": "FF0000FF", "font_bold": True,
           "font_color": "FFFFFFFF"},
    "I1": {"merge": True}, "J1": {"merge": False}, "B4": {"value": 3.75},
}  # fmt: skip
RULES: dict[str, list[dict[str, Any]]] = {
    "names and data": [{"type": "sheet_name"}, {"type": "sheet_data", **TWO}],
    "charts": [{"type": "chart", **TWO, "chart_props": ["type", "title", "direction"]}],
    "conditional formats": [{"type": "style", **TWO, "props": ["bgcolor", "font_bold"]}],
    "frozen panes": [{"type": "freeze", **TWO}],
    "zoom": [{"type": "zoom", "sheet_idx": "RNSales", "method": "eq", "ref": 150}],
    "hidden rows": [{"type": "row_props", **TWO, "props": ["hidden"]}],
    "hidden columns": [{"type": "col_props", **TWO, "props": ["hidden"]}],
    "filters": [{"type": "filter", **TWO}],
    "validations": [{"type": "data_validation", "sheet_idx": "RNSales", "dv_props": [LIST]}],
    "texts": [
        {"type": "sheet_fuzzy", **TWO, "rules": [{"range": ["A1:B4"], "type": "exact_match"}]}
    ],
    "cells": [
        {"type": "check_cell", "sheet_idx": "RNSales", "coordinate": place,
         "props": {prop: {"method": "eq", "ref": ref} for prop, ref in props.items()}}
        for place, props in CELLS.items()
    ],
}  # fmt: skip


def sales(path: Path) -> Path:
    """A workbook with a bit of everything, written by xlsxwriter."""
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet("Sales")
    day = book.add_format({"num_format": "yyyy-mm-dd"})
    head = book.add_format({"bg_color": "#0000FF", "font_color": "#FFFFFF", "bold": True})
    red = book.add_format({"bg_color": "#FF0000"})
    sheet.write_row("A1", ["Name", "Sum", "Day", "Mark"])
    for row, (name, total) in enumerate([("a", 1.5), ("b", 2.25)], start=1):
        sheet.write(row, 0, name)
        sheet.write(row, 1, total)
        sheet.write_datetime(row, 2, datetime(2024, 3, 1 + row), day)
    sheet.write("A4", "N/A")
    sheet.write_formula("B4", "=SUM(B2:B3)", None, 3.75)
    sheet.merge_range("H1:I1", "High", head)
    sheet.conditional_format(
        "C2:C4", {"type": "formula", "criteria": "=WEEKDAY($C2,2)>5", "format": red}
    )
    sheet.conditional_format("B2:B4", {"type": "cell", "criteria": ">", "value": 2, "format": red})
    chart: Any = book.add_chart({"type": "bar"})
    chart.add_series({"values": "=Sales!$B$2:$B$3", "categories": "=Sales!$A$2:$A$3"})
    chart.set_title({"name": "Sums up"})
    sheet.insert_chart("K2", chart)
    sheet.freeze_panes(1, 1)
    sheet.set_zoom(150)
    sheet.set_row(5, None, None, {"hidden": True})
    sheet.set_column(5, 6, 13, None, {"hidden": True})
    sheet.data_validation("D2:D9", {"validate": "list", "source": ["Pass", "Fail"]})
    sheet.autofilter("A1:D4")
    book.add_worksheet("Other").write("A1", "x")
    book.close()
    return path


def essay(path: Path) -> Path:
    """A document with a bit of everything, its XML written by hand."""
    struck, low = "<w:strike/>", '<w:vertAlign w:val="subscript"/>'
    page = '<w:r><w:br w:type="page"/></w:r>'
    tabs = '<w:tabs><w:tab w:val="right" w:pos="4680"/></w:tabs>'
    field = (
        '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r>'
        '<w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>1</w:t></w:r>'
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    times = '<w:rFonts w:ascii="Times New Roman" w:hAnsi="Times New Roman"/>'
    cell = paragraph(runs=run("apple", '<w:color w:val="FF0000"/>'))
    return document(
        path,
        paragraph("Title", properties='<w:jc w:val="center"/>'),
        paragraph(runs=run("H") + run("2", low) + run("O")),
        paragraph("one two three\tfour", properties=tabs),
        paragraph("wide", properties='<w:spacing w:line="480" w:lineRule="auto"/>', runs=page),
        paragraph(runs=run("sloping", '<w:i/><w:sz w:val="28"/>')),
        table([cell, paragraph(runs=run("tree", '<w:color w:val="0000FF"/>'))]),
        paragraph(runs=run("gone", struck)),
        footer=f"<w:p>{field}</w:p>",
        styles=f"<w:docDefaults><w:rPrDefault><w:rPr>{times}</w:rPr></w:rPrDefault></w:docDefaults>",
    )


@pytest.fixture(scope="module")
def saved(guest: Guest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path, str], Path]:
    """Opens a file in the real LibreOffice, saves it in a format and fetches it."""
    folder = tmp_path_factory.mktemp("saved")

    def convert(path: Path, ending: str) -> Path:
        guest.put(f"~/osworld/{path.name}", path.read_bytes())
        # A profile of its own: the office of the tools goes on beside it.
        command = (
            'soffice "-env:UserInstallation=file://$HOME/osworld/profile" --headless --convert-to '
            f'{ending} --outdir "$HOME/osworld/saved" "$HOME/osworld/{path.name}"'
        )
        ran = guest.run(["sh", "-c", command], timeout=240)
        assert ran.returncode == 0, ran
        name = f"{path.stem}.{ending}"
        (folder / name).write_bytes(guest.get(f"~/osworld/saved/{name}"))
        return folder / name

    return convert


@pytest.fixture(scope="module")
def workbooks(guest: Guest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The workbook as saved by the Calc on screen, and as generated."""
    folder = tmp_path_factory.mktemp("books")
    result = sales(folder / "sales.xlsx")
    guest.put("~/osworld/sales.xlsx", result.read_bytes())
    # Without a window Calc forgets how a sheet is viewed.
    guest.run(["sh", "-c", 'soffice "$HOME/osworld/sales.xlsx"'], background=True)
    guest.wait_window("sales.xlsx", timeout=180)
    done(guest, "calc_set_cell_value", cell="A9", value="touched", sheet="Other")
    done(guest, "calc_set_cell_value", cell="A9", value="", sheet="Other")
    done(guest, "calc_save")
    (folder / "saved.xlsx").write_bytes(guest.get("~/osworld/sales.xlsx"))
    return folder / "saved.xlsx", result


@pytest.mark.parametrize("what", RULES)
def test_a_workbook_saved_again_by_calc_is_equal(workbooks: tuple[Path, Path], what: str) -> None:
    result = bind_metric("compare_table", {"rules": RULES[what]})(*workbooks)
    assert result.strict.value == 1, result.strict.reason


@pytest.fixture(scope="module")
def pivots(workbooks: tuple[Path, Path], guest: Guest) -> Callable[..., Path]:
    """The workbook with a pivot table created and saved by the real Calc."""

    def make(name: str, **asked: Any) -> Path:
        guest.put(f"~/osworld/{name}.xlsx", workbooks[1].read_bytes())
        done(guest, "calc_open_workbook", path=f"~/osworld/{name}.xlsx")
        source = {"source_sheet": "Sales", "source_range": "A1:C3", "row_fields": ["Name"]}
        arguments = {
            **source,
            "value_fields": ["Sum"],
            "sheet": "Other",
            "target_cell": "C3",
            **asked,
        }
        done(
            guest,
            "calc_create_pivot_table",
            table_name="Sums",
            document=f"{name}.xlsx",
            **arguments,
        )
        done(guest, "calc_save", document=f"{name}.xlsx")
        path = workbooks[0].with_name(f"{name}.xlsx")
        path.write_bytes(guest.get(f"~/osworld/{name}.xlsx"))
        return path

    return make


def test_pivot_tables_made_by_calc_are_distinguished(pivots: Callable[..., Path]) -> None:
    first, second = pivots("first"), pivots("second", target_cell="F9")
    counted = pivots("counted", aggregation_function="count")
    by_day = pivots("by_day", row_fields=["Day"])
    asked = {"type": "pivot_table", "sheet_idx0": "RNOther", "sheet_idx1": "ENOther",
             "pivot_props": ["col_fields", "filter", "row_fields", "data_fields"]}  # fmt: skip
    check = bind_metric("compare_table", {"rules": [asked]})
    for other, verdict in ((second, 1), (counted, 0), (by_day, 0)):
        result = check(other, first)
        assert (result.compat.value, result.strict.value) == (verdict, verdict), (
            other.name,
            result,
        )


@pytest.fixture(scope="module")
def essays(
    saved: Callable[[Path, str], Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path]:
    result = essay(tmp_path_factory.mktemp("made") / "essay.docx")
    return saved(result, "docx"), result


LOOKS: dict[str, dict[str, Any]] = {
    "compare_docx_files": {},
    "compare_docx_files_and_ignore_new_lines": {"ignore_blanks": False},
    "compare_docx_tables": {},
    "compare_line_spacing": {},
    "compare_subscript_contains": {},
    "check_tabstops": {"word_number_split_by_tabstop": None},
    "evaluate_colored_words_in_tables": {},
    "evaluate_strike_through_last_paragraph": {},
    "check_italic_font_size_14": {},
}
ALONE: dict[str, Value] = {
    "compare_font_names": {"font_name": "Times New Roman"},
    "contains_page_break": {"page_break_count": 1},
    "has_page_numbers_in_footers": None,
    "is_first_line_centered": None,
}


@pytest.mark.parametrize("name", LOOKS)
def test_a_document_saved_again_by_writer_is_equal(essays: tuple[Path, Path], name: str) -> None:
    result = bind_metric(name, LOOKS[name])(*essays)
    assert result.strict.value == 1, result.strict.reason


@pytest.mark.parametrize("name", ALONE)
def test_a_document_saved_again_by_writer_has_the_same_formats(
    essays: tuple[Path, Path], name: str
) -> None:
    result = bind_metric(name, {})(essays[0], ALONE[name])
    assert result.strict.value == 1, result.strict.reason


def test_highlights_are_found_in_files_saved_by_writer(
    saved: Callable[[Path, str], Path], tmp_path: Path
) -> None:
    yellow = '<w:highlight w:val="yellow"/>'
    plain = document(tmp_path / "plain.docx", "some word")
    marked = document(tmp_path / "marked.docx", paragraph(runs=run("some ") + run("word", yellow)))
    check = bind_metric("check_highlighted_words", {})
    texts = saved(plain, "odt"), saved(marked, "odt")
    result = check(texts[0], texts[1])
    assert (result.compat.value, result.strict.value) == (1, 1)
    result = check(texts[1], texts[0])
    assert (result.compat.value, result.strict.value) == (0, 0), result


def test_a_pdf_made_by_writer_has_the_text(
    saved: Callable[[Path, str], Path], tmp_path: Path
) -> None:
    text = "The quick brown fox jumps over the lazy dog"
    gold = tmp_path / "gold.pdf"
    gold.write_bytes(pdf(text))
    result = saved(document(tmp_path / "fox.docx", text), "pdf")
    verdict = bind_metric("compare_pdfs", {})(result, gold)
    assert verdict.compat.value == 1, verdict.compat.reason
    pages = bind_metric("check_pdf_pages", {})(result, {"relation": "eq", "ref_value": 1})
    assert pages.strict.value == 1


def test_a_picture_is_unchanged_in_a_file_saved_by_writer(
    saved: Callable[[Path, str], Path], tmp_path: Path
) -> None:
    import docx

    picture = tmp_path / "a.png"
    picture.write_bytes(png((255, 0, 0), (0, 255, 0), (0, 0, 255), (9, 9, 9), width=2))
    result = docx.Document()
    result.add_paragraph("one").add_run().add_picture(str(picture))
    result.save(str(tmp_path / "pictures.docx"))
    again = saved(tmp_path / "pictures.docx", "docx")
    verdict = bind_metric("compare_docx_images", {})(again, tmp_path / "pictures.docx")
    assert verdict.strict.value == 1, verdict.strict.reason


def test_the_version_of_libreoffice_is_a_tested_one(guest: Guest) -> None:
    assert read(guest, "soffice", "--version").startswith("LibreOffice ")
