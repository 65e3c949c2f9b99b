"""Finding columns of a table by letter or by header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Optional

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.office.cells import Value, column_name, column_number, plain_number

__all__ = ["find_columns"]


def find_columns(names: Sequence[str], headers: Sequence[Value], first: int = 0) -> list[int]:
    """Translate names into column numbers of a table with these headers that starts at `first`.

    If all names are letters of columns in the table, they are taken as letters; otherwise as
    headers first and letters second. `ToolError` lists the headers if a name is neither.
    """
    last = first + len(headers) - 1

    def by_letter(name: str) -> Optional[int]:
        column = column_number(name) if re.fullmatch("[A-Za-z]{1,3}", name) else -1
        return column if first <= column <= last else None

    lettered = [by_letter(name) for name in names]
    if None not in lettered:
        return [number for number in lettered if number is not None]
    titles = ["" if header is None else _to_text(header) for header in headers]
    columns_found = []
    for name, letter in zip(names, lettered, strict=True):
        matches = [x for x, title in enumerate(titles) if title == name]
        matches = matches or [
            x for x, title in enumerate(titles) if title and normalize(title) == normalize(name)
        ]
        if len(matches) > 1:
            columns = ", ".join(column_name(first + x) for x in matches)
            message = f"Several columns have the header {name!r}: {columns}."
            raise ToolError(message, code="ambiguous", hint="Use column letters.")
        if matches:
            columns_found.append(first + matches[0])
        elif letter is not None:
            columns_found.append(letter)
        else:
            columns = f"{column_name(first)} to {column_name(last)}"
            hint = f"Columns {columns}; headers: {', '.join(filter(None, titles)) or 'none'}."
            raise ToolError(f"No such column: {name!r}.", code="no_column", hint=hint)
    return columns_found


def normalize(title: str) -> str:
    """Normalise a header for comparison: ignore case and surrounding spaces."""
    return title.strip().casefold()


def _to_text(value: Value) -> str:
    return str(plain_number(value) if isinstance(value, float) else value)
