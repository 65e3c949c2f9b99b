"""The files that a task is judged by, which must not be read while they are being written."""

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
    """The paths of these files in the guest, in order."""
    paths: list[str] = []
    for getter in body.getters:
        match getter:
            case GuestFile():
                paths += [path for path, _ in getter.pairs()]
            case ContentOfFile():
                paths.append(getter.path)
            case SoundInSlide() | BackgroundInSlide():
                paths.append(getter.ppt_file_path)
    return list(dict.fromkeys(paths))
