"""A desktop on which episodes are played one decision at a time, by programs that have a loop of
their own: reinforcement learning, and Harbor."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ambidex.host import Decision, Frame, Observation, Stop, ToolResult, ToolSpec
from ambidex.host.client.guest import Guest
from ambidex.host.errors import GuestError, UsageError
from ambidex.host.loop.judge import share_of_checks
from ambidex.host.loop.stage import StageContext, collect, set_stage
from ambidex.host.loop.verdicts import verdict_on
from ambidex.host.records.config import Condition, offered, tools_of
from ambidex.tasks import Suite, Task, Verbs
from ambidex.tasks.livemcpbench.body import KeyPointBody
from ambidex.vm import READY, Machine
from ambidex.vm.closing import Closing
from ambidex.vm.disk import DiskOwner

__all__ = ["Desk", "DeskOptions", "Outcome", "judged_tasks"]


@dataclass(frozen=True)
class DeskOptions:
    """How episodes are played."""

    condition: Condition = "hybrid"
    steps: int = 15
    """Limit of an episode; what was reached by then is judged."""
    settle: float = 5.0
    """Seconds that the screen gets to become still after a step."""
    partial: bool = False
    """Reward an episode that is not solved with the mean score of its task's checks, where the
    task has several."""


@dataclass(frozen=True)
class Outcome:
    """The end of an episode."""

    reward: float
    score: float
    """The verdict's; smaller than the reward where that is partial."""
    reason: str
    stop: Stop


@dataclass
class Play:
    """The episode in progress."""

    task: Task
    folder: Path
    agent_is_root: bool
    steps: int = 0
    replies: list[str] = field(default_factory=list)


def judged_tasks(suite: Suite) -> tuple[Task, ...]:
    """The tasks of a suite; `UsageError` if there are some that only a jury can judge."""
    if any(isinstance(task.body, KeyPointBody) for task in suite.tasks):
        raise UsageError(
            f"the tasks of {suite.name} are judged by a jury after a run, and give no reward"
        )
    return suite.tasks


class Desk(Closing):
    """A machine with a connection to its guest and at most one episode. `close` ends connection
    and episode; the machine belongs to the caller. Not thread-safe."""

    def __init__(self, machine: Machine, options: DeskOptions) -> None:
        self.machine = machine
        self.options = options
        self._exit = ExitStack()
        scratch = self._exit.enter_context(TemporaryDirectory(prefix="ambidex-desk-"))
        self._scratch = Path(scratch)
        self._guest: Guest | None = None
        self._play: Play | None = None
        self._allowed: dict[str, ToolSpec] = {}

    def close(self) -> None:
        """Close the connection and delete what the episode stored."""
        self._disconnect()
        self._exit.close()

    @property
    def guest(self) -> Guest:
        """The connection, valid until the next `reset`."""
        if self._guest is None:
            raise UsageError("there is no episode", hint="Reset first.")
        return self._guest

    @property
    def task(self) -> Task:
        """The task of the episode."""
        return self._playing().task

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The tools on offer."""
        return tuple(self._allowed.values())

    def reset(self, task: Task | None = None) -> Observation:
        """Revert the machine, set the task's stage, and return the first observation. Without a
        task, only the tools of the condition and no verdict."""
        self._disconnect()
        spec = task.spec if task else None
        self.machine.revert(spec.snapshot if spec else READY, spec.services if spec else None)
        guest = self._connect()
        health = guest.health()
        if not health.ready:
            raise GuestError(f"the guest is not ready after a revert: {health.missing()}")
        served = guest.tools()
        self._allowed = offered(tools_of(spec, served) if spec else served, self.options.condition)
        if task:
            shutil.rmtree(self._scratch / "episode", ignore_errors=True)
            folder = self._scratch / "episode"
            folder.mkdir()
            play = Play(task, folder, health.agent_is_root)
            set_stage(task, guest, self._context(play))
            self._play = play
        return self._observation(())

    def step(self, decision: Decision) -> tuple[Observation, Outcome | None]:
        """Carry out a decision. The second value is the outcome if the episode ended by it."""
        play = self._playing()
        play.steps += 1
        play.replies.append(decision.thought)
        results = tuple(self._execute(decision))
        stop = decision.stop or (Stop.STEP_LIMIT if play.steps >= self.options.steps else None)
        if stop is None:
            return self._observation(results), None
        frame = self.guest.observe()
        return Observation(frame, results, self.tools), self._finish(stop, decision.answer)

    def finish(self, stop: Stop = Stop.DONE, answer: str | None = None) -> Outcome:
        """End the episode, and return its outcome."""
        self._playing()
        return self._finish(stop, answer)

    @contextmanager
    def fork(self) -> Iterator[Desk]:
        """A second desk in the present state of this one, in the middle of the same episode.
        `UnforkableError` if such machines cannot be forked."""
        play = self._playing()
        with self.machine.fork() as machine, Desk(machine, self.options) as desk:
            folder = desk._scratch / "episode"
            shutil.copytree(play.folder, folder)
            desk._connect().wait_ready()
            desk._allowed = self._allowed
            desk._play = replace(play, folder=folder, replies=[*play.replies])
            yield desk

    def observe(self) -> Observation:
        """What is seen now, without results."""
        return self._observation(())

    def _playing(self) -> Play:
        if self._play is None:
            raise UsageError("there is no episode", hint="Reset first.")
        return self._play

    def _execute(self, decision: Decision) -> Iterator[ToolResult]:
        for call in decision.calls:
            if call.name in self._allowed:
                yield self.guest.call(call)
            else:
                text = f"There is no tool {call.name!r} here."
                yield ToolResult(call.id, text, "unknown_tool")

    def _observation(self, results: Sequence[ToolResult]) -> Observation:
        frame: Frame | None = self.guest.observe(settle=self.options.settle)
        return Observation(frame, tuple(results), self.tools)

    def _finish(self, stop: Stop, answer: str | None) -> Outcome:
        play, self._play = self._playing(), None
        context, evidence = self._context(play), play.folder / "evidence"
        collect(play.task, self.guest, evidence, answer, context)
        score = verdict_on(play.task, evidence, stop, context).score
        reward, reason = score.value, score.reason
        if self.options.partial and reward < 1 and _is_divisible(play.task, stop):
            reward = max(reward, share_of_checks(play.task, evidence))
        return Outcome(reward, score.value, reason, stop)

    def _connect(self) -> Guest:
        self._guest = Guest(self.machine.endpoint, self.machine.token)
        return self._guest

    def _disconnect(self) -> None:
        if self._guest is not None:
            self._guest.close()
        self._guest = self._play = None

    def _context(self, play: Play) -> StageContext:
        machine = self.machine

        @contextmanager
        def fresh() -> Iterator[Guest]:
            machine.revert(play.task.spec.snapshot, play.task.spec.services)
            with Guest(machine.endpoint, machine.token) as guest:
                guest.wait_ready()
                yield guest

        @contextmanager
        def forked() -> Iterator[Guest]:
            with machine.fork() as fork, Guest(fork.endpoint, fork.token) as guest:
                yield guest

        return StageContext(
            play.folder / "stage",
            fresh,
            agent_is_root=play.agent_is_root,
            disk=machine.disk if isinstance(machine, DiskOwner) else None,
            fork=forked,
            replies=lambda: play.replies,
        )


def _is_divisible(task: Task, stop: Stop) -> bool:
    """Whether an unsolved episode can be rewarded for some of its checks."""
    several = isinstance(task.body, Verbs) and task.body.check_count > 1
    return several and task.spec.feasible and stop is not Stop.INFEASIBLE
