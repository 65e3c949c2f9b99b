"""The cache of images and snapshots: entries are built once, under a lock, complete or absent."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ambidex.vm.namespace import COMMAND
from ambidex.vm.process import run

__all__ = [
    "BUILD_ROOM",
    "build_of",
    "cache_folder",
    "digest",
    "free_room",
    "locked",
    "once",
    "tree_digest",
]

BUILD_ROOM = 15.0
"""GiB that building an image takes at most, what is deleted at its end included."""


def cache_folder() -> Path:
    """The folder of images and snapshots: $AMBIDEX_CACHE, else the user's cache folder."""
    override = os.environ.get("AMBIDEX_CACHE")
    if override:
        return Path(override)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "ambidex"


def free_room(folder: Path) -> float:
    """GiB that are free where this folder is."""
    return shutil.disk_usage(folder).free / 2**30


def digest(*parts: str | bytes) -> str:
    """A digest of these parts in this order, as sixteen hex digits."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "big"))
        total.update(data)
    return total.hexdigest()[:16]


def build_of(snapshot: Path) -> str:
    """Names one build of the snapshot in that folder: the folder of the image, hardware and QEMU
    that it fits, its own name, and a digest of its description, which is new in each build."""
    made = digest((snapshot / "snapshot.json").read_bytes())
    return f"{snapshot.parent.name}.{snapshot.name}.{made}"


def tree_digest(folders: Iterable[Path], skip: Callable[[Path], bool] = lambda _: False) -> str:
    """A digest of the relative name, mode and content of every file in these folders."""
    parts: list[str | bytes] = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and not skip(path):
                parts += [str(path.relative_to(folder.parent)), str(path.stat().st_mode & 0o111)]
                parts.append(path.read_bytes())
    return digest(*parts)


@contextlib.contextmanager
def locked(path: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the lock file `path`; `waiting` is called once if another process holds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def once(final: Path, build: Callable[[Path], None], say: Callable[[str], None]) -> Path:
    """Return the folder `final`, made by `build(staging)` if it does not exist; never incomplete.

    The staging folder survives a crash, so `build` may find its own earlier work there: it keeps
    what it had finished by a rename and makes the rest again. If two processes need the same
    folder, one builds it and the other waits.
    """
    if final.exists():
        return final
    with locked(
        final.with_name(f".{final.name}.lock"),
        lambda: say(f"waiting for another process that is building {final.name}"),
    ):
        if final.exists():
            return final
        staging = final.with_name(f".{final.name}.partial")
        staging.mkdir(parents=True, exist_ok=True)
        build(staging)
        os.rename(staging, final)
    return final


def forget(folder: Path) -> None:
    """Remove a folder atomically: it is renamed before its content is deleted."""
    doomed = folder.with_name(f".{folder.name}.doomed")
    with contextlib.suppress(FileNotFoundError):
        os.rename(folder, doomed)
        shutil.rmtree(doomed, ignore_errors=True)
    if doomed.exists():  # files of a sandbox belong to ids that an ordinary user cannot delete
        run([*COMMAND, "rm", "-rf", doomed], what=f"removing {folder}")
