"""The requests that a trial sent to its models, and their answers.

A trajectory stores the answers. The requests are built again: the agent is shown the recorded
observations while its model gives the recorded answers, as when an episode is forked
(`host.loop.replay_prefix`). `notes` names what may differ from what was sent.
"""

from __future__ import annotations

import base64
import json
import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from ambidex.host import (
    Agent,
    Answer,
    Briefing,
    Exchange,
    Observation,
    Request,
    ToolResult,
    ToolSpec,
)
from ambidex.host.agents.model import ModelAgent
from ambidex.host.dialects import dialects, open_dialect
from ambidex.host.dialects.grounded import Grounded
from ambidex.host.errors import HintedError, RehearsalError
from ambidex.host.models.prompts import prompts_hash
from ambidex.host.records.config import ModelConfig, RunConfig, read_config
from ambidex.host.records.recorded_steps import load_frame, load_step
from ambidex.host.records.trajectory import AGENT, Step, read_trajectory
from ambidex.host.toolsets.gateway_tools import SPECS
from ambidex.tasks.catalogue import catalogue_hash, read_catalogue

__all__ = ["Transcript", "catalogue", "settings"]

AGENTS = ("model", "planner")
SETTINGS = ("name", "base_url", "dialect", "effort", "temperature", "top_p", "max_tokens", "view")
SHORTEST = 60
"""Characters of a data URL that can be a picture."""


