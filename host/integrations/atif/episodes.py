"""Conversion of ATIF's steps to the steps of an episode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from atif import ContentPart, ImageSource, Metrics, Step, Trajectory

from ambidex.evaluators.bounded import open_picture
from ambidex.host import GUI, Decision, Exchange, Frame, Stop, ToolCall, ToolResult, Usage
from ambidex.host.errors import UsageError
from ambidex.host.integrations.atif.writing import IMAGES, OURS
from ambidex.host.records import trajectory as records
from ambidex.host.records.recorded_steps import data_url
from ambidex.host.records.trajectory import AGENT, ExecutedTool, Seconds

__all__ = ["ForeignSteps", "OurSteps", "ours_of"]


class OurSteps:
    """Converts the steps of a trajectory that we exported back to what they were."""

    def __init__(
        self,
        files: Path,
        episode: records.Trajectory,
        trajectory: Trajectory,
        offers: Mapping[str, list[str]],
    ) -> None:
        self._pictures = Pictures(files, episode)
        self._episode = episode
        self._trajectory = trajectory
        self._offers = offers

    def write(self) -> None:
        """Write them."""
        for step in self._trajectory.steps:
            match ours_of(step):
                case {"start": dict(start)}:
                    self._episode.start(instruction=_texts(step.message), **start)
                case {"person": dict(person)}:
                    self._episode.person(**person)
                case {"number": int()} as ours:
                    self._write_step(step, ours)

    def _write_step(self, step: Step, ours: Mapping[str, Any]) -> None:
        before = self._pictures.frame(f"{IMAGES}/{ours['before']}.png") if ours["before"] else ""
        results, after = [], ""
        for result in step.observation.results if step.observation else ():
            if result.subagent_trajectory_ref:
                continue
            kept = (result.extra or {}).get(OURS, {})
            if kept.get("screenshot"):
                after = self._pictures.frame(*_paths(result.content))
                continue
            call = result.source_call_id or kept["call"]
            images = tuple(map(self._pictures.data_url, _paths(result.content)))
            text = _texts(result.content)
            results.append(ToolResult(call, text, kept["error"], kept["value"], images))
        calls = step.tool_calls or ()
        decision = Decision(
            thought=_texts(step.message),
            calls=tuple(
                ToolCall(call.tool_call_id, call.function_name, call.arguments) for call in calls
            ),
            stop=Stop(ours["stop"]) if ours.get("stop") else None,
            answer=ours.get("answer"),
            exchanges=tuple(self._exchanges(step)),
            malformed=ours.get("malformed", ""),
        )
        apps = [call.extra[OURS]["app"] if call.extra else None for call in calls]
        behind = [(call.extra or {})[OURS].get("executed") for call in calls]
        if ours["actor"] != AGENT:
            decision = Decision(calls=tuple(ToolCall(**call) for call in ours["calls"]))
            apps, behind = ours["apps"], []
        self._episode.step(
            records.Step(
                ours["number"],
                before,
                decision,
                apps,
                self._episode.offer(self._offers[ours["offered"]]) if ours["offered"] else "",
                results,
                after,
                ours["still"],
                Seconds(**ours["seconds"]),
                ours.get("focused", ""),
                tuple(ours.get("notes", ())),
                executed=[tool and ExecutedTool(**tool) for tool in behind],
            ),
            ours["actor"],
        )

    def _exchanges(self, step: Step) -> Iterator[Exchange]:
        """The requests behind a step: its own, and those of its subagents."""
        if step.metrics:
            yield _exchange(step)
        subagents = {
            each.trajectory_id: each for each in self._trajectory.subagent_trajectories or ()
        }
        for result in step.observation.results if step.observation else ():
            for reference in result.subagent_trajectory_ref or ():
                yield from map(_exchange, subagents[reference.trajectory_id].steps[1:])


class ForeignSteps:
    """Converts the steps of another program's trajectory to steps of an episode. A picture among
    a step's results becomes the screen after it."""

    def __init__(
        self, files: Path, episode: records.Trajectory, trajectory: Trajectory, name: str
    ) -> None:
        self._pictures = Pictures(files, episode)
        self._episode = episode
        self._trajectory = trajectory
        self._name = name
        self._screen = ""
        self._number = 0

    def write(self) -> None:
        """Write them. The first user message is the instruction; other messages that no agent
        wrote are shown as hints."""
        agent, steps = self._trajectory.agent, self._trajectory.steps
        asked = next((step for step in steps if step.source == "user"), None)
        self._episode.start(
            task=self._name,
            instruction=_texts(asked.message) if asked else "",
            agent=" ".join(filter(None, (agent.name, agent.version, agent.model_name))),
        )
        for step in steps:
            if step.source == "agent":
                self._write_step(step)
                continue
            for path in _paths(step.message):
                self._screen = self._pictures.frame(path)
            if step is not asked:
                at = step.timestamp or ""
                self._episode.person(order="hint", by=step.source, at=at, text=_texts(step.message))

    def _write_step(self, step: Step) -> None:
        self._number += 1
        before = self._screen
        results = []
        calls = step.tool_calls or ()
        for result in step.observation.results if step.observation else ():
            for path in _paths(result.content):
                self._screen = self._pictures.frame(path) or self._screen
            results.append(ToolResult(result.source_call_id or "", _texts(result.content)))
        thought = "\n".join(filter(None, (step.reasoning_content, _texts(step.message))))
        decision = Decision(
            thought,
            tuple(
                ToolCall(call.tool_call_id, call.function_name, call.arguments) for call in calls
            ),
            exchanges=(_exchange(step),) if step.metrics else (),
        )
        apps: list[str | None] = [_app(call.function_name) for call in calls]
        self._episode.step(
            records.Step(self._number, before, decision, apps, results=results, after=self._screen)
        )


