"""Reads the evidence: the operations of the worker `collector`.

The agent controls the desktop user's folders. So a path is resolved part by part and never through
a link that the agent could have made. Only regular files are read, up to a bound; for anything
else, its kind is reported, which is evidence too.
"""

from __future__ import annotations

import contextlib
import grp
import os
import posixpath
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ambidex.guest import HarnessError
from ambidex.guest.account import Account
from ambidex.guest.evidence.inventory import Inventory
from ambidex.guest.questions import profile, scene
from ambidex.guest.wire import WorkerReply
from ambidex.mcp_tools import ToolError

__all__ = ["CollectedFile", "operations", "read_file"]

LARGEST = 64 << 20
"""Largest file in bytes whose content is returned."""
MOST_PARTS = 256
"""Maximum number of parts of a path, with those of links."""
MOST_LISTED = 100_000
"""Maximum number of entries in a listing."""
SKELETON = Path("/etc/skel")
"""The template of home folders: a link that it contains too is the image's own."""

Operation = Callable[[dict[str, Any], bytes], WorkerReply]


@dataclass(frozen=True)
class CollectedFile:
    """The kind of a path, and its content if it is a readable file."""

    state: str
    """`file`, `absent`, `folder`, `link`, `special` (a pipe, socket or device), `unreadable` (by
    the desktop user) or `too_large`.
    """
    size: int = 0
    content: bytes = b""


def operations(account: Account) -> dict[str, Operation]:
    """All operations by name."""
    home, inventory = Path(account.home), Inventory()

    def read(given: dict[str, Any], body: bytes) -> WorkerReply:
        file = read_file(given["path"], account, LARGEST)
        return WorkerReply({"state": file.state, "size": file.size}, file.content)

    def listing(given: dict[str, Any], body: bytes) -> WorkerReply:
        top = Path(expand(given["path"], home))
        paths: list[str] = []
        more = False
        for path in walk(top):
            more = len(paths) == MOST_LISTED
            if more:
                break
            paths.append(os.fsencode(path).decode(errors="backslashreplace"))
        return WorkerReply({"there": top.is_dir(), "paths": sorted(paths), "more": more})

    def survey(given: dict[str, Any], body: bytes) -> WorkerReply:
        return WorkerReply(inventory.take(home))

    def ask(given: dict[str, Any], body: bytes) -> WorkerReply:
        """Answer one of the questions of `guest.questions.ask` that only need files."""
        functions = (
            *(profile.profile_json, profile.profile_rows),
            *(scene.listing, scene.desktop),
        )
        questions = {function.__name__: function for function in functions}
        if given["do"] not in questions:
            message = f"Not a question that files can answer: {given['do']!r}."
            raise HarnessError(message, code="unknown")
        try:
            return WorkerReply(questions[given["do"]](**given["with"]))
        except ToolError as error:
            raise HarnessError(error.message, code=error.code, hint=error.hint) from None

    def rights(given: dict[str, Any], body: bytes) -> WorkerReply:
        return WorkerReply(may_become_root(account))

    return {"read": read, "list": listing, "survey": survey, "ask": ask, "rights": rights}


def expand(path: str, home: Path) -> str:
    """The normalised path with `~` replaced by `home`; 400 if it is not absolute."""
    full = str(home) + path[1:] if path == "~" or path.startswith("~/") else path
    if not full.startswith("/") or "\0" in full:
        message = f"{path!r} is not absolute and does not begin with ~."
        raise HarnessError(message, code="bad_path")
    return posixpath.normpath(full)


