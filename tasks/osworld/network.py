"""Which network a task of OSWorld needs, as far as its file says.

A file does not say all: a task that asks for a site only in words looks `offline`. What people
found is in the notes (`tasks.osworld.annotations`), and goes before this.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal

__all__ = ["Net", "net_of"]

Net = Literal["offline", "prebake", "stub", "replay", "install", "live", "web", "gdrive"]
"""offline: files of the benchmark at most. prebake: packages that an image can hold. stub: sites as
scenery, replay: sites that do not change, live: sites that do. install: software from elsewhere.
web: some site, not known which kind. gdrive: a Google account."""

HOST = re.compile(r"https?://([^/\"\s\\']+)")
INSTALLS = re.compile(
    r"\bapt(?:-get)?\s+(?:-\S+\s+)*install\b"
    r"|\bpip3?\s+install\b"
    r"|\"pip3?\",\s*\"install\""
    r"|--install-extension[\s\",]+(?!\S+\.vsix)"
)
OURS = ("huggingface.co", "localhost", "127.0.0.1")


def net_of(raw: Mapping[str, Any]) -> Net:
    """By the steps and the evaluator of a task file. Pages that a browser's history only lists are
    not visited."""
    steps = [step for step in raw.get("config", ()) if step.get("type") != "update_browse_history"]
    evaluator = raw["evaluator"]
    visited = evaluator.get("func") != "check_history_deleted"
    said = json.dumps([steps, evaluator])
    if '"googledrive' in said:
        return "gdrive"
    if visited and any(host not in OURS for host in HOST.findall(said)):
        return "web"
    return "prebake" if INSTALLS.search(said) else "offline"
