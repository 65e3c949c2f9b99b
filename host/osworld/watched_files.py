"""The files that a task is judged by: they must not be read while they are being written."""

from __future__ import annotations

from ambidex.tasks.osworld.getter_types import (
    BackgroundInSlide,
    ContentOfFile,
    GuestFile,
    SoundInSlide,
)
from ambidex.tasks.osworld.task import OSWorldBody

__all__ = ["watched_files"]


def watched_files(body: OSWorldBody) -> list[str]:
    """Their paths in the guest, in order."""
    found: list[str] = []
    for getter in body.getters:
        match getter:
            case GuestFile():
                found += [path for path, _ in getter.pairs()]
            case ContentOfFile():
                found.append(getter.path)
            case SoundInSlide() | BackgroundInSlide():
                found.append(getter.ppt_file_path)
    return list(dict.fromkeys(found))
