"""Tools that search, rename and copy whole folders, running as the desktop user."""

from __future__ import annotations

import filecmp
import fnmatch
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.files import files
from ambidex.mcp_tools.os import app

__all__ = ["app"]

MAX_FILES = 20_000
"""Maximum number of files that a call copies."""
MAX_BYTES = 4_000_000_000
TEXT_BYTES = 5_000_000
"""Size limit of text files that are searched, in bytes."""
MAX_TEXT = 500_000_000
"""Maximum number of characters that a search reads."""
LISTED_FILES = 200
"""Maximum number of files named in a result."""

Folder = Annotated[str, Field(min_length=1, description="a folder, such as ~/Documents")]


@dataclass(frozen=True)
class RenamedFolder:
    """A renamed folder: its old and new path."""

    old: str
    new: str


@dataclass(frozen=True)
class CopyResult:
    """Result of a copy. `files` are paths of matching files within the folder, at most 200;
    `identical` files already existed unchanged; `links` were skipped.
    """

    root: str
    destination: str
    dry_run: bool
    matching: int
    copied: int
    identical: int
    links: int
    files: list[str]


@app.tool(reads_only=True, timeout=120)
def search_files(
    keyword: Annotated[
        str, Field(min_length=1, description="part of the name, ignoring case; no wildcards")
    ],
    root_dir: Folder = "~",
    contents: Annotated[
        bool, Field(description="also find text files that contain the keyword, up to 5 MB each")
    ] = False,
) -> files.Listing:
    """Search files by keyword: names that contain it and, with `contents`, text files that contain
    the word (grep), in a directory and all below. At most 500 results, links not followed. For
    wildcards use files_find.
    """
    return files.list_entries(
        find_matching(files.existing_folder(root_dir), keyword.lower(), contents)
    )


def find_matching(top: Path, keyword: str, contents: bool) -> Iterator[Path]:
    """Paths below a folder with the keyword in the name or, with `contents`, in the text."""
    searched = 0
    for path in files.walk(top):
        if keyword in path.name.lower():
            yield path
        elif contents:
            content = read_text(path)
            searched += len(content)
            if searched > MAX_TEXT:
                message = f"{top} has more than {MAX_TEXT} characters of text."
                raise ToolError(message, code="too_large", hint="Search in a smaller folder.")
            if keyword in content.lower():
                yield path


def read_text(path: Path) -> str:
    """The content of a small text file; empty for anything else."""
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > TEXT_BYTES:
            return ""
        raw = path.read_bytes()
    except OSError:
        return ""
    return "" if b"\0" in raw[:4096] else raw.decode(errors="replace")


@app.tool(timeout=60)
def rename_directory(
    old_path: Annotated[str, Field(min_length=1, description="the folder, such as ~/Desktop/old")],
    new_path: Annotated[
        str,
        Field(min_length=1, description="its new path; a bare name leaves it in the same folder"),
    ],
    create_intermediate: Annotated[
        bool, Field(description="create missing parent folders")
    ] = False,
) -> RenamedFolder:
    """Rename a directory (folder), give it another name, or move it to a new path, with its
    contents; `create_intermediate` creates parents. Never overwrites or merges. Returns both paths.
    """
    old = files.existing_path(old_path)
    if not old.is_dir() or old.is_symlink():
        hint = "Rename files with files_move."
        raise ToolError(f"{old} is not a folder.", code="not_folder", hint=hint)
    stripped = new_path.rstrip("/")
    new = files.absolute_path(
        new_path if "/" in stripped or not stripped else f"{old.parent}/{stripped}"
    )
    if new == old or old in new.parents:
        raise ToolError(f"{new} is {old} itself or inside it.", code="same")
    if os.path.lexists(new):
        raise ToolError(f"{new} already exists.", code="exists", hint="Choose another name.")
    with files.os_errors():
        if create_intermediate:
            new.parent.mkdir(parents=True, exist_ok=True)
        elif not new.parent.is_dir():
            hint = "Pass create_intermediate=true to create it."
            raise ToolError(f"No such folder: {new.parent}.", code="not_found", hint=hint)
        shutil.move(old, new)
    return RenamedFolder(str(old), str(new))


