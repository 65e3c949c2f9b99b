"""The evidence of stages, as the review page displays it: pictures, tables, text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from ambidex.evaluators.bounded import BoundsError, parse_json
from ambidex.toolgen import StageResult
from ambidex.toolgen.store import Folder

__all__ = ["PICTURES", "evidence_files", "preview"]

PICTURES = {".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp"}
SHOWN_FOLDERS = ("evidence", "pictures")
"""Folders whose files are shown. Reviews are stored elsewhere, and so are the exchanges with
models, which may quote reviews."""
LONGEST = 20_000
"""Characters of a text that a page receives; it links to the whole."""
ROWS = 300
"""Rows of a table that a page receives."""
FILES = 200
"""Files of one stage that are shown."""


def evidence_files(folder: Folder, result: StageResult) -> list[str]:
    """Paths of the files of a stage's evidence that a reviewer may see, with those in
    directories."""
    paths = []
    for path in filter(_is_shown, result.evidence):
        inner = sorted(file for file in (folder.path / path).rglob("*") if file.is_file())
        paths += [str(file.relative_to(folder.path)) for file in inner] or [path]
    return paths[:FILES]


def preview(folder: Folder, path: str) -> dict[str, Any]:
    """The JSON that displays a file: its `kind` (missing, picture, file, table or text) and the
    content that this kind needs."""
    data: dict[str, Any] = {"path": path, "name": PurePosixPath(path).stem}
    file = folder.path / path
    if not file.is_file():
        return {**data, "kind": "missing"}
    if file.suffix in PICTURES:
        return {**data, "kind": "picture"}
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return {**data, "kind": "file", "bytes": file.stat().st_size}
    if file.suffix == ".json" and (rows := _rows(text)):
        columns = list(dict.fromkeys(name for row in rows for name in row))
        cells = [[_cell(row.get(name)) for name in columns] for row in rows[:ROWS]]
        more = len(rows) - len(cells)
        return {**data, "kind": "table", "columns": columns, "rows": cells, "more": more}
    return {**data, "kind": "text", "text": text[:LONGEST], "more": max(0, len(text) - LONGEST)}


def _is_shown(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return len(parts) > 1 and parts[0] in SHOWN_FOLDERS and ".." not in parts


def _rows(text: str) -> list[Mapping[str, Any]]:
    try:
        data = parse_json(text)
    except BoundsError:
        return []
    if isinstance(data, list) and all(isinstance(row, dict) for row in data):
        return data
    return []


def _cell(value: Any) -> str | bool | int | float | None:
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "\n".join(value)
    return json.dumps(value, ensure_ascii=False)
