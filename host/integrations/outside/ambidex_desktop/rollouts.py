"""Desktops of Ambidex as an environment of verifiers, for its trainers and `vf-eval`."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import verifiers as vf
from datasets import Dataset

from ambidex_desktop.client import BridgeError, Desktop, connect

__all__ = ["DesktopEnv", "load_environment"]

ENDS = [
    vf.Tool(
        name="done",
        description="End the episode: the task is done. An answer, if the task asks a question.",
        parameters={"type": "object", "properties": {"answer": {"type": "string"}}},
    ),
    vf.Tool(
        name="infeasible",
        description="End the episode: the task cannot be done.",
        parameters={"type": "object", "properties": {}},
    ),
]
DESKTOP, REWARD = "desktop", "desktop_reward"
"""Keys of a rollout's state."""


class DesktopEnv(vf.MultiTurnEnv):
    """Rollouts on the desktops of a bridge, each on one of its own, judged at their end. A turn
    without a call ends the rollout, too, with its text as the answer."""

    def __init__(self, bridge: str | None = None, tasks: list[str] | None = None, **kwargs: Any):
        self._bridge = connect(bridge)
        rows = [
            {"question": task["instruction"], "answer": "", "info": json.dumps(task)}
            for task in self._bridge.tasks()
            if not tasks or task["name"] in tasks
        ]
        rubric = vf.Rubric(funcs=[reward])
        super().__init__(dataset=Dataset.from_list(rows), rubric=rubric, **kwargs)

    async def setup_state(self, state: vf.State) -> vf.State:
        """Take a desktop, begin the task, and show the first screen."""
        info = state["info"]
        name = (json.loads(info) if isinstance(info, str) else info)["name"]
        try:
            desktop = await asyncio.to_thread(self._bridge.desktop)
            state[DESKTOP] = desktop
            begun = await asyncio.to_thread(desktop.reset, name)
        except BridgeError as error:
            raise vf.InfraError(str(error)) from error
        state["tool_defs"] = [*(vf.Tool(**tool) for tool in begun["tools"]), *ENDS]
        if begun["screen"]:
            state["prompt"] = [*state["prompt"], _picture(begun["screen"])]
        return state

    async def env_response(self, messages: Any, state: vf.State, **kwargs: Any) -> Any:
        """Make the calls of a turn in order."""
        desktop: Desktop = state[DESKTOP]
        calls = messages[-1].tool_calls or []
        said = messages[-1].content
        answers: list[Any] = []
        seen: dict[str, Any] = {"screen": None}
        try:
            for call in calls:
                if call.name in ("done", "infeasible"):
                    answer = _arguments(call.arguments).get("answer")
                    seen = await asyncio.to_thread(desktop.step, stop=call.name, answer=answer)
                    text = "The episode has ended."
                else:
                    step = (call.name, _arguments(call.arguments))
                    seen = await asyncio.to_thread(desktop.step, step)
                    text = seen["results"][0]["text"]
                answers.append(vf.ToolMessage(tool_call_id=call.id, content=text))
                if seen["outcome"]:
                    break
            if not calls:
                answer = said if isinstance(said, str) else None
                seen = await asyncio.to_thread(desktop.step, stop="done", answer=answer)
                answers.append(vf.UserMessage(content="The episode has ended."))
        except BridgeError as error:
            raise vf.InfraError(str(error)) from error
        if seen["outcome"]:
            state[REWARD] = seen["outcome"]["reward"]
            state["final_env_response"] = answers
        elif seen["screen"]:
            answers.append(_picture(seen["screen"]))
        return answers

    @vf.cleanup
    async def give_back(self, state: vf.State) -> None:
        """Give the desktop back."""
        desktop: Desktop | None = state.pop(DESKTOP, None)
        if desktop is not None:
            await asyncio.to_thread(desktop.close)


async def reward(state: vf.State) -> float:
    """The reward of the episode; 0 if it did not end."""
    return float(state.get(REWARD, 0.0))


def load_environment(
    bridge: str | None = None, tasks: list[str] | None = None, max_turns: int = -1
) -> DesktopEnv:
    """The environment of the bridge's suite. `bridge` is the file that `ambidex bridge --json`
    wrote (by default, what AMBIDEX_BRIDGE names); `tasks` selects some. The bridge's `--steps` is
    the limit that is judged; a rollout that `max_turns` ends gets no reward."""
    return DesktopEnv(bridge, tasks, max_turns=max_turns)


def _arguments(text: str) -> dict[str, Any]:
    """A call's arguments; none where the model wrote something else, which the tool then says."""
    try:
        arguments = json.loads(text)
    except ValueError:
        return {}
    return arguments if isinstance(arguments, dict) else {}


def _picture(screen: str) -> Any:
    url = {"url": f"data:image/png;base64,{screen}"}
    return vf.UserMessage(content=[{"type": "image_url", "image_url": url}])
