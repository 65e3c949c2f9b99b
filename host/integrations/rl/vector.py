"""Many desktops as one vectorized Gymnasium environment."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate

from ambidex.host.errors import UsageError
from ambidex.host.integrations.desk import DeskOptions
from ambidex.host.integrations.rl.environment import Action, DesktopEnv, Seen, load_tasks
from ambidex.host.records.config import Condition
from ambidex.host.runs.machine_checks import refuse_missing_network
from ambidex.host.runs.machines import MachineOptions, open_machines
from ambidex.host.terminal import echo

__all__ = ["DesktopVectorEnv", "open_vector_env"]

Reset = tuple[Seen, dict[str, Any]]


class DesktopVectorEnv(VectorEnv[Any, Any, Any]):
    """`count` episodes at a time, on more machines than that.

    Each environment has a thread of its own. One whose episode has ended begins another at once, in
    the background, while a spare that has already done so takes its place: the step after an
    episode's last one returns the first observation of the spare's (`AutoresetMode.NEXT_STEP`) and
    waits only if no spare is ready.
    """

    metadata = {  # noqa: RUF012 - Gymnasium's
        "render_modes": ["rgb_array"],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(self, envs: Sequence[DesktopEnv], count: int, tasks: Sequence[str] = ()) -> None:
        """The first `count` environments are in use at the beginning, and the others are spares.
        `tasks` are played in turn; by default, an environment draws its own. The environments are
        closed with this one."""
        if not 1 <= count <= len(envs):
            raise UsageError(f"{len(envs)} environments cannot be {count} at a time")
        self.num_envs = count
        self.single_action_space = envs[0].action_space
        self.single_observation_space = envs[0].observation_space
        self.action_space = batch_space(self.single_action_space, count)
        self.observation_space = batch_space(self.single_observation_space, count)
        self.tools = envs[0].tools
        self.action = envs[0].action
        self._envs = list(envs)
        self._threads = {id(env): ThreadPoolExecutor(1) for env in envs}
        self._tasks = tuple(tasks)
        self._begun = 0
        self._used: list[DesktopEnv] = []
        self._spares: dict[Future[Reset], DesktopEnv] = {}
        self._ended: list[bool] = []

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin episodes in all environments, spares included; the n-th has the seed `seed + n`."""
        wait(self._spares)
        begun = {}
        for number, env in enumerate(self._envs):
            future = self._begin(env, None if seed is None else seed + number, options)
            begun[future] = env
        futures = list(begun)
        self._used = self._envs[: self.num_envs]
        self._spares = {future: begun[future] for future in futures[self.num_envs :]}
        self._ended = [False] * self.num_envs
        seen: list[Seen] = []
        infos: dict[str, Any] = {}
        for number, future in enumerate(futures[: self.num_envs]):
            observation, info = future.result()
            seen.append(observation)
            infos = self._add_info(infos, info, number)
        return self._batched(seen), infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """One action in every environment. Where the last step ended an episode, the action is
        ignored, and the observation is the first of another episode."""
        chosen: list[Action] = list(iterate(self.action_space, actions))
        moves: list[Future[Any] | None] = [
            None if self._ended[place] else self._thread(env).submit(env.step, chosen[place])
            for place, env in enumerate(self._used)
        ]
        seen: list[Seen] = []
        infos: dict[str, Any] = {}
        rewards = np.zeros(self.num_envs)
        terminated, truncated = np.zeros((2, self.num_envs), np.bool_)
        for place, move in enumerate(moves):
            if move is None:
                observation, info = self._replace(place)
            else:
                observation, reward, end, cut, info = move.result()
                rewards[place], terminated[place], truncated[place] = reward, end, cut
            seen.append(observation)
            infos = self._add_info(infos, info, place)
        self._ended = list(terminated | truncated)
        for env, ended in zip(self._used, self._ended, strict=True):
            if ended:
                self._spares[self._begin(env)] = env
        return self._batched(seen), rewards, terminated, truncated, infos

    def render(self) -> tuple[Any, ...]:
        """The screens of the environments in use."""
        return tuple(env.render() for env in self._used)

    def close_extras(self, **kwargs: Any) -> None:
        """Wait for resets in progress, and close all environments."""
        wait(self._spares)
        for env in self._envs:
            self._thread(env).submit(env.close).result()
            self._thread(env).shutdown()

    def _replace(self, place: int) -> Reset:
        """Put the first spare that is ready in the place of an environment that has ended."""
        done, _ = wait(self._spares, return_when=FIRST_COMPLETED)
        ready = next(future for future in self._spares if future in done)
        self._used[place] = self._spares.pop(ready)
        return ready.result()

    def _begin(
        self, env: DesktopEnv, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> Future[Reset]:
        if self._tasks and not (options or {}).get("task"):
            options = {**(options or {}), "task": self._tasks[self._begun % len(self._tasks)]}
        self._begun += 1
        return self._thread(env).submit(env.reset, seed=seed, options=options)

    def _thread(self, env: DesktopEnv) -> ThreadPoolExecutor:
        return self._threads[id(env)]

    def _batched(self, seen: list[Seen]) -> Any:
        empty: Any = create_empty_array(self.single_observation_space, self.num_envs)
        return concatenate(self.single_observation_space, seen, empty)


def open_vector_env(
    suite: str | Path,
    *,
    num_envs: int = 2,
    spares: int = 1,
    tasks: Sequence[str] = (),
    provider: str = "sandbox",
    image: str = "debian-12",
    condition: Condition = "hybrid",
    steps: int = 15,
    settle: float = 5.0,
    partial: bool = False,
    render_mode: str | None = None,
) -> DesktopVectorEnv:
    """Environments on `num_envs + spares` machines, which `close` ends. For the other arguments see
    `open_env`; tasks are played in turn."""
    loaded = load_tasks(suite, tasks)
    desk = DeskOptions(condition, steps, settle, partial)
    options = MachineOptions(provider=provider, image=image, machines=num_envs + spares)
    refuse_missing_network(loaded, options)

    with ExitStack() as stack:
        source = stack.enter_context(open_machines(options, lambda line: echo(line, error=True)))
        envs = []
        for _ in range(options.machines):
            machine = stack.enter_context(closing(source.make()))
            envs.append(DesktopEnv(machine, loaded, desk, render_mode=render_mode))
        envs[-1].close_machine = stack.pop_all().close  # the last one to be closed
    return DesktopVectorEnv(envs, num_envs, [task.name for task in loaded])
