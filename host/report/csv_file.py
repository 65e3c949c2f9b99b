"""CSV files that are safe to open in a spreadsheet.

Much of their content is untrusted: a cell that begins like a formula would be evaluated when the
file is opened, and could send the sheet's data elsewhere.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

__all__ = ["cell", "write_csv_file"]

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "|", "%")
"""Prefixes that spreadsheets read as the start of a formula or command, or strip first."""


def write_csv_file(
    path: Path, columns: Sequence[str], records: Iterable[Mapping[str, object]]
) -> None:
    """Write records under these columns: booleans as true and false, None as an empty cell. Every
    text is quoted, so that a spreadsheet that splits at semicolons does not split a cell."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.DictWriter(file, columns, quoting=csv.QUOTE_NONNUMERIC)
        writer.writeheader()
        writer.writerows({key: cell(value) for key, value in record.items()} for record in records)


def cell(value: object) -> object:
    """Convert a value to a cell: text that begins like a formula is prefixed with an apostrophe,
    which makes spreadsheets read it as text."""
    if isinstance(value, bool):
        return str(value).lower()
    if value is None or isinstance(value, int | float):
        return value
    text = str(value).replace("\0", "\\x00")
    return f"'{text}" if text.lstrip(" \u00a0\ufeff").startswith(FORMULA) else text
