"""An episode as one self-contained HTML file, with the control room's replay page and all frames
embedded. It needs no control room and loads nothing.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from ambidex.host.records.frame_files import frame_url
from ambidex.host.records.trajectory import FRAMES
from ambidex.host.room.live_trajectory import LiveTrajectory

__all__ = ["episode_html"]

PAGES = Path(__file__).with_name("pages")
MODULES = ("dom.js", "steps.js", "stage.js", "timeline.js", "standalone.js")
"""In the order of their dependencies."""
IMPORT = re.compile(r"^import .*?;\n", re.MULTILINE | re.DOTALL)


def episode_html(trial: Path) -> str:
    """The page of a trial's episode; `FileNotFoundError` if it has no trajectory."""
    trajectory = LiveTrajectory(trial)
    if not trajectory.read():
        raise FileNotFoundError(f"not a trial directory (it has no trajectory): {trial}")
    steps = [line for line in trajectory.steps if line["kind"] == "step"]
    names = {line[key] for line in steps for key in ("before", "after")} - {""}
    episode = {
        "start": trajectory.start,
        "end": trajectory.end,
        "lines": trajectory.steps,
        "score": _score(trial),
        "frames": {name: frame_url(trial / FRAMES, name) for name in sorted(names)},
    }
    page = (PAGES / "standalone.html").read_text(encoding="utf-8")
    # Text of the episode must not end the <script> element that contains it.
    data = json.dumps(episode, ensure_ascii=False).replace("<", "\\u003c")
    parts = {
        "TITLE": _escaped(str(trajectory.start.get("task", trial.name))),
        "STYLE": (PAGES / "room.css").read_text(encoding="utf-8"),
        "SCRIPT": "\n".join(_script(name) for name in MODULES),
        "EPISODE": data,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], page)


def _script(name: str) -> str:
    text = IMPORT.sub("", (PAGES / name).read_text(encoding="utf-8"))
    return re.sub(r"^export ", "", text, flags=re.MULTILINE)


def _score(trial: Path) -> Any:
    path = trial / "score.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
