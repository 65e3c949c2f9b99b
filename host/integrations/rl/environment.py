"""A desktop as a Gymnasium environment."""

from __future__ import annotations

import json
import string
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from ambidex.evaluators.bounded import BoundsError, parse_json
from ambidex.host import Decision, Observation, Stop, ToolCall, ToolSpec
from ambidex.host.errors import GuestError, MachineError, UsageError
from ambidex.host.integrations.desk import Desk, DeskOptions, Outcome, judged_tasks
from ambidex.host.records.config import Condition
from ambidex.host.runs.machine_checks import refuse_missing_network
from ambidex.host.runs.machines import MachineOptions, open_machines
from ambidex.host.terminal import echo
from ambidex.tasks import Task
from ambidex.tasks.catalogue import read_catalogue
from ambidex.tasks.load import load_suite
from ambidex.tasks.survey import Selection
from ambidex.vm import Machine

__all__ = ["DONE", "INFEASIBLE", "Action", "DesktopEnv", "Seen", "load_tasks", "open_env"]

DONE, INFEASIBLE = "done", "infeasible"
"""The actions that end an episode; the arguments of `done` may have an `answer`."""
ASCII = string.digits + string.ascii_letters + string.punctuation + " "
LONGEST_ARGUMENTS = 65_536
LONGEST_RESULTS = 65_536
"""Characters of an action's arguments and of the results of a step."""

Action = Mapping[str, Any]
Seen = dict[str, Any]


