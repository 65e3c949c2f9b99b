"""The trajectory of a trial, read incrementally while it grows."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ambidex.host import is_gui
from ambidex.host.records.trajectory import AGENT, NAME

__all__ = ["LiveTrajectory", "State", "brief"]

State = str
"""`running`, `paused`, `human` or `ended`."""
TEXT = 2000
"""Characters of a thought or result shown in a list; longer texts are cut."""


@dataclass
class LiveTrajectory:
    """The trajectory in a directory. `read` adds the lines written since the last call."""

    folder: Path
    start: dict[str, Any] = field(default_factory=dict)
    steps: list[dict[str, Any]] = field(default_factory=list)
    """Steps, shortened by `brief`, `person` lines and answers of colleagues, distinguished by
    `kind`."""
    end: dict[str, Any] | None = None
    state: State = "running"
    taken: int = 0
    """Number of the agent's steps."""
    damaged: str = ""
    """Why a line cannot be read; empty if all can."""
    cost: float | None = 0.0
    _places: list[tuple[int, int]] = field(default_factory=list)
    """Offset and length of each of the steps in the file."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    """Serialises reads, so that no line is added twice."""
    _read: int = 0
    _file: int = 0

    @property
    def id(self) -> str:
        """Identifies the file: a later attempt in the same directory has another id."""
        return str(self._file)

    def read(self) -> bool:
        """Read new lines; returns whether there were any."""
        with self._lock:
            return self._read_new()

    def _read_new(self) -> bool:
        try:
            with (self.folder / NAME).open("rb") as file:
                self._file = os.fstat(file.fileno()).st_ino
                file.seek(self._read)
                content = file.read()
        except FileNotFoundError:
            return False
        whole = content[: content.rfind(b"\n") + 1]
        for line in whole.split(b"\n")[:-1]:
            try:
                self._add(json.loads(line), len(line) + 1)
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
                # A damaged trajectory must not affect the other trials.
                self._read += len(line) + 1
                self.damaged = self.damaged or f"a line cannot be read: {error}"[:TEXT]
        return bool(whole)

    def is_another(self) -> bool:
        """Whether the file has been replaced by that of a later attempt."""
        try:
            return (self.folder / NAME).stat().st_ino != self._file if self._file else False
        except FileNotFoundError:
            return self._file != 0

    def line(self, index: int) -> dict[str, Any]:
        """The full line of one of the steps; `IndexError` if there is none."""
        at, length = self._places[index]
        with (self.folder / NAME).open("rb") as file:
            file.seek(at)
            line: dict[str, Any] = json.loads(file.read(length))
            return line

    def _add(self, line: dict[str, Any], length: int) -> None:
        place = (self._read, length)
        match line["kind"]:
            case "start":
                self.start = line
            case "end":
                self.end, self.state = line, "ended"
            case "step":
                step = brief(line)
                self.taken += step["actor"] == AGENT
                self._places.append(place)
                self.steps.append(step)
                cost = self.steps[-1]["cost"]
                self.cost = None if cost is None or self.cost is None else self.cost + cost
            case "person":
                states = {
                    "pause": "paused",
                    "resume": "running",
                    "take": "human",
                    "give": "running",
                }
                self.state = states.get(line["order"], self.state)
                self._places.append(place)
                self.steps.append(line)
            case "colleague":
                reply = _brief_reply(line)
                self._places.append(place)
                self.steps.append(reply)
        self._read += length


def brief(line: dict[str, Any]) -> dict[str, Any]:
    """A step as shown in a list: without model exchanges, and with long texts cut."""
    decision = line["decision"]
    costs = [exchange["usage"]["cost"] for exchange in decision["exchanges"]]
    tokens = [exchange["usage"]["input_tokens"] for exchange in decision["exchanges"]]
    return {
        "kind": "step",
        "number": line["number"],
        "actor": line.get("actor", AGENT),
        "did": _step_kind(line),
        "kept": bool(line.get("kept")),
        "thought": _cut(decision["thought"]),
        "malformed": _cut(decision["malformed"]),
        "calls": [
            {"name": call["name"], "arguments": _short(call["arguments"])}
            for call in decision["calls"]
        ],
        "stop": decision["stop"],
        "answer": decision["answer"],
        "results": [
            {"text": _cut(result["text"]), "error": result["error"], "images": result["images"]}
            for result in line["results"]
        ],
        "before": line["before"],
        "after": line["after"],
        "still": line["still"],
        "seconds": {name: round(value, 3) for name, value in line["seconds"].items()},
        "cost": None if None in costs else sum(costs),
        "tokens": sum(tokens),
    }


def _brief_reply(line: dict[str, Any]) -> dict[str, Any]:
    """What a model answered as a colleague, and the message that it answered."""
    asked = line["messages"][-1]["text"] if line["messages"] else ""
    said = {"asked": _cut(asked), "answer": _cut(line["answer"])}
    return {"kind": "colleague", "login": line["login"], **said}


def _step_kind(line: dict[str, Any]) -> str:
    """The kind of a step: `gui`, `tool`, `human`, `error` or `none`."""
    if line.get("actor", AGENT) != AGENT:
        return "human"
    if line["decision"]["malformed"] or any(result["error"] for result in line["results"]):
        return "error"
    if not line["decision"]["calls"]:
        return "none"
    return "gui" if all(map(is_gui, line["apps"])) else "tool"


def _short(arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        name: _cut(value) if isinstance(value, str) else value for name, value in arguments.items()
    }


def _cut(text: str) -> str:
    return text if len(text) <= TEXT else f"{text[:TEXT]} … ({len(text)} characters)"
