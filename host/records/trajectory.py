"""The record of an episode, written as it happens: `trajectory.jsonl`, and the frames in `frames/`
(see `host.records.frame_files`)."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from itertools import zip_longest
from pathlib import Path
from typing import Any

from ambidex.host import GATEWAY, Decision, Frame, ToolResult
from ambidex.host.records.frame_files import FrameWriter
from ambidex.vm.closing import Closing

__all__ = [
    "AGENT",
    "FRAMES",
    "ExecutedTool",
    "Seconds",
    "Step",
    "Trajectory",
    "calls_of",
    "read_trajectory",
    "replies_of",
]

NAME = "trajectory.jsonl"
FRAMES = "frames"
AGENT = "agent"
"""The default actor of a step."""


@dataclass(frozen=True)
class ExecutedTool:
    """The tool behind a call of a gateway, with the arguments that it was given."""

    server: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Seconds:
    """How the time of a step was spent."""

    model: float = 0.0
    """The agent's decision."""
    guest: float = 0.0
    """Carrying out calls and fetching the screen."""
    settle: float = 0.0
    """The guest waiting for its screen to settle."""
    harness: float = 0.0
    """Everything else: overhead of the host."""

    def __add__(self, other: Seconds) -> Seconds:
        return Seconds(
            *(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True))
        )


@dataclass
class Step:
    """One step of an episode: a line of kind `step`."""

    number: int
    """From 1."""
    before: str
    """Hash of the frame the agent saw; empty in a guest without a desktop."""
    decision: Decision
    apps: list[str | None]
    """For each call the app of its tool; null if no such tool was on offer."""
    offered: str = ""
    """The tools on offer, as the name of an earlier line of kind `offer`."""
    results: list[ToolResult] = field(default_factory=list)
    after: str = ""
    """Hash of the frame after the step; empty if there was none, as when the episode ended."""
    still: bool = True
    seconds: Seconds = field(default_factory=Seconds)
    focused: str = ""
    """`Frame.focused` of the frame the agent saw."""
    notes: tuple[str, ...] = ()
    """The notes of the observation (hints from a person or a fork)."""
    kept: str = ""
    """Path, within the trial's directory, of the checkpoint taken before the decision; empty if
    none was taken."""
    executed: list[ExecutedTool | None] = field(default_factory=list)
    """For each call the tool that a gateway executed for it; null if there was none."""


class Trajectory(Closing):
    """Writes one episode. A context manager; every line is flushed, every frame is stored once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FRAMES
        self._frames = FrameWriter(self._folder)
        self._offers: set[str] = set()
        self._lock = threading.Lock()
        self.acted = 0
        """Number of calls that the agent has made."""
        # Models do write lone surrogates. They are not valid UTF-8, but JSON can escape them.
        self._file = (folder / NAME).open("x", encoding="utf-8", errors="backslashreplace")

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def frame(self, frame: Frame | None) -> str:
        """Store the frame, if it is new, and return its hash; empty if there is none."""
        return self._frames.add(frame) if frame else ""

    def start(self, **fields: Any) -> None:
        """Write the first line: what the episode started with."""
        self._write({"kind": "start", **fields})

    def offer(self, tools: Sequence[str]) -> str:
        """Return the name of this list of tools; the first time, write a line with its content."""
        name = blake2b("\n".join(tools).encode(), digest_size=4).hexdigest()
        if name not in self._offers:
            self._offers.add(name)
            self._write({"kind": "offer", "name": name, "tools": list(tools)})
        return name

    def person(self, **fields: Any) -> None:
        """Write a line for a person's order, when it is carried out."""
        self._write({"kind": "person", **fields})

    def colleague(self, **fields: Any) -> None:
        """Write a line for what a model answered as a colleague. Called from any thread."""
        self._write({"kind": "colleague", **fields})

    def step(self, step: Step, actor: str = AGENT) -> None:
        """Write a line for a step. Images that tools returned are stored with the frames."""
        if actor == AGENT:
            self.acted += len(step.decision.calls)
        fields = {"actor": actor, **asdict(step)}
        for result in fields["results"]:
            result["images"] = [self._store_image(image) for image in result["images"]]
        self._write({"kind": "step", **fields})

    def end(self, **fields: Any) -> None:
        """Write the last line: how the episode ended."""
        self._write({"kind": "end", **fields})

    def _store_image(self, url: str) -> str:
        head, _, data = url.partition(",")
        content = base64.b64decode(data)
        kind = head.removeprefix("data:image/").partition(";")[0]
        name = f"{blake2b(content, digest_size=16).hexdigest()}.{kind}"
        (self._folder / name).write_bytes(content)
        return name

    def _write(self, line: Mapping[str, Any]) -> None:
        with self._lock:
            self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
            self._file.flush()


def calls_of(folder: Path) -> list[dict[str, Any]]:
    """The agent's calls in a recorded episode, in order, each with the tool's output, in the form
    of `evaluators.key_points.RecordedCall`. A call without a result is left out."""
    calls = []
    for line in read_trajectory(folder):
        if line["kind"] != "step" or line["actor"] != AGENT:
            continue
        results = {result["call"]: result for result in line["results"]}
        decided = line["decision"]["calls"]
        for call, app, behind in zip_longest(decided, line["apps"], line.get("executed", ())):
            if call and (result := results.get(call["id"])):
                calls.append(
                    {
                        "tool": behind["tool"] if behind else call["name"],
                        "server": behind["server"] if behind else "",
                        "arguments": behind["arguments"] if behind else call["arguments"],
                        "output": result["text"],
                        "error": result["error"],
                        "search": app == GATEWAY and not behind and not result["error"],
                    }
                )
    return calls


def replies_of(folder: Path) -> list[str]:
    """What an agent said in a recorded episode, in order; its answer last, if it gave one."""
    steps = [line["decision"] for line in read_trajectory(folder) if line["kind"] == "step"]
    replies = [step["thought"] for step in steps if step["thought"]]
    answers = [step["answer"] for step in steps if step.get("answer")]
    return [*replies, *answers[-1:]]


def read_trajectory(folder: Path) -> Iterator[dict[str, Any]]:
    """The lines of a recorded episode; a truncated last line is ignored."""
    for line in (folder / NAME).read_text(encoding="utf-8").splitlines(keepends=True):
        if line.endswith("\n"):
            yield json.loads(line)
