"""The network that a task of OSWorld needs, as far as its file shows.

A file does not show everything: a task that mentions a site only in its instruction looks
`offline`. Annotations by people (`tasks.osworld.annotations`) take precedence.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ambidex.tasks.survey import Net

__all__ = ["net_of"]

HOST = re.compile(r"https?://([^/\"\s\\']+)")
INSTALLS = re.compile(
    r"\bapt(?:-get)?\s+(?:-\S+\s+)*install\b"
    r"|\bpip3?\s+install\b"
    r"|\"pip3?\",\s*\"install\""
    r"|--install-extension[\s\",]+(?!\S+\.vsix)"
)
OURS = ("huggingface.co", "localhost", "127.0.0.1")


def net_of(raw: Mapping[str, Any]) -> Net:
    """Derive the network from the steps and the evaluator of a task file. Pages that only occur in
    a browser's history do not count, since they are not visited."""
    steps = [step for step in raw.get("config", ()) if step.get("type") != "update_browse_history"]
    evaluator = raw["evaluator"]
    visited = evaluator.get("func") != "check_history_deleted"
    text = json.dumps([steps, evaluator])
    if '"googledrive' in text:
        return "gdrive"
    if visited and any(host not in OURS for host in HOST.findall(text)):
        return "web"
    return "prebake" if INSTALLS.search(text) else "offline"