def read_file(path: str, account: Account, largest: int) -> CollectedFile:
    """Read the file at that path; its content is returned if it has at most `largest` bytes."""
    home = Path(account.home)
    try:
        number = open_path(expand(path, home), home)
    except (FileNotFoundError, NotADirectoryError):
        return CollectedFile("absent")
    except OSError as error:
        if isinstance(error, LinkError):
            return CollectedFile("link")
        return CollectedFile("special")
    try:
        about = os.fstat(number)
        if stat.S_ISDIR(about.st_mode):
            return CollectedFile("folder")
        if not stat.S_ISREG(about.st_mode):
            return CollectedFile("special")
        if not readable(about, account):
            return CollectedFile("unreadable", about.st_size)
        if about.st_size > largest:
            return CollectedFile("too_large", about.st_size)
        # The descriptor was opened without read access; reopening it cannot reach another file.
        with open(f"/proc/self/fd/{number}", "rb") as file:
            content = file.read(largest + 1)
        state = "file" if len(content) <= largest else "too_large"
        return CollectedFile(state, len(content), content)
    finally:
        os.close(number)


class LinkError(OSError):
    """The path leads through a link that the image did not make."""


def open_path(path: str, home: Path) -> int:
    """Resolve a path and open it with O_PATH; OSError if it does not exist or is refused."""
    parts = [part for part in reversed(path.split("/")) if part not in ("", ".")]
    folder, descriptor = "/", os.open("/", os.O_PATH | os.O_DIRECTORY)
    remaining = MOST_PARTS
    try:
        while parts:
            remaining -= 1
            name = parts.pop()
            if name == ".." or remaining < 0:
                raise LinkError(0, "a link leads upwards, or links form a loop", path)
            opened = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=descriptor)
            about = os.fstat(opened)
            if stat.S_ISLNK(about.st_mode):
                target = os.readlink("", dir_fd=opened)
                os.close(opened)
                if about.st_uid != 0 and not is_image_link(folder, name, target, home):
                    raise LinkError(0, "a link", os.path.join(folder, name))
                parts += [part for part in reversed(target.split("/")) if part not in ("", ".")]
                if target.startswith("/"):
                    os.close(descriptor)
                    folder, descriptor = "/", os.open("/", os.O_PATH | os.O_DIRECTORY)
                continue
            os.close(descriptor)
            folder, descriptor = os.path.join(folder, name), opened
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def is_image_link(folder: str, name: str, target: str, home: Path) -> bool:
    """Whether new home folders contain this link."""
    path = Path(folder, name)
    if not path.is_relative_to(home):
        return False
    with contextlib.suppress(OSError):
        return os.readlink(SKELETON / path.relative_to(home)) == target
    return False


def readable(about: os.stat_result, account: Account) -> bool:
    """Whether the desktop user may read a file with this status; the collector may read all."""
    if about.st_uid == account.uid:
        return bool(about.st_mode & stat.S_IRUSR)
    if about.st_gid in account.groups:
        return bool(about.st_mode & stat.S_IRGRP)
    return bool(about.st_mode & stat.S_IROTH)


def walk(top: Path) -> Iterator[str]:
    """Every path in a folder, recursively and relative to it; those of folders end with a slash.

    Links are not followed. Yields nothing if there is no folder.
    """
    folders = [""] if top.is_dir() and not top.is_symlink() else []
    while folders:
        folder = folders.pop()
        try:
            entries = list(os.scandir(top / folder))
        except OSError:
            continue
        for entry in entries:
            path = os.path.join(folder, entry.name)
            if entry.is_dir(follow_symlinks=False):
                folders.append(path)
                yield f"{path}/"
            else:
                yield path


def may_become_root(account: Account) -> bool:
    """Whether sudo's rules name the desktop user or one of their groups.

    Aliases are not resolved: Debian's and Ubuntu's rules have none.
    """
    names = {account.name, f"#{account.uid}", "ALL"}
    for number in account.groups:
        with contextlib.suppress(KeyError):
            names |= {f"%{grp.getgrgid(number).gr_name}", f"%#{number}"}
    rules = [Path("/etc/sudoers"), *sorted(Path("/etc/sudoers.d").glob("*"))]
    for file in rules:
        with contextlib.suppress(OSError):
            lines = file.read_text(errors="replace").splitlines()
            if any(line.split()[:1] and line.split()[0] in names for line in lines):
                return True
    return account.uid == 0
