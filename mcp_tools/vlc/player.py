"""VLC media player, over MPRIS on the session bus: every stock VLC with a window answers there,
whoever started it. (Its HTTP interface would need a port, a password and settings before it
starts.)
"""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Optional

from pydantic import Field

from ambidex.mcp_tools import ToolError
from ambidex.mcp_tools.vlc import app
from ambidex.mcp_tools.waiting import wait_for

NAME = "org.mpris.MediaPlayer2.vlc"
OBJECT = "/org/mpris/MediaPlayer2"
ROOT = "org.mpris.MediaPlayer2"
PLAYER = f"{ROOT}.Player"
TRACKS = f"{ROOT}.TrackList"
APPEND = "/org/mpris/MediaPlayer2/TrackList/Append"
ANSWERS_WITHIN = 15.0
OBEYS_WITHIN = 25.0
STARTS_WITHIN = 60.0

Media = Annotated[str, Field(description="path such as ~/Music/song.ogg, or a URL", min_length=1)]


@dataclass(frozen=True)
class Status:
    """What VLC does. Times are seconds, None where VLC does not say; volume is percent; `entry` is
    VLC's own id of the playlist entry.
    """

    state: str
    entry: Optional[str]
    uri: Optional[str]
    title: Optional[str]
    position: float
    duration: Optional[float]
    volume: int
    fullscreen: bool


@functools.cache
def bus() -> Any:
    """The session bus; one connection for the life of the worker."""
    from gi.repository import Gio

    return Gio.bus_get_sync(Gio.BusType.SESSION, None)


def ask(name: str, path: str, interface: str, method: str, given: Any) -> Any:
    """One call over the bus, which starts nothing and waits within a bound."""
    from gi.repository import Gio

    flags, bound = Gio.DBusCallFlags.NO_AUTO_START, int(ANSWERS_WITHIN * 1000)
    return bus().call_sync(name, path, interface, method, given, None, flags, bound, None).unpack()


def running() -> bool:
    """Whether a VLC has its name on the bus."""
    from gi.repository import GLib

    own = "org.freedesktop.DBus"
    asked = GLib.Variant("(s)", (NAME,))
    return bool(ask(own, "/org/freedesktop/DBus", own, "NameHasOwner", asked)[0])


def call(interface: str, method: str, signature: str = "()", *arguments: object) -> Any:
    """The answer of VLC; `ToolError` if none runs or it does not answer in time."""
    from gi.repository import Gio, GLib

    try:
        return ask(NAME, OBJECT, interface, method, GLib.Variant(signature, arguments))
    except GLib.Error as error:
        kind = Gio.DBusError.get_remote_error(error) or ""
        Gio.DBusError.strip_remote_error(error)
        if kind.endswith(("ServiceUnknown", "NameHasNoOwner")):
            hint = "Start it with vlc_open."
            raise ToolError("VLC is not running.", code="not_running", hint=hint) from None
        raise ToolError(f"VLC does not do {method}: {error.message}", code="refused") from None


def properties(interface: str) -> dict[str, Any]:
    """All properties of an interface."""
    found: dict[str, Any] = call("org.freedesktop.DBus.Properties", "GetAll", "(s)", interface)[0]
    return found


def change(interface: str, name: str, signature: str, value: object) -> None:
    """Set a property."""
    from gi.repository import GLib

    boxed = GLib.Variant(signature, value)
    call("org.freedesktop.DBus.Properties", "Set", "(ssv)", interface, name, boxed)


def status() -> Status:
    """What VLC does now."""
    player, root = properties(PLAYER), properties(ROOT)
    about = player.get("Metadata", {})
    length = about.get("mpris:length", 0)
    title = about.get("vlc:nowplaying") or about.get("xesam:title")
    uri = about.get("xesam:url")
    return Status(
        player["PlaybackStatus"].lower(),
        about.get("mpris:trackid"),
        uri,
        title or (uri.rpartition("/")[2] if uri else None),
        round(player["Position"] / 1e6, 2),
        round(length / 1e6, 2) if length > 0 else None,
        round(player["Volume"] * 100),
        root["Fullscreen"],
    )


def once(met: Callable[[Status], bool], wanted: str) -> Status:
    """The status once it is as asked; `ToolError` says what VLC did instead."""

    def seen() -> Optional[Status]:
        now = status()
        return now if met(now) else None

    found = wait_for(seen, OBEYS_WITHIN)
    if found is None:
        now = status()
        message = f"VLC did not {wanted}; it is {now.state} with {now.title or 'nothing open'}."
        raise ToolError(message, code="refused")
    return found


