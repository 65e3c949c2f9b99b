"""Export a run as ATIF."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from atif import (
    Agent,
    ContentPart,
    FinalMetrics,
    ImageSource,
    Metrics,
    ObservationResult,
    Step,
    SubagentTrajectoryRef,
    Trajectory,
)

from ambidex.evaluators.bounded import without_surrogates
from ambidex.host import ToolSpec
from ambidex.host.errors import UsageError
from ambidex.host.integrations.attempts import (
    COUNTS,
    RecordedAttempt,
    recorded_attempts,
    recount,
    text_of,
)
from ambidex.host.records.config import NAME as CONFIG
from ambidex.host.records.config import RunConfig, read_config
from ambidex.host.records.frame_files import read_frame_png
from ambidex.host.records.orders import written
from ambidex.host.records.trajectory import AGENT, FRAMES
from ambidex.tasks.catalogue import catalogue_hash

__all__ = ["IMAGES", "OURS", "SCREENSHOT", "TRAJECTORY", "VERSION", "write_atif"]

VERSION = "ATIF-v1.8"
TRAJECTORY = "trajectory.json"
IMAGES = "images"
OURS = "ambidex"
"""The key below `extra` of everything that the format has no field for."""
SCREENSHOT = {OURS: {"screenshot": True}}
"""`extra` of the observation that is the screen after a step."""
TARGETS = ("target", "to_target")
"""A planner's arguments for which its grounder is asked, see `host.dialects.grounded`."""


def write_atif(run: Path, target: Path, catalogue: Mapping[str, ToolSpec]) -> int:
    """Write every attempt of a run and return their number. `UsageError` if `target` exists.

    The catalogue's tools are described in the trajectories if they are those of the run.
    """
    config = read_config(run)
    attempts = recorded_attempts(run)
    try:
        target.mkdir(parents=True)
    except FileExistsError:
        raise UsageError(f"{target} exists already", hint="Name a new directory.") from None
    shutil.copyfile(run / CONFIG, target / CONFIG)
    described = catalogue if catalogue_hash(catalogue) == config.catalogue else {}
    for index, attempt in enumerate(attempts):
        folder = target / attempt.folder.name
        if folder.exists():  # of an attempt whose own directory is gone
            attempt = RecordedAttempt(attempt.row, attempt.folder, ())
            folder = target / f"{attempt.folder.name}.attempt-{attempt.row.attempt}"
        folder.mkdir()
        trajectory = Writer(config, attempt, described).trajectory(run.name, index)
        text = json.dumps(trajectory.to_json_dict(), indent=1)
        (folder / TRAJECTORY).write_text(text, encoding="utf-8")
        _copy_images(attempt, folder / IMAGES)
    return len(attempts)


