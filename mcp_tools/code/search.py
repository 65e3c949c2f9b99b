"""Tools that find and replace text in a workspace as VS Code's search panel does: the same files
are excluded, and unsaved text in an editor counts instead of the file on disk.
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
from ambidex.mcp_tools.code.windows import ask, front_window, open_windows

__all__ = ["app"]

MATCH_LIMIT = 200
"""Maximum number of matches that a search returns; all are counted."""
LINE_CHARACTERS = 300
"""Maximum number of characters returned of a line."""
FILE_BYTES = 20_000_000
"""Size limit of searched files, in bytes."""
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
    """One match. Line and column count from 1, as in code_goto_file."""

    file: str
    line: int
    column: int
    text: str


@dataclass(frozen=True)
class SearchResult:
    """Number of matches, files with matches and files searched, with the first matches."""

    count: int
    files: int
    looked_at: int
    matches: list[Match]
    left_out: int


@dataclass(frozen=True)
class ReplacedFile:
    """Replacements in one file. `saved` is false if its editor had unsaved changes: the text was
    then replaced in the editor, as one undo step, and not saved.
    """

    file: str
    count: int
    saved: bool


@dataclass(frozen=True)
class ReplaceResult:
    """Number of replacements in total and per file."""

    count: int
    looked_at: int
    files: list[ReplacedFile]


@dataclass(frozen=True)
class Source:
    """A text to search. `address` is the socket of the window that holds it unsaved, if any."""

    file: str
    text: str
    address: Optional[Path] = None


def compile_pattern(text: str, regex: bool, match_case: bool, whole_word: bool) -> re.Pattern[str]:
    """Compile the search text; `ToolError` if it is not a valid regular expression."""
    expression = text if regex else re.escape(text)
    if whole_word:
        expression = rf"(?<!\w)(?:{expression})(?!\w)"
    try:
        return re.compile(expression, re.MULTILINE | (0 if match_case else re.IGNORECASE))
    except (re.error, RecursionError, OverflowError) as error:
        message = f"Not a regular expression: {text!r:.200} ({error})."
        raise ToolError(message, code="bad_regex") from None


def sources(all_files: bool, path: Optional[str], include: Optional[str]) -> Iterator[Source]:
    """The texts to search. Unsaved text in an editor takes precedence over the file on disk."""
    unsaved = {}
    for address, _ in reversed(open_windows()):
        for document in ask(address, "unsaved"):
            unsaved[document["path"]] = Source(document["path"], document["text"], address)
    if path is None and not all_files:
        active = front_window()[1].editor
        if active is None:
            hint = "Open one with code_goto_file, or pass all_files=true or a path."
            raise ToolError("No text editor is active.", code="no_editor", hint=hint)
        names = [active.path]
    else:
        names = list(files(folders(path), include))
    for name in names:
        if name in unsaved:
            yield unsaved[name]
        elif (text := read_text(Path(name))) is not None:
            yield Source(name, text)


def folders(path: Optional[str]) -> list[Path]:
    """The files or folders to search."""
    if path is not None:
        target = editor.absolute_path(path)
        if not target.exists():
            raise ToolError(f"No such file or folder: {target}.", code="not_found")
        return [target]
    window = front_window()[1]
    if not window.folders:
        hint = "Open one with code_launch_vscode, or pass a path."
        raise ToolError("The window has no folder open.", code="no_folder", hint=hint)
    return [Path(folder) for folder in window.folders]


def files(within: list[Path], include: Optional[str]) -> Iterator[str]:
    """The files that VS Code would search, listed with its own ripgrep."""
    options = [f"--glob={include}"] if include else []
    options += [f"--glob=!{glob}" for glob in excluded_globs()]
    for folder in within:
        if folder.is_file():
            yield str(folder)
            continue
        command = [str(editor.ripgrep()), "--files", "--no-config", "--hidden", "--no-require-git"]
        command += ["--no-ignore-parent", "--sort=path", *options]
        result = subprocess.run(command, cwd=folder, capture_output=True, timeout=60, check=False)
        if result.returncode > 1:
            error = result.stderr.decode(errors="replace").strip()
            raise ToolError(f"Error in ripgrep: {error[-500:]}", code="refused")
        for name in result.stdout.splitlines():
            yield str(folder / os.fsdecode(name))


def excluded_globs() -> list[str]:
    """The globs that VS Code excludes from searches, according to its settings."""
    windows = open_windows()
    globs = dict.fromkeys((*HIDDEN, *UNSEARCHED), True)
    for key in ("files.exclude", "search.exclude"):
        if windows:
            value: Any = ask(windows[0][0], "setting", key=key)["value"]
        else:
            file = editor.user_folder() / "settings.json"
            try:
                value = jsonc.parse(file.read_text()).get(key)
            except (OSError, ValueError):
                value = None
        globs.update({glob: enabled is True for glob, enabled in (value or {}).items()})
    return [glob for glob, enabled in globs.items() if enabled]


def read_text(file: Path) -> Optional[str]:
    """The text of a file; None if it is not a regular UTF-8 text file of acceptable size."""
    try:
        if not file.is_file() or file.stat().st_size > FILE_BYTES:
            return None
        raw = file.read_bytes()
        return None if b"\0" in raw else raw.decode()
    except (OSError, UnicodeDecodeError):
        return None


def find_matches(expression: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """All matches that are not empty."""
    return (match for match in expression.finditer(text) if match.group())


def to_match(source: Source, match: re.Match[str]) -> Match:
    """Convert a match into positions as VS Code counts them: columns in UTF-16 units."""
    start = source.text.rfind("\n", 0, match.start()) + 1
    end = source.text.find("\n", match.start())
    line = source.text[start : end if end >= 0 else None].rstrip("\r")
    before = source.text[start : match.start()]
    column = len(before.encode("utf-16-le", "surrogatepass")) // 2 + 1
    cut = max(0, len(before) - LINE_CHARACTERS // 2) if len(line) > LINE_CHARACTERS else 0
    number = source.text.count("\n", 0, start) + 1
    return Match(source.file, number, column, line[cut : cut + LINE_CHARACTERS])


@app.tool(reads_only=True, timeout=300)
def search_text(
    text: Annotated[str, Field(min_length=1, description="what to look for, in any script")],
    all_files: All = False,
    path: Where = None,
    include: Include = None,
    regex: Regex = False,
    match_case: Case = False,
    whole_word: Word = False,
) -> SearchResult:
    """Find text in source code: search the active editor, all files of the workspace (project), or
    a file or folder, for a string, function name or regular expression. Skips what VS Code's search
    excludes; unsaved changes count. Returns at most 200 places and the count.
    """
    expression = compile_pattern(text, regex, match_case, whole_word)
    count = looked_at = matching_files = 0
    first: list[Match] = []
    for source in sources(all_files, path, include):
        looked_at += 1
        before = count
        for match in find_matches(expression, source.text):
            count += 1
            if len(first) < MATCH_LIMIT:
                first.append(to_match(source, match))
        matching_files += count > before
    return SearchResult(count, matching_files, looked_at, first, count - len(first))


@app.tool(timeout=300)
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
) -> ReplaceResult:
    """Search and replace text in source code: the active editor, all files of the workspace, or a
    file or folder, for example rename a function or variable everywhere, with a regex. Changes
    files on disk; in editors with unsaved changes it stays unsaved. Look first with
    code_search_text. Returns counts per file.
    """
    expression = compile_pattern(search_text, regex, match_case, whole_word)
    looked_at = 0
    changes: list[tuple[Source, str, int]] = []
    for source in sources(all_files, path, include):
        looked_at += 1
        new_text, count = replace_all(expression, source.text, replace_text, regex)
        if count and source.address is None and not os.access(source.file, os.W_OK):
            message = f"{source.file} is not writable; nothing was replaced."
            raise ToolError(message, code="read_only")
        if count:
            changes.append((source, new_text, count))
    files = [
        ReplacedFile(source.file, count, _write_back(source, new_text))
        for source, new_text, count in changes
    ]
    return ReplaceResult(sum(file.count for file in files), looked_at, files)


def replace_all(
    expression: re.Pattern[str], text: str, replacement: str, regex: bool
) -> tuple[str, int]:
    """Replace all matches; return the new text and the number of replacements."""
    parts, end, count = [], 0, 0
    for match in find_matches(expression, text):
        try:
            new = match.expand(replacement) if regex else replacement
        except (re.error, IndexError) as error:
            message = f"Invalid replacement for this expression: {replacement!r} ({error})."
            raise ToolError(message, code="bad_regex") from None
        parts += [text[end : match.start()], new]
        end, count = match.end(), count + 1
    return "".join([*parts, text[end:]]), count


def _write_back(source: Source, new_text: str) -> bool:
    """Write a text back to its file or its editor; return whether it is saved on disk."""
    if source.address is None:
        Path(source.file).write_bytes(new_text.encode())
        return True
    answer = ask(source.address, "rewrite", path=source.file, before=source.text, after=new_text)
    if not answer["changed"]:
        message = f"{source.file} changed in its editor meanwhile and was not modified."
        raise ToolError(message, code="changed", hint="Search again, then repeat the replacement.")
    return False
