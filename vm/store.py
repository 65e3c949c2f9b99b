"""A content-addressed folder of finished things: built once, under a lock, whole or absent."""

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

__all__ = ["cache_folder", "digest", "locked", "once", "tree_digest"]


def cache_folder() -> Path:
    """Where images and snapshots are kept: $AMBIDEX_CACHE, else the user's cache folder."""
    named = os.environ.get("AMBIDEX_CACHE")
    if named:
        return Path(named)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "ambidex"


def digest(*parts: str | bytes) -> str:
    """Sixteen hex digits that stand for these parts, in this order."""
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "big"))
        total.update(data)
    return total.hexdigest()[:16]


def tree_digest(folders: Iterable[Path], skip: Callable[[Path], bool] = lambda _: False) -> str:
    """A digest over every file's relative name, mode and content."""
    parts: list[str | bytes] = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts and not skip(path):
                parts += [str(path.relative_to(folder.parent)), str(path.stat().st_mode & 0o111)]
                parts.append(path.read_bytes())
    return digest(*parts)


@contextlib.contextmanager
def locked(path: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the lock file `path`; `waiting` is called once if another process has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def once(final: Path, build: Callable[[Path], None], say: Callable[[str], None]) -> Path:
    """`final`, made by `build(staging)` if it is not there yet; never half of it under that name.

    The staging folder survives a crash, and `build` meets its own earlier work in it: what it
    finished by renaming is kept, the rest is made again. Two processes that want the same thing
    build it once.
    """
    if final.exists():
        return final
    with locked(
        final.with_name(f".{final.name}.lock"),
        lambda: say(f"another process is making {final.name}; waiting for it"),
    ):
        if final.exists():
            return final
        staging = final.with_name(f".{final.name}.partial")
        staging.mkdir(parents=True, exist_ok=True)
        build(staging)
        os.rename(staging, final)
    return final


def forget(folder: Path) -> None:
    """Remove a finished thing as a whole: it disappears from its name before it is deleted."""
    doomed = folder.with_name(f".{folder.name}.doomed")
    with contextlib.suppress(FileNotFoundError):
        os.rename(folder, doomed)
        shutil.rmtree(doomed, ignore_errors=True)
    if doomed.exists():  # files of a sandbox belong to others than an ordinary user
        run([*COMMAND, "rm", "-rf", doomed], what=f"removing {folder}")