@app.tool(timeout=120)
def copy_matching_files_with_hierarchy(
    root_dir: Annotated[str, Field(min_length=1, description="directory to search")] = "~",
    dest_dir: Annotated[
        str, Field(min_length=1, description="target directory; created if missing")
    ] = "~/matching",
    pattern: Annotated[
        str,
        Field(
            min_length=1,
            description="of file names, such as *.jpg, or with / of relative paths; case-sensitive",
        ),
    ] = "*",
    dry_run: Annotated[bool, Field(description="only list which files match")] = False,
    overwrite: files.Overwrite = False,
) -> CopyResult:
    """Copy all files that match a pattern (*.jpg) below a directory to another place and keep the
    folder structure: subfolders are preserved, as cp --parents does. Links are skipped; if a
    different file exists nothing is copied without overwrite=true.
    """
    top, target = files.existing_folder(root_dir), files.absolute_path(dest_dir)
    if target == top:
        raise ToolError(
            f"The source and the destination are the same folder: {target}.", code="same"
        )
    matches = list(matching_files(top, target, pattern))
    regular = [file for file in matches if not file.is_symlink()]
    listed = [str(file.relative_to(top)) for file in regular[:LISTED_FILES]]
    links = len(matches) - len(regular)
    if dry_run:
        return CopyResult(str(top), str(target), True, len(regular), 0, 0, links, listed)
    with files.os_errors():
        check_size(regular)
        targets = {file: target / file.relative_to(top) for file in regular}
        pending = {old: path for old, path in targets.items() if not is_identical(old, path)}
        check_targets(list(pending.values()), target, overwrite)
        target.mkdir(parents=True, exist_ok=True)
        for old, path in pending.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(old, path, follow_symlinks=False)
    counts = (len(regular), len(pending), len(regular) - len(pending), links)
    return CopyResult(str(top), str(target), False, *counts, listed)


def matching_files(top: Path, target: Path, pattern: str) -> Iterator[Path]:
    """The matching files and links of a folder, except those inside the destination."""
    for path in files.walk(top):
        if path == target or target in path.parents or (path.is_dir() and not path.is_symlink()):
            continue
        name = str(path.relative_to(top)) if "/" in pattern else path.name
        if fnmatch.fnmatchcase(name, pattern) and (path.is_file() or path.is_symlink()):
            yield path


def check_size(paths: list[Path]) -> None:
    """`ToolError` if there are too many files or they are too large."""
    size = sum(path.stat().st_size for path in paths)
    if len(paths) > MAX_FILES or size > MAX_BYTES:
        raise ToolError(
            f"{len(paths)} files of {size} bytes match; the limit is {MAX_FILES} and {MAX_BYTES}.",
            code="too_large",
            hint="Choose a smaller folder or a narrower pattern.",
        )


def is_identical(old: Path, new: Path) -> bool:
    """Whether the target already exists with the same content."""
    return not new.is_symlink() and new.is_file() and filecmp.cmp(old, new, shallow=False)


def check_targets(paths: list[Path], target: Path, overwrite: bool) -> None:
    """`ToolError` if a target exists, or if a link leads out of the destination."""
    resolved = target.resolve()
    for folder in {path.parent for path in paths}:
        if not folder.resolve().is_relative_to(resolved):
            raise ToolError(f"A link leads out of {target}: {folder}.", code="link")
    existing = [path for path in paths if os.path.lexists(path)]
    blocked = [path for path in existing if path.is_dir() or path.is_symlink() or not overwrite]
    if blocked:
        names = ", ".join(map(str, blocked[:5]))
        more = f" and {len(blocked) - 5} more" if len(blocked) > 5 else ""
        raise ToolError(
            f"Nothing was copied, because these already exist: {names}{more}.",
            code="exists",
            hint="Choose another dest_dir, or pass overwrite=true to replace files.",
        )
