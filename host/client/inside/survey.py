"""Survey the desktop session. Runs in the guest, under Python 3.10.

`python3 -I - PART…` prints JSON, by part: `settings` of the session by schema and key, `windows` by
class and number, `processes` of the desktop user by name and number.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path


def settings() -> dict[str, str]:
    """The value of every setting of a non-relocatable schema."""
    values = {}
    for line in output_lines("gsettings", "list-recursively"):
        schema, _, rest = line.partition(" ")
        key, _, value = rest.partition(" ")
        values[f"{schema} {key}"] = value
    return values


def windows() -> dict[str, str]:
    """The title of each window."""
    titles = {}
    for line in output_lines("wmctrl", "-l", "-x"):
        number, _, kind, _, *title = line.split(None, 4)
        titles[f"{kind.rpartition('.')[2]} {number}"] = title[0] if title else ""
    return titles


def processes() -> dict[str, str]:
    """The command line of each process of this user, except this one."""
    commands = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if path.stat().st_uid != os.getuid() or int(path.name) == os.getpid():
                continue
            words = (path / "cmdline").read_bytes().decode(errors="replace").split("\0")
            name = (path / "comm").read_text().strip()
            commands[f"{name} {path.name}"] = " ".join(words).strip()
        except OSError:  # the process has ended
            continue
    return commands


def output_lines(*command: str) -> list[str]:
    """The lines that a program prints; none if it is not installed."""
    if shutil.which(command[0]) is None:
        return []
    result = subprocess.run(command, capture_output=True, check=False)
    return result.stdout.decode(errors="replace").splitlines()


PARTS = {
    "settings": settings,
    "windows": windows,
    "processes": processes,
}

if __name__ == "__main__":
    print(json.dumps({part: PARTS[part]() for part in sys.argv[1:]}))
