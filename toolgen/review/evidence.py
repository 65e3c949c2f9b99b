"""What stages saw, as a page can show it: pictures, tables, text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from ambidex.evaluators.bounded import BoundsError, parse_json
from ambidex.toolgen import StageResult
from ambidex.toolgen.store import Folder

__all__ = ["PICTURES", "given_out", "shown"]

PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp"}
OPEN = ("evidence", "pictures")
"""Directories that are shown. What people said lies elsewhere, and so do exchanges with models,
which may repeat it."""
LONGEST = 20_000
"""Characters of a text that a page gets; the whole is behind a link."""
ROWS = 300
FILES = 200


def given_out(folder: Folder, result: StageResult) -> list[str]:
    """Paths of the files of a stage's evidence that a reviewer may see, those of directories
    included."""
    found = []
    for path in filter(_inside, result.evidence):
        place = folder.path / path
        inner = sorted(each for each in place.rglob("*") if each.is_file())
        found += [str(each.relative_to(folder.path)) for each in inner] or [path]
    return found[:FILES]


def shown(folder: Folder, path: str) -> dict[str, Any]:
    """One piece: its `kind` and what that needs."""
    said: dict[str, Any] = {"path": path, "name": PurePosixPath(path).stem}
    file = folder.path / path
    if not file.is_file():
        return {**said, "kind": "missing"}
    if file.suffix in PICTURES:
        return {**said, "kind": "picture"}
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return {**said, "kind": "file", "bytes": file.stat().st_size}
    if file.suffix == ".json" and (rows := _rows(text)):
        columns = list(dict.fromkeys(name for row in rows for name in row))
        cells = [[_cell(row.get(name)) for name in columns] for row in rows[:ROWS]]
        more = len(rows) - len(cells)
        return {**said, "kind": "table", "columns": columns, "rows": cells, "more": more}
    return {**said, "kind": "text", "text": text[:LONGEST], "more": max(0, len(text) - LONGEST)}


def _inside(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return len(parts) > 1 and parts[0] in OPEN and ".." not in parts


def _rows(text: str) -> list[Mapping[str, Any]]:
    try:
        said = parse_json(text)
    except BoundsError:
        return []
    if isinstance(said, list) and all(isinstance(row, dict) for row in said):
        return said
    return []


def _cell(value: Any) -> str | bool | int | float | None:
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "\n".join(value)
    return json.dumps(value, ensure_ascii=False)
