"""Text found and replaced in the files of VS Code's workspace, as its search panel would: the same
files are left out, and what an editor shows and has not saved counts, not what is on disk.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.code import app, editor, jsonc

__all__ = ["app"]

MATCHES = 200
"""Matches that one search returns at most; all are counted."""
LINE = 300
"""Characters of a line that are returned at most."""
LARGEST = 20_000_000
"""Bytes of the largest file that is looked at."""
HIDDEN = ("**/.git", "**/.svn", "**/.hg", "**/.DS_Store", "**/Thumbs.db")
UNSEARCHED = ("**/node_modules", "**/bower_components", "**/*.code-search")

All = Annotated[
    bool,
    Field(description="all files of the workspace; else only the active editor"),
]
Where = Annotated[
    Optional[str],
    Field(description="a file or folder instead, such as ~/project/src; needs no window"),
]
Include = Annotated[
    Optional[str], Field(description="only files of this glob, such as *.py or src/**")
]
Regex = Annotated[bool, Field(description="Python regular expression, line by line with ^ $")]
Case = Annotated[bool, Field(description="case-sensitive")]
Word = Annotated[bool, Field(description="whole words only")]


@dataclass(frozen=True)
class Match:
    """One place; line and column count from 1, as code_goto_file takes them."""

    file: str
    line: int
    column: int
    text: str


@dataclass(frozen=True)
class Found:
    """How often it is there, in how many of the files looked at, and the first places of it."""

    count: int
    files: int
    looked_at: int
    matches: list[Match]
    left_out: int


@dataclass(frozen=True)
class Replaced:
    """What was replaced in one file; `saved` is false where its editor had unsaved changes: the
    replacement was made in the editor, as one step to undo, and is left for its owner to save.
    """

    file: str
    count: int
    saved: bool


@dataclass(frozen=True)
class Replacement:
    """How many places were replaced, file by file."""

    count: int
    looked_at: int
    files: list[Replaced]


@dataclass(frozen=True)
class Source:
    """A text to look in; `address` is where the window answers whose editor holds it unsaved."""

    file: str
    text: str
    address: Optional[Path] = None


def pattern(text: str, regex: bool, match_case: bool, whole_word: bool) -> re.Pattern[str]:
    """What to look for; `ToolError` if it is no expression."""
    wanted = text if regex else re.escape(text)
    if whole_word:
        wanted = rf"(?<!\w)(?:{wanted})(?!\w)"
    try:
        return re.compile(wanted, re.MULTILINE | (0 if match_case else re.IGNORECASE))
    except (re.error, RecursionError, OverflowError) as error:
        message = f"{text!r:.200} is no regular expression: {error}."
        raise ToolError(message, code="bad_regex") from None


def sources(all_files: bool, path: Optional[str], include: Optional[str]) -> Iterator[Source]:
    """The texts to look in. Unsaved text comes first, then files on disk."""
    unsaved = {}
    for address, _ in reversed(editor.windows()):
        for each in editor.ask(address, "unsaved"):
            unsaved[each["path"]] = Source(each["path"], each["text"], address)
    if path is None and not all_files:
        shown = editor.front()[1].editor
        if shown is None:
            hint = "Open one with code_goto_file, or pass all_files=true or a path."
            raise ToolError("No text editor is active.", code="no_editor", hint=hint)
        names = [shown.path]
    else:
        names = list(files(folders(path), include))
    for name in names:
        if name in unsaved:
            yield unsaved[name]
        elif (text := text_in(Path(name))) is not None:
            yield Source(name, text)


def folders(path: Optional[str]) -> list[Path]:
    """Where to look for files."""
    if path is not None:
        found = editor.absolute(path)
        if not found.exists():
            raise ToolError(f"There is no {found}.", code="not_found")
        return [found]
    window = editor.front()[1]
    if not window.folders:
        hint = "Open one with code_launch_vscode, or pass a path."
        raise ToolError("The window shows no folder.", code="no_folder", hint=hint)
    return [Path(each) for each in window.folders]


def files(within: list[Path], include: Optional[str]) -> Iterator[str]:
    """The files there that VS Code would search, by its own means."""
    given = [f"--glob={include}"] if include else []
    given += [f"--glob=!{each}" for each in excluded()]
    for folder in within:
        if folder.is_file():
            yield str(folder)
            continue
        command = [str(editor.ripgrep()), "--files", "--no-config", "--hidden", "--no-require-git"]
        command += ["--no-ignore-parent", "--sort=path", *given]
        ran = subprocess.run(command, cwd=folder, capture_output=True, timeout=60, check=False)
        if ran.returncode > 1:
            said = ran.stderr.decode(errors="replace").strip()
            raise ToolError(f"The search says: {said[-500:]}", code="refused")
        for name in ran.stdout.splitlines():
            yield str(folder / os.fsdecode(name))


def excluded() -> list[str]:
    """The globs of what VS Code leaves out, by its settings."""
    found = editor.windows()
    chosen = dict.fromkeys((*HIDDEN, *UNSEARCHED), True)
    for key in ("files.exclude", "search.exclude"):
        if found:
            said: Any = editor.ask(found[0][0], "setting", key=key)["value"]
        else:
            file = editor.user_folder() / "settings.json"
            try:
                said = jsonc.parse(file.read_text()).get(key)
            except (OSError, ValueError):
                said = None
        chosen.update({glob: on is True for glob, on in (said or {}).items()})
    return [glob for glob, on in chosen.items() if on]


def text_in(file: Path) -> Optional[str]:
    """The text of a file; None if it is none that can be read as UTF-8."""
    try:
        if not file.is_file() or file.stat().st_size > LARGEST:
            return None
        raw = file.read_bytes()
        return None if b"\0" in raw else raw.decode()
    except (OSError, UnicodeDecodeError):
        return None


def places(wanted: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Where it is; an expression that fits nothing at all does not count."""
    return (each for each in wanted.finditer(text) if each.group())


