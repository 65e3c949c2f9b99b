"""Reading the evidence: the verbs of the worker `collector`, no process of the desktop user.

What lies in that user's folders was put there by an agent. So a path is followed part by part and
never through a link that the agent could have made, only regular files are read, up to a bound, and
what is something else is named for what it is: that, too, is evidence.
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
from ambidex.guest.wire import Answer
from ambidex.mcp_tools import ToolError

__all__ = ["File", "find", "verbs"]

LARGEST = 64 << 20
"""Bytes of a file that is handed over; a larger one is named and left."""
MOST_PARTS = 256
"""Parts of a path, those of links included."""
MOST_LISTED = 100_000
"""Entries of a listing."""
SKELETON = Path("/etc/skel")
"""What a home folder begins with; a link that is there as well is the image's own."""

Verb = Callable[[dict[str, Any], bytes], Answer]


@dataclass(frozen=True)
class File:
    """What is at a path."""

    state: str
    """`file`, `absent`, `folder`, `link`, `special` (a pipe, socket or device), `unreadable` (by
    the desktop user) or `too_large`.
    """
    size: int = 0
    content: bytes = b""


def verbs(account: Account) -> dict[str, Verb]:
    """Every verb by name."""
    home, inventory = Path(account.home), Inventory()

    def read(given: dict[str, Any], body: bytes) -> Answer:
        file = find(given["path"], account, LARGEST)
        return Answer({"state": file.state, "size": file.size}, file.content)

    def listing(given: dict[str, Any], body: bytes) -> Answer:
        top = Path(expanded(given["path"], home))
        paths: list[str] = []
        more = False
        for path in below(top):
            more = len(paths) == MOST_LISTED
            if more:
                break
            paths.append(os.fsencode(path).decode(errors="backslashreplace"))
        return Answer({"there": top.is_dir(), "paths": sorted(paths), "more": more})

    def survey(given: dict[str, Any], body: bytes) -> Answer:
        return Answer(inventory.take(home))

    def ask(given: dict[str, Any], body: bytes) -> Answer:
        """Answer one of the questions of `guest.questions.ask` that need nothing but files."""
        asked = (
            *(profile.profile_json, profile.profile_rows),
            *(scene.listing, scene.desktop),
        )
        known = {function.__name__: function for function in asked}
        if given["do"] not in known:
            raise HarnessError(f"{given['do']!r} is not answered by files alone.", code="unknown")
        try:
            return Answer(known[given["do"]](**given["with"]))
        except ToolError as error:
            raise HarnessError(error.message, code=error.code, hint=error.hint) from None

    def rights(given: dict[str, Any], body: bytes) -> Answer:
        return Answer(may_become_root(account))

    return {"read": read, "list": listing, "survey": survey, "ask": ask, "rights": rights}


def expanded(path: str, home: Path) -> str:
    """The path with `~` as that home; 400 for one that is not absolute then."""
    full = str(home) + path[1:] if path == "~" or path.startswith("~/") else path
    if not full.startswith("/") or "\0" in full:
        message = f"{path!r} is not absolute and does not begin with ~."
        raise HarnessError(message, code="bad_path")
    return posixpath.normpath(full)


def find(path: str, account: Account, largest: int) -> File:
    """The file at that path, with its content if it has at most `largest` bytes."""
    home = Path(account.home)
    try:
        number = followed(expanded(path, home), home)
    except (FileNotFoundError, NotADirectoryError):
        return File("absent")
    except OSError as error:
        if isinstance(error, LinkError):
            return File("link")
        return File("special")
    try:
        about = os.fstat(number)
        if stat.S_ISDIR(about.st_mode):
            return File("folder")
        if not stat.S_ISREG(about.st_mode):
            return File("special")
        if not readable(about, account):
            return File("unreadable", about.st_size)
        if about.st_size > largest:
            return File("too_large", about.st_size)
        # The descriptor above only names the file; opened through it, it is the same one.
        with open(f"/proc/self/fd/{number}", "rb") as file:
            content = file.read(largest + 1)
        return File("file" if len(content) <= largest else "too_large", len(content), content)
    finally:
        os.close(number)


class LinkError(OSError):
    """The path leads through a link that the image did not make."""


def followed(path: str, home: Path) -> int:
    """A descriptor that names what is at the path, opened for nothing; OSError says why there is
    none.
    """
    parts = [each for each in reversed(path.split("/")) if each not in ("", ".")]
    here, at = "/", os.open("/", os.O_PATH | os.O_DIRECTORY)
    left = MOST_PARTS
    try:
        while parts:
            left -= 1
            name = parts.pop()
            if name == ".." or left < 0:
                raise LinkError(0, "a link leads upwards, or they never end", path)
            opened = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=at)
            about = os.fstat(opened)
            if stat.S_ISLNK(about.st_mode):
                target = os.readlink("", dir_fd=opened)
                os.close(opened)
                if about.st_uid != 0 and not of_the_image(here, name, target, home):
                    raise LinkError(0, "a link", os.path.join(here, name))
                parts += [each for each in reversed(target.split("/")) if each not in ("", ".")]
                if target.startswith("/"):
                    os.close(at)
                    here, at = "/", os.open("/", os.O_PATH | os.O_DIRECTORY)
                continue
            os.close(at)
            here, at = os.path.join(here, name), opened
    except BaseException:
        os.close(at)
        raise
    return at


def of_the_image(folder: str, name: str, target: str, home: Path) -> bool:
    """Whether a home folder begins with this link."""
    path = Path(folder, name)
    if not path.is_relative_to(home):
        return False
    with contextlib.suppress(OSError):
        return os.readlink(SKELETON / path.relative_to(home)) == target
    return False


def readable(about: os.stat_result, account: Account) -> bool:
    """Whether the desktop user may read a file of that status: we may read all."""
    if about.st_uid == account.uid:
        return bool(about.st_mode & stat.S_IRUSR)
    if about.st_gid in account.groups:
        return bool(about.st_mode & stat.S_IRGRP)
    return bool(about.st_mode & stat.S_IROTH)


def below(top: Path) -> Iterator[str]:
    """Every path below a folder, relative to it, no link followed: files as they are, folders with
    a slash at their end. Nothing where there is no folder.
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
    """Whether sudo's rules name the desktop user, or a group of theirs. A name that is an alias is
    not looked up: Debian's and Ubuntu's rules have none.
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