def uri_of(media: str) -> str:
    """A URL for what was given; `ToolError` if it is a path to nothing."""
    if "://" in media and not media.startswith("file://"):
        return media
    if media.startswith("file://"):
        from gi.repository import GLib

        path = Path(GLib.filename_from_uri(media)[0])
    else:
        path = Path.home() / Path(media).expanduser()
    if not path.exists():
        raise ToolError(f"There is no file {path}.", code="not_found")
    return path.as_uri()


def shows(uri: str) -> Callable[[Status], bool]:
    """Whether this is what VLC plays: from the first moment on, when its volume can be set too; or
    what it was told to open paused.
    """
    from gi.repository import GLib

    def met(seen: Status) -> bool:
        same = seen.uri and GLib.uri_unescape_string(seen.uri) == GLib.uri_unescape_string(uri)
        begun = seen.state == "paused" or (seen.state == "playing" and seen.position > 0)
        return bool(same) and begun

    return met


def start(*arguments: str) -> None:
    """Start a VLC that outlives this process; returns when it answers."""
    nowhere = subprocess.DEVNULL
    subprocess.Popen(
        ["vlc", *arguments], stdin=nowhere, stdout=nowhere, stderr=nowhere, start_new_session=True
    )
    if not wait_for(running, STARTS_WITHIN):
        raise ToolError("VLC was started and does not answer.", code="not_running")


@app.tool(timeout=90)
def open(uri: Media) -> Status:
    """Play a media file or network stream: open a video or song in VLC, starting VLC if necessary.
    Returns the status once it plays.
    """
    target = uri_of(uri)
    if running():
        call(PLAYER, "OpenUri", "(s)", target)
    else:
        start(target)
    opened = once(shows(target), f"open {target}")
    return opened if opened.state == "playing" else play()


@app.tool(reads_only=True)
def get_status() -> Status:
    """Get the state of the media player: whether it is playing, paused or stopped, what video or
    song is playing, position, length, volume, full screen.
    """
    return status()


@app.tool(reads_only=True)
def get_current_time() -> float:
    """Get the current playback position: how far into the film, video or song it is (at which
    minute), in seconds.
    """
    return status().position


@app.tool(reads_only=True)
def get_media_duration() -> float:
    """Get the duration: how long the open video, film or song is in total, in seconds; error if
    unknown.
    """
    found = status().duration
    if found is None:
        raise ToolError("VLC has nothing open whose length it knows.", code="nothing_open")
    return found


@app.tool(timeout=60)
def play() -> Status:
    """Resume playback: press play to continue the paused video or music, or start the next playlist
    entry.
    """
    call(PLAYER, "Play")
    return once(lambda seen: seen.state == "playing", "play")


@app.tool(timeout=60)
def pause() -> Status:
    """Pause playback: halt the video or music for a while (stop playing). No effect if already
    paused; vlc_play resumes it.
    """
    call(PLAYER, "Pause")
    return once(lambda seen: seen.state != "playing", "pause")


def _step(method: str) -> Status:
    before = status().entry
    call(PLAYER, method)

    def moved(seen: Status) -> bool:  # between two entries VLC says "stopped" for a moment
        return seen.state != "stopped" and seen.entry not in (None, before) and seen.position > 0

    return once(moved, f"go to another entry; its playlist may have no {method.lower()} one")


@app.tool(timeout=60)
def next() -> Status:
    """Skip to the next track: play the following song or video in the playlist."""
    return _step("Next")


@app.tool(timeout=60)
def previous() -> Status:
    """Go back to the previous track: play the song or video before this one in the playlist."""
    return _step("Previous")


@app.tool()
def set_volume(
    percent: Annotated[int, Field(ge=0, le=125, description="100 is as recorded")],
) -> Status:
    """Set VLC's own volume in percent: turn the sound of the player up (louder) or down; 100 is as
    recorded.
    """
    change(PLAYER, "Volume", "d", percent / 100)
    return once(lambda seen: abs(seen.volume - percent) <= 1, f"take the volume {percent} %")


@app.tool()
def toggle_fullscreen(
    enable: Annotated[Optional[bool], Field(description="default: toggle")] = None,
) -> Status:
    """Switch full screen on or off: let the video or movie fill the whole screen (maximize it), or
    leave fullscreen. Error while no video is shown.
    """
    seen = status()
    wanted = not seen.fullscreen if enable is None else enable
    if seen.fullscreen != wanted:
        if not properties(ROOT)["CanSetFullscreen"]:
            hint = "Open a video first."
            raise ToolError("VLC shows no video now.", code="no_video", hint=hint)
        change(ROOT, "Fullscreen", "b", wanted)
    return once(lambda now: now.fullscreen == wanted, "change to full screen or back")
