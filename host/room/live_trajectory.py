"""A trial as it is watched: what its trajectory says so far, read on as it grows."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ambidex.host import GUI
from ambidex.host.records.trajectory import AGENT, NAME

__all__ = ["Reel", "State", "brief"]

State = str
"""`running`, `paused`, `human` or `ended`."""
TEXT = 2000
"""Characters of a thought or a result that a list shows; the whole is a click away."""


@dataclass
class Reel:
    """The trajectory in a directory. `read` takes in what has come since."""

    folder: Path
    start: dict[str, Any] = field(default_factory=dict)
    steps: list[dict[str, Any]] = field(default_factory=list)
    """Briefly, see `brief`; `person` lines stand among them, with `kind`."""
    end: dict[str, Any] | None = None
    state: State = "running"
    taken: int = 0
    """Steps of the agent."""
    damaged: str = ""
    """Why a part of it cannot be read; empty where all of it can be."""
    cost: float | None = 0.0
    _places: list[tuple[int, int]] = field(default_factory=list)
    """Where each of the steps lies in the file."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    """One reads at a time, or a line would be there twice."""
    _read: int = 0
    _file: int = 0

    @property
    def id(self) -> str:
        """Which file it is: a later attempt in the same directory has another."""
        return str(self._file)

    def read(self) -> bool:
        """Whether something was new."""
        with self._lock:
            return self._read_on()

    def _read_on(self) -> bool:
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
                # One trial's record is damaged: the others are watched as before.
                self._read += len(line) + 1
                self.damaged = self.damaged or f"a line cannot be read: {error}"[:TEXT]
        return bool(whole)

    def is_another(self) -> bool:
        """Whether the file is not the one that was read: a later attempt has begun there."""
        try:
            return (self.folder / NAME).stat().st_ino != self._file if self._file else False
        except FileNotFoundError:
            return self._file != 0

    def line(self, index: int) -> dict[str, Any]:
        """The whole of one of the steps; `IndexError` where there is none."""
        at, length = self._places[index]
        with (self.folder / NAME).open("rb") as file:
            file.seek(at)
            found: dict[str, Any] = json.loads(file.read(length))
            return found

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
                told = {"pause": "paused", "resume": "running", "take": "human", "give": "running"}
                self.state = told.get(line["order"], self.state)
                self._places.append(place)
                self.steps.append(line)
        self._read += length


def brief(line: dict[str, Any]) -> dict[str, Any]:
    """A step as a list shows it: no exchanges with models, long texts cut."""
    decision = line["decision"]
    costs = [each["usage"]["cost"] for each in decision["exchanges"]]
    tokens = [each["usage"]["input_tokens"] for each in decision["exchanges"]]
    return {
        "kind": "step",
        "number": line["number"],
        "actor": line.get("actor", AGENT),
        "did": _did(line),
        "kept": bool(line.get("kept")),
        "thought": _cut(decision["thought"]),
        "malformed": _cut(decision["malformed"]),
        "calls": [
            {"name": each["name"], "arguments": _short(each["arguments"])}
            for each in decision["calls"]
        ],
        "stop": decision["stop"],
        "answer": decision["answer"],
        "results": [
            {"text": _cut(each["text"]), "error": each["error"], "images": each["images"]}
            for each in line["results"]
        ],
        "before": line["before"],
        "after": line["after"],
        "still": line["still"],
        "seconds": {name: round(value, 3) for name, value in line["seconds"].items()},
        "cost": None if None in costs else sum(costs),
        "tokens": sum(tokens),
    }


def _did(line: dict[str, Any]) -> str:
    """What was done in a step: `gui`, `tool`, `human`, `error` or `none`."""
    if line.get("actor", AGENT) != AGENT:
        return "human"
    if line["decision"]["malformed"] or any(each["error"] for each in line["results"]):
        return "error"
    if not line["decision"]["calls"]:
        return "none"
    return "gui" if set(line["apps"]) == {GUI} else "tool"


def _short(arguments: dict[str, Any]) -> dict[str, Any]:
    return {
        name: _cut(value) if isinstance(value, str) else value for name, value in arguments.items()
    }


def _cut(text: str) -> str:
    return text if len(text) <= TEXT else f"{text[:TEXT]} … ({len(text)} characters)"