class Pictures:
    """The pictures of a trajectory, by the paths in it. Only files in its directory are read; an
    address of the network is not loaded."""

    def __init__(self, folder: Path, episode: records.Trajectory) -> None:
        self._folder = folder.resolve()
        self._episode = episode

    def frame(self, path: str) -> str:
        """Store the picture as a frame, and return its hash; empty if it is not there."""
        file = self._file(path)
        if file is None:
            return ""
        with open_picture(file.read_bytes()) as picture:
            plain = picture.convert("RGB")
            return self._episode.frame(Frame.of(plain.size, plain.tobytes()))

    def data_url(self, path: str) -> str:
        """The picture as a data URL; `UsageError` if it is not there."""
        file = self._file(path)
        if file is None:
            raise UsageError(f"the image {path} is missing in {self._folder}")
        return data_url(file)

    def _file(self, path: str) -> Path | None:
        if "://" in path:
            return None
        file = (self._folder / path).resolve()
        return file if file.is_relative_to(self._folder) and file.is_file() else None


def ours_of(step: Step) -> dict[str, Any]:
    """What only we record about a step; empty if another program wrote it."""
    ours: dict[str, Any] = (step.extra or {}).get(OURS, {})
    return ours


def _exchange(step: Step) -> Exchange:
    """The request that a step's metrics are about. The model's raw answer is not in the format."""
    metrics = step.metrics or Metrics()
    rest: dict[str, Any] = {"reasoning_tokens": None, "requests": 1, "retries": 0, "seconds": 0.0}
    rest |= metrics.extra or {}
    usage = Usage(
        metrics.prompt_tokens or 0,
        metrics.completion_tokens or 0,
        metrics.cached_tokens or 0,
        rest["reasoning_tokens"],
        metrics.cost_usd,
        rest["requests"],
        rest["retries"],
    )
    return Exchange(step.model_name or "", {}, usage, rest["seconds"])


def _texts(content: str | list[ContentPart] | None) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.text for part in content or () if part.text is not None)


def _paths(content: str | list[ContentPart] | None) -> list[str]:
    parts = content if isinstance(content, list) else ()
    return [part.source.path for part in parts if isinstance(part.source, ImageSource)]


def _app(function: str) -> str:
    """The app of another program's tool: that of mouse and keyboard if it is called after them."""
    return GUI if function.startswith(GUI) else function