def described(source: Source, at: re.Match[str]) -> Match:
    """The place as a window counts it: columns in UTF-16."""
    start = source.text.rfind("\n", 0, at.start()) + 1
    end = source.text.find("\n", at.start())
    line = source.text[start : end if end >= 0 else None].rstrip("\r")
    before = source.text[start : at.start()]
    column = len(before.encode("utf-16-le", "surrogatepass")) // 2 + 1
    begins = max(0, len(before) - LINE // 2) if len(line) > LINE else 0
    number = source.text.count("\n", 0, start) + 1
    return Match(source.file, number, column, line[begins : begins + LINE])


@app.tool(reads_only=True, timeout=120)
def search_text(
    text: Annotated[str, Field(min_length=1, description="what to look for, in any script")],
    all_files: All = False,
    path: Where = None,
    include: Include = None,
    regex: Regex = False,
    match_case: Case = False,
    whole_word: Word = False,
) -> Found:
    """Find text in source code: search the active editor, all files of the workspace (project), or
    a file or folder, for a string, function name or regular expression. Skips what VS Code's search
    excludes; unsaved changes count. Returns at most 200 places and the count.
    """
    wanted = pattern(text, regex, match_case, whole_word)
    count = looked_at = with_it = 0
    first: list[Match] = []
    for source in sources(all_files, path, include):
        looked_at += 1
        before = count
        for each in places(wanted, source.text):
            count += 1
            if len(first) < MATCHES:
                first.append(described(source, each))
        with_it += count > before
    return Found(count, with_it, looked_at, first, count - len(first))


@app.tool(timeout=120)
def replace_text(
    search_text: Annotated[str, Field(min_length=1, description="what to look for")],
    replace_text: Annotated[
        str, Field(description="new text; with regex \\1 or \\g<x> are groups")
    ],
    all_files: All = False,
    path: Where = None,
    include: Include = None,
    regex: Regex = False,
    match_case: Case = False,
    whole_word: Word = False,
) -> Replacement:
    """Search and replace text in source code: the active editor, all files of the workspace, or a
    file or folder, for example rename a function or variable everywhere, with a regex. Changes
    files on disk; in editors with unsaved changes it stays unsaved. Look first with
    code_search_text. Returns counts per file.
    """
    wanted = pattern(search_text, regex, match_case, whole_word)
    looked_at = 0
    changes: list[tuple[Source, str, int]] = []
    for source in sources(all_files, path, include):
        looked_at += 1
        after, count = replaced(wanted, source.text, replace_text, regex)
        if count and source.address is None and not os.access(source.file, os.W_OK):
            message = f"{source.file} cannot be written; nothing was replaced."
            raise ToolError(message, code="read_only")
        if count:
            changes.append((source, after, count))
    done = [Replaced(each.file, count, _put(each, after)) for each, after, count in changes]
    return Replacement(sum(each.count for each in done), looked_at, done)


def replaced(wanted: re.Pattern[str], text: str, by: str, regex: bool) -> tuple[str, int]:
    """The text with every place replaced, and how many there were."""
    parts, end, count = [], 0, 0
    for each in places(wanted, text):
        try:
            new = each.expand(by) if regex else by
        except (re.error, IndexError) as error:
            message = f"{by!r} does not fit the expression: {error}."
            raise ToolError(message, code="bad_regex") from None
        parts += [text[end : each.start()], new]
        end, count = each.end(), count + 1
    return "".join([*parts, text[end:]]), count


def _put(source: Source, after: str) -> bool:
    """Put the text where it came from; says whether it is on disk now."""
    if source.address is None:
        Path(source.file).write_bytes(after.encode())
        return True
    said = editor.ask(source.address, "rewrite", path=source.file, before=source.text, after=after)
    if not said["changed"]:
        message = f"{source.file} was changed in its editor meanwhile and was left alone."
        raise ToolError(message, code="changed", hint="Look again and repeat it.")
    return False
