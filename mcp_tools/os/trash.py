"""Tools for the desktop's trash, following the freedesktop.org trash specification 1.0."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Optional
from urllib.parse import unquote_to_bytes

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.files import files
from ambidex.mcp_tools.os import app

__all__ = ["app"]

MAX_LISTED = 500


@dataclass(frozen=True)
class TrashDirectory:
    """The trash folder for files deleted from the home folder; it exists after the first one."""

    path: str
    exists: bool
    items: int


@dataclass(frozen=True)
class TrashedFile:
    """A file or folder in the trash: its name there, original path and deletion date."""

    name: str
    original_path: str
    deleted: str
    kind: Literal["file", "folder", "link", "other"]


@dataclass(frozen=True)
class RestoredFile:
    """A restored file or folder: its path, original path and deletion date."""

    path: str
    original_path: str
    deleted: str
    kind: Literal["file", "folder", "link", "other"]


@dataclass(frozen=True)
class TrashItem:
    """A trashed file or folder: the paths of its content and of its record."""

    content: Path
    record: Path
    origin: Path
    deleted: str

    def to_result(self) -> TrashedFile:
        """Convert into a tool's result."""
        kind = files.describe(self.content).kind
        return TrashedFile(self.content.name, str(self.origin), self.deleted, kind)


def home_trash() -> Path:
    """Path of the home folder's trash."""
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share"
    return Path(data) / "Trash"


def trash_folders() -> Iterator[tuple[Path, Path]]:
    """All trash folders of this user, each with the folder its records are relative to."""
    # Paths in the home trash should be absolute; relative ones start at its parent folder.
    yield home_trash(), home_trash().parent
    uid = os.geteuid()
    for line in Path("/proc/self/mounts").read_bytes().splitlines():
        # Spaces are escaped as octal numbers in mount points.
        mount_point = line.split()[1].decode("unicode_escape").encode("latin-1")
        top = Path(os.fsdecode(mount_point))
        for trash in (top / ".Trash" / str(uid), top / f".Trash-{uid}"):
            linked = os.path.islink(trash) or os.path.islink(trash.parent)
            if os.path.isdir(trash / "info") and not linked:
                yield trash, top


def list_items() -> list[TrashItem]:
    """All items in the trash, latest deletion first."""
    result = []
    for trash, top in trash_folders():
        for record in sorted((trash / "info").glob("*.trashinfo")):
            item = read_record(record, trash / "files" / record.stem, top)
            if item is not None:
                result.append(item)
    return sorted(result, key=lambda item: item.deleted, reverse=True)


def read_record(record: Path, content: Path, top: Path) -> Optional[TrashItem]:
    """Read a record; None if it is unreadable or its content is missing."""
    try:
        first, *lines = record.read_bytes().splitlines()
    except (OSError, ValueError):
        return None
    pairs = (line.partition(b"=") for line in lines)
    fields: dict[bytes, bytes] = {}
    for key, _, value in pairs:
        fields.setdefault(key.strip(), value.strip())  # the first of repeated keys counts
    if first.strip() != b"[Trash Info]" or b"Path" not in fields or not os.path.lexists(content):
        return None
    # The path is percent-encoded, byte by byte.
    origin = Path(os.path.normpath(top / os.fsdecode(unquote_to_bytes(fields[b"Path"]))))
    return TrashItem(
        content, record, origin, fields.get(b"DeletionDate", b"").decode(errors="replace")
    )


@app.tool(reads_only=True)
def get_trash_directory() -> TrashDirectory:
    """Get the path of the trash folder (recycle bin): the directory where deleted files end up.
    Names in it may differ from the originals: see os_list_trash.
    """
    folder = home_trash() / "files"
    exists = folder.is_dir()
    return TrashDirectory(str(folder), exists, len(os.listdir(folder)) if exists else 0)


@app.tool(reads_only=True)
def list_trash() -> list[TrashedFile]:
    """List the deleted files in the trash (recycle bin), what was thrown away: name, original path,
    deletion date, kind; latest first, at most 500.
    """
    return [item.to_result() for item in list_items()[:MAX_LISTED]]


@app.tool(timeout=120)
def restore_file(
    file_name: Annotated[
        str,
        Field(
            min_length=1, description="its original name or path, or its name or path in the trash"
        ),
    ],
    destination: Annotated[
        Optional[str],
        Field(description="other place than the original one, such as ~/Desktop/old.txt"),
    ] = None,
) -> RestoredFile:
    """Restore a file or folder from the trash (recycle bin): undelete it, bring back what was
    deleted to its original place, creating missing folders. Never overwrites. Returns its path.
    """
    item = find_item(file_name)
    trashed = item.to_result()
    target = files.absolute_path(destination) if destination else item.origin
    if target.is_dir() and destination:
        target = target / item.origin.name
    if os.path.lexists(target):
        hint = "Give another `destination`, or move the existing file away first."
        raise ToolError(f"{target} already exists.", code="exists", hint=hint)
    with files.os_errors():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(item.content, target)
        item.record.unlink(missing_ok=True)
    return RestoredFile(str(target), trashed.original_path, trashed.deleted, trashed.kind)


def find_item(name: str) -> TrashItem:
    """Find an item by path or name; `ToolError` lists the candidates."""
    candidates = list_items()
    path = str(files.absolute_path(name)) if "/" in name else ""
    matching = (
        [item for item in candidates if path == str(item.content)]
        or [item for item in candidates if path == str(item.origin)]
        or [item for item in candidates if name in (item.content.name, item.origin.name)]
    )
    if len(matching) == 1:
        return matching[0]
    listed = "; ".join(
        f"{item.content}, deleted {item.deleted} as {item.origin}"
        for item in (matching or candidates)[:20]
    )
    if matching:
        raise ToolError(
            f"Several files in the trash match {name!r}.",
            code="ambiguous",
            hint=f"Give the path in the trash: {listed}.",
        )
    raise ToolError(
        f"Nothing in the trash matches {name!r}.",
        code="not_found",
        hint=f"In the trash: {listed or 'nothing'}.",
    )