class RecordedModel:
    """A `host.Model` that gives recorded answers and remembers what it was asked."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.answers: deque[Exchange] = deque()
        self.asked: list[Request] = []

    def ask(self, request: Request) -> Answer:
        """See `host.Model`."""
        if not self.answers:
            raise RehearsalError(f"no recorded answer of {self.name} is left")
        self.asked.append(request)
        exchange = self.answers.popleft()
        return Answer(exchange.answer, exchange.usage)


@dataclass
class Transcript:
    """The exchanges of the trial in a directory. `read` adds those recorded since the last call."""

    folder: Path
    exchanges: list[dict[str, Any]] = field(default_factory=list)
    """Step, model, usage, seconds, request and answer of each. In the last two, a value is the
    index of a part; those of a list, a list of them."""
    parts: list[Any] = field(default_factory=list)
    """Messages, tools and other values, each stored once. `{"$image": NAME}` stands for a picture
    in `images`."""
    images: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    """Media type and content of the pictures in requests."""
    notes: list[str] = field(default_factory=list)
    """Why requests are missing, or may differ from those that were sent."""
    _places: dict[str, int] = field(default_factory=dict)
    _agent: Agent | None = None
    _model: RecordedModel | None = None
    _offers: dict[str, list[str]] = field(default_factory=dict)
    _results: tuple[ToolResult, ...] = ()
    _read: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self) -> None:
        """Take in new lines of the trajectory. Raises `UsageError` if the run cannot be read."""
        with self._lock:
            for line in [*read_trajectory(self.folder)][self._read :]:
                self._read += 1
                match line["kind"]:
                    case "start":
                        self._start(line, read_config(self.folder.parent))
                    case "offer":
                        self._offers[line["name"]] = line["tools"]
                    case "step" if line["actor"] == AGENT:
                        self._step(load_step(self.folder, line))

    def _start(self, line: Mapping[str, Any], config: RunConfig) -> None:
        model = config.model
        if model is None:
            return
        if line["agent"] not in AGENTS or model.dialect not in dialects():
            # Other code than the testbed's own is not run to show a page.
            self.notes.append("Requests are shown for built-in agents and dialects only.")
            return
        branch = line["trial"] if "from" in line else 0
        briefing = Briefing(line["instruction"], config.limits, line["seed"], branch)
        self._model = RecordedModel(model.name)
        dialect = open_dialect(model, briefing)
        if line["agent"] == "planner" and config.grounder:
            dialect = Grounded(dialect, config.grounder, self._model)
        self._agent = ModelAgent(self._model, dialect, briefing)
        if config.prompts not in ("", prompts_hash()):
            self.notes.append("The prompts have changed since: requests contain today's.")
        if config.catalogue not in ("", catalogue_hash(catalogue())):
            self.notes.append("Tools have changed since: requests contain today's descriptions.")

    def _step(self, step: Step) -> None:
        exchanges = step.decision.exchanges
        requests: list[Request] = []
        if self._agent and self._model and exchanges:
            try:
                requests = self._requests(self._agent, self._model, step)
            except (HintedError, OSError, ValueError, LookupError) as error:
                self._agent = None
                self.notes.append(f"The requests from step {step.number} on are missing: {error}.")
        for at, exchange in enumerate(exchanges):
            request = requests[at] if at < len(requests) else None
            self.exchanges.append(
                {
                    "step": step.number,
                    "model": exchange.model,
                    "seconds": exchange.seconds,
                    "usage": asdict(exchange.usage),
                    "form": request.form if request else "",
                    "request": self._stored(request.body) if request else None,
                    "answer": self._stored(exchange.answer),
                    "malformed": step.decision.malformed if at == 0 else "",
                }
            )

    def _requests(self, agent: Agent, model: RecordedModel, step: Step) -> list[Request]:
        frame = load_frame(self.folder, step.before) if step.before else None
        tools = tuple(self._tool(name) for name in self._offers.get(step.offered, ()))
        seen = replace(frame, focused=step.focused) if frame else None
        model.answers, model.asked = deque(step.decision.exchanges), []
        decision = agent.step(Observation(seen, self._results, tools, step.notes))
        self._results = tuple(
            replace(result, call=call.id)
            for call, result in zip(decision.calls, step.results, strict=False)
        )
        return model.asked

    def _tool(self, name: str) -> ToolSpec:
        tool = catalogue().get(name) or _gateway_tools().get(name)
        if tool is None:
            tool = ToolSpec(name, "", "(The description was not kept.)", {}, reads_only=False)
            note = f"This version has no tool {name}: its description is missing in requests."
            if note not in self.notes:
                self.notes.append(note)
        return tool

    def _stored(self, body: Mapping[str, Any]) -> dict[str, int | list[int]]:
        return {
            key: [self._part(item) for item in value]
            if isinstance(value, list)
            else self._part(value)
            for key, value in body.items()
        }

    def _part(self, value: Any) -> int:
        plain = self._without_pictures(value)
        key = json.dumps(plain, sort_keys=True, default=str)
        if key not in self._places:
            self._places[key] = len(self.parts)
            self.parts.append(json.loads(key))
        return self._places[key]

    def _without_pictures(self, value: Any) -> Any:
        match value:
            case {"type": "base64", "data": str(data), "media_type": str(kind)}:
                return {**value, "data": self._picture(kind, data)}
            case Mapping():
                return {name: self._without_pictures(item) for name, item in value.items()}
            case list() | tuple():
                return [self._without_pictures(item) for item in value]
            case str() if value.startswith("data:image/") and len(value) > SHORTEST:
                head, _, data = value.partition(",")
                return self._picture(head.removeprefix("data:").partition(";")[0], data)
        return value

    def _picture(self, kind: str, data: str) -> dict[str, str]:
        content = base64.b64decode(data)
        name = blake2b(content, digest_size=16).hexdigest()
        self.images[name] = (kind, content)
        return {"$image": name}


def settings(config: ModelConfig) -> dict[str, Any]:
    """The settings that the sender adds to each request, without those left to the vendor."""
    values = config.model_dump(mode="json", include=set(SETTINGS))
    return {name: values[name] for name in SETTINGS if values[name] not in (None, "")}


@cache
def catalogue() -> dict[str, ToolSpec]:
    """The tools of this version, read once: that takes a process."""
    return read_catalogue()


@cache
def _gateway_tools() -> dict[str, ToolSpec]:
    return {tool.name: tool for tools in SPECS.values() for tool in tools}
