"""VLC's playlist, and media files on disk.

Over MPRIS VLC lists what it had in its playlist when the present entry began (`Tracks`), but it
tells of every entry that it is asked for by its number, and numbers only grow. So newer ones are
found by asking on.
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
    once,
    properties,
    shows,
    start,
    status,
    uri_of,
)
from ambidex.mcp_tools.waiting import wait_for

__all__ = ["app", "entries", "reopen"]

NUMBERED = "/org/videolan/vlc/playlist/"
FIRST = 3
"""Below it are VLC's own lists, which hold the entries."""
GAP = 500
"""Numbers in a row without an entry (they were removed) after which no more is looked for."""
FOUND_WITHIN = 10.0
FILES = 500
LOOKED_AT = 100_000
KINDS = (
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
        description="extensions such as mp3, ignoring case; default: " + " ".join(KINDS),
    ),
]


@dataclass(frozen=True)
class Entry:
    """One entry of the playlist; `duration` is seconds, None while VLC does not know it."""

    id: str
    uri: str
    title: str
    duration: Optional[float]
    current: bool


@dataclass(frozen=True)
class MediaFiles:
    """Paths of files in order; `left_out` were too many."""

    files: list[str]
    left_out: int


def _asked(id: str) -> Optional[dict[str, Any]]:
    """What VLC says of the entry of that id; None if there is none."""
    try:
        found: list[dict[str, Any]] = call(TRACKS, "GetTracksMetadata", "(ao)", [id])[0]
    except ToolError as error:
        if error.code != "refused" or "Invalid track id" not in error.message:
            raise
        return None
    return found[0] if found else None


def entries() -> list[Entry]:
    """The playlist, in the order in which VLC plays it as far as VLC tells, newer ones last."""
    now = status().entry
    listed: list[str] = properties(TRACKS)["Tracks"]
    numbers = [int(each.rpartition("/")[2]) for each in listed]
    found = [about for each in listed if (about := _asked(each))]
    number, last = max([*numbers, FIRST - 1]), max([*numbers, FIRST - 1])
    while number - last < GAP:
        number += 1
        about = _asked(f"{NUMBERED}{number}")
        if about:
            last = number
            found.append(about)
    return [_entry(about, now) for about in found if about.get("xesam:url")]


def _entry(about: dict[str, Any], now: Optional[str]) -> Entry:
    uri, length = about["xesam:url"], about.get("mpris:length", 0)
    return Entry(
        about["mpris:trackid"],
        uri,
        about.get("xesam:title") or uri.rpartition("/")[2],
        round(length / 1e6, 2) if length > 0 else None,
        about["mpris:trackid"] == now,
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
    before = {each.id for each in entries()}
    call(TRACKS, "AddTrack", "(sob)", target, APPEND, False)

    def added() -> Optional[Entry]:
        return next((each for each in entries() if each.id not in before), None)

    found = wait_for(added, FOUND_WITHIN)
    if found is None:
        raise ToolError(f"VLC did not take {target} into its playlist.", code="refused")
    return found


def reopen(was: Status, listed: list[Entry]) -> None:
    """Start VLC again with what it had, where it was; nothing plays that did not play."""
    start()
    for each in listed:  # VLC numbers files of its command line from the last to the first
        call(TRACKS, "AddTrack", "(sob)", each.uri, APPEND, False)
    now = [number for number, each in enumerate(listed) if each.current]
    if not now or was.state == "stopped":
        return

    def complete() -> Optional[list[Entry]]:
        found = entries()
        return found if len(found) >= len(listed) else None

    have = wait_for(complete, FOUND_WITHIN)
    if not have:
        raise ToolError("The setting is made; VLC lost its playlist.", code="failed")
    again = have[now[0]]
    call(TRACKS, "GoTo", "(o)", again.id)
    seen = once(shows(again.uri), f"open {again.uri} again")
    if was.position > 1 and seen.entry:
        call(PLAYER, "SetPosition", "(ox)", seen.entry, int(was.position * 1e6))
    if was.state == "paused":
        call(PLAYER, "Pause")
        once(lambda now: now.state == "paused", "pause again")


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
        what = "not a folder" if folder.exists() else "no folder"
        raise ToolError(f"There is {what} at {folder}.", code="not_found")
    ends = tuple("." + each.lower().lstrip("*.") for each in suffix or KINDS)
    found: list[str] = []
    looked_at = 0
    for root, folders, names in os.walk(folder):
        folders.sort()
        looked_at += len(names) + len(folders)
        if looked_at > LOOKED_AT:
            raise ToolError(f"{folder} holds too many files.", code="too_many", hint="Go deeper.")
        found += [os.path.join(root, each) for each in sorted(names) if each.lower().endswith(ends)]
    return MediaFiles(found[:FILES], max(0, len(found) - FILES))
