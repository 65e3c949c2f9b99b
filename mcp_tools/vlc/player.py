"""Tools for VLC, through MPRIS on the session bus.

Every stock VLC with a window answers there, however it was started. Its HTTP interface would need a
port, a password and settings before the start.
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
ACTS_WITHIN = 25.0
STARTS_WITHIN = 60.0
MEASURES_WITHIN = 10.0

Media = Annotated[str, Field(description="path such as ~/Music/song.ogg, or a URL", min_length=1)]


@dataclass(frozen=True)
class Status:
    """State of VLC. Times are in seconds, None if unknown; volume is in percent; `entry` is VLC's
    id of the playlist entry.
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
    """This process's connection to the session bus."""
    from gi.repository import Gio

    return Gio.bus_get_sync(Gio.BusType.SESSION, None)


def ask(
    name: str,
    path: str,
    interface: str,
    method: str,
    arguments: Any,
    within: float = ANSWERS_WITHIN,
) -> Any:
    """Call a method over the bus, with a timeout in seconds and without starting a service."""
    from gi.repository import Gio

    flags, bound = Gio.DBusCallFlags.NO_AUTO_START, int(within * 1000)
    return (
        bus().call_sync(name, path, interface, method, arguments, None, flags, bound, None).unpack()
    )


def is_running() -> bool:
    """Whether a VLC owns the MPRIS name on the bus."""
    from gi.repository import GLib

    dbus = "org.freedesktop.DBus"
    arguments = GLib.Variant("(s)", (NAME,))
    return bool(ask(dbus, "/org/freedesktop/DBus", dbus, "NameHasOwner", arguments)[0])


def answers() -> bool:
    """Whether VLC answers a message within a second."""
    from gi.repository import GLib

    try:
        ask(NAME, OBJECT, "org.freedesktop.DBus.Peer", "Ping", None, within=1.0)
    except GLib.Error:
        return False
    return True


def call(interface: str, method: str, signature: str = "()", *arguments: object) -> Any:
    """Call a method of VLC; `ToolError` if it is not running, refuses or does not answer."""
    from gi.repository import Gio, GLib

    try:
        return ask(NAME, OBJECT, interface, method, GLib.Variant(signature, arguments))
    except GLib.Error as error:
        kind = Gio.DBusError.get_remote_error(error) or ""
        Gio.DBusError.strip_remote_error(error)
        if kind.endswith(("ServiceUnknown", "NameHasNoOwner")):
            hint = "Start it with vlc_open."
            raise ToolError("VLC is not running.", code="not_running", hint=hint) from None
        raise ToolError(f"VLC refused {method}: {error.message}", code="refused") from None


def properties(interface: str) -> dict[str, Any]:
    """All properties of an interface."""
    values: dict[str, Any] = call("org.freedesktop.DBus.Properties", "GetAll", "(s)", interface)[0]
    return values


def change(interface: str, name: str, signature: str, value: object) -> None:
    """Set a property."""
    from gi.repository import GLib

    variant = GLib.Variant(signature, value)
    call("org.freedesktop.DBus.Properties", "Set", "(ssv)", interface, name, variant)


def status() -> Status:
    """The current state of VLC."""
    player, root = properties(PLAYER), properties(ROOT)
    metadata = player.get("Metadata", {})
    length = metadata.get("mpris:length", 0)
    title = metadata.get("vlc:nowplaying") or metadata.get("xesam:title")
    uri = metadata.get("xesam:url")
    return Status(
        player["PlaybackStatus"].lower(),
        metadata.get("mpris:trackid"),
        uri,
        title or (uri.rpartition("/")[2] if uri else None),
        round(player["Position"] / 1e6, 2),
        round(length / 1e6, 2) if length > 0 else None,
        round(player["Volume"] * 100),
        root["Fullscreen"],
    )


def wait_for_status(
    condition: Callable[[Status], bool], action: str, within: float = ACTS_WITHIN
) -> Status:
    """Wait until the status meets the condition; `ToolError` with the actual status on timeout."""

    def matching_status() -> Optional[Status]:
        current = status()
        return current if condition(current) else None

    result = wait_for(matching_status, within)
    if result is None:
        current = status()
        message = (
            f"VLC did not {action}; it is {current.state} with {current.title or 'nothing open'}."
        )
        raise ToolError(message, code="refused")
    return result


def uri_of(media: str) -> str:
    """Turn a path or URL into a URL; `ToolError` if a path does not exist."""
    if "://" in media and not media.startswith("file://"):
        return media
    if media.startswith("file://"):
        from gi.repository import GLib

        path = Path(GLib.filename_from_uri(media)[0])
    else:
        path = Path.home() / Path(media).expanduser()
    if not path.exists():
        raise ToolError(f"No such file: {path}.", code="not_found")
    return path.as_uri()


