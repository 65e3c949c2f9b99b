"""Files and folders, as the desktop user. Paths may start with ~; relative ones begin at the home
folder.
"""

from __future__ import annotations

import fnmatch
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.files import app

ENTRIES = 500
"""Entries that one listing or search returns at most."""
LOOKED_AT = 200_000
"""Entries that one search looks at."""

Where = Annotated[str, Field(min_length=1, description="such as ~/Documents/plan.txt")]
Overwrite = Annotated[bool, Field(description="replace an existing file")]


@dataclass(frozen=True)
class Entry:
    """A file or folder. `bytes` and `modified` are its own, not those of what it contains or points
    to.
    """

    path: str
    kind: Literal["file", "folder", "link", "other"]
    bytes: int
    modified: str
    permissions: str
    target: Optional[str] = None


@dataclass(frozen=True)
class Listing:
    """Entries in order of their names; `left_out` were too many."""

    entries: list[Entry]
    left_out: int


@dataclass(frozen=True)
class Text:
    """A piece of a text file; `next_offset` is where the rest begins, None at the end."""

    path: str
    text: str
    characters: int
    next_offset: Optional[int]


def at(path: str) -> Path:
    """The path with ~ resolved, its links left alone."""
    return Path(os.path.normpath(Path.home() / Path(path.removeprefix("file://")).expanduser()))


@contextmanager
def allowed() -> Iterator[None]:
    """What the system refuses, as `ToolError` in its words."""
    try:
        yield
    except OSError as error:
        code = type(error).__name__.removesuffix("Error").lower()
        names = " to ".join(str(each) for each in (error.filename, error.filename2) if each)
        raise ToolError(f"{error.strerror or error}: {names}.", code=code) from None
    except shutil.Error as error:
        raise ToolError(f"Not everything could be copied: {error}.", code="failed") from None


def entry(path: Path) -> Entry:
    """What is known of one path, without following a link."""
    found = path.lstat()
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
    kind = kinds.get(stat.S_IFMT(found.st_mode), "other")
    target = os.readlink(path) if kind == "link" else None
    changed = datetime.fromtimestamp(found.st_mtime).astimezone().isoformat(timespec="seconds")
    mode = stat.filemode(found.st_mode)
    return Entry(str(path), kind, found.st_size, changed, mode, target)  # type: ignore[arg-type]


def existing(path: str) -> Path:
    """The path, if something is there; `ToolError` names the nearest folder that is."""
    found = at(path)
    if not os.path.lexists(found):
        near = next(each for each in found.parents if each.is_dir())
        hint = f"The nearest folder that exists is {near}."
        raise ToolError(f"There is no {found}.", code="not_found", hint=hint)
    return found


def folder(path: str) -> Path:
    """The path, if it is a folder that can be read."""
    found = existing(path)
    if not found.is_dir():
        raise ToolError(f"{found} is not a folder.", code="not_folder")
    with allowed():
        os.scandir(found).close()
    return found


def below(top: Path) -> Iterator[Path]:
    """All that lies in a folder and below, in order; `ToolError` if that is too much. No link is
    followed, and what may not be read is passed over.
    """
    seen = 0
    for here, folders, names in os.walk(top):
        folders.sort()
        for name in sorted([*folders, *names]):
            yield Path(here, name)
            seen += 1
        if seen > LOOKED_AT:
            raise ToolError(
                f"{top} has more than {LOOKED_AT} entries.",
                code="too_large",
                hint="Take a smaller folder.",
            )


def listing(paths: Iterable[Path]) -> Listing:
    """As many of them as are told, and how many more there are."""
    found: list[Entry] = []
    more = 0
    for path in paths:
        if len(found) == ENTRIES:
            more += 1
            continue
        with suppress(FileNotFoundError, PermissionError):  # gone meanwhile, or hidden from us
            found.append(entry(path))
    return Listing(found, more)


def free(path: Path, overwrite: bool) -> Path:
    """The path, if writing there loses nothing that was not meant to go."""
    if path.is_dir() and not path.is_symlink():
        raise ToolError(f"{path} is a folder.", code="exists", hint="Give the full new path.")
    if os.path.lexists(path) and not overwrite:
        hint = "Choose another name or pass overwrite=true."
        raise ToolError(f"{path} exists already.", code="exists", hint=hint)
    if not path.parent.is_dir():
        hint = "Create it with files_create_directory."
        raise ToolError(f"There is no folder {path.parent}.", code="not_found", hint=hint)
    return path


