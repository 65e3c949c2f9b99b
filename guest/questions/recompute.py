"""Recalculates a workbook, since the results stored in the file may not match its formulas."""

from __future__ import annotations

from pathlib import Path

from ambidex.mcp_tools.office import connection

__all__ = ["recompute"]

FILTER = "Calc MS Excel 2007 XML"


def recompute(source: str, target: str) -> bool:
    """Open the workbook without a window, recalculate every formula and write it to `target`.

    Returns False if it cannot be opened as a workbook.
    """
    import uno

    def option(name: str, value: object) -> object:
        property_value = uno.createUnoStruct("com.sun.star.beans.PropertyValue")
        property_value.Name, property_value.Value = name, value
        return property_value

    options = (option("Hidden", True), option("MacroExecutionMode", 0), option("UpdateDocMode", 0))
    book = connection.desktop().loadComponentFromURL(Path(source).as_uri(), "_blank", 0, options)
    if book is None or not hasattr(book, "calculateAll"):
        return False
    try:
        book.calculateAll()
        book.storeToURL(Path(target).as_uri(), (option("FilterName", FILTER),))
    finally:
        book.close(True)
    return True
