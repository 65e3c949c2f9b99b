"""Getters that ask the desktop and its programs: commands, windows, folders, what VLC and VS Code
say of themselves."""

from __future__ import annotations

from collections import Counter

from ambidex.host.client.answers import GuestRefusalError
from ambidex.host.dialects.reading import GuiCall
from ambidex.host.osworld.getter_context import Place, fetched, file_of, value
from ambidex.host.osworld.pyautogui_keys import play
from ambidex.host.osworld.questions import ask, ask_files
from ambidex.host.osworld.steps import RUNS_WITHIN
from ambidex.host.untrusted import LARGEST
from ambidex.host.untrusted.parsing import base64_bytes
from ambidex.tasks.osworld.evidence import Collected
from ambidex.tasks.osworld.getter_types import (
    AccessibilityTree,
    CommandOutput,
    Directory,
    GimpFile,
    ScreenSize,
    Shortcuts,
    TerminalOutput,
    VideoPlayer,
    VlcConfig,
    VlcStatus,
    VscodeFile,
    Wallpaper,
    WindowSize,
)
from ambidex.tasks.osworld.setup_steps import argv_of

__all__ = ["command", "desktop", "program_file", "vscode_file"]

TREE_WITHIN = 120.0
VLC = "http://127.0.0.1:8080/requests/status.xml"
VLC_PASSWORD = "password"
FILMS = """
    3gp 3gpp 3gpp2 avi divx dv fli flv mp2t mp4 mp4v-es mpeg mpeg-system msvideo ogg quicktime
    vnd.divx vnd.mpegurl vnd.rn-realvideo webm x-anim x-avi x-flc x-fli x-flv x-m4v x-matroska
    x-mpeg x-mpeg-system x-mpeg2 x-ms-asf x-ms-asf-plugin x-ms-asx x-ms-wm x-ms-wmv x-ms-wmx
    x-ms-wvx x-msvideo x-nsv x-ogm x-ogm+ogg x-theora x-theora+ogg
"""
SCANNED = (
    "find /home/user/.config/Code/User/workspaceStorage -name workspace.json -exec cat {} \\; "
    "2>/dev/null"
)
"""Where VS Code itself notes which folders it has open, if the extension wrote nothing."""


def command(place: Place, getter: CommandOutput) -> Collected:
    """What a command writes; None where it cannot be started or is not done in time. The home is
    its folder."""
    argv = place.guest.expanded(argv_of(getter.command, getter.shell))
    try:
        ran = place.guest.run(argv, timeout=RUNS_WITHIN)
    except GuestRefusalError as error:
        return value(getter.type, None, str(error))
    if ran.timed_out:
        return value(getter.type, None, f"it was not done within {RUNS_WITHIN:g} s")
    errors = getter.type == "vm_command_error"
    return value(getter.type, ran.stderr if errors else ran.stdout, f"exit {ran.returncode}")


def desktop(
    place: Place,
    getter: AccessibilityTree
    | Directory
    | ScreenSize
    | Shortcuts
    | TerminalOutput
    | VideoPlayer
    | WindowSize,
) -> Collected:
    """One thing that the desktop itself knows."""
    guest, kind = place.guest, getter.type
    match getter:
        case AccessibilityTree():
            return value(kind, ask(guest, "xml", takes=TREE_WITHIN, within=TREE_WITHIN))
        case TerminalOutput():
            return value(kind, ask(guest, "terminal"))
        case Directory():
            return value(kind, ask_files(guest, "listing", path=getter.path))
        case Shortcuts():
            return value(kind, ask_files(guest, "desktop"))
        case ScreenSize():
            width, height = guest.health().screen or (0, 0)
            return value(kind, {"width": width, "height": height})
        case WindowSize():
            wanted = getter.app_class_name.lower()
            for each in ask(guest, "windows"):
                if wanted in [name.lower() for name in each["names"]]:
                    return value(kind, {"width": each["width"], "height": each["height"]})
            return value(kind, None, "no window of that class")
        case VideoPlayer():
            return value(kind, _video_player(place))


def _video_player(place: Place) -> str:
    asked = 'for kind; do xdg-mime query default "video/$kind"; done'
    said = place.guest.run(["sh", "-c", asked, "sh", *FILMS.split()], timeout=RUNS_WITHIN).stdout
    players = Counter(line + "\n" for line in said.splitlines() if line)
    return players.most_common(1)[0][0] if players else "unknown"


def program_file(place: Place, getter: GimpFile | VlcConfig | VlcStatus | Wallpaper) -> Collected:
    """A file that a program keeps, or what it answers as one."""
    match getter:
        case VlcConfig():
            content = fetched(place, "~/.config/vlc/vlcrc")
        case GimpFile():
            content = fetched(place, f"~/.config/GIMP/2.10/{getter.file_name}") or None
        case VlcStatus():
            said = ask(place.guest, "get", url=VLC, password=VLC_PASSWORD)
            what = "what VLC answered"
            content = None if said is None else base64_bytes(said, LARGEST["file"], what)
        case Wallpaper():
            path = ask(place.guest, "wallpaper")
            content = (fetched(place, path) if path else None) or b""
    kept = None if content is None else place.keep(getter.dest, content)
    return file_of(getter.type, kept, "" if kept else "there is none")


def vscode_file(place: Place, getter: VscodeFile) -> Collected:
    """What an extension of VS Code writes when its command is typed into the palette; else what VS
    Code itself noted of its folders."""
    window = "Visual Studio Code"
    found = ask(place.guest, "activate", name=window, strict=False, by_class=False, within=1.0)
    place.waiting.settled()
    calls: list[GuiCall] = [
        ("computer_key", {"keys": ["ctrl", "shift", "p"]}),
        ("computer_type", {"text": getter.vscode_extension_command}),
        ("computer_key", {"keys": ["enter"]}),
    ]
    said = play(place.guest, calls, place.waiting)
    content = fetched(place, getter.path)
    if content is not None:
        return file_of(getter.type, place.keep(getter.dest, content))
    scanned = place.guest.run(["/bin/bash", "-lc", SCANNED], timeout=RUNS_WITHIN).stdout
    note = f"{getter.path} was not written; " + ("; ".join(said) or f"window: {found!r}")
    if not scanned:
        return value(getter.type, "", note)
    return file_of(getter.type, place.keep(getter.dest, scanned.encode()), note)