def landing(source: Path, destination: str) -> Path:
    """Where a source lands: inside the destination if that is a folder, else as named."""
    goal = at(destination)
    if goal.is_dir():
        goal = goal / source.name
    if goal == source or source in goal.parents:
        raise ToolError(f"{goal} lies within {source} or is it.", code="same")
    return goal


@app.tool(reads_only=True)
def list_directory(
    path: Where,
    hidden: Annotated[
        bool, Field(description="hidden files (names with a leading dot) too")
    ] = False,
) -> Listing:
    """List what files are in a folder (ls): name, kind, size, modification time and permissions; at
    most 500 entries.
    """
    top = folder(path)
    with allowed():
        names = sorted(each for each in os.listdir(top) if hidden or not each.startswith("."))
        return listing(top / name for name in names)


@app.tool(reads_only=True)
def read_text(
    path: Where,
    offset: Annotated[int, Field(ge=0, description="characters to skip")] = 0,
    limit: Annotated[int, Field(ge=1, le=50_000, description="characters at most")] = 20_000,
) -> Text:
    """Read a text file (UTF-8): show or print what is written in it, or part of a long log."""
    file = existing(path)
    with allowed():
        if file.stat().st_size > 50_000_000 or not file.is_file():
            raise ToolError(f"{file} is not a file that can be read as text.", code="not_text")
        raw = file.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        hint = "Open it in its application."
        raise ToolError(f"{file} is not UTF-8 text.", code="not_text", hint=hint) from None
    end = offset + limit
    return Text(str(file), text[offset:end], len(text), end if end < len(text) else None)


@app.tool()
def write_text(
    path: Where,
    content: Annotated[str, Field(description="the whole text, or the text to append")],
    overwrite: Overwrite = False,
    append: Annotated[bool, Field(description="add at the end of the file")] = False,
) -> Entry:
    """Create a text file with this content (UTF-8), or append lines to one with `append`. The
    folder must exist; an existing file is replaced only with overwrite=true.
    """
    file = free(at(path), overwrite or append)
    with allowed(), file.open("a" if append else "w", encoding="utf-8", newline="") as out:
        out.write(content)
    return entry(file)


@app.tool()
def create_directory(path: Where) -> Entry:
    """Create a new, empty folder (mkdir -p), with missing parents. No error if it exists."""
    made = at(path)
    with allowed():
        made.mkdir(parents=True, exist_ok=True)
    return entry(made)


@app.tool(timeout=120)
def move(source: Where, destination: Where, overwrite: Overwrite = False) -> Entry:
    """Move a file or folder, put it into another folder, or rename it (mv). If the destination is a
    folder the source goes into it, otherwise it gets that name.
    """
    old = existing(source)
    new = free(landing(old, destination), overwrite)
    with allowed():
        shutil.move(old, new)
    return entry(new)


@app.tool(timeout=120)
def copy(source: Where, destination: Where, overwrite: Overwrite = False) -> Entry:
    """Copy or duplicate a file, or a folder with everything in it (cp -r), keeping times and
    permissions. If the destination is a folder the copy goes into it, otherwise it gets that name.
    """
    old = existing(source)
    new = free(landing(old, destination), overwrite)
    with allowed():
        if old.is_dir() and not old.is_symlink():
            shutil.copytree(old, new, symlinks=True)
        else:
            shutil.copy2(old, new, follow_symlinks=False)
    return entry(new)


@app.tool()
def trash(path: Where) -> str:
    """Delete (throw away) a file or folder by moving it to the trash (recycle bin); undo it with
    os_restore_file.
    """
    from gi.repository import Gio, GLib

    found = existing(path)
    try:
        Gio.File.new_for_path(str(found)).trash(None)
    except GLib.Error as error:
        raise ToolError(f"{found} was not moved to the trash: {error.message}.") from None
    return f"{found} is in the trash."


@app.tool(reads_only=True, timeout=60)
def find(
    path: Where,
    pattern: Annotated[
        str, Field(min_length=1, description="file name, such as *.pdf; ignores case")
    ],
) -> Listing:
    """Find where a file is: look for files by name, with a wildcard such as *.pdf, in a folder and
    all below it. At most 500 results.
    """
    wanted = pattern.lower()
    top = folder(path)
    return listing(each for each in below(top) if fnmatch.fnmatchcase(each.name.lower(), wanted))


@app.tool(reads_only=True)
def get_info(path: Where) -> Entry:
    """Get information on a path: whether it exists, type, size (how big), when last modified, and
    permissions.
    """
    with allowed():
        return entry(existing(path))
