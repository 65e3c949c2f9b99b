"""Tools for files and folders, running as the desktop user.

Paths may start with ~; relative paths start at the home folder.
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

MAX_ENTRIES = 500
"""Maximum number of entries that a listing or search returns."""
MAX_SEARCHED = 200_000
"""Maximum number of entries that a search visits."""

Where = Annotated[str, Field(min_length=1, description="such as ~/Documents/plan.txt")]
Overwrite = Annotated[bool, Field(description="replace an existing file")]


@dataclass(frozen=True)
class Entry:
    """A file, folder or link. `bytes` and `modified` do not include contents or a link's target."""

    path: str
    kind: Literal["file", "folder", "link", "other"]
    bytes: int
    modified: str
    permissions: str
    target: Optional[str] = None


@dataclass(frozen=True)
class Listing:
    """Entries sorted by name; `left_out` counts those beyond the limit."""

    entries: list[Entry]
    left_out: int


@dataclass(frozen=True)
class Text:
    """Part of a text file; `next_offset` is where the rest begins, None at the end."""

    path: str
    text: str
    characters: int
    next_offset: Optional[int]


def absolute_path(path: str) -> Path:
    """Make a path absolute: expand ~ and file://, normalise, but do not follow links."""
    return Path(os.path.normpath(Path.home() / Path(path.removeprefix("file://")).expanduser()))


OS_CODES: dict[type[OSError], str] = {
    FileNotFoundError: "not_found",
    FileExistsError: "exists",
    NotADirectoryError: "not_folder",
    IsADirectoryError: "is_folder",
    PermissionError: "permission",
}
"""Error codes of the operating system's errors; any other is `failed`."""


@contextmanager
def os_errors() -> Iterator[None]:
    """Convert errors of the operating system into `ToolError` with the system's message."""
    try:
        yield
    except OSError as error:
        code = next((code for kind, code in OS_CODES.items() if isinstance(error, kind)), "failed")
        names = " to ".join(str(name) for name in (error.filename, error.filename2) if name)
        raise ToolError(f"{error.strerror or error}: {names}.", code=code) from None
    except shutil.Error as error:
        raise ToolError(f"Some files could not be copied: {error}.", code="failed") from None


def describe(path: Path) -> Entry:
    """Metadata of a path; links are not followed."""
    status = path.lstat()
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
    kind = kinds.get(stat.S_IFMT(status.st_mode), "other")
    target = os.readlink(path) if kind == "link" else None
    modified = datetime.fromtimestamp(status.st_mtime).astimezone().isoformat(timespec="seconds")
    mode = stat.filemode(status.st_mode)
    return Entry(str(path), kind, status.st_size, modified, mode, target)  # type: ignore[arg-type]


def existing_path(path: str) -> Path:
    """Resolve a path that must exist; `ToolError` names the nearest existing folder."""
    target = absolute_path(path)
    if not os.path.lexists(target):
        near = next(parent for parent in target.parents if parent.is_dir())
        hint = f"The nearest existing folder is {near}."
        raise ToolError(f"No such file or folder: {target}.", code="not_found", hint=hint)
    return target


def existing_folder(path: str) -> Path:
    """Resolve the path of a readable folder; `ToolError` otherwise."""
    target = existing_path(path)
    if not target.is_dir():
        raise ToolError(f"{target} is not a folder.", code="not_folder")
    with os_errors():
        os.scandir(target).close()
    return target


def walk(top: Path) -> Iterator[Path]:
    """All paths below a folder, sorted; `ToolError` if there are too many. Links are not followed
    and unreadable folders are skipped.
    """
    count = 0
    for directory, folders, names in os.walk(top):
        folders.sort()
        for name in sorted([*folders, *names]):
            yield Path(directory, name)
            count += 1
        if count > MAX_SEARCHED:
            raise ToolError(
                f"{top} has more than {MAX_SEARCHED} entries.",
                code="too_large",
                hint="Choose a smaller folder.",
            )


def list_entries(paths: Iterable[Path]) -> Listing:
    """Describe the paths up to the limit and count the rest."""
    entries: list[Entry] = []
    left_out = 0
    for path in paths:
        if len(entries) == MAX_ENTRIES:
            left_out += 1
            continue
        with suppress(FileNotFoundError, PermissionError):  # removed meanwhile, or not accessible
            entries.append(describe(path))
    return Listing(entries, left_out)


