"""Tools that save, export and set up the printing of spreadsheets."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.calc import app
from ambidex.mcp_tools.office import connection, documents
from ambidex.mcp_tools.office.documents import Document, Saved
from ambidex.mcp_tools.office.sheets import (
    SPREADSHEET,
    ChangedRange,
    Range,
    Sheet,
    locate,
    sheet_of,
    used_range,
)

__all__ = ["app"]

Overwrite = Annotated[bool, Field(description="replace an existing file")]
Pages = Annotated[int, Field(ge=0, le=100, description="number of pages; 0: as many as needed")]
PAGE = re.compile(rb"/Type\s*/Page\b")


@dataclass(frozen=True)
class ExportedPdf:
    """An exported PDF: its path, size, number of pages, and sheets."""

    path: str
    bytes: int
    pages: int
    sheets: list[str]


@app.tool(timeout=60)
def save(document: Document = None) -> Saved:
    """Save the spreadsheet (Ctrl+S): write changes to the workbook's own file, in its format,
    without a dialog.
    """
    return documents.save(documents.find(SPREADSHEET, document))


@app.tool(timeout=60)
def save_as(
    file_path: Annotated[str, Field(description="ends in .ods .xlsx .xls .csv or .html")],
    overwrite: Overwrite = False,
    document: Document = None,
) -> Saved:
    """Save a spreadsheet under another name or in another format, which converts it (ods, xlsx,
    csv, html); the window then shows that file. A .csv holds the active sheet only:
    calc_export_to_csv writes one without leaving the workbook.
    """
    return documents.save_as(
        documents.find(SPREADSHEET, document), SPREADSHEET, file_path, overwrite
    )


@app.tool(timeout=60)
def export_to_pdf(
    file_path: Annotated[
        Optional[str], Field(description="default: next to the file itself")
    ] = None,
    sheets: Annotated[
        Optional[list[str]], Field(min_length=1, description="names; default: all")
    ] = None,
    open_after_export: Annotated[bool, Field(description="show the PDF in the viewer")] = False,
    overwrite: Overwrite = False,
    document: Document = None,
) -> ExportedPdf:
    """Export a spreadsheet, or some sheets of it in workbook order, as PDF, to send or print it.
    Print ranges apply; the workbook stays unchanged.
    """
    model = documents.find(SPREADSHEET, document)
    with connection.uno_errors():
        requested = [sheet_of(model, name).Name for name in sheets or model.Sheets.ElementNames]
        names = [name for name in model.Sheets.ElementNames if name in requested]
        selection = _print_selection(model, names) if sheets else None
    return _export_pdf(model, names, file_path, overwrite, selection, show=open_after_export)


@app.tool(timeout=60)
def scale_first_sheet_and_export_pdf(
    output_path: Annotated[str, Field(description="the PDF, such as ~/report.pdf")],
    pages_x: Pages = 1,
    pages_y: Pages = 1,
    overwrite: Overwrite = False,
    document: Document = None,
) -> ExportedPdf:
    """Scale (shrink) the first sheet so that everything fits on one page, or on `pages_x` pages
    wide and `pages_y` tall, and export that sheet as PDF. The scale stays in the page style, so
    other sheets of that style get it too.
    """
    if not pages_x and not pages_y:
        raise ToolError("Give pages_x or pages_y.", code="bad_arguments")
    model = documents.find(SPREADSHEET, document)
    documents.check_target(output_path, overwrite)
    first = model.Sheets.getByIndex(0)
    with documents.editing(model, "Scale to pages"):
        style = model.StyleFamilies.getByName("PageStyles").getByName(first.PageStyle)
        style.ScaleToPagesX, style.ScaleToPagesY = pages_x, pages_y
    with connection.uno_errors():
        selection = _print_selection(model, [first.Name])
    return _export_pdf(model, [first.Name], output_path, overwrite, selection)


def _print_selection(model: Any, names: list[str]) -> Any:
    """A selection of the printed areas of these sheets."""
    selection = model.createInstance("com.sun.star.sheet.SheetCellRanges")
    for name in names:
        sheet = model.Sheets.getByName(name)
        for area in sheet.getPrintAreas() or (used_range(sheet).RangeAddress,):
            selection.addRangeAddress(area, False)
    return selection


def _export_pdf(
    model: Any,
    names: list[str],
    path: Optional[str],
    overwrite: bool,
    selection: Any,
    show: bool = False,
) -> ExportedPdf:
    options = {} if selection is None else {"Selection": selection}
    saved = documents.export_pdf(model, "calc_pdf_Export", path, overwrite, options)
    if show:
        subprocess.Popen(
            ["xdg-open", saved.path],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    pages = len(PAGE.findall(Path(saved.path).read_bytes()))
    return ExportedPdf(saved.path, saved.bytes, pages, names)


@app.tool(timeout=60)
def export_to_csv(
    file_path: Annotated[
        Optional[str], Field(description="default: next to the file itself, as .csv")
    ] = None,
    sheet: Sheet = None,
    delimiter: Annotated[
        str, Field(min_length=1, max_length=1, description="separator between values, such as ;")
    ] = ",",
    as_shown: Annotated[
        bool, Field(description="values as displayed, rounded and formatted")
    ] = True,
    overwrite: Overwrite = False,
    document: Document = None,
) -> Saved:
    """Export one sheet as a CSV text file (comma separated values, or semicolon and other
    delimiters) in UTF-8; the workbook stays open and unchanged.
    """
    model = documents.find(SPREADSHEET, document)
    own = documents.file_of(model)
    if file_path is None and own is None:
        message = f"{model.Title} has never been saved, so there is no folder for its CSV."
        raise ToolError(message, code="no_file", hint="Give file_path.")
    file = documents.check_target(
        file_path or str(own.with_suffix(".csv") if own else ""), overwrite
    )
    with connection.uno_errors():
        number = sheet_of(model, sheet).RangeAddress.Sheet + 1
        shown = str(as_shown).lower()
        options = f"{ord(delimiter)},34,76,1,,0,false,true,{shown},false,false,{number}"
        # Given a sheet number, Calc adds the sheet's name to the file name.
        with tempfile.TemporaryDirectory(prefix=".", dir=file.parent) as folder:
            url = (Path(folder) / "sheet.csv").as_uri()
            name = SPREADSHEET.filters[".csv"]
            arguments = documents.property_values(FilterName=name, FilterOptions=options)
            model.storeToURL(url, arguments)
            (written,) = Path(folder).iterdir()
            os.replace(written, file)
    return Saved(str(file), file.stat().st_size)


@app.tool()
def set_print_area(
    range_str: Range, sheet: Sheet = None, document: Document = None
) -> ChangedRange:
    """Define the print area (print range): the part of a sheet that is printed and exported to PDF.
    Replaces the previous one; to print everything, give the used range from calc_get_workbook_info.
    """
    target = locate(document, sheet, range_str, clip=True)
    with documents.editing(target.model, f"Print {target.range}"):
        target.sheet.setPrintAreas((target.cells.RangeAddress,))
    return target.changed
