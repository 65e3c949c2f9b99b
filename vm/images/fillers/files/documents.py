"""Puts a firm's documents into the share."""

import datetime
import json
import os
import pwd
import sys

SHARE = "/var/lib/documents/share"


def main(firm):
    """Write them, each as of its day."""
    account = pwd.getpwnam("documents")
    for document in firm["documents"]:
        path = f"{SHARE}/{document['path']}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(document["text"])
        day = datetime.datetime.fromisoformat(document["day"]).replace(tzinfo=datetime.UTC)
        os.utime(path, (day.timestamp(), day.timestamp()))
    for folder, folders, files in os.walk(SHARE, topdown=False):
        inside = [f"{folder}/{name}" for name in (*folders, *files)]
        newest = max(os.path.getmtime(path) for path in inside)
        os.utime(folder, (newest, newest))
        for path in (folder, *inside):
            os.chown(path, account.pw_uid, account.pw_gid)


if __name__ == "__main__":
    main(json.load(sys.stdin))
