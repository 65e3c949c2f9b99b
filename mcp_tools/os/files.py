"""Searching, renaming and copying whole trees of files, as the desktop user."""

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

COPIED = 20_000
"""Files that one call copies at most."""
COPIED_BYTES = 4_000_000_000
TEXT_BYTES = 5_000_000
"""Size up to which a file's text is searched."""
TEXT_IN_ALL = 500_000_000
"""Characters that one search looks through."""
TOLD = 200
"""Files that a result names."""

Folder = Annotated[str, Field(min_length=1, description="a folder, such as ~/Documents")]


@dataclass(frozen=True)
class Renamed:
    """A folder that got another path."""

    old: str
    new: str


@dataclass(frozen=True)
class Copied:
    """Files of a tree that matched, by their paths within it (at most 200 are named). `identical`
    were there already; `links` were passed over.
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
    return files.listing(having(files.folder(root_dir), keyword.lower(), contents))


def having(top: Path, wanted: str, contents: bool) -> Iterator[Path]:
    """What below a folder has that in its name or, if asked for, in its text."""
    read = 0
    for path in files.below(top):
        if wanted in path.name.lower():
            yield path
        elif contents:
            said = text(path)
            read += len(said)
            if read > TEXT_IN_ALL:
                message = f"{top} has more than {TEXT_IN_ALL} characters of text."
                raise ToolError(message, code="too_large", hint="Search in a smaller folder.")
            if wanted in said.lower():
                yield path


def text(path: Path) -> str:
    """What a small text file says; nothing for anything else."""
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
) -> Renamed:
    """Rename a directory (folder), give it another name, or move it to a new path, with its
    contents; `create_intermediate` creates parents. Never overwrites or merges. Returns both paths.
    """
    old = files.existing(old_path)
    if not old.is_dir() or old.is_symlink():
        hint = "Rename files with files_move."
        raise ToolError(f"{old} is not a folder.", code="not_folder", hint=hint)
    bare = new_path.rstrip("/")
    new = files.at(new_path if "/" in bare or not bare else f"{old.parent}/{bare}")
    if new == old or old in new.parents:
        raise ToolError(f"{new} lies within {old} or is it.", code="same")
    if os.path.lexists(new):
        raise ToolError(f"{new} exists already.", code="exists", hint="Choose another name.")
    with files.allowed():
        if create_intermediate:
            new.parent.mkdir(parents=True, exist_ok=True)
        elif not new.parent.is_dir():
            hint = "Pass create_intermediate=true to make it."
            raise ToolError(f"There is no folder {new.parent}.", code="not_found", hint=hint)
        shutil.move(old, new)
    return Renamed(str(old), str(new))


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
) -> Copied:
    """Copy all files that match a pattern (*.jpg) below a directory to another place and keep the
    folder structure: subfolders are preserved, as cp --parents does. Links are skipped; if a
    different file exists nothing is copied without overwrite=true.
    """
    top, goal = files.folder(root_dir), files.at(dest_dir)
    if goal == top:
        raise ToolError(f"{goal} is the tree itself.", code="same")
    found = list(matching(top, goal, pattern))
    plain = [each for each in found if not each.is_symlink()]
    told = [str(each.relative_to(top)) for each in plain[:TOLD]]
    links = len(found) - len(plain)
    if dry_run:
        return Copied(str(top), str(goal), True, len(plain), 0, 0, links, told)
    with files.allowed():
        bounded(plain)
        new = {each: goal / each.relative_to(top) for each in plain}
        todo = {old: path for old, path in new.items() if not same(old, path)}
        free(list(todo.values()), goal, overwrite)
        goal.mkdir(parents=True, exist_ok=True)
        for old, path in todo.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(old, path, follow_symlinks=False)
    counts = (len(plain), len(todo), len(plain) - len(todo), links)
    return Copied(str(top), str(goal), False, *counts, told)


def matching(top: Path, goal: Path, pattern: str) -> Iterator[Path]:
    """The files and links of a tree that match, without those that were copied before."""
    for each in files.below(top):
        if each == goal or goal in each.parents or (each.is_dir() and not each.is_symlink()):
            continue
        name = str(each.relative_to(top)) if "/" in pattern else each.name
        if fnmatch.fnmatchcase(name, pattern) and (each.is_file() or each.is_symlink()):
            yield each


def bounded(found: list[Path]) -> None:
    """Raise `ToolError` where they are too many or too large."""
    size = sum(each.stat().st_size for each in found)
    if len(found) > COPIED or size > COPIED_BYTES:
        raise ToolError(
            f"{len(found)} files with {size} bytes match; {COPIED} with {COPIED_BYTES} are copied.",
            code="too_large",
            hint="Take a smaller folder or a narrower pattern.",
        )


def same(old: Path, new: Path) -> bool:
    """Whether a file is there already with the same content."""
    return not new.is_symlink() and new.is_file() and filecmp.cmp(old, new, shallow=False)


def free(paths: list[Path], goal: Path, overwrite: bool) -> None:
    """Raise `ToolError` where something is in the way, or a link would lead out of the goal."""
    real = goal.resolve()
    for folder in {each.parent for each in paths}:
        if not folder.resolve().is_relative_to(real):
            raise ToolError(f"{folder} is a link out of {goal}.", code="link")
    taken = [each for each in paths if os.path.lexists(each)]
    blocked = [each for each in taken if each.is_dir() or each.is_symlink() or not overwrite]
    if blocked:
        names = ", ".join(map(str, blocked[:5]))
        more = f" and {len(blocked) - 5} more" if len(blocked) > 5 else ""
        raise ToolError(
            f"There is something else already: {names}{more}. Nothing was copied.",
            code="exists",
            hint="Choose another dest_dir, or pass overwrite=true to replace files.",
        )
