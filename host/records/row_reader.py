"""The rows of a run, read while the run adds to them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from ambidex.host.errors import UsageError
from ambidex.host.records.config import RunConfig
from ambidex.host.records.rows import NAME, ForeignRowError, Row, explain_row, parse_row

__all__ = ["RowReader"]


@dataclass
class RowReader:
    """Reads `results.jsonl` from where the last read ended, so that a row is parsed once."""

    folder: Path
    restarts: int = 0
    """How often the file was replaced, as by a repair; its rows are then read from the start."""
    _offset: int = 0
    _lines: int = 0
    _seen: tuple[int, int] = field(default=(0, 0))
    """Inode and size of the file at the last read."""

    def read(self, config: RunConfig) -> list[Row]:
        """The rows added since the last call; all of them if the file was replaced (`restarts`).
        `UsageError` names a line that is not a row of this run. A line without an end is read once
        it is complete."""
        try:
            found = (self.folder / NAME).stat()
        except FileNotFoundError:
            return []
        now = (found.st_ino, found.st_size)
        if now == self._seen:
            return []
        if self._seen[0] not in (0, now[0]) or found.st_size < self._offset:
            self.restarts += 1
            self._offset = self._lines = 0
        with (self.folder / NAME).open("rb") as file:
            self._seen = (os.fstat(file.fileno()).st_ino, found.st_size)
            file.seek(self._offset)
            content = file.read()
        rows: list[Row] = []
        *complete, _ = content.split(b"\n")
        for at, line in enumerate(complete, 1):
            try:
                rows.append(parse_row(line, config))
            except (ValidationError, ForeignRowError) as error:
                self._seen = (0, 0)  # the next call looks at this line again
                if rows or (at == len(complete) and isinstance(error, ValidationError)):
                    break
                raise UsageError(
                    f"{self.folder / NAME}, line {self._lines + 1} is not a valid row: "
                    f"{explain_row(error)}",
                    hint="Resume the run to move the line out of the way.",
                ) from None
            self._offset += len(line) + 1
            self._lines += 1
        return rows
