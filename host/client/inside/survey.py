"""In the guest: what its session says there is, so that two looks tell what changed. Written for
Python 3.10.

`python3 -I - PART…` prints JSON, by part: `settings` of the session by schema and key; `windows` by
their number and class; `processes` of the desktop user by name and number.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path


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
    "settings": settings,
    "windows": windows,
    "processes": processes,
}

if __name__ == "__main__":
    print(json.dumps({part: PARTS[part]() for part in sys.argv[1:]}))
