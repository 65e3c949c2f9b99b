"""Computing a workbook anew: what its formulas give, whatever results the file stores."""

from __future__ import annotations

from pathlib import Path

from ambidex.mcp_tools.office import connection

__all__ = ["recompute"]

FILTER = "Calc MS Excel 2007 XML"


def recompute(source: str, target: str) -> bool:
    """Open the workbook unseen, compute every formula and write it to `target`; whether that could
    be done.
    """
    import uno

    def said(name: str, value: object) -> object:
        made = uno.createUnoStruct("com.sun.star.beans.PropertyValue")
        made.Name, made.Value = name, value
        return made

    hidden = (said("Hidden", True), said("MacroExecutionMode", 0), said("UpdateDocMode", 0))
    book = connection.desktop().loadComponentFromURL(Path(source).as_uri(), "_blank", 0, hidden)
    if book is None or not hasattr(book, "calculateAll"):
        return False
    try:
        book.calculateAll()
        book.storeToURL(Path(target).as_uri(), (said("FilterName", FILTER),))
    finally:
        book.close(True)
    return True
