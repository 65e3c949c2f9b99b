"""Tools for VLC's playlist and for media files on disk.

MPRIS lists the playlist as it was when the current entry started (`Tracks`). But VLC answers for
any entry by number, and numbers only grow, so newer entries are found by probing.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.vlc import app
from ambidex.mcp_tools.vlc.player import (
    APPEND,
    PLAYER,
    TRACKS,
    Media,
    Status,
    call,
    plays,
    properties,
    start,
    status,
    uri_of,
    wait_for_status,
)
from ambidex.mcp_tools.waiting import wait_for

__all__ = ["app", "entries", "reopen"]

NUMBERED = "/org/videolan/vlc/playlist/"
FIRST = 3
"""Smallest number of an entry; lower numbers belong to VLC's own lists."""
MAX_GAP = 500
"""Consecutive numbers without an entry (removed ones) after which probing stops."""
FOUND_WITHIN = 10.0
MAX_FILES = 500
MAX_SEARCHED = 100_000
EXTENSIONS = (
    "mp4",
    "avi",
    "mkv",
    "mov",
    "webm",
    "mp3",
    "m4a",
    "wav",
    "ogg",
    "oga",
    "ogv",
    "flac",
    "opus",
)

Suffixes = Annotated[
    Optional[list[Annotated[str, Field(min_length=1)]]],
    Field(
        description="extensions such as mp3, ignoring case; default: " + " ".join(EXTENSIONS),
    ),
]


@dataclass(frozen=True)
class Entry:
    """A playlist entry; `duration` is in seconds, None while VLC does not know it."""

    id: str
    uri: str
    title: str
    duration: Optional[float]
    current: bool


@dataclass(frozen=True)
class MediaFiles:
    """Paths in order; `left_out` counts those beyond the limit."""

    files: list[str]
    left_out: int


def _metadata_of(id: str) -> Optional[dict[str, Any]]:
    """Metadata of a playlist entry; None if it does not exist."""
    try:
        tracks: list[dict[str, Any]] = call(TRACKS, "GetTracksMetadata", "(ao)", [id])[0]
    except ToolError as error:
        if error.code != "refused" or "Invalid track id" not in error.message:
            raise
        return None
    return tracks[0] if tracks else None


def entries() -> list[Entry]:
    """The playlist in playing order as far as VLC reports it, newer entries last."""
    current = status().entry
    listed: list[str] = properties(TRACKS)["Tracks"]
    numbers = [int(entry_id.rpartition("/")[2]) for entry_id in listed]
    tracks = [metadata for entry_id in listed if (metadata := _metadata_of(entry_id))]
    number, last = max([*numbers, FIRST - 1]), max([*numbers, FIRST - 1])
    while number - last < MAX_GAP:
        number += 1
        metadata = _metadata_of(f"{NUMBERED}{number}")
        if metadata:
            last = number
            tracks.append(metadata)
    return [_entry(metadata, current) for metadata in tracks if metadata.get("xesam:url")]


def _entry(metadata: dict[str, Any], current: Optional[str]) -> Entry:
    uri, length = metadata["xesam:url"], metadata.get("mpris:length", 0)
    return Entry(
        metadata["mpris:trackid"],
        uri,
        metadata.get("xesam:title") or uri.rpartition("/")[2],
        round(length / 1e6, 2) if length > 0 else None,
        metadata["mpris:trackid"] == current,
    )


@app.tool(reads_only=True, timeout=60)
def get_playlist() -> list[Entry]:
    """List the playlist: the queued songs and videos (tracks) in playing order with address, title
    and duration, and the current one.
    """
    return entries()


@app.tool()
def add_to_playlist(uri: Media) -> Entry:
    """Add a song, video or stream to the end of the playlist: queue (enqueue) a track to play
    later, without interrupting. Returns the new entry.
    """
    target = uri_of(uri)
    before = {entry.id for entry in entries()}
    call(TRACKS, "AddTrack", "(sob)", target, APPEND, False)

    def added() -> Optional[Entry]:
        return next((entry for entry in entries() if entry.id not in before), None)

    new_entry = wait_for(added, FOUND_WITHIN)
    if new_entry is None:
        raise ToolError(f"VLC did not add {target} to its playlist.", code="refused")
    return new_entry


def reopen(before: Status, playlist: list[Entry]) -> None:
    """Restart VLC with the same playlist at the same position; it plays only if it did before."""
    start()
    for entry in playlist:  # VLC numbers files on its command line in reverse order
        call(TRACKS, "AddTrack", "(sob)", entry.uri, APPEND, False)
    positions = [number for number, entry in enumerate(playlist) if entry.current]
    if not positions or before.state == "stopped":
        return

    def complete() -> Optional[list[Entry]]:
        listed = entries()
        return listed if len(listed) >= len(playlist) else None

    reloaded = wait_for(complete, FOUND_WITHIN)
    if not reloaded:
        raise ToolError("The setting was changed, but VLC lost its playlist.", code="failed")
    restored = reloaded[positions[0]]
    call(TRACKS, "GoTo", "(o)", restored.id)
    reached = wait_for_status(plays(restored.uri), f"open {restored.uri} again")
    if before.position > 1 and reached.entry:
        call(PLAYER, "SetPosition", "(ox)", reached.entry, int(before.position * 1e6))
    if before.state == "paused":
        call(PLAYER, "Pause")
        wait_for_status(lambda current: current.state == "paused", "pause again")


@app.tool(reads_only=True, timeout=60)
def get_media_files(
    path: Annotated[str, Field(min_length=1, description="folder, such as ~/Videos")],
    suffix: Suffixes = None,
) -> MediaFiles:
    """Find playable media: list the videos and music files in a folder (directory) and its
    subfolders by extension (mp4, mp3 …); at most 500.
    """
    folder = Path.home() / Path(path.removeprefix("file://")).expanduser()
    if not folder.is_dir():
        problem = "Not a folder" if folder.exists() else "No such folder"
        raise ToolError(f"{problem}: {folder}.", code="not_found")
    suffixes = tuple("." + name.lower().lstrip("*.") for name in suffix or EXTENSIONS)
    paths: list[str] = []
    searched = 0
    for root, folders, names in os.walk(folder):
        folders.sort()
        searched += len(names) + len(folders)
        if searched > MAX_SEARCHED:
            raise ToolError(
                f"{folder} contains too many files.", code="too_many", hint="Choose a subfolder."
            )
        paths += [
            os.path.join(root, name) for name in sorted(names) if name.lower().endswith(suffixes)
        ]
    return MediaFiles(paths[:MAX_FILES], max(0, len(paths) - MAX_FILES))
