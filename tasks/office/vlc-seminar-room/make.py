"""How VLC is to be set on the computer of a seminar room."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

LANGUAGES = (
    ("Swedish", "sv"),
    ("Finnish", "fi"),
    ("Norwegian", "no"),
    ("Danish", "da"),
    ("Estonian", "et"),
)
ROOMS = ("Linden", "Aspen", "Alder", "Rowan")


def make(number: int, random: Random, files: Path) -> dict[str, Any]:
    """The note, and the settings that follow from it."""
    room = random.choice(ROOMS)
    (voice, audio), (script, subtitles) = random.sample(LANGUAGES, 2)
    folder = f"/home/user/Pictures/{room}"
    note = (
        f"VLC in seminar room {room}\n\n"
        "1. It runs once at most: what is opened goes to the VLC that is there.\n"
        "2. It never asks whether to go on where a film was left, and never does so.\n"
        "3. It does not keep what was played last. The next group has no business knowing it.\n"
        "4. A video fills the screen, and its title is not written over it at the beginning.\n"
        f"5. If a film has several sound tracks, {voice} is taken (code {audio}).\n"
        f"6. If it has several subtitles, {script} is taken (code {subtitles}).\n"
        f"7. Snapshots go to the folder {folder}.\n\n"
        "The wish for a minimal view without a menu was turned down. The rest stays as it comes.\n"
    )
    (files / "vlc.txt").write_text(note, encoding="utf-8")
    lines = {
        "one-instance": "1",
        "qt-continue": "0",
        "qt-recentplay": "0",
        "fullscreen": "1",
        "video-title-show": "0",
        "audio-language": audio,
        "sub-language": subtitles,
        "snapshot-path": folder,
    }
    return {
        "room": room,
        "audio": audio,
        "subtitles": subtitles,
        "folder": folder,
        "lines": [f"\n{field}={value}\n" for field, value in lines.items()],
    }
