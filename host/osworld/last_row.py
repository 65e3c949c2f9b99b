"""The last row of a workbook's first sheet, formatted by pandas, as OSWorld compares it."""

from __future__ import annotations

from pathlib import Path

from pydantic import JsonValue

from ambidex.evaluators import UnreadableError
from ambidex.evaluators.evidence import BROKEN, read_package
from ambidex.host.osworld.getter_context import GetterError

__all__ = ["last_row"]


def last_row(folder: Path, name: str) -> list[JsonValue]:
    """The cells of the last row as texts; the first row of the sheet is the header."""
    import pandas  # heavy

    try:
        frame = pandas.read_excel(read_package(folder, name))
        return [str(cell) for cell in frame.iloc[-1].astype(str).tolist()]
    except UnreadableError as unreadable:
        raise GetterError(str(unreadable)) from None
    except BROKEN as error:
        raise GetterError(f"{name} has no last row: {error}") from None
