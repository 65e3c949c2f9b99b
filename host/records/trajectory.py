"""What happened in an episode, on disk as it happens: `trajectory.jsonl`, and the frames in
`frames/` (see `host.records.frame_files`)."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import Any

from ambidex.host import Decision, Frame, ToolResult
from ambidex.host.records.frame_files import Pictures

__all__ = ["AGENT", "FRAMES", "Seconds", "Step", "Trajectory", "read_trajectory"]

NAME = "trajectory.jsonl"
FRAMES = "frames"
AGENT = "agent"
"""Who acts in a step where nobody else is named."""


@dataclass
class Seconds:
    """Where the time of a step went."""

    model: float = 0.0
    """The agent deciding."""
    guest: float = 0.0
    """Calls carried out, and the screen fetched."""
    settle: float = 0.0
    """The guest waiting for its screen to be still."""
    harness: float = 0.0
    """All the rest: ours."""

    def __add__(self, other: Seconds) -> Seconds:
        return Seconds(
            *(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True))
        )


@dataclass
class Step:
    """One line of a trajectory."""

    number: int
    """From 1."""
    before: str
    """Hash of the frame the agent saw."""
    decision: Decision
    apps: list[str | None]
    """For each call the app of its tool; null where no such tool was offered."""
    offered: str = ""
    """Which tools were on offer: the name of an earlier line of kind `offer`."""
    results: list[ToolResult] = field(default_factory=list)
    after: str = ""
    """Hash of the frame after it; empty where the episode ended without one."""
    still: bool = True
    seconds: Seconds = field(default_factory=Seconds)
    focused: str = ""
    """`Frame.focused` of the frame the agent saw."""
    notes: tuple[str, ...] = ()
    """What the agent was told before it decided."""
    kept: str = ""
    """Where in the trial's directory the machine is kept as it was before the decision; empty
    where it was not kept."""


class Trajectory:
    """Writes one episode. A context manager; every line is flushed, every frame is stored once."""

    def __init__(self, folder: Path) -> None:
        self._frames = folder / FRAMES
        self._pictures = Pictures(self._frames)
        self._offers: set[str] = set()
        self.acted = 0
        """Calls that the agent has made."""
        # Half of a surrogate pair, which models do write, is no UTF-8; as an escape it is JSON.
        self._file = (folder / NAME).open("x", encoding="utf-8", errors="backslashreplace")

    def __enter__(self) -> Trajectory:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def frame(self, frame: Frame) -> str:
        """Store the frame, if it is new, and return its hash."""
        return self._pictures.add(frame)

    def start(self, **said: Any) -> None:
        """The first line: what the episode began with."""
        self._line({"kind": "start", **said})

    def offer(self, tools: Sequence[str]) -> str:
        """The name of this offer; a line says what is in it when it is made for the first time."""
        name = blake2b("\n".join(tools).encode(), digest_size=4).hexdigest()
        if name not in self._offers:
            self._offers.add(name)
            self._line({"kind": "offer", "name": name, "tools": list(tools)})
        return name

    def person(self, **said: Any) -> None:
        """A line for what a person asked for, as it is carried out."""
        self._line({"kind": "person", **said})

    def step(self, step: Step, actor: str = AGENT) -> None:
        """A line for a step; pictures that tools returned are stored beside the frames."""
        if actor == AGENT:
            self.acted += len(step.decision.calls)
        said = {"actor": actor, **asdict(step)}
        for result in said["results"]:
            result["images"] = [self._picture(image) for image in result["images"]]
        self._line({"kind": "step", **said})

    def end(self, **said: Any) -> None:
        """The last line: how it ended."""
        self._line({"kind": "end", **said})

    def _picture(self, url: str) -> str:
        head, _, data = url.partition(",")
        content = base64.b64decode(data)
        kind = head.removeprefix("data:image/").partition(";")[0]
        name = f"{blake2b(content, digest_size=16).hexdigest()}.{kind}"
        (self._frames / name).write_bytes(content)
        return name

    def _line(self, said: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(said, ensure_ascii=False) + "\n")
        self._file.flush()


def read_trajectory(folder: Path) -> Iterator[dict[str, Any]]:
    """The lines of a stored episode; a last one that was cut off is left out."""
    for line in (folder / NAME).read_text(encoding="utf-8").splitlines(keepends=True):
        if line.endswith("\n"):
            yield json.loads(line)
