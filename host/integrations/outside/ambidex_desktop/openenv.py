"""Desktops of Ambidex as an environment of OpenEnv: its server and its client.

AMBIDEX_BRIDGE=bridge.json uvicorn ambidex_desktop.openenv:app --factory
"""

from __future__ import annotations

import os
import random
from typing import Any

from fastapi import FastAPI
from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient
from openenv.core.env_server import Action, Environment, Observation, State, create_fastapi_app
from pydantic import Field

from ambidex_desktop.client import Desktop, connect

__all__ = ["DesktopAction", "DesktopClient", "DesktopEnvironment", "DesktopObservation", "app"]

SESSIONS = "AMBIDEX_SESSIONS"
"""The environment variable with the number of sessions at a time: that of the bridge's machines."""


class DesktopAction(Action):
    """A call of a tool, or the end of the episode."""

    tool: str = Field(description="The name of a tool, or done or infeasible to end the episode.")
    arguments: dict[str, Any] = Field(default_factory=dict)
    """Of the tool; of `done` perhaps an `answer`."""


class DesktopObservation(Observation):
    """The screen and the result of the call."""

    screen: str | None = None
    """PNG in base64."""
    result: str = ""
    error: str = ""
    """A code such as `bad_arguments`; empty if the call succeeded."""
    task: str = ""
    instruction: str = ""
    """At the first observation, as are the tools."""
    tools: list[dict[str, Any]] = Field(default_factory=list)
    """Name, description and parameters of each tool."""
    reason: str = ""
    """Of the reward, at the end of the episode."""


class DesktopEnvironment(Environment[DesktopAction, DesktopObservation, State]):
    """One desktop, taken at the first reset and given back by `close`."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._bridge = connect()
        self._desktop: Desktop | None = None
        self._state = State()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        task: str | None = None,
        **kwargs: Any,
    ) -> DesktopObservation:
        """Begin an episode of `task`, or of one drawn with `seed`."""
        names = [each["name"] for each in self._bridge.tasks()]
        name = task or random.Random(seed).choice(names)
        if self._desktop is None:
            self._desktop = self._bridge.desktop()
        begun = self._desktop.reset(name)
        self._state = State(episode_id=episode_id, step_count=0)
        return DesktopObservation(
            task=name,
            instruction=begun["instruction"],
            tools=begun["tools"],
            screen=begun["screen"],
        )

    def step(
        self, action: DesktopAction, timeout_s: float | None = None, **kwargs: Any
    ) -> DesktopObservation:
        """Make a call; the last one of an episode is judged."""
        if self._desktop is None:
            raise RuntimeError("there is no episode: reset first")
        self._state.step_count += 1
        if action.tool in ("done", "infeasible"):
            answer = action.arguments.get("answer")
            seen = self._desktop.step(stop=action.tool, answer=answer)
        else:
            seen = self._desktop.step((action.tool, action.arguments))
        result = (seen["results"] or [{"text": "", "error": ""}])[0]
        outcome = seen["outcome"]
        return DesktopObservation(
            screen=seen["screen"],
            result=result["text"],
            error=result["error"],
            done=outcome is not None,
            reward=outcome["reward"] if outcome else 0.0,
            reason=outcome["reason"] if outcome else "",
        )

    @property
    def state(self) -> State:
        """The number of steps."""
        return self._state

    def close(self) -> None:
        """Give the desktop back."""
        if self._desktop is not None:
            self._desktop.close()
        self._desktop = None


class DesktopClient(EnvClient[DesktopAction, DesktopObservation, State]):
    """The client of the server."""

    def _step_payload(self, action: DesktopAction) -> dict[str, Any]:
        payload: dict[str, Any] = action.model_dump()
        return payload

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[DesktopObservation]:
        shared = {"reward": payload.get("reward"), "done": payload.get("done", False)}
        seen = DesktopObservation.model_validate(payload["observation"] | shared)
        return StepResult(observation=seen, **shared)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State.model_validate(payload)


def app() -> FastAPI:
    """The server, for uvicorn."""
    sessions = int(os.environ.get(SESSIONS, "1"))
    server: FastAPI = create_fastapi_app(
        DesktopEnvironment,
        DesktopAction,
        DesktopObservation,
        max_concurrent_envs=sessions,
        env_name="ambidex-desktop",
    )
    return server