def check_target(path: Path, overwrite: bool) -> Path:
    """Return a path that may be written; `ToolError` if that would lose a file or has no folder."""
    if path.is_dir() and not path.is_symlink():
        raise ToolError(
            f"{path} is a folder.", code="exists", hint="Give the full path of the new file."
        )
    if os.path.lexists(path) and not overwrite:
        hint = "Choose another name or pass overwrite=true."
        raise ToolError(f"{path} already exists.", code="exists", hint=hint)
    if not path.parent.is_dir():
        hint = "Create it with files_create_directory."
        raise ToolError(f"No such folder: {path.parent}.", code="not_found", hint=hint)
    return path


def final_path(source: Path, destination: str) -> Path:
    """The final path of a source: inside the destination if that is a folder, else that path."""
    target = absolute_path(destination)
    if target.is_dir():
        target = target / source.name
    if target == source or source in target.parents:
        raise ToolError(f"{target} is {source} itself or inside it.", code="same")
    return target


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
    top = existing_folder(path)
    with os_errors():
        names = sorted(name for name in os.listdir(top) if hidden or not name.startswith("."))
        return list_entries(top / name for name in names)


@app.tool(reads_only=True)
def read_text(
    path: Where,
    offset: Annotated[int, Field(ge=0, description="characters to skip")] = 0,
    limit: Annotated[int, Field(ge=1, le=50_000, description="characters at most")] = 20_000,
) -> Text:
    """Read a text file (UTF-8): show or print what is written in it, or part of a long log."""
    file = existing_path(path)
    with os_errors():
        if file.stat().st_size > 50_000_000 or not file.is_file():
            raise ToolError(f"Not a readable text file: {file}.", code="not_text")
        raw = file.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        hint = "Open it with its application."
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
    file = check_target(absolute_path(path), overwrite or append)
    with os_errors(), file.open("a" if append else "w", encoding="utf-8", newline="") as out:
        out.write(content)
    return describe(file)


@app.tool()
def create_directory(path: Where) -> Entry:
    """Create a new, empty folder (mkdir -p), with missing parents. No error if it exists."""
    target = absolute_path(path)
    with os_errors():
        target.mkdir(parents=True, exist_ok=True)
    return describe(target)


@app.tool(timeout=120)
def move(source: Where, destination: Where, overwrite: Overwrite = False) -> Entry:
    """Move a file or folder, put it into another folder, or rename it (mv). If the destination is a
    folder the source goes into it, otherwise it gets that name.
    """
    old = existing_path(source)
    new = check_target(final_path(old, destination), overwrite)
    with os_errors():
        shutil.move(old, new)
    return describe(new)


@app.tool(timeout=120)
def copy(source: Where, destination: Where, overwrite: Overwrite = False) -> Entry:
    """Copy or duplicate a file, or a folder with everything in it (cp -r), keeping times and
    permissions. If the destination is a folder the copy goes into it, otherwise it gets that name.
    """
    old = existing_path(source)
    new = check_target(final_path(old, destination), overwrite)
    with os_errors():
        if old.is_dir() and not old.is_symlink():
            shutil.copytree(old, new, symlinks=True)
        else:
            shutil.copy2(old, new, follow_symlinks=False)
    return describe(new)


@app.tool()
def trash(path: Where) -> str:
    """Delete (throw away) a file or folder by moving it to the trash (recycle bin); undo it with
    os_restore_file.
    """
    from gi.repository import Gio, GLib

    target = existing_path(path)
    try:
        Gio.File.new_for_path(str(target)).trash(None)
    except GLib.Error as error:
        raise ToolError(f"Could not move {target} to the trash: {error.message}.") from None
    return f"{target} was moved to the trash."


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
    glob = pattern.lower()
    top = existing_folder(path)
    return list_entries(
        candidate for candidate in walk(top) if fnmatch.fnmatchcase(candidate.name.lower(), glob)
    )


@app.tool(reads_only=True)
def get_info(path: Where) -> Entry:
    """Get information on a path: whether it exists, type, size (how big), when last modified, and
    permissions.
    """
    with os_errors():
        return describe(existing_path(path))
