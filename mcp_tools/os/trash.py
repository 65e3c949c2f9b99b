"""The desktop's trash: what is in it and how it comes back, as the freedesktop.org trash
specification 1.0 lays it down.
"""

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

LISTED = 500


@dataclass(frozen=True)
class TrashDirectory:
    """The folder of what was deleted from the home folder; it exists once something was."""

    path: str
    exists: bool
    items: int


@dataclass(frozen=True)
class Trashed:
    """Something in the trash: its name there, where it was, when it was deleted."""

    name: str
    original_path: str
    deleted: str
    kind: Literal["file", "folder", "link", "other"]


@dataclass(frozen=True)
class Restored:
    """What came back: where it is, where it had been, when it was deleted."""

    path: str
    original_path: str
    deleted: str
    kind: Literal["file", "folder", "link", "other"]


@dataclass(frozen=True)
class Item:
    """Something in the trash, and where both of its parts lie."""

    kept: Path
    record: Path
    origin: Path
    deleted: str

    def told(self) -> Trashed:
        """As a tool returns it."""
        kind = files.entry(self.kept).kind
        return Trashed(self.kept.name, str(self.origin), self.deleted, kind)


def home_trash() -> Path:
    """The trash of the home folder."""
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share"
    return Path(data) / "Trash"


def trashes() -> Iterator[tuple[Path, Path]]:
    """Each trash of this user, and the folder to which its records are relative."""
    # In the home folder's they should be absolute; a relative one is taken from its own place.
    yield home_trash(), home_trash().parent
    uid = os.geteuid()
    for line in Path("/proc/self/mounts").read_bytes().splitlines():
        # Spaces are written as octal numbers there.
        point = line.split()[1].decode("unicode_escape").encode("latin-1")
        top = Path(os.fsdecode(point))
        for trash in (top / ".Trash" / str(uid), top / f".Trash-{uid}"):
            linked = os.path.islink(trash) or os.path.islink(trash.parent)
            if os.path.isdir(trash / "info") and not linked:
                yield trash, top


def items() -> list[Item]:
    """All that is in the trash, what was deleted last first."""
    found = []
    for trash, top in trashes():
        for record in sorted((trash / "info").glob("*.trashinfo")):
            item = recorded(record, trash / "files" / record.stem, top)
            if item is not None:
                found.append(item)
    return sorted(found, key=lambda each: each.deleted, reverse=True)


def recorded(record: Path, kept: Path, top: Path) -> Optional[Item]:
    """What a record says; None if it belongs to nothing or cannot be read."""
    try:
        first, *lines = record.read_bytes().splitlines()
    except (OSError, ValueError):
        return None
    pairs = (line.partition(b"=") for line in lines)
    said: dict[bytes, bytes] = {}
    for key, _, value in pairs:
        said.setdefault(key.strip(), value.strip())  # of a repeated key the first one counts
    if first.strip() != b"[Trash Info]" or b"Path" not in said or not os.path.lexists(kept):
        return None
    # The path is written as in a URL, byte by byte.
    origin = Path(os.path.normpath(top / os.fsdecode(unquote_to_bytes(said[b"Path"]))))
    return Item(kept, record, origin, said.get(b"DeletionDate", b"").decode(errors="replace"))


@app.tool(reads_only=True)
def get_trash_directory() -> TrashDirectory:
    """Get the path of the trash folder (recycle bin): the directory where deleted files end up.
    Names in it may differ from the originals: see os_list_trash.
    """
    folder = home_trash() / "files"
    there = folder.is_dir()
    return TrashDirectory(str(folder), there, len(os.listdir(folder)) if there else 0)


@app.tool(reads_only=True)
def list_trash() -> list[Trashed]:
    """List the deleted files in the trash (recycle bin), what was thrown away: name, original path,
    deletion date, kind; latest first, at most 500.
    """
    return [each.told() for each in items()[:LISTED]]


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
) -> Restored:
    """Restore a file or folder from the trash (recycle bin): undelete it, bring back what was
    deleted to its original place, creating missing folders. Never overwrites. Returns its path.
    """
    item = chosen(file_name)
    told = item.told()
    goal = files.at(destination) if destination else item.origin
    if goal.is_dir() and destination:
        goal = goal / item.origin.name
    if os.path.lexists(goal):
        hint = "Give another `destination`, or move what is there away first."
        raise ToolError(f"{goal} exists already.", code="exists", hint=hint)
    with files.allowed():
        goal.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(item.kept, goal)
        item.record.unlink(missing_ok=True)
    return Restored(str(goal), told.original_path, told.deleted, told.kind)


def chosen(name: str) -> Item:
    """The one that is meant; `ToolError` lists what there is."""
    there = items()
    path = str(files.at(name)) if "/" in name else ""
    matching = (
        [each for each in there if path == str(each.kept)]
        or [each for each in there if path == str(each.origin)]
        or [each for each in there if name in (each.kept.name, each.origin.name)]
    )
    if len(matching) == 1:
        return matching[0]
    shown = "; ".join(
        f"{each.kept}, deleted {each.deleted} as {each.origin}" for each in (matching or there)[:20]
    )
    if matching:
        raise ToolError(
            f"Several in the trash are {name!r}.",
            code="ambiguous",
            hint=f"Give the path in the trash: {shown}.",
        )
    raise ToolError(
        f"Nothing in the trash is {name!r}.", code="not_found", hint=f"In it: {shown or 'nothing'}."
    )
