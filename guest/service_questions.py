"""Reads the questions that a service asks a model of the host's, and writes the answers beside
them. Runs as the service's account.

A service writes a question to `ID.json` in its folder of questions; the answer is put beside it as
`ID.txt`, and the service deletes both when it has used the answer. The folder exists once the host
has asked for questions, so a service knows from it whether there is a model.
"""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path
from typing import Any

from ambidex.guest import HarnessError
from ambidex.guest.wire import WorkerReply

__all__ = ["questions"]

LOOKS = 0.1
"""Seconds between two looks for questions."""


def questions(given: dict[str, Any], body: bytes) -> WorkerReply:
    """Write `answers`, texts by id, into `folder`, and return the questions that have no answer,
    the oldest first. If there are none, wait up to `wait` seconds for one."""
    folder = Path(given["folder"])
    folder.mkdir(mode=0o700, exist_ok=True)
    for id, text in given["answers"].items():
        if not (folder / f"{id}.json").exists():
            raise HarnessError(f"There is no question {id!r} in {folder}.", code="not_found")
        partial = folder / f"{id}.partial"
        partial.write_text(text, encoding="utf-8")
        partial.rename(folder / f"{id}.txt")
    end = time.monotonic() + given["wait"]
    while not (found := _open(folder)) and time.monotonic() < end:
        time.sleep(LOOKS)
    return WorkerReply(found)


def _open(folder: Path) -> list[dict[str, Any]]:
    found = []
    for path in folder.glob("*.json"):
        if path.with_suffix(".txt").exists():
            continue
        with contextlib.suppress(FileNotFoundError):  # its answer has just been used
            content = json.loads(path.read_text(encoding="utf-8"))
            found.append((path.stat().st_mtime_ns, {"id": path.stem, "with": content}))
    return [question for _, question in sorted(found, key=lambda each: each[0])]