class DesktopEnv(gymnasium.Env[Seen, Action]):
    """Episodes of tasks on one machine.

    An action is a call: the number of a tool in `tools` and its arguments as JSON; `action` makes
    one. An observation is the screen, RGB, and the results of the last call as JSON; a long text
    is cut. The reward is 0 until the episode ends, and then the score of its task, or the share of
    its checks (`DeskOptions.partial`). `terminated` means that the agent ended it, `truncated` that
    the limit of steps did, or that the machine failed: then `info["void"]` says why, and the
    episode should not be learned from.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 1}  # noqa: RUF012 - Gymnasium's

    def __init__(
        self,
        machine: Machine,
        tasks: Sequence[Task],
        options: DeskOptions = DeskOptions(),
        *,
        render_mode: str | None = None,
        desk: Desk | None = None,
    ) -> None:
        """`machine` belongs to the caller. `desk` is one in the middle of an episode, see `fork`;
        without one, the machine is reverted to learn its tools and the size of its screen."""
        if not tasks:
            raise UsageError("an environment needs at least one task")
        self.render_mode = render_mode
        self.close_machine: Callable[[], None] = lambda: None
        """Called by `close`."""
        self.tasks = {task.name: task for task in tasks}
        self._desk = desk or Desk(machine, options)
        seen = desk.observe() if desk else self._desk.reset()
        self.tools: tuple[str, ...] = (*sorted(t.name for t in seen.tools), DONE, INFEASIBLE)
        """The names that the number in an action selects from."""
        width, height = seen.screen
        self._shape = (height or 1, width or 1, 3)
        self.action_space = spaces.Dict(
            {
                "tool": spaces.Discrete(len(self.tools)),
                "arguments": spaces.Text(LONGEST_ARGUMENTS, min_length=0, charset=ASCII),
            }
        )
        self.observation_space = spaces.Dict(
            {
                "screen": spaces.Box(0, 255, self._shape, np.uint8),
                "results": spaces.Text(LONGEST_RESULTS, charset=ASCII),
            }
        )
        self._seen = self._converted(seen)

    def action(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The action that calls a tool, or ends the episode; `UsageError` if there is none of that
        name."""
        if tool not in self.tools:
            raise UsageError(f"there is no tool {tool!r} here")
        return {"tool": np.int64(self.tools.index(tool)), "arguments": json.dumps(arguments)}

    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools that the present task offers, with their schemas, for a model's prompt."""
        return self._desk.tools

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Seen, dict[str, Any]]:
        """Revert the machine and begin an episode: of `options["task"]`, or of a task drawn at
        random, and of its instance `options["instance"]`, or of one drawn at random. The seed
        decides what is drawn."""
        super().reset(seed=seed)
        wanted = (options or {}).get("task")
        if wanted is not None and wanted not in self.tasks:
            raise UsageError(f"there is no task {wanted!r}", hint=f"Tasks: {', '.join(self.tasks)}")
        name = wanted or str(self.np_random.choice(sorted(self.tasks)))
        task = self._instance(self.tasks[name], (options or {}).get("instance"))
        self._seen = self._converted(self._desk.reset(task))
        facts = {"task": name, "instance": task.instance, "instruction": task.spec.instruction}
        return dict(self._seen), facts

    def step(self, action: Action) -> tuple[Seen, float, bool, bool, dict[str, Any]]:
        """Carry out one call. Arguments that are no JSON object give the result `bad_arguments`,
        and count as a step."""
        decision, problem = self._decision(action)
        try:
            observation, outcome = self._desk.step(decision)
        except (GuestError, MachineError) as error:
            return dict(self._seen), 0.0, False, True, {"void": f"{type(error).__name__}: {error}"}
        self._seen = self._converted(observation, problem)
        if outcome is None:
            return dict(self._seen), 0.0, False, False, {}
        truncated = outcome.stop is Stop.STEP_LIMIT
        return dict(self._seen), outcome.reward, not truncated, truncated, _facts(outcome)

    def render(self) -> Any:
        """The screen, as in the latest observation."""
        return self._seen["screen"] if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Close the connection to the machine, and what `open_env` opened."""
        self._desk.close()
        self.close_machine()
        self.close_machine = lambda: None

    @contextmanager
    def fork(self, count: int) -> Iterator[list[DesktopEnv]]:
        """Environments in the present state of this one, in the middle of the same episode; this
        one can go on. They are closed at the end of the block. `UnforkableError` if the provider
        cannot fork such a machine."""
        with ExitStack() as stack:
            forks = []
            for _ in range(count):
                desk = stack.enter_context(self._desk.fork())
                env = DesktopEnv(
                    desk.machine,
                    tuple(self.tasks.values()),
                    desk.options,
                    render_mode=self.render_mode,
                    desk=desk,
                )
                env.tools, env.action_space = self.tools, self.action_space
                forks.append(env)
            yield forks

    def _instance(self, task: Task, wanted: int | None) -> Task:
        if wanted is not None:
            return task.at_instance(wanted)
        if not task.others:  # nothing to draw
            return task
        return task.instances[int(self.np_random.integers(len(task.instances)))]

    def _decision(self, action: Action) -> tuple[Decision, str]:
        """The decision in an action, and what is wrong with its arguments."""
        tool, text = self.tools[int(action["tool"])], action["arguments"]
        try:
            arguments = parse_json(text or "{}")
        except BoundsError as error:
            arguments, problem = None, str(error)
        else:
            problem = "" if isinstance(arguments, dict) else "arguments must be a JSON object"
        if tool == INFEASIBLE:
            return Decision(stop=Stop.INFEASIBLE), ""
        if tool == DONE:
            answer = arguments.get("answer") if isinstance(arguments, dict) else None
            return Decision(stop=Stop.DONE, answer=None if answer is None else str(answer)), ""
        if not isinstance(arguments, dict):
            return Decision(malformed=problem), problem
        return Decision(calls=(ToolCall(uuid.uuid4().hex, tool, arguments),)), ""

    def _converted(self, observation: Observation, problem: str = "") -> Seen:
        frame = observation.screenshot
        screen = np.zeros(self._shape, np.uint8)
        if frame:
            pixels = np.frombuffer(frame.rgb, np.uint8).reshape(frame.size[1], frame.size[0], 3)
            height, width = min(pixels.shape[0], len(screen)), min(pixels.shape[1], self._shape[1])
            screen[:height, :width] = pixels[:height, :width]
        results = [
            {"text": result.text, "error": result.error} if result.error else {"text": result.text}
            for result in observation.results
        ]
        if problem:
            results.append({"text": problem, "error": "bad_arguments"})
        return {"screen": screen, "results": _bounded(results)}


def _bounded(results: list[dict[str, str]]) -> str:
    """The results as ASCII JSON of a bounded length: texts are halved until it fits."""
    while len(text := json.dumps(results)) > LONGEST_RESULTS:
        for result in results:
            result["text"] = result["text"][: len(result["text"]) // 2]
    return text


def _facts(outcome: Outcome) -> dict[str, Any]:
    return {"score": outcome.score, "reason": outcome.reason, "stop": str(outcome.stop)}


def load_tasks(suite: str | Path, tasks: Sequence[str] = ()) -> tuple[Task, ...]:
    """The tasks of a suite, or those that are named."""
    return judged_tasks(
        load_suite(Path(suite), read_catalogue(), selection=Selection(tuple(tasks)))
    )


def open_env(
    suite: str | Path,
    *,
    tasks: Sequence[str] = (),
    provider: str = "sandbox",
    image: str = "debian-12",
    condition: Condition = "hybrid",
    steps: int = 15,
    settle: float = 5.0,
    partial: bool = False,
    render_mode: str | None = None,
) -> DesktopEnv:
    """An environment on a machine of its own, which `close` ends. The arguments are those of
    `ambidex run`; `partial` is `DeskOptions.partial`."""
    loaded = load_tasks(suite, tasks)
    options = DeskOptions(condition, steps, settle, partial)
    with ExitStack() as stack:
        machines = MachineOptions(provider=provider, image=image)
        refuse_missing_network(loaded, machines)
        source = stack.enter_context(open_machines(machines, lambda line: echo(line, error=True)))
        machine = stack.enter_context(closing(source.make()))
        env = DesktopEnv(machine, loaded, options, render_mode=render_mode)
        env.close_machine = stack.pop_all().close
    return env
