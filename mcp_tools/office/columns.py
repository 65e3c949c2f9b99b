"""Columns of a table, as people name them: by letter or by header."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Optional

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.office.cells import Value, column_name, column_number, number

__all__ = ["named"]


def named(names: Sequence[str], headers: Sequence[Value], first: int = 0) -> list[int]:
    """The columns of a table that begins at column `first` and has these headers.

    They are column letters if all names are letters of the table's columns, else headers, then
    letters. `ToolError` lists the headers if one is neither.
    """
    last = first + len(headers) - 1

    def by_letter(name: str) -> Optional[int]:
        number = column_number(name) if re.fullmatch("[A-Za-z]{1,3}", name) else -1
        return number if first <= number <= last else None

    lettered = [by_letter(name) for name in names]
    if None not in lettered:
        return [each for each in lettered if each is not None]
    titles = ["" if each is None else _spelled(each) for each in headers]
    found = []
    for name, letter in zip(names, lettered, strict=True):
        same = [x for x, title in enumerate(titles) if title == name]
        same = same or [x for x, title in enumerate(titles) if title and fold(title) == fold(name)]
        if len(same) > 1:
            columns = ", ".join(column_name(first + x) for x in same)
            message = f"Several columns are headed {name!r}: {columns}."
            raise ToolError(message, code="ambiguous", hint="Give the letters.")
        if same:
            found.append(first + same[0])
        elif letter is not None:
            found.append(letter)
        else:
            columns = f"{column_name(first)} to {column_name(last)}"
            hint = f"Columns {columns}; headers: {', '.join(filter(None, titles)) or 'none'}."
            raise ToolError(f"There is no column {name!r}.", code="no_column", hint=hint)
    return found


def fold(title: str) -> str:
    """As headers are compared: case and outer spaces do not matter."""
    return title.strip().casefold()


def _spelled(value: Value) -> str:
    return str(number(value) if isinstance(value, float) else value)
