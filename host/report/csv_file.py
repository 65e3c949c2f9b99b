"""CSV files for spreadsheets. Much of what is in them was written by others: a cell that begins
like a formula would be worked out when the file is opened, and can send away what the sheet holds.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

__all__ = ["cell", "write_csv_file"]

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "|", "%")
"""What spreadsheets take for the beginning of a formula or of a command, or drop before looking."""


def write_csv_file(
    path: Path, columns: Sequence[str], records: Iterable[Mapping[str, object]]
) -> None:
    """Write records under these columns; truth values as true and false, what is not known as
    nothing. Every text is quoted: where a semicolon separates cells, none begins within one."""
    with path.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
        writer = csv.DictWriter(file, columns, quoting=csv.QUOTE_NONNUMERIC)
        writer.writeheader()
        writer.writerows({key: cell(value) for key, value in record.items()} for record in records)


def cell(value: object) -> object:
    """A value as such a file has it: a text that begins like a formula gets an apostrophe, which
    makes it a text to spreadsheets."""
    if isinstance(value, bool):
        return str(value).lower()
    if value is None or isinstance(value, int | float):
        return value
    text = str(value).replace("\0", "\\x00")
    return f"'{text}" if text.lstrip(" \u00a0\ufeff").startswith(FORMULA) else text
