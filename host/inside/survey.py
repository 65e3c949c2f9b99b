"""In the guest: what there is, so that two looks tell what changed. Written for Python 3.10.

`python3 - PART…` prints JSON, by part: `files` of the desktop user and of nobody in particular, by
path; `settings` of the session by schema and key; `windows` by their number and class; `processes`
of the desktop user by name and number.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

LARGEST = 4 << 20
"""Bytes up to which a file's content is compared, and not only its size and time."""
ASIDE = {".cache", "__pycache__"}


def state(path: str) -> str:
    """Size and content of a file, or where a link leads."""
    if os.path.islink(path):
        return "-> " + os.readlink(path)
    about = os.stat(path)
    if about.st_size > LARGEST:
        return f"{about.st_size} bytes of {about.st_mtime_ns}"
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


def files(*roots: str) -> dict[str, str]:
    """Every file below, by path."""
    found = {}
    for root in roots:
        for folder, folders, names in os.walk(root):
            folders[:] = [each for each in folders if each not in ASIDE]
            found[folder + "/"] = "folder"
            for name in names:
                path = os.path.join(folder, name)
                try:
                    if os.path.islink(path) or os.path.isfile(path):
                        found[path] = state(path)
                except OSError:  # gone meanwhile, or not ours to read
                    continue
    return found


def settings() -> dict[str, str]:
    """Every setting of the session that has a fixed place."""
    found = {}
    for line in said("gsettings", "list-recursively"):
        schema, _, rest = line.partition(" ")
        key, _, value = rest.partition(" ")
        found[f"{schema} {key}"] = value
    return found


def windows() -> dict[str, str]:
    """The title of each window."""
    found = {}
    for line in said("wmctrl", "-l", "-x"):
        number, _, kind, _, *title = line.split(None, 4)
        found[f"{kind.rpartition('.')[2]} {number}"] = title[0] if title else ""
    return found


def processes() -> dict[str, str]:
    """The command of each of our own processes, but this one and what it starts."""
    found = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if path.stat().st_uid != os.getuid() or int(path.name) == os.getpid():
                continue
            words = (path / "cmdline").read_bytes().decode(errors="replace").split("\0")
            found[f"{(path / 'comm').read_text().strip()} {path.name}"] = " ".join(words).strip()
        except OSError:  # it has ended
            continue
    return found


def said(*command: str) -> list[str]:
    """The lines that a program prints."""
    ran = subprocess.run(command, capture_output=True, check=False)
    return ran.stdout.decode(errors="replace").splitlines()


PARTS = {
    "files": lambda: files(str(Path.home()), "/tmp", "/var/tmp"),
    "settings": settings,
    "windows": windows,
    "processes": processes,
}

if __name__ == "__main__":
    print(json.dumps({part: PARTS[part]() for part in sys.argv[1:]}))