def with_duration() -> Status:
    """The status once VLC has measured what is open, or after a while without: a stream has no
    duration.
    """

    def measured() -> Optional[Status]:
        current = status()
        return current if current.duration or not current.uri else None

    return wait_for(measured, MEASURES_WITHIN) or status()


def plays(uri: str) -> Callable[[Status], bool]:
    """A condition: VLC plays this URL and has advanced past its start, from when its volume can be
    set, or shows it paused.
    """
    from gi.repository import GLib

    def condition(current: Status) -> bool:
        plain = GLib.uri_unescape_string
        same = current.uri and plain(current.uri) == plain(uri)
        begun = current.state == "playing" and current.position > 0
        return bool(same) and (begun or current.state == "paused")

    return condition


def start(*arguments: str) -> None:
    """Start VLC detached from this process and wait until it answers.

    A VLC that has just taken its name reads a message that arrives before its loop runs, but
    handles it only when the next one comes. So the first messages are pings.
    """
    devnull = subprocess.DEVNULL
    subprocess.Popen(
        ["vlc", *arguments], stdin=devnull, stdout=devnull, stderr=devnull, start_new_session=True
    )
    if not wait_for(lambda: is_running() and answers(), STARTS_WITHIN):
        raise ToolError("VLC was started but does not answer.", code="not_running")


@app.tool(timeout=180)
def open(uri: Media) -> Status:
    """Play a media file or network stream: open a video or song in VLC, starting VLC if necessary.
    Returns the status once it plays.
    """
    target = uri_of(uri)
    before = None
    if is_running():
        before = status().entry
        call(PLAYER, "OpenUri", "(s)", target)
    else:
        start(target)
    condition = plays(target)

    def is_open(current: Status) -> bool:  # not what was open before, which may be the same file
        return current.entry != before and condition(current)

    result = wait_for_status(is_open, f"open {target}", STARTS_WITHIN)
    if result.state != "playing":
        play()
    return with_duration()


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
    duration = with_duration().duration
    if duration is None:
        raise ToolError("VLC has no media with a known duration open.", code="nothing_open")
    return duration


@app.tool(timeout=60)
def play() -> Status:
    """Resume playback: press play to continue the paused video or music, or start the next playlist
    entry.
    """
    call(PLAYER, "Play")
    return wait_for_status(lambda current: current.state == "playing", "play")


@app.tool(timeout=60)
def pause() -> Status:
    """Pause playback: halt the video or music for a while (stop playing). No effect if already
    paused; vlc_play resumes it.
    """
    call(PLAYER, "Pause")
    return wait_for_status(lambda current: current.state != "playing", "pause")


def _skip(method: str) -> Status:
    before = status().entry
    call(PLAYER, method)

    def has_moved(current: Status) -> bool:  # VLC briefly reports "stopped" between entries
        return (
            current.state != "stopped"
            and current.entry not in (None, before)
            and current.position > 0
        )

    return wait_for_status(
        has_moved, f"go to another entry; its playlist may have no {method.lower()} one"
    )


@app.tool(timeout=60)
def next() -> Status:
    """Skip to the next track: play the following song or video in the playlist."""
    return _skip("Next")


@app.tool(timeout=60)
def previous() -> Status:
    """Go back to the previous track: play the song or video before this one in the playlist."""
    return _skip("Previous")


@app.tool()
def set_volume(
    percent: Annotated[int, Field(ge=0, le=125, description="100 is as recorded")],
) -> Status:
    """Set VLC's own volume in percent: turn the sound of the player up (louder) or down; 100 is as
    recorded.
    """
    change(PLAYER, "Volume", "d", percent / 100)
    return wait_for_status(
        lambda current: abs(current.volume - percent) <= 1, f"take the volume {percent} %"
    )


@app.tool()
def toggle_fullscreen(
    enable: Annotated[Optional[bool], Field(description="default: toggle")] = None,
) -> Status:
    """Switch full screen on or off: let the video or movie fill the whole screen (maximize it), or
    leave fullscreen. Error while no video is shown.
    """
    state = status()
    fullscreen = not state.fullscreen if enable is None else enable
    if state.fullscreen != fullscreen:
        if not properties(ROOT)["CanSetFullscreen"]:
            hint = "Open a video first."
            raise ToolError("VLC is not showing a video.", code="no_video", hint=hint)
        change(ROOT, "Fullscreen", "b", fullscreen)
    return wait_for_status(
        lambda current: current.fullscreen == fullscreen, "change to full screen or back"
    )
