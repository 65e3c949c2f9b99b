"""Prints the firm's files as one JSON object, for the evidence.

    {"folders": [path],
     "files": {path: {"size", "sha256", "text": text of at most 64 KiB, or null}}}

Links are not followed.
"""

import contextlib
import hashlib
import json
import os
import sys

SHARE = "/var/lib/documents/share"
TEXT_LIMIT = 1 << 16


def described(content):
    """A file's content."""
    text = None
    if len(content) <= TEXT_LIMIT and b"\0" not in content:
        with contextlib.suppress(UnicodeDecodeError):
            text = content.decode()
    return {"size": len(content), "sha256": hashlib.sha256(content).hexdigest(), "text": text}


def export(share):
    """Everything below the folder `share`."""
    folders, files = [], {}
    for folder, inner, names in os.walk(share):
        folders += [os.path.relpath(os.path.join(folder, name), share) for name in inner]
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    files[os.path.relpath(path, share)] = described(file.read())
    return {"folders": sorted(folders), "files": dict(sorted(files.items()))}


if __name__ == "__main__":
    json.dump(export(SHARE), sys.stdout)