@dataclass
class Writer:
    """Converts one attempt."""

    config: RunConfig
    attempt: RecordedAttempt
    catalogue: Mapping[str, ToolSpec]
    steps: list[Step] = field(default_factory=list)
    subagents: list[Trajectory] = field(default_factory=list)
    offers: dict[str, list[str]] = field(default_factory=dict)
    ours: dict[str, Any] = field(default_factory=dict)

    def trajectory(self, run: str, index: int) -> Trajectory:
        """The attempt as a trajectory; `index` is the place of its row among those of the run."""
        row, lines = self.attempt.row, self.attempt.lines
        for line in lines:
            self._add(line, lines)
        if not lines:
            message = row.failure.message if row.failure else ""
            self._step("system", f"The attempt ended before its episode began. {message}".strip())
        self.ours |= {"index": index, "row": self._row(), "offers": self.offers}
        names = sorted({name for offer in self.offers.values() for name in offer})
        return Trajectory(
            schema_version=VERSION,
            session_id=run,
            trajectory_id=f"{run}/{self.attempt.folder.name}",
            agent=Agent(
                name=f"ambidex {row.agent}",
                version=self.config.version,
                model_name=row.model or None,
                tool_definitions=[
                    _definition(self.catalogue[name]) for name in names if name in self.catalogue
                ]
                or None,
            ),
            steps=self.steps,
            final_metrics=_total(self.steps),
            subagent_trajectories=self.subagents or None,
            extra=_clean({OURS: self.ours}),
        )

    def _row(self) -> dict[str, Any]:
        """The row. Counts that follow from the steps are left out."""
        row = self.attempt.row
        kept = row.model_dump(mode="json")
        repeats = {call.tool: call.repeats for call in row.calls if call.repeats}
        self.ours["repeats"] = repeats
        if row.fate in ("scored", "unjudged") and not row.forfeit:
            counts = recount(self.attempt.folder, self.attempt.lines, repeats)
            if all(counts[name] == getattr(row, name) for name in COUNTS):
                kept = {name: value for name, value in kept.items() if name not in COUNTS}
        return kept

    def _add(self, line: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> None:
        match line["kind"]:
            case "start":
                first = next((step["before"] for step in lines if step["kind"] == "step"), "")
                parts = [_text(line["instruction"]), *([_frame(first)] if first else [])]
                rest = {name: line[name] for name in line if name not in ("kind", "instruction")}
                self._step("user", parts, {"start": rest})
            case "offer":
                self.offers[line["name"]] = line["tools"]
            case "person":
                order = {name: value for name, value in line.items() if name != "kind"}
                text = line.get("text") or f"A person gave the order {line['order']}."
                source = "user" if line["order"] == "hint" else "system"
                self._step(source, text, {"person": order})
            case "step" if line["actor"] == AGENT:
                self._agent_step(line)
            case "step":
                self._person_step(line)
            case "end":
                self.ours["end"] = {name: line[name] for name in line if name != "kind"}

    def _step(self, source: str, message: object, ours: object = None, **fields: Any) -> None:
        step = {"step_id": len(self.steps) + 1, "source": source, "message": message, **fields}
        self.steps.append(Step.model_validate(_clean({**step, "extra": ours and {OURS: ours}})))

    def _agent_step(self, line: Mapping[str, Any]) -> None:
        decision, exchanges = line["decision"], line["decision"]["exchanges"]
        executed = line.get("executed") or [None] * len(decision["calls"])
        calls = [
            {
                "tool_call_id": call["id"],
                "function_name": call["name"],
                "arguments": call["arguments"],
                "extra": {OURS: {"app": app, **({"executed": behind} if behind else {})}},
            }
            for call, app, behind in zip(decision["calls"], line["apps"], executed, strict=True)
        ]
        results = [*_results(line, by_call=True), *self._asked(line["number"], decision)]
        parent = self.attempt.row.parent
        model = self.config.model
        self._step(
            "agent",
            decision["thought"],
            _of_step(line) | {name: decision[name] for name in ("stop", "answer", "malformed")},
            model_name=exchanges[0]["model"] if exchanges else None,
            reasoning_effort=model.effort if model and exchanges else None,
            tool_calls=calls or None,
            observation={"results": results} if results else None,
            metrics=_metrics(exchanges[0]) if exchanges else None,
            llm_call_count=1 if exchanges else 0,
            is_copied_context=True if parent and line["number"] < parent.step else None,
        )

    def _person_step(self, line: Mapping[str, Any]) -> None:
        calls = line["decision"]["calls"]
        text = "; ".join(written(call["name"], call["arguments"]) for call in calls)
        ours = _of_step(line) | {"calls": calls, "apps": line["apps"]}
        results = _results(line, by_call=False)
        observation = {"results": results} if results else None
        self._step("user", f"A person did this: {text}", ours, observation=observation)

    def _asked(self, number: int, decision: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """References to the requests that a step made beyond its first one: those to a grounder.
        Each is a trajectory of its own."""
        exchanges = decision["exchanges"][1:]
        targets = _targets(decision["exchanges"][0]["answer"]) if exchanges else []
        for place, exchange in enumerate(exchanges):
            name = f"step-{number}-{place + 1}"
            message = targets[place] if len(targets) == len(exchanges) else ""
            self.subagents.append(
                Trajectory(
                    schema_version=VERSION,
                    trajectory_id=name,
                    agent=Agent(
                        name="grounder" if self.config.grounder else "further request",
                        version=self.config.version,
                        model_name=exchange["model"],
                    ),
                    steps=[
                        Step(step_id=1, source="user", message=_clean(message)),
                        Step(
                            step_id=2,
                            source="agent",
                            message=_clean(text_of(exchange["answer"])),
                            model_name=exchange["model"],
                            metrics=Metrics.model_validate(_metrics(exchange)),
                            llm_call_count=1,
                        ),
                    ],
                )
            )
            reference = SubagentTrajectoryRef(trajectory_id=name)
            yield ObservationResult(subagent_trajectory_ref=[reference]).model_dump()


def _of_step(line: Mapping[str, Any]) -> dict[str, Any]:
    """What a step records that the format has no field for."""
    names = (
        "number",
        "actor",
        "before",
        "after",
        "still",
        "seconds",
        "offered",
        "focused",
        "notes",
    )
    return {name: line[name] for name in names if name in line}


def _results(line: Mapping[str, Any], *, by_call: bool) -> list[dict[str, Any]]:
    """The results of a step's calls, and the screen after it."""
    results = []
    for result in line["results"]:
        images = [_image(name) for name in result["images"]]
        ours = {name: result[name] for name in ("error", "value")}
        ours |= {} if by_call else {"call": result["call"]}
        results.append(
            {
                "source_call_id": result["call"] if by_call else None,
                "content": [_text(result["text"]), *images] if images else result["text"],
                "extra": {OURS: ours},
            }
        )
    if line["after"]:
        results.append({"content": [_frame(line["after"])], "extra": SCREENSHOT})
    return results


def _metrics(exchange: Mapping[str, Any]) -> dict[str, Any]:
    usage = exchange["usage"]
    rest = ("reasoning_tokens", "requests", "retries")
    return {
        "prompt_tokens": usage["input_tokens"],
        "completion_tokens": usage["output_tokens"],
        "cached_tokens": usage["cached_tokens"],
        "cost_usd": usage["cost"],
        "extra": {name: usage.get(name) for name in rest} | {"seconds": exchange["seconds"]},
    }


def _total(steps: Iterable[Step]) -> FinalMetrics:
    """The sums over the steps; those of subagents are in their own trajectories."""
    steps = list(steps)
    metrics = [step.metrics for step in steps if step.metrics]
    costs = [each.cost_usd for each in metrics]
    return FinalMetrics(
        total_prompt_tokens=sum(each.prompt_tokens or 0 for each in metrics),
        total_completion_tokens=sum(each.completion_tokens or 0 for each in metrics),
        total_cached_tokens=sum(each.cached_tokens or 0 for each in metrics),
        total_cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        total_steps=len(steps),
    )


def _targets(answer: Mapping[str, Any]) -> list[str]:
    """The targets that a planner described, in the order in which its grounder was asked."""
    match answer:
        case {"choices": [{"message": {"tool_calls": list(calls)}}, *_]}:
            arguments = [json.loads(call["function"]["arguments"]) for call in calls]
            return [str(given[name]) for given in arguments for name in TARGETS if name in given]
    return []


def _definition(tool: ToolSpec) -> dict[str, Any]:
    described = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": described}


def _text(text: str) -> dict[str, Any]:
    return ContentPart(type="text", text=_clean(text)).model_dump()


def _frame(name: str) -> dict[str, Any]:
    return _image(f"{name}.png")


def _image(name: str) -> dict[str, Any]:
    kind = name.rpartition(".")[2].replace("jpg", "jpeg")
    source = {"media_type": f"image/{kind}", "path": f"{IMAGES}/{name}"}
    return ContentPart(type="image", source=ImageSource.model_validate(source)).model_dump()


def _clean(value: Any) -> Any:
    """The value with lone surrogates, which models do write and JSON readers refuse, escaped."""
    match value:
        case str():
            return without_surrogates(value)
        case dict():
            return {_clean(name): _clean(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_clean(inner) for inner in value]
    return value


def _copy_images(attempt: RecordedAttempt, target: Path) -> None:
    frames, images = set(), set()
    for line in attempt.lines:
        if line["kind"] == "step":
            frames |= {line["before"], line["after"]} - {""}
            images |= {name for result in line["results"] for name in result["images"]}
    if frames or images:
        target.mkdir()
    for name in frames:
        (target / f"{name}.png").write_bytes(read_frame_png(attempt.folder / FRAMES, name))
    for name in images:
        shutil.copyfile(attempt.folder / FRAMES / name, target / name)
