"""Getters that query the desktop and its programs: commands, windows, folders, VLC and VS Code."""

from __future__ import annotations

from collections import Counter

from ambidex.host.client.answers import GuestRefusalError
from ambidex.host.dialects.reading import GuiCall
from ambidex.host.osworld.getter_context import GetterContext, fetched, file_of, value
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
"""Lists the folders that VS Code itself records as open; used if the extension wrote nothing."""


def command(context: GetterContext, getter: CommandOutput) -> Collected:
    """Answer with the output of a command, run in the home directory; None if it cannot be started
    or does not finish in time."""
    argv = context.guest.expanded(argv_of(getter.command, getter.shell))
    try:
        result = context.guest.run(argv, timeout=RUNS_WITHIN)
    except GuestRefusalError as error:
        return value(getter.type, None, str(error))
    if result.timed_out:
        return value(getter.type, None, f"not finished within {RUNS_WITHIN:g} s")
    errors = getter.type == "vm_command_error"
    return value(
        getter.type, result.stderr if errors else result.stdout, f"exit {result.returncode}"
    )


def desktop(
    context: GetterContext,
    getter: AccessibilityTree
    | Directory
    | ScreenSize
    | Shortcuts
    | TerminalOutput
    | VideoPlayer
    | WindowSize,
) -> Collected:
    """Answer with one property of the desktop."""
    guest, kind = context.guest, getter.type
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
            app_class = getter.app_class_name.lower()
            for window in ask(guest, "windows"):
                if app_class in [name.lower() for name in window["names"]]:
                    return value(kind, {"width": window["width"], "height": window["height"]})
            return value(kind, None, "no window of that class")
        case VideoPlayer():
            return value(kind, _video_player(context))


def _video_player(context: GetterContext) -> str:
    script = 'for kind; do xdg-mime query default "video/$kind"; done'
    output = context.guest.run(
        ["sh", "-c", script, "sh", *FILMS.split()], timeout=RUNS_WITHIN
    ).stdout
    players = Counter(line + "\n" for line in output.splitlines() if line)
    return players.most_common(1)[0][0] if players else "unknown"


def program_file(
    context: GetterContext, getter: GimpFile | VlcConfig | VlcStatus | Wallpaper
) -> Collected:
    """Answer with a file of a program, or its status as a file."""
    match getter:
        case VlcConfig():
            content = fetched(context, "~/.config/vlc/vlcrc")
        case GimpFile():
            content = fetched(context, f"~/.config/GIMP/2.10/{getter.file_name}") or None
        case VlcStatus():
            status = ask(context.guest, "get", url=VLC, password=VLC_PASSWORD)
            what = "what VLC answered"
            content = None if status is None else base64_bytes(status, LARGEST["file"], what)
        case Wallpaper():
            path = ask(context.guest, "wallpaper")
            content = (fetched(context, path) if path else None) or b""
    kept = None if content is None else context.keep(getter.dest, content)
    return file_of(getter.type, kept, "" if kept else "there is none")


def vscode_file(context: GetterContext, getter: VscodeFile) -> Collected:
    """Answer with the file that a VS Code extension writes when its command is run from the
    palette; if there is none, with the folders that VS Code itself records."""
    window = "Visual Studio Code"
    activated = ask(
        context.guest, "activate", name=window, strict=False, by_class=False, within=1.0
    )
    context.waiting.settled()
    calls: list[GuiCall] = [
        ("computer_key", {"keys": ["ctrl", "shift", "p"]}),
        ("computer_type", {"text": getter.vscode_extension_command}),
        ("computer_key", {"keys": ["enter"]}),
    ]
    errors = play(context.guest, calls, context.waiting)
    content = fetched(context, getter.path)
    if content is not None:
        return file_of(getter.type, context.keep(getter.dest, content))
    scanned = context.guest.run(["/bin/bash", "-lc", SCANNED], timeout=RUNS_WITHIN).stdout
    note = f"{getter.path} was not written; " + ("; ".join(errors) or f"window: {activated!r}")
    if not scanned:
        return value(getter.type, "", note)
    return file_of(getter.type, context.keep(getter.dest, scanned.encode()), note)
